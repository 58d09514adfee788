"""Counts for charts, each with the filter term that lists the counted memories.

Memories are counted in the DuckDB copy. Results of imports are read from the record, in one pass over refusals and one
over quotes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from store import clock
from store.analytics.memory_view import Analytics
from store.filter import SOURCE, Dialect, Filter, format_term
from store.model import Given, Origin, Review, Tier
from store.record.repository import grouped
from store.store import Store

_WEEKS = 53  # weeks in the calendar
_FIRST = 10  # entries in the lists of most recalled and oldest memories
_LIVE = "life = 'live'"
INBOX = Filter(reviews=(Review.OPEN,), origins=tuple(origin for origin in Origin if origin is not Origin.PERSON))
"""Memories that need review, including snoozed ones."""
MONTH = (
    f"CASE WHEN created_at IS NOT NULL"
    f" THEN make_timestamp(greatest(least(created_at, {clock.LATEST}), {clock.EARLIEST})) END"
)
"""SQL of the time at which a memory was said, NULL if unknown; an invalid time becomes the nearest valid one."""
_VISIBLE = "JOIN segments s ON s.conversation = m.conversation AND s.batch = m.batch"


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart. `term` is the filter for exactly the memories it counts, "" if there is none."""

    label: str
    count: int
    term: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory that was recalled `times` times, most recently at `last_at`."""

    memory: int
    times: int
    last_at: int | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A memory that needs review, said at `created_at`."""

    memory: int
    created_at: int


@dataclass(frozen=True, slots=True)
class ImportJunk:
    """Result of one import: candidates that the gates refused, by reason, and memories that quote its messages.

    `rejected` counts the admitted memories that the person rejected. A refused candidate that the person accepted
    counts as admitted only. A memory with quotes from two imports counts in both.
    """

    command: int
    at: int
    summary: str
    admitted: int
    refused: int
    rejected: int
    reasons: tuple[tuple[str, int], ...]

    @property
    def junk(self) -> float:
        """The share of candidates that were refused, 0 to 1."""
        return self.refused / (self.refused + self.admitted)


@dataclass(frozen=True, slots=True)
class Insights:
    """Counts of live memories; `imports` and the rejected memories in `reviews` include other states of life.

    `use` has a separate bar for memories that are always given, which are not counted as uses. `growth` has all months
    from the first to the last, `calendar` only the days with memories in the last 53 weeks; both by the time at which
    memories were said, in UTC. A bar of `sources` without a term counts memories that came from no log.
    """

    growth: tuple[Bar, ...]
    kinds: tuple[Bar, ...]
    tiers: tuple[Bar, ...]
    reviews: tuple[Bar, ...]
    confidence: tuple[Bar, ...]
    use: tuple[Bar, ...]
    sources: tuple[Bar, ...]
    calendar: tuple[Bar, ...]
    most_recalled: tuple[Recalled, ...]
    oldest_open: tuple[Waiting, ...]
    imports: tuple[ImportJunk, ...]

    @property
    def named(self) -> list[int]:
        """The ids of the memories in its lists."""
        return [*(item.memory for item in self.most_recalled), *(item.memory for item in self.oldest_open)]


Rows: TypeAlias = Callable[[str], list[tuple[Any, ...]]]
_Bin: TypeAlias = tuple[str, str, Filter]  # label, term, and the term's filter

_TIERS: tuple[_Bin, ...] = tuple((tier.value, format_term("tier", tier), Filter(tiers=(tier,))) for tier in Tier)
_REVIEWS: tuple[_Bin, ...] = (
    ("open", "is:open", Filter(reviews=(Review.OPEN,))),
    ("validated", "is:validated", Filter(reviews=(Review.VALIDATED,))),
    ("rejected", "is:rejected", Filter(reviews=(Review.REJECTED,), lives=())),
)
_CONFIDENCE: tuple[_Bin, ...] = (
    ("0.0-0.1", "score:<0.1", Filter(score_below=0.1)),
    *(
        (
            f"0.{n}-{(n + 1) / 10}",
            f"score:>=0.{n} score:<0.{n + 1}",
            Filter(score_least=n / 10, score_below=(n + 1) / 10),
        )
        for n in range(1, 9)
    ),
    ("0.9-1.0", "score:>=0.9", Filter(score_least=0.9)),
)
_PROMPTED = Filter(given=(Given.RELEVANT, Given.NEVER))
_USE: tuple[_Bin, ...] = (
    ("never", "used:0 given:relevant given:never", replace(_PROMPTED, used_most=0)),
    ("1-2", "used:>0 used:<3 given:relevant given:never", replace(_PROMPTED, used_least=1, used_most=2)),
    ("3-9", "used:>2 used:<10 given:relevant given:never", replace(_PROMPTED, used_least=3, used_most=9)),
    ("10+", "used:>9 given:relevant given:never", replace(_PROMPTED, used_least=10)),
)
_ALWAYS: tuple[_Bin, ...] = (("always", "given:always", Filter(given=(Given.ALWAYS,))),)


