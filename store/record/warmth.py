"""Warmth: whether a memory was of use when it was recalled. A counter like usage, neither journaled nor state."""

import math
import sqlite3
from collections.abc import Mapping, Sequence

import orjson

from store import clock
from store.errors import NotFound
from store.model import Recalled
from store.record import sweep_state
from store.sanitize import storable

_HEARD = "heard"  # under which it is kept that a turn was told; of -1 for recall 1, as 1 is a conversation
START = 0.5
DRIFT = 0.95
"""What is left of the distance from `START` after a day."""


def drifted(value: float, since: int, now: int) -> float:
    """A warmth as it is some time after it was written: it goes back to 0.5 by 5 % a day, computed, never written."""
    return START + (value - START) * math.pow(DRIFT, max(now - since, 0) / clock.DAY)


def warmth(connection: sqlite3.Connection, owner: str, memories: Sequence[int], now: int) -> dict[int, float]:
    """The warmth of each of the owner's among these memories, 0 to 1; 0.5 where nothing was ever scored."""
    rows = connection.execute(
        "SELECT m.id, w.value, w.at FROM memories m LEFT JOIN warmth w ON w.memory = m.id"
        " WHERE +m.owner = ? AND m.id IN (SELECT value FROM json_each(?))",
        (owner, orjson.dumps(list(memories)).decode()),
    )
    return {row[0]: START if row[1] is None else drifted(row[1], row[2], now) for row in rows}


def put_warmth(connection: sqlite3.Connection, values: Mapping[int, float], now: int) -> None:
    """Write the warmth of memories."""
    connection.executemany(
        "INSERT OR REPLACE INTO warmth (memory, value, at) VALUES (?, ?, ?)",
        ((memory, min(1.0, max(0.0, value)), now) for memory, value in values.items()),
    )


def warm(connection: sqlite3.Connection, owner: str, steps: Mapping[int, float], now: int) -> dict[int, float]:
    """Move the warmth of the owner's among these memories from where it is now; returns where it is then."""
    before = warmth(connection, owner, list(steps), now)
    put_warmth(connection, {memory: value + steps[memory] for memory, value in before.items()}, now)
    return warmth(connection, owner, list(steps), now)


def bound(connection: sqlite3.Connection, owner: str, bounds: Mapping[int, tuple[float, float]], now: int) -> None:
    """Move the warmth of the owner's among these memories just as far as lies within its bounds."""
    before = warmth(connection, owner, list(bounds), now)
    within = {memory: min(max(value, bounds[memory][0]), bounds[memory][1]) for memory, value in before.items()}
    put_warmth(connection, {memory: value for memory, value in within.items() if value != before[memory]}, now)


def reset(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> None:
    """Drop the warmth of the owner's among these memories: they are at `START` again."""
    connection.execute(
        "DELETE FROM warmth WHERE memory IN (SELECT m.id FROM memories m WHERE +m.owner = ?"
        " AND m.id IN (SELECT value FROM json_each(?)))",
        (owner, orjson.dumps(list(memories)).decode()),
    )


def put_recall(connection: sqlite3.Connection, owner: str, ident: str, memories: Sequence[int]) -> None:
    """Note what was recalled together, under the id that its block shows."""
    connection.execute(
        "INSERT OR IGNORE INTO recalls (owner, ident, at, memories) VALUES (?, ?, ?, ?)",
        (owner, ident, clock.now(), orjson.dumps(list(memories)).decode()),
    )


def put_turn(connection: sqlite3.Connection, owner: str, ident: str, text: str) -> None:
    """Keep what was said after a recall until it has been scored; another turn replaces it. Raises NotFound."""
    number = by_ident(connection, owner, ident).id
    connection.execute("INSERT OR REPLACE INTO turns (recall, text) VALUES (?, ?)", (number, storable(text)))
    connection.execute("DELETE FROM failures WHERE sweep LIKE 'score/%' AND item = ?", (number,))
    sweep_state.mark(connection, _HEARD, -number, 1)


def hear(connection: sqlite3.Connection, owner: str, ident: str, text: str) -> bool:
    """Keep what a log says was answered, unless there is no such recall or something was told of it before."""
    try:
        number = by_ident(connection, owner, ident).id
    except NotFound:
        return False
    if sweep_state.upto(connection, _HEARD, -number):
        return False
    put_turn(connection, owner, ident, text)
    return True


def by_ident(connection: sqlite3.Connection, owner: str, ident: str) -> Recalled:
    """A recall by the id that its block shows. Raises NotFound."""
    row = connection.execute(
        "SELECT r.id, r.ident, r.at, r.memories, t.text AS turn FROM recalls r LEFT JOIN turns t ON t.recall = r.id"
        " WHERE r.owner = ? AND r.ident = ?",
        (owner, ident),
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no recall {ident}; its id stands in the first line of its block")
    return _recalled(row)


_UNSCORED = (
    "turns t JOIN recalls r ON r.id = t.recall"
    " WHERE r.owner = ? AND NOT EXISTS (SELECT 1 FROM failures f WHERE f.sweep = ? AND f.item = r.id)"
)


def unscored(connection: sqlite3.Connection, owner: str, sweep: str, limit: int) -> list[Recalled]:
    """Recalls with a turn that has not been scored, the oldest first; what failed is left out."""
    rows = connection.execute(
        f"SELECT r.id, r.ident, r.at, r.memories, t.text AS turn FROM {_UNSCORED} ORDER BY r.id LIMIT ?",
        (owner, sweep, limit),
    )
    return [_recalled(row) for row in rows]


def count_unscored(connection: sqlite3.Connection, owner: str, sweep: str) -> int:
    """How many of them there are."""
    return int(connection.execute(f"SELECT count(*) FROM {_UNSCORED}", (owner, sweep)).fetchone()[0])


def recalled(connection: sqlite3.Connection, owner: str, number: int) -> Recalled | None:
    """A recall, with its turn if that has not been scored."""
    row = connection.execute(
        "SELECT r.id, r.ident, r.at, r.memories, t.text AS turn FROM recalls r LEFT JOIN turns t ON t.recall = r.id"
        " WHERE r.owner = ? AND r.id = ?",
        (owner, number),
    ).fetchone()
    return None if row is None else _recalled(row)


def drop_turn(connection: sqlite3.Connection, recall: int, text: str) -> bool:
    """Let go of a turn that has been scored; False if it is gone or another was given since."""
    return connection.execute("DELETE FROM turns WHERE recall = ? AND text = ?", (recall, text)).rowcount == 1


def _recalled(row: sqlite3.Row) -> Recalled:
    return Recalled(row["id"], row["ident"], row["at"], tuple(orjson.loads(row["memories"])), row["turn"])
