"""Counts over the record. Grouping in SQLite: one process that asks once is quicker so than by filling DuckDB."""

from dataclasses import dataclass

from store.filter import Dialect, Filter
from store.store import Store

_GROUPS = {
    "kind": "kind",
    "tier": "tier",
    "state": "CASE life WHEN 'live' THEN rank ELSE life END",
    "review": "review",
    "origin": "origin",
    "source": "coalesce(source, 'typed')",
    "month": "strftime('%Y-%m', created_at / 1000000, 'unixepoch')",
}


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of memories by `groups[dimension][value]`, and of what is around them. `oldest` is a time or None."""

    total: int
    live: int
    inbox: int
    in_sessions: int
    importance: float | None
    oldest: int | None
    conversations: int
    messages: int
    vectors: int
    groups: dict[str, dict[str, int]]


def stats(store: Store) -> Stats:
    """Count everything once. Groups count memories in every state of life but the purged."""
    with store.sqlite() as connection:
        owner = (store.owner,)
        kept = "FROM memories WHERE owner = ? AND life <> 'purged'"
        live = f"FROM memories WHERE owner = ? AND {Filter().sql(Dialect.SQLITE)}"
        groups = {
            name: {
                row[0]: row[1]
                for row in connection.execute(f"SELECT {expression}, count(*) {kept} GROUP BY 1 ORDER BY 1", owner)
            }
            for name, expression in _GROUPS.items()
        }
        total, importance, oldest = connection.execute(
            f"SELECT count(*), avg(importance), min(created_at) {kept}", owner
        ).fetchone()

        def number(query: str, *parameters: str) -> int:
            return int(connection.execute(query, parameters).fetchone()[0])

        return Stats(
            total=total,
            live=number(f"SELECT count(*) {live}", *owner),
            inbox=number(f"SELECT count(*) {live} AND review = 'open' AND origin <> 'person'", *owner),
            in_sessions=number(f"SELECT count(*) {live} AND scope LIKE 'session:%'", *owner),
            importance=importance,
            oldest=oldest,
            conversations=number(
                "SELECT count(*) FROM conversations c WHERE owner = ?"
                " AND EXISTS (SELECT 1 FROM segments s WHERE s.conversation = c.id)",
                *owner,
            ),
            messages=number(
                "SELECT count(*) FROM messages m JOIN segments s"
                " ON s.conversation = m.conversation AND s.batch = m.batch"
                " JOIN conversations c ON c.id = m.conversation AND c.owner = ?",
                *owner,
            ),
            vectors=number("SELECT count(*) FROM vectors v JOIN memories m ON m.id = v.memory AND m.owner = ?", *owner),
            groups=groups,
        )
