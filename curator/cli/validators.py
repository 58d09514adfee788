"""Numbers and dates that a person types."""

import re
from typing import TypeVar

import typer

LARGEST = 2**63 - 1
"""No id and no count in a store is larger."""
MOST_DAYS = 36_500
_Given = TypeVar("_Given", int, list[int], int | None)


def countable(given: _Given) -> _Given:
    """The number, or the numbers, if a store can hold such; for Typer's `callback`. Raises BadParameter."""
    for number in given if isinstance(given, list) else [given or 0]:
        if not -LARGEST <= number <= LARGEST:
            raise typer.BadParameter(f"{str(number)[:40]} is larger than any number in a store")
    return given


def is_uid(word: str) -> bool:
    """Return whether a word has the form of a global id."""
    return re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", word.lower()) is not None


def memory_number(word: str | int) -> int:
    """Return the number of the memory that a number or global id means; for Typer's `parser`. Raises BadParameter."""
    if isinstance(word, str) and is_uid(word):
        from curator.cli.output import open_store

        try:
            return open_store().by_uid(word.lower())
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
    try:
        return int(word)
    except ValueError:
        raise typer.BadParameter(f"{str(word)[:40]!r} is not the id of a memory: give its number or uid") from None


def parse_end(when: str) -> int | None:
    """Return until when a memory holds: `clock.LATEST` for "never", None for as long as its kind does ("default").

    Raises BadParameter for what is no time.
    """
    from store import clock

    if when in ("never", "default"):
        return clock.LATEST if when == "never" else None
    days = re.fullmatch(r"([0-9]{1,5})d", when)
    if days is not None and int(days[1]) <= MOST_DAYS:
        return clock.now() + int(days[1]) * clock.DAY
    try:
        return clock.from_iso(when)
    except ValueError:
        raise typer.BadParameter(
            f"say a day like 2027-03-01, days like 30d, never, or default, not {when[:40]!r}"
        ) from None
