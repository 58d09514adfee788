"""Numbers that a person types: ids and counts."""

import re
from typing import TypeVar

import typer

LARGEST = 2**63 - 1
"""No id and no count in a store is larger."""
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
        raise typer.BadParameter(f"{str(word)[:40]!r} is not the id of a memory") from None
