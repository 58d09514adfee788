"""Counts over everything: memories from the copy in DuckDB, as the app counts them; what is around them, the record."""

import contextlib
from dataclasses import dataclass

from store import clock
from store.analytics.insights import MONTH, Insights, insights
from store.analytics.memory_view import Analytics
from store.analytics.state_history import Span, spans
from store.filter import SOURCE, Filter
from store.model import Origin, Review
from store.store import Store

_GROUPS = {
    "kind": "kind",
    "tier": "tier",
    "state": "CASE life WHEN 'live' THEN rank ELSE life END",
    "review": "review",
    "origin": "origin",
    "source": SOURCE,
    "month": f"coalesce(strftime({MONTH}, '%Y-%m'), 'unknown')",
}
_KEPT = "life <> 'purged'"
_MADE = tuple(origin for origin in Origin if origin is not Origin.PERSON)


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of memories by `groups[dimension][value]`, and of what is around them. `oldest` is a time or None.

    Groups count memories in every state of life but the purged, insights the live ones.
    """

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
    insights: Insights
    states: tuple[Span, ...]


def stats(store: Store, now: int | None = None) -> Stats:
    """Count everything once. Fills a copy of its own first; `now` is the time the inbox and the calendar go by."""
    present = clock.now() if now is None else now
    with contextlib.closing(Analytics(store)) as analytics:
        analytics.follow()
        whole = analytics.ask(
            "SELECT count(*), count(*) FILTER (WHERE life = 'live'),"
            " count(*) FILTER (WHERE life = 'live' AND scope LIKE 'session:%'), avg(importance), min(created_at)"
            f" FROM memories WHERE {_KEPT}"
        )
        total, live, in_sessions, importance, oldest = (column[0].as_py() for column in whole.columns)
        conversations, messages, vectors = _around(store)
        return Stats(
            total=total,
            live=live,
            inbox=analytics.count(Filter(reviews=(Review.OPEN,), origins=_MADE, due_by=present)),
            in_sessions=in_sessions,
            importance=importance,
            oldest=oldest,
            conversations=conversations,
            messages=messages,
            vectors=vectors,
            groups={name: _group(analytics, expression) for name, expression in _GROUPS.items()},
            insights=insights(analytics, store, present),
            states=spans(analytics, present),
        )


def _group(analytics: Analytics, expression: str) -> dict[str, int]:
    found = analytics.ask(
        f"SELECT {expression} AS value, count(*) FROM memories WHERE {_KEPT} GROUP BY value ORDER BY value"
    )
    return dict(zip(found.column(0).to_pylist(), found.column(1).to_pylist(), strict=True))


def _around(store: Store) -> tuple[int, int, int]:
    """How many visible conversations and messages there are, and vectors."""
    with store.sqlite() as connection:

        def number(query: str) -> int:
            return int(connection.execute(query, (store.owner,)).fetchone()[0])

        return (
            number(
                "SELECT count(*) FROM conversations c WHERE owner = ?"
                " AND EXISTS (SELECT 1 FROM segments s WHERE s.conversation = c.id)"
            ),
            number(
                "SELECT count(*) FROM messages m JOIN segments s"
                " ON s.conversation = m.conversation AND s.batch = m.batch"
                " JOIN conversations c ON c.id = m.conversation AND c.owner = ?"
            ),
            number("SELECT count(*) FROM vectors v CROSS JOIN memories m ON m.id = v.memory AND +m.owner = ?"),
        )
