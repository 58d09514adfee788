"""Databases of apps that have ended, for the next: opening and closing one takes 15 ms, an eighth of an app's start."""

from typing import Any

from store.analytics import memory_view

_SPARE: list[Any] = []
_new = memory_view.new_database


def take() -> Any:
    """Return one that nobody uses; its tables are replaced before they are read."""
    return _SPARE.pop() if _SPARE else _new()


def give_back(analytics: memory_view.Analytics) -> None:
    """Leave the database of an app that ends to the next."""
    if analytics._connection is not None:
        _SPARE.append(analytics._connection)
    analytics._connection = analytics._mark = None
