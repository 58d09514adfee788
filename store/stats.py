"""Counts over the whole store: memories by the analytics copy, as the app counts them; the rest by the record."""

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
_RECORD = (  # visible conversations and messages, and vectors
    "SELECT count(*) FROM conversations c WHERE owner = ?"
    " AND EXISTS (SELECT 1 FROM segments s WHERE s.conversation = c.id)",
    "SELECT count(*) FROM messages m JOIN segments s ON s.conversation = m.conversation AND s.batch = m.batch"
    " JOIN conversations c ON c.id = m.conversation AND c.owner = ?",
    "SELECT count(*) FROM vectors v CROSS JOIN memories m ON m.id = v.memory AND +m.owner = ?",
)
_KEPT = "life <> 'purged'"
_MADE = tuple(origin for origin in Origin if origin is not Origin.PERSON)


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of memories by `groups[dimension][value]`, of conversations, messages and vectors. `oldest` is a time.

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
    """Count everything once. Fills an analytics copy first; `now` is the time for the inbox and the calendar."""
    present = clock.now() if now is None else now
    with contextlib.closing(Analytics(store)) as analytics:
        analytics.follow()
        whole = analytics.ask(
            "SELECT count(*), count(*) FILTER (WHERE life = 'live'),"
            " count(*) FILTER (WHERE life = 'live' AND scope LIKE 'session:%'), avg(importance), min(created_at)"
            f" FROM memories WHERE {_KEPT}"
        )
        total, live, in_sessions, importance, oldest = (column[0].as_py() for column in whole.columns)
        groups = {
            name: analytics.ask(
                f"SELECT {expression} AS value, count(*) FROM memories WHERE {_KEPT} GROUP BY value ORDER BY value"
            )
            for name, expression in _GROUPS.items()
        }
        with store.sqlite() as connection:
            conversations, messages, vectors = (
                int(connection.execute(query, (store.owner,)).fetchone()[0]) for query in _RECORD
            )
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
            groups={
                name: dict(zip(found.column(0).to_pylist(), found.column(1).to_pylist(), strict=True))
                for name, found in groups.items()
            },
            insights=insights(analytics, store, present),
            states=spans(analytics, present),
        )
