"""Reading values out of logs that may hold anything anywhere."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b

from store import clock

_EMPTY: Mapping[str, object] = {}
_EARLIEST, _LATEST = clock.from_iso("1980-01-01"), clock.from_iso("2200-01-01")


def table(value: object) -> Mapping[str, object]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else _EMPTY


def rows(value: object) -> Sequence[object]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def string(value: object) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def first(record: Mapping[str, object], *names: str) -> str:
    """The first of these fields that is a string with something in it, or a whole number as text; else empty."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def when(value: object) -> int | None:
    """Microseconds of a time in seconds, milliseconds or ISO 8601; None for anything that is not a time since 1980."""
    micros: int | None = None
    if isinstance(value, str):
        try:
            micros = clock.from_iso(value.strip())
        except ValueError:
            micros = _number_time(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e14:
        seconds = float(value)
        micros = clock.from_seconds(seconds / 1000 if seconds > 1e11 else seconds)
    return micros if micros is not None and _EARLIEST <= micros < _LATEST else None


def _number_time(text: str) -> int | None:
    try:
        return when(float(text))
    except ValueError:
        return None


def at_local(text: str, form: str) -> int | None:
    """Microseconds of a time written as `form` (strptime), read as UTC."""
    try:
        return clock.from_iso(datetime.strptime(text, form).isoformat())
    except ValueError:
        return None


def clean(text: str) -> str:
    """Text that can be stored anywhere: no lone surrogates, no NUL."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def digest(*parts: str) -> str:
    """A short name for these texts, equal only for equal ones."""
    sum_ = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        sum_.update(len(data).to_bytes(8, "big") + data)
    return sum_.hexdigest()


def compact(value: object) -> str:
    """A value as JSON on one line."""
    import orjson

    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):  # too deep for it, numbers above 64 bits, lone surrogates
        try:
            return json.dumps(value, ensure_ascii=False)
        except RecursionError:
            return "[nested too deeply]"
