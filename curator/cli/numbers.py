"""Numbers that a person types: ids and counts."""

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
