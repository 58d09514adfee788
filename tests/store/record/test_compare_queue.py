"""The queue of memories to be compared: what changed is in it, and reading it takes work for nothing else."""

import sqlite3
from pathlib import Path

import pytest

from curator import curation
from effort import thorough
from factories import put
from store import Store
from store.record.database import connect
from store.record.migrations import apply_migrations
from store.record.schema import MIGRATIONS
from store.record.vectors import Compared

RULES = "rules/1"


def waiting(store: Store, rules: str = RULES) -> list[int]:
    """Return the queue, after checking that its count agrees."""
    found = store.compare_queue.pending(rules, None, 1_000_000)
    assert len(found) == store.compare_queue.count(rules, None)
    return found


def compare(store: Store, embedded: bool = True) -> None:
    """Note that all that waits was compared."""
    keys = store.content_keys(waiting(store))
    store.compare_queue.note([Compared(number, key, embedded, ()) for number, key in keys.items()], RULES)


def steps(store: Store) -> int:
    """Return how many hundreds of instructions SQLite runs to read an empty queue."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    with store.sqlite() as connection:
        connection.set_progress_handler(step, 100)
        try:
            assert waiting(store) == []
        finally:
            connection.set_progress_handler(None, 0)
    return count


@thorough
@pytest.mark.parametrize("embedded", [True, False])
def test_reading_the_queue_does_not_read_what_was_compared(store: Store, embedded: bool) -> None:
    put(store, *(f"Fact {number}" for number in range(20)))
    compare(store, embedded)
    few = steps(store)
    put(store, *(f"Other fact {number}" for number in range(1_000)))
    compare(store, embedded)
    assert steps(store) <= few + 1


def test_what_is_new_reworded_or_restored_waits_and_what_is_forgotten_does_not(store: Store) -> None:
    a, b = put(store, "Lives in Porto", "Has a cat")
    assert waiting(store) == [a, b]
    compare(store)
    assert waiting(store) == []
    curation.edit(store, a, "Lives in Lisbon")
    assert waiting(store) == [a]
    store.undo()
    assert waiting(store) == [a], "its text has changed again"
    compare(store)
    curation.forget(store, [a])
    assert waiting(store) == []
    curation.restore(store, [a])
    assert waiting(store) == [a]
    compare(store)
    assert waiting(store, "rules/0") == waiting(store, "rules/2") == [a, b]
    with store.command("edit") as writer:
        store.compare_queue.unmark(writer.connection, [b])
        writer.note()
    assert waiting(store) == [b]
    store.compare_queue.unmark_all()
    assert waiting(store) == [a, b]


def test_a_memory_reworded_while_it_was_compared_still_waits(store: Store) -> None:
    (number,) = put(store, "Lives in Porto")
    former = store.content_keys([number])[number]
    curation.edit(store, number, "Lives in Lisbon")
    store.compare_queue.note([Compared(number, former, True, ())], RULES)
    assert waiting(store) == [number]


def test_the_queue_of_an_older_record_is_kept(tmp_path: Path, store: Store) -> None:
    ids = put(store, "Lives in Porto", "Has a cat", "Sails", "Was late")
    curation.forget(store, ids[3:])
    old = connect(tmp_path / "old.sqlite")
    apply_migrations(old, MIGRATIONS[:16])
    with store.sqlite() as record:
        columns = [row[1] for row in record.execute("PRAGMA table_info(memories)")]
        rows = record.execute(f"SELECT {', '.join(columns)} FROM memories").fetchall()
    old.execute("PRAGMA foreign_keys=0")
    old.executemany(
        f"INSERT INTO memories ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", map(tuple, rows)
    )
    keys = store.content_keys(ids)
    compared = [(ids[0], keys[ids[0]]), (ids[1], "a former text"), (ids[3], keys[ids[3]])]
    old.executemany("INSERT INTO compared (memory, key, rules) VALUES (?, ?, 'rules/1')", compared)
    apply_migrations(old, MIGRATIONS)
    assert marks(old) == {ids[0]: RULES, ids[1]: "", ids[2]: ""}


def marks(record: sqlite3.Connection) -> dict[int, str]:
    """Return the rules by which each memory was compared."""
    return dict(record.execute("SELECT memory, rules FROM compared").fetchall())
