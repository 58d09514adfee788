"""Count memories by state at the end of each day, week, month, or longer unit since the first one was added.

Changes of rank and life are read from the journal into the DuckDB copy (`Analytics.ask_past`). The initial state of a
memory is the former value of its first change. Undone commands are ignored.
"""

import sqlite3
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from store import clock
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
_WEIGHT = 200  # memories that an event adds to that count, so that the reader can stop in time
_UNCHANGED = (None, None)
_PLACES = 20  # bits for the position of a change in its event


def coded(column: str, codes: Mapping[str, int]) -> str:
    """Return an SQL expression for the number of a column's value."""
    cases = " ".join(f"WHEN '{value}' THEN {code}" for value, code in codes.items())
    return f"(CASE {column} {cases} END)::TINYINT"


def schema() -> "pyarrow.Schema":
    """Return the schema of changes: number in order of time, command, time, memories, old and new rank and life.

    Ranks and lives are numbers; null means unchanged.
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


def state_changes(store: Store, record: sqlite3.Connection, after: int, upto: int) -> "Iterator[pyarrow.Table]":
    """Yield the changes of rank or life in the events from `after` to `upto`, by commands other than undo and redo."""
    rows: list[tuple[object, ...]] = []
    held = 0
    for event in record.execute(
        "SELECT e.seq, e.command, e.changes, c.at, c.actor FROM events e JOIN commands c ON c.id = e.command"
        " WHERE e.seq > ? AND e.seq <= ? AND +c.owner = ? AND c.verb NOT IN ('undo', 'redo') ORDER BY e.seq",
        (after, upto, store.owner),
    ):
        for index, change in enumerate(updates(event["changes"])):
            lives, ranks = _numbers(change, "life", LIVES), _numbers(change, "rank", RANKS)
            if lives[1] == LIVES[Life.FORGOTTEN] and event["actor"] != Actor.PERSON:
                lives = lives[0], _REMOVED
            if (lives, ranks) != (_UNCHANGED, _UNCHANGED):
                number = event["seq"] << _PLACES | index
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
    index = change.columns.index(column)
    return codes[str(change.before[index])], codes[str(change.after[index])]


def _table(rows: Sequence[tuple[object, ...]]) -> "pyarrow.Table":
    import pyarrow

    columns = zip(*rows, strict=True) if rows else [()] * len(schema())
    arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, schema(), strict=True)]
    return pyarrow.Table.from_arrays(arrays, schema=schema())


STATES = ("new", "high", "low", "expired", "removed", "forgotten", "superseded")
"""States of a memory, by number; the first three are live. `removed` memories were forgotten by a sweep, `forgotten`
ones by the person, who may have purged them since.
"""
MOST = 36  # maximum spans; if there are more, a longer unit is used
_EPOCH = date(1970, 1, 1)
_LABEL = {"month": 7, "quarter": 7, "year": 4, "decade": 4}  # characters of the first day that form the label


@dataclass(frozen=True, slots=True)
class PeriodCounts:
    """Counts of memories in each of `STATES` at the end of a span of time.

    The label is the first day of a day or week, the month (`2026-03`) of a month or quarter, or the year (`2026`).
    """

    label: str
    unit: str
    counts: tuple[int, ...]


_LIFE = coded("m.life", LIVES)
_RANK = coded("m.rank", RANKS)
_MOVED = f"""
WITH moved AS (
    SELECT unnest(memories) AS memory, number, moment, life_before, life, rank_before, rank
    FROM moves WHERE command NOT IN (SELECT command FROM undone)
),
first AS (
    SELECT memory, arg_min(life_before, number) FILTER (life_before IS NOT NULL) AS life,
        arg_min(rank_before, number) FILTER (rank_before IS NOT NULL) AS rank
    FROM moved GROUP BY memory
),
steps AS (
    SELECT m.id AS memory, -1 AS number, m.added_at AS moment, coalesce(f.life, {_LIFE}) AS life,
        coalesce(f.rank, {_RANK}) AS rank
    FROM memories m JOIN first f ON f.memory = m.id
    UNION ALL
    SELECT s.memory, s.number, s.moment, s.life, s.rank FROM moved s JOIN memories m ON m.id = s.memory
),
filled AS (
    SELECT memory, number, (max(moment) OVER past // {clock.DAY})::INTEGER AS day,
        last_value(life IGNORE NULLS) OVER past AS life, last_value(rank IGNORE NULLS) OVER past AS rank
    FROM steps WINDOW past AS (PARTITION BY memory ORDER BY number)
),
stood AS (
    SELECT day, CASE life WHEN 0 THEN rank ELSE life END AS state,
        lead(day) OVER (PARTITION BY memory ORDER BY number) AS until
    FROM filled
),
entered AS (
    SELECT day, state, count(*) AS n FROM stood GROUP BY ALL
    UNION ALL
    SELECT until, state, -count(*) FROM stood WHERE until IS NOT NULL GROUP BY ALL
    UNION ALL
    SELECT added_at // {clock.DAY} AS day, CASE {_LIFE} WHEN 0 THEN {_RANK} ELSE {_LIFE} END AS state, count(*)
    FROM memories m ANTI JOIN first f ON f.memory = m.id GROUP BY ALL
)
SELECT day::BIGINT AS day, state::INTEGER AS state, sum(n)::BIGINT AS n FROM entered GROUP BY ALL
"""


def spans(ask_past: Callable[[str], list[tuple[Any, ...]]], now: int) -> tuple[PeriodCounts, ...]:
    """Return the state counts from the first memory until now, at most `MOST` spans; none without memories.

    `ask_past` is the method of an `Analytics` that is up to date with the store. Times later than `now`, from another
    machine's clock, count as `now`.
    """
    rows = ask_past(_MOVED)
    if not rows:
        return ()
    today = now // clock.DAY
    first = _EPOCH + timedelta(days=min(today, *(day for day, _, _ in rows)))
    unit, begins = _divide(first, _EPOCH + timedelta(days=today))
    ends = [(begin - _EPOCH).days for begin in begins[1:]]  # the last span has no end
    totals: list[Counter[int]] = [Counter() for _ in begins]
    for day, state, number in rows:
        totals[bisect_right(ends, day)][state] += number
    for before, after in pairwise(totals):
        after.update(before)
    return tuple(
        PeriodCounts(
            begin.isoformat()[: _LABEL.get(unit, 10)], unit, tuple(total[state] for state in range(len(STATES)))
        )
        for begin, total in zip(begins, totals, strict=True)
    )


def _divide(first: date, last: date) -> tuple[str, list[date]]:
    """Return the shortest unit that gives few enough spans, and the first day of each span."""
    for unit, begin, step in (("day", first, 1), ("week", first - timedelta(days=first.weekday()), 7)):
        days = range(0, (last - begin).days + 1, step)
        if len(days) <= MOST:
            return unit, [begin + timedelta(days=number) for number in days]
    for unit, step in (("month", 1), ("quarter", 3), ("year", 12), ("decade", 120)):
        start, end = (12 * day.year + day.month - 1 for day in (first, last))  # months since the year 0
        months = range(start // step * step, end + 1, step)
        if len(months) <= MOST or unit == "decade":
            return unit, [date(max(number // 12, 1), number % 12 + 1, 1) for number in months]
    raise AssertionError("there is no longer unit")
