"""What every text must be before it can be stored."""

from typing import overload


@overload
def storable(text: str) -> str: ...
@overload
def storable(text: None) -> None: ...
def storable(text: str | None) -> str | None:
    """The text with NUL and lone surrogates, which UTF-8 or SQLite cannot hold, as U+FFFD."""
    if text is None or (text.isascii() and "\0" not in text):
        return text
    return text.replace("\0", "�").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
