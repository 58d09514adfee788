"""The person's names, as given to imports in several processes."""

import sqlite3
from contextlib import closing

import pytest

from store import Store
from store.record import database


def test_names_that_another_process_adds_at_the_same_time_stay(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = database.begin

    def late(connection: sqlite3.Connection) -> None:
        monkeypatch.setattr(database, "begin", begin)
        with closing(Store.open(store.folder, "me")) as other:
            other.names.add(["Ben"])
        begin(connection)

    store.names.add(["Ana"])
    monkeypatch.setattr(database, "begin", late)
    store.names.add(["Bo"])
    assert store.names.known() == [["Bo"], ["Ben"], ["Ana"]]
