"""Errors in settings, in words: an unknown name, a value of the wrong kind."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_LONGEST = 60  # characters of a value that are shown
_WANTED = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "finite_number": "a number",
    "greater_than_equal": "at least {ge:g}",
    "greater_than": "more than {gt:g}",
    "less_than_equal": "at most {le:g}",
    "less_than": "less than {lt:g}",
    "literal_error": "one of {expected}",
    "string_pattern_mismatch": "hours like 22:00-07:00, or nothing",
    "string": "text",
    "list": "a list",
    "model": "a table of settings",
}
"""The values that a setting takes, by the beginning of the validator's name for the error."""


def wrong_value(name: str, error: "ErrorDetails") -> str:
    """Return what a setting takes and what it was given."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return f"setting {name}: {context['error']}"
    wanted = next((words for start, words in _WANTED.items() if kind.startswith(start)), "another kind of value")
    given = str(error["input"])
    shown = given if len(given) <= _LONGEST else f"{given[:_LONGEST]}…"
    return f"setting {name}: takes {wanted.format(**context).replace(chr(39), '')}, not {shown or 'nothing'}"


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Return that a setting or section is unknown, and what is named nearly so, or else the first of its section."""
    names = list(known)
    of_section = [one for one in names if one.startswith(f"{name.partition('.')[0]}.")]
    near = get_close_matches(name, names, 3, 0.75) or of_section[:4]
    return f"there is no {what}; " + (
        f"did you mean {' or '.join(near)}?" if near else "`curator config --explain` lists all"
    )
