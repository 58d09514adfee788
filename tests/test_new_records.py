"""Records that tests copy equal those that the program creates."""

import contextlib
import random
from pathlib import Path

import pytest

import new_records
from store import Store
from store.record import integrity
from store.record.database import connect


def test_a_copy_equals_a_record_that_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for number, migrate in enumerate((new_records.copy, new_records.make)):
        monkeypatch.setattr("os.urandom", random.Random(5).randbytes)
        path = tmp_path / f"{number}.sqlite"
        with contextlib.closing(connect(path)) as connection:
            assert migrate(connection, path, 0) is None
            assert integrity.differences(connection) == []
            pragmas = [tuple(connection.execute(f"PRAGMA {name}").fetchone()) for name in ("journal_mode", "page_size")]
            found.append((pragmas, sorted(connection.iterdump())))
    assert found[0] == found[1]


def test_each_store_has_an_id_and_a_key_of_its_own(tmp_path: Path) -> None:
    stores = [Store.open(tmp_path / name) for name in "ab"]
    with stores[0].sqlite() as one, stores[1].sqlite() as other:
        for name in ("id", "key"):
            query = f"SELECT value FROM meta WHERE name = '{name}'"
            assert one.execute(query).fetchone()[0] != other.execute(query).fetchone()[0]
    for store in stores:
        store.close()
