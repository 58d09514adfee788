"""What the life of memories is decided from: all live ones with their use, and what a person did with some."""

import sqlite3
from collections.abc import Iterator, Sequence

import orjson

from store.model import Aging, Kind, Rank, Review, Tier

_BLOCK = 10_000
_COLUMNS = (
    "m.id, m.kind, m.tier, m.rank, m.review, m.pinned, coalesce(m.user_score / 10.0, m.confidence) AS score,"
    " m.importance, m.created_at, m.added_at, m.expires_at, coalesce(u.times, 0) AS times, u.last_at"
)


def live(connection: sqlite3.Connection, owner: str, only: Sequence[int] | None = None) -> Iterator[Aging]:
    """Every live memory of the owner, or those of `only` that are, by id, in blocks: others may write in between."""
    after = 0
    among = "" if only is None else " AND m.id IN (SELECT value FROM json_each(?3))"
    chosen = () if only is None else (_json(only),)
    while True:
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM memories m LEFT JOIN uses u ON u.memory = m.id"
            f" WHERE m.id > ?1 AND +m.owner = ?2 AND +m.life = 'live'{among} ORDER BY m.id LIMIT {_BLOCK}",
            (after, owner, *chosen),
        ).fetchall()
        for row in rows:
            yield Aging(
                row["id"],
                Kind(row["kind"]),
                Tier(row["tier"]),
                Rank(row["rank"]),
                Review(row["review"]),
                bool(row["pinned"]),
                row["score"],
                row["importance"],
                row["created_at"],
                row["added_at"],
                row["expires_at"],
                row["times"],
                row["last_at"],
            )
        if len(rows) < _BLOCK:
            return
        after = rows[-1]["id"]


def done_by_person(
    connection: sqlite3.Connection, owner: str, memories: Sequence[int], apart_from: Sequence[str]
) -> dict[int, set[str]]:
    """The verbs, but for some, with which the person touched each of these memories, as far as they stand."""
    rows = connection.execute(
        "SELECT DISTINCT t.memory, c.verb FROM touched t JOIN events e ON e.seq = t.seq"
        " JOIN commands c ON c.id = e.command WHERE t.memory IN (SELECT value FROM json_each(?1)) AND +c.owner = ?2"
        " AND c.actor = 'person' AND c.undone IS NULL AND c.verb NOT IN (SELECT value FROM json_each(?3))",
        (_json(memories), owner, orjson.dumps(list(apart_from)).decode()),
    )
    found: dict[int, set[str]] = {}
    for memory, verb in rows:
        found.setdefault(memory, set()).add(verb)
    return found


def taken_back(connection: sqlite3.Connection, owner: str, verb: str, memories: Sequence[int], since: int) -> set[int]:
    """Those of these memories that a command of this verb had touched which was taken back, at `since` or later."""
    rows = connection.execute(
        "SELECT DISTINCT t.memory FROM touched t JOIN events e ON e.seq = t.seq JOIN commands c ON c.id = e.command"
        " JOIN commands b ON b.id = c.undone WHERE t.memory IN (SELECT value FROM json_each(?)) AND +c.owner = ?"
        " AND c.verb = ? AND c.actor = 'sweep' AND b.at >= ?",
        (_json(memories), owner, verb, since),
    )
    return {row[0] for row in rows}


def let_go_before(connection: sqlite3.Connection, owner: str, moment: int) -> list[tuple[int, int]]:
    """What is forgotten or expired since before a moment, with when that was; what was let go first comes first.

    When is the time of the last command that touched a memory, which is the one that let it go or a later one.
    """
    rows = connection.execute(
        "SELECT m.id, max(c.at) AS at FROM memories m"
        " JOIN events e ON e.seq = m.seq JOIN commands c ON c.id = e.command"
        " WHERE m.owner = ? AND m.life IN ('forgotten', 'expired') GROUP BY m.id HAVING at < ? ORDER BY at, m.id",
        (owner, moment),
    )
    return [(row["id"], row["at"]) for row in rows]


def logs_before(connection: sqlite3.Connection, owner: str, moment: int) -> list[tuple[int, int]]:
    """Visible conversations that came in before a moment and still have words, with when that was; the first first."""
    rows = connection.execute(
        "SELECT c.id, max(k.at) AS at FROM conversations c JOIN segments s ON s.conversation = c.id"
        " JOIN commands k ON k.id = s.batch WHERE c.owner = ? GROUP BY c.id HAVING max(k.at) < ?"
        " AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id AND m.text <> '') ORDER BY at, c.id",
        (owner, moment),
    )
    return [(row["id"], row["at"]) for row in rows]


def _json(memories: Sequence[int]) -> str:
    return orjson.dumps(list(memories)).decode()
