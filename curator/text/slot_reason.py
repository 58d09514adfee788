"""Reasons that name one property and the two values that statements give it, written and read back."""

import re

ONE_AT_A_TIME = "only one can be true at a time"
_REASON = re.compile(r"(?P<why>[^,:]+), (?P<property>[^:]+): (?P<a>.+) / (?P<b>.+)")


def slot_reason(why: str, name: str, a: str, b: str) -> str:
    """Return a reason with the name of a property and both values."""
    return f"{why}, {name}: {a} / {b}"


def rival_values(reason: str) -> tuple[str, str, str] | None:
    """Return the property and both values of a reason that only one can be true at a time; None for others."""
    found = _REASON.fullmatch(reason)
    return (found["property"], found["a"], found["b"]) if found and found["why"] == ONE_AT_A_TIME else None
