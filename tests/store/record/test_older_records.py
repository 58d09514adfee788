"""Stores written by older versions (`tests/store/fixtures`): they open unchanged, and their commands can be undone."""

import contextlib
import gzip
import itertools
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator import curation
from store import Filter, Store
from store.record import migrations, schema
from store.record.database import connect

FIXTURES = Path(__file__).parents[1] / "fixtures"
VERSIONS = (1, 2, 3, 4, 5, 6)


def unpacked(number: int, folder: Path) -> dict[str, Any]:
    """Unpack the record of a schema into a folder; return what that version's code read from it."""
    written = 2 if number == 3 else number  # no version wrote schema 3, which came together with 4
    folder.mkdir()
    path = folder / "record.sqlite"
    path.write_bytes(gzip.decompress((FIXTURES / f"v{written}.sqlite.gz").read_bytes()))
    if number == 3:
        with contextlib.closing(connect(path)) as connection:
            migrations.migrate(connection, path, 2, schema.MIGRATIONS[:3])
    noted: dict[str, Any] = json.loads((FIXTURES / f"v{written}.json").read_text(encoding="utf-8"))
    return noted


@pytest.fixture(params=VERSIONS)
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, dict[str, Any], int]]:
    """Open a store of each schema; return it, what its version's code read from it, and the schema."""
    noted = unpacked(request.param, tmp_path / "store")
    with contextlib.closing(Store.open(tmp_path / "store")) as store:
        yield store, noted, request.param


def read(store: Store) -> dict[str, Any]:
    """Return what the fixtures' code noted of a store."""
    return {
        str(memory.id): {
            "text": memory.text,
            "review": memory.review.value,
            "life": memory.life.value,
            "kind": memory.kind.value,
            "pinned": memory.pinned,
            "tags": list(memory.tags),
            "created_at": memory.created_at,
            "added_at": memory.added_at,
            "quotes": sorted(quote.quote for quote in store.evidence(memory.id)),
            "versions": [version.text for version in store.versions(memory.id)],
        }
        for memory in store.get_many(sorted(store.list_ids(Filter(lives=()))))
    }


def test_it_is_what_it_was_and_takes_back_its_last_steps(older: tuple[Store, dict[str, Any], int]) -> None:
    store, noted, number = older
    assert (store.folder / "backups" / f"record-v{number}.sqlite").exists()
    assert store.differences() == []
    assert read(store) == noted["end"]
    last = store.state_hash()
    for before in reversed(noted["before"]):
        store.undo()
        assert read(store) == before
    assert store.differences() == []
    for _ in noted["before"]:
        store.redo()
    assert store.state_hash() == last
    store.undo()
    curation.forget(store, [7])
    assert store.differences() == []


def test_all_copies_of_an_older_store_give_the_same_ids(tmp_path: Path) -> None:
    for name in "ab":
        unpacked(6, tmp_path / name)
    with (
        contextlib.closing(Store.open(tmp_path / "a")) as a,
        contextlib.closing(Store.open(tmp_path / "b")) as b,
    ):
        every = Filter(lives=())
        assert ids(a) == ids(b)
        assert len(set(ids(a))) == a.count(every)
        assert [command.uid for command in a.journal.log()] == [command.uid for command in b.journal.log()]
        curation.add(a, "I keep goats")
        curation.add(b, "I keep goats")
        assert ids(a)[:-1] == ids(b)[:-1]
        assert ids(a)[-1] != ids(b)[-1], "written on two devices"


def ids(store: Store) -> list[str]:
    return [memory.uid for memory in store.get_many(sorted(store.list_ids(Filter(lives=()))))]


def test_alerts_of_before_are_there(tmp_path: Path) -> None:
    unpacked(4, tmp_path / "store")
    with contextlib.closing(Store.open(tmp_path / "store")) as store:
        assert [sorted(store.get(side).text for side in (alert.a, alert.b)) for alert in store.alerts.open()] == [
            ["I am a vegetarian", "I am not a vegetarian"]
        ]


def test_clocks_of_before_rise_with_the_time_of_their_commands(tmp_path: Path) -> None:
    unpacked(5, tmp_path / "store")
    with contextlib.closing(sqlite3.connect(tmp_path / "store" / "record.sqlite")) as connection:
        connection.execute("UPDATE commands SET at = 5 WHERE id = 4")  # as if the clock had been wrong for a while
        connection.commit()
    with contextlib.closing(Store.open(tmp_path / "store")) as store, store.sqlite() as record:
        rows = record.execute("SELECT clock, at FROM events JOIN commands c ON c.id = command ORDER BY seq").fetchall()
        clocks = [row["clock"] for row in rows]
        assert all(one < other for one, other in itertools.pairwise(clocks))
        assert [row["at"] // 1000 for row in rows if row["at"] > 5] == [
            row["clock"] >> 16 for row in rows if row["at"] > 5
        ]
        assert store.differences() == []
