"""Exit codes, and error messages on stderr."""

import sys
from collections.abc import Iterable

from curator.errors import ConfigError, ImportFailure, ModelError, Refused
from curator.export.sanitize import visible
from store import StoreError, Unusable

NOTHING = 1
USAGE = 2
STORE = 3
MODEL = 4
INTERRUPTED = 130
_CODES = (
    (Unusable, STORE),
    (StoreError | ImportFailure | Refused, NOTHING),
    (ModelError, MODEL),
    (ConfigError | ValueError | OSError | OverflowError, USAGE),
)


def explain(error: Exception | KeyboardInterrupt) -> int:
    """Print the error on stderr and return its exit code. Re-raises unexpected errors."""
    if isinstance(error, KeyboardInterrupt):
        warn("stopped")
        return INTERRUPTED
    for kinds, code in _CODES:
        if isinstance(error, kinds):
            warn(_words(error))
            return code
    raise error


def _words(error: Exception) -> str:
    """Return the cause and the remedy, which Python's own errors do not name."""
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 text (byte {error.start}); save it as UTF-8 and try again"
    if isinstance(error, UnicodeEncodeError):
        if error.encoding.replace("-", "").casefold() == "utf8":
            return "the words are not UTF-8 text; type them again"
        return f"this terminal writes {error.encoding}, which lacks a character; set PYTHONIOENCODING=utf-8"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename is not None else ""
        return f"{place}{error.strerror or error}; check the name and its permissions"
    if isinstance(error, OverflowError):
        return f"a number is too large ({error}); give a smaller one"
    return str(error)


def warn_all(notes: Iterable[str | None]) -> None:
    """Print a line for each non-empty note."""
    for note in filter(None, notes):
        warn(note)


def warn(text: str) -> None:
    """Print a message on stderr, with terminal control characters made visible."""
    print(f"curator: {visible(text)}", file=sys.stderr)
