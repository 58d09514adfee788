"""What the parts of the store have in common that are reached as attributes of `Store`."""

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager


class Repository:
    """One part of the store. Safe from any thread; each call is one transaction, unless it takes a writer."""

    def __init__(self, reading: Callable[[], AbstractContextManager[sqlite3.Connection]], owner: str) -> None:
        self._reading = reading
        self._owner = owner
