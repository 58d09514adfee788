"""Lenient access to values of parsed logs, which may have any type."""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from store import clock

JsonObject = Mapping[str, object]
_EMPTY: JsonObject = {}
_EARLIEST, _LATEST = clock.from_iso("1980-01-01"), clock.from_iso("2200-01-01")


def as_dict(value: object) -> JsonObject:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else _EMPTY


def as_list(value: object) -> Sequence[object]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def as_dicts(value: object) -> list[JsonObject]:
    """Return the elements of a list; those that are not objects become empty objects."""
    return [as_dict(one) for one in as_list(value)]


def as_str(value: object) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def first_text(record: JsonObject, *names: str) -> str:
    """Return the first of these fields that is a non-blank string or a whole number, as text; else an empty string."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def join_lines(texts: Iterable[str], separator: str = "\n") -> str:
    """Join the non-empty texts."""
    return separator.join(filter(None, texts))


def as_time(value: object) -> int | None:
    """Return microseconds for a time in seconds, milliseconds or ISO 8601; None outside of the years 1980-2199."""
    if isinstance(value, str):
        try:
            micros = clock.from_iso(value.strip())
        except ValueError:
            try:
                return as_time(float(value))
            except ValueError:
                return None
    elif isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e14:
        micros = clock.from_seconds(value / 1000 if value > 1e11 else float(value))
    else:
        return None
    return micros if _EARLIEST <= micros < _LATEST else None


def clean(text: str) -> str:
    """Return the text without lone surrogates and NUL characters, which not all storage accepts."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits that are equal only for equal texts."""
    sum_ = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        sum_.update(len(data).to_bytes(8, "big") + data)
    return sum_.hexdigest()


def compact(value: object) -> str:
    """Return a value as JSON on one line."""
    import orjson

    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):  # nested too deeply, numbers above 64 bits, lone surrogates
        try:
            return json.dumps(value, ensure_ascii=False)
        except RecursionError:
            return "[nested too deeply]"