def insights(analytics: Analytics, store: Store, now: int) -> Insights:
    """Return all counts. `analytics` must be up to date with the store; the calendar ends at `now`."""
    return replace(memory_insights(analytics.rows, now), imports=import_results(store))


def memory_insights(rows: Rows, now: int) -> Insights:
    """Return all counts except imports. `rows` returns the rows of an SQL query on the table `memories`."""
    return Insights(
        growth=_growth(rows),
        kinds=_grouped(rows, "kind", "kind"),
        tiers=_binned(rows, _TIERS),
        reviews=_binned(rows, _REVIEWS),
        confidence=_binned(rows, _CONFIDENCE),
        use=(*_binned(rows, _USE), *(bar for bar in _binned(rows, _ALWAYS) if bar.count)),
        sources=_grouped(rows, "source", SOURCE),
        calendar=_calendar(rows, now),
        most_recalled=tuple(
            Recalled(*row)
            for row in rows(
                f"SELECT id, used, last_used FROM memories WHERE {_LIVE} AND used > 0"
                f" ORDER BY used DESC, last_used DESC, id DESC LIMIT {_FIRST}"
            )
        ),
        oldest_open=tuple(
            Waiting(*row)
            for row in rows(
                f"SELECT id, created_at FROM memories WHERE {replace(INBOX, due_by=now).sql(Dialect.DUCKDB)}"
                f" AND created_at IS NOT NULL ORDER BY created_at, id LIMIT {_FIRST}"
            )
        ),
        imports=(),
    )


def in_percent(bars: Iterable[Bar]) -> list[Bar]:
    """Return bars labelled like `0.7-0.8` with labels like `70-80%`."""
    ends = ((bar, (100 * float(end) for end in bar.label.split("-"))) for bar in bars)
    return [replace(bar, label="{:.0f}-{:.0f}%".format(*shares)) for bar, shares in ends]


def _growth(rows: Rows) -> tuple[Bar, ...]:
    counts: dict[int, int] = dict(
        rows(
            f"SELECT year({MONTH}) * 12 + month({MONTH}) - 1 AS month, count(*) FROM memories"
            f" WHERE {_LIVE} AND created_at IS NOT NULL GROUP BY month"
        )
    )
    if not counts:
        return ()
    labels = {month: f"{month // 12:04}-{month % 12 + 1:02}" for month in range(min(counts), max(counts) + 1)}
    return tuple(Bar(label, counts.get(month, 0), format_term("said", label)) for month, label in labels.items())


def _calendar(rows: Rows, now: int) -> tuple[Bar, ...]:
    end = (now // clock.DAY + 1) * clock.DAY
    return tuple(
        Bar(day, count, format_term("said", day))
        for day, count in rows(
            "SELECT strftime(make_timestamp(created_at), '%Y-%m-%d') AS day, count(*) FROM memories"
            f" WHERE {_LIVE} AND created_at >= {end - _WEEKS * 7 * clock.DAY} AND created_at < {end}"
            " GROUP BY day ORDER BY day"
        )
    )


def _grouped(rows: Rows, name: str, by: str) -> tuple[Bar, ...]:
    """Count by the values of a column, called `name` in the filter language, most frequent first."""
    counts = rows(f"SELECT {by}, count(*) AS n FROM memories WHERE {_LIVE} GROUP BY 1 ORDER BY n DESC, 1")
    return tuple(Bar(value, count, format_term(name, value)) for value, count in counts)


def _binned(rows: Rows, bins: Sequence[_Bin]) -> tuple[Bar, ...]:
    """Count the memories of each filter, in order, including zeros."""
    counted = ", ".join(f"count(*) FILTER (WHERE {meant.sql(Dialect.DUCKDB)})" for _, _, meant in bins)
    (row,) = rows(f"SELECT {counted} FROM memories")
    return tuple(Bar(label, count, term) for (label, term, _), count in zip(bins, row, strict=True))


def import_results(store: Store) -> tuple[ImportJunk, ...]:
    """Return the results of imports with visible messages and at least one candidate, newest first."""
    with store.sqlite() as record:
        counts = store.distillation.refused_counts_by_import()
        refused = grouped((command, (reason, count)) for command, reason, count in counts)
        admitted: dict[int, tuple[int, int]] = {
            batch: (count, rejected)
            for batch, count, rejected in record.execute(
                "SELECT m.batch, count(DISTINCT v.memory),"
                " count(DISTINCT CASE WHEN y.review = 'rejected' THEN v.memory END)"
                f" FROM evidence v JOIN memories y ON y.id = v.memory JOIN messages m ON m.id = v.message {_VISIBLE}"
                " GROUP BY m.batch"
            )
        }
        commands = record.execute(
            "SELECT id, at, summary FROM commands WHERE owner = ? AND verb = 'import' ORDER BY id DESC", (store.owner,)
        ).fetchall()
    found = []
    for command, at, summary in commands:
        if command in refused or command in admitted:
            reasons, (count, rejected) = refused.get(command, []), admitted.get(command, (0, 0))
            refusals = sum(number for _, number in reasons)
            found.append(ImportJunk(command, at, summary, count, refusals, rejected, tuple(reasons)))
    return tuple(found)
