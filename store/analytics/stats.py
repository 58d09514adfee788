"""Statistics of the whole store: counts of memories and of the raw layer, insights, and states over time."""

import contextlib
from dataclasses import dataclass, replace

from store import clock
from store.analytics.insights import INBOX, MONTH, ImportJunk, Insights, Rows, import_results, insights
from store.analytics.memory_view import FACETS, Analytics
from store.analytics.state_history import PeriodCounts, spans
from store.filter import Dialect
from store.store import Store

_GROUPS = {
    **{name: FACETS[name] for name in ("kind", "tier", "state", "review", "origin", "source")},
    "month": f"coalesce(strftime({MONTH}, '%Y-%m'), 'unknown')",
}
_RAW = (  # queries that count visible conversations, visible messages, and vectors
    "SELECT count(*) FROM conversations c WHERE owner = ?"
    " AND EXISTS (SELECT 1 FROM segments s WHERE s.conversation = c.id)",
    "SELECT count(*) FROM messages m JOIN segments s ON s.conversation = m.conversation AND s.batch = m.batch"
    " JOIN conversations c ON c.id = m.conversation AND c.owner = ?",
    "SELECT count(*) FROM vectors v CROSS JOIN memories m ON m.id = v.memory AND +m.owner = ?",
)
_KEPT = "life <> 'purged'"


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """Counts of memories in every state of life except purged, by `groups[dimension][value]`. `oldest` is a time."""

    total: int
    live: int
    inbox: int
    snoozed: int  # would be in the inbox
    in_sessions: int
    importance: float | None
    oldest: int | None
    groups: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class RawCounts:
    """Counts of visible conversations and messages, and of vectors."""

    conversations: int
    messages: int
    vectors: int


@dataclass(frozen=True, slots=True)
class History:
    """Statistics that only the record has: the raw layer, states over time, and results of imports."""

    raw: RawCounts
    states: tuple[PeriodCounts, ...]
    imports: tuple[ImportJunk, ...]


@dataclass(frozen=True, slots=True)
class Stats:
    """Everything that is counted. Insights count live memories."""

    memories: MemoryCounts
    raw: RawCounts
    insights: Insights
    states: tuple[PeriodCounts, ...]


def memory_counts(rows: Rows, now: int) -> MemoryCounts:
    """Count memories. `rows` answers SQL over a table `memories` as `Analytics.rows` does; the inbox is as of `now`."""
    waiting = replace(INBOX, due_by=now).sql(Dialect.DUCKDB)
    snoozes = replace(INBOX, deferred_at=now).sql(Dialect.DUCKDB)
    ((total, live, inbox, snoozed, in_sessions, importance, oldest),) = rows(
        "SELECT count(*), count(*) FILTER (WHERE life = 'live'),"
        f" count(*) FILTER (WHERE {waiting}), count(*) FILTER (WHERE {snoozes}),"
        " count(*) FILTER (WHERE life = 'live' AND scope LIKE 'session:%'), avg(importance), min(created_at)"
        f" FROM memories WHERE {_KEPT}"
    )
    groups: dict[str, dict[str, int]] = {
        name: dict(rows(f"SELECT {by} AS value, count(*) FROM memories WHERE {_KEPT} GROUP BY 1 ORDER BY 1"))
        for name, by in _GROUPS.items()
    }
    return MemoryCounts(total, live, inbox, snoozed, in_sessions, importance, oldest, groups)


def history(store: Store, now: int) -> History:
    """Return the figures that only the record has; fills an analytics copy first."""
    with contextlib.closing(Analytics(store)) as analytics:
        analytics.follow()
        return History(_raw_counts(store), spans(analytics.ask_past, now), import_results(store))


def stats(store: Store, now: int | None = None) -> Stats:
    """Return all statistics, from a new analytics copy. The inbox and the calendar are as of `now`."""
    present = clock.now() if now is None else now
    with contextlib.closing(Analytics(store)) as analytics:
        analytics.follow()
        return Stats(
            memory_counts(analytics.rows, present),
            _raw_counts(store),
            insights(analytics, store, present),
            spans(analytics.ask_past, present),
        )


def _raw_counts(store: Store) -> RawCounts:
    with store.sqlite() as connection:
        return RawCounts(*(int(connection.execute(query, (store.owner,)).fetchone()[0]) for query in _RAW))
