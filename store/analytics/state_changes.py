"""Changes of rank and life in the journal, as Arrow tables for the DuckDB copy."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from store.model import Actor, Life, Rank
from store.record.changes import Update, updates
from store.store import Store

if TYPE_CHECKING:
    import pyarrow

RANKS: Mapping[str, int] = {Rank.NEW: 0, Rank.HIGH: 1, Rank.LOW: 2}
LIVES: Mapping[str, int] = {Life.LIVE: 0, Life.EXPIRED: 3, Life.FORGOTTEN: 5, Life.PURGED: 5, Life.SUPERSEDED: 6}
"""Numbers of ranks and lives; a live memory has the state of its rank."""
_REMOVED = 4
_HELD = 100_000  # memories per yielded table of changes
_WEIGHT = 200  # memories that each event counts as, so that the reader can stop in time
_UNCHANGED = (None, None)
_PLACES = 20  # bits for the position of a change in its event


def coded(column: str, codes: Mapping[str, int]) -> str:
    """Return SQL for the number of a column's value."""
    cases = " ".join(f"WHEN '{value}' THEN {code}" for value, code in codes.items())
    return f"(CASE {column} {cases} END)::TINYINT"


def schema() -> "pyarrow.Schema":
    """Return the schema of changes: number in order of time, command, moment, memories, old and new values.

    Ranks and lives are numbers, null if unchanged.
    """
    import pyarrow

    whole, code = pyarrow.int64(), pyarrow.int8()
    return pyarrow.schema(
        [
            *((name, whole) for name in ("number", "command", "moment")),
            ("memories", pyarrow.list_(whole)),
            *((name, code) for name in ("life_before", "life", "rank_before", "rank")),
        ]
    )


def moves(store: Store, record: sqlite3.Connection, after: int, upto: int) -> "Iterator[pyarrow.Table]":
    """Yield the changes of rank or life in the events from `after` to `upto`, by commands other than undo and redo."""
    rows: list[tuple[object, ...]] = []
    held = 0
    for event in record.execute(
        "SELECT e.seq, e.command, e.changes, c.at, c.actor FROM events e JOIN commands c ON c.id = e.command"
        " WHERE e.seq > ? AND e.seq <= ? AND +c.owner = ? AND c.verb NOT IN ('undo', 'redo') ORDER BY e.seq",
        (after, upto, store.owner),
    ):
        for place, change in enumerate(updates(event["changes"])):
            lives, ranks = _numbers(change, "life", LIVES), _numbers(change, "rank", RANKS)
            if lives[1] == LIVES[Life.FORGOTTEN] and event["actor"] != Actor.PERSON:
                lives = lives[0], _REMOVED
            if (lives, ranks) != (_UNCHANGED, _UNCHANGED):
                number = event["seq"] << _PLACES | place
                memories = [key[0] for key in change.keys]
                rows.append((number, event["command"], event["at"], memories, *lives, *ranks))
                held += len(memories)
        held += _WEIGHT
        if held >= _HELD:
            yield _table(rows)
            rows, held = [], 0
    yield _table(rows)


def undone(store: Store, record: sqlite3.Connection) -> "pyarrow.Table":
    """Return the commands that are undone."""
    import pyarrow

    rows = record.execute("SELECT id FROM commands WHERE undone IS NOT NULL AND +owner = ?", (store.owner,))
    return pyarrow.table({"command": pyarrow.array([row["id"] for row in rows], pyarrow.int64())})


def _numbers(change: Update, column: str, codes: Mapping[str, int]) -> tuple[int | None, int | None]:
    """Return the old and new value of a column, as numbers."""
    if column not in change.columns:
        return _UNCHANGED
    place = change.columns.index(column)
    return codes[str(change.before[place])], codes[str(change.after[place])]


def _table(rows: Sequence[tuple[object, ...]]) -> "pyarrow.Table":
    import pyarrow

    columns = zip(*rows, strict=True) if rows else [()] * len(schema())
    arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, schema(), strict=True)]
    return pyarrow.Table.from_arrays(arrays, schema=schema())
