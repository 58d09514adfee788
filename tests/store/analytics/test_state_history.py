"""Number of memories in each state over time, from the journal, without undone commands."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from curator import curation
from curator.text import content_key
from effort import share, thorough
from factories import memory, put
from store import Conflict, Store, clock, restore
from store.analytics import Analytics, Stopped, state_history
from store.analytics.state_history import STATES, PeriodCounts, spans
from store.model import Actor, Life, Rank
from store.record.changes import Change, Delete, Insert, Value, decode

FIRST = clock.from_iso("2026-01-01T10:00:00")


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = FIRST

    def jump(self, days: int) -> None:
        self.now += days * clock.DAY


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    own = Clock()
    monkeypatch.setattr(clock, "now", lambda: own.now)
    return own


@pytest.fixture
def copy(store: Store) -> Iterator[Analytics]:
    with closing(Analytics(store)) as analytics:
        yield analytics


def read(copy: Analytics) -> tuple[PeriodCounts, ...]:
    copy.follow()
    return spans(copy.ask_past, clock.now())


def nonzero_counts(found: tuple[PeriodCounts, ...]) -> list[dict[str, int]]:
    """Return the counts of each span by state, without zeros."""
    return [{state: n for state, n in zip(STATES, span.counts, strict=True) if n} for span in found]


def swept(store: Store, ids: list[int], **after: str) -> int:
    with store.command("tidy", Actor.SWEEP) as writer:
        writer.update("memories", ids, dict(after))
    return writer.id


def test_an_empty_store_has_no_states(copy: Analytics) -> None:
    assert read(copy) == ()


def test_each_day_counts_what_was_then(store: Store, copy: Analytics, time: Clock) -> None:
    one, two, three = put(store, "one thing", "another thing", "a third thing")
    time.jump(1)
    swept(store, [one], rank="low")
    swept(store, [two], rank="high")
    time.jump(2)
    (four,) = put(store, "a fourth thing")
    swept(store, [one], life="forgotten")
    curation.forget(store, [three])
    time.jump(1)
    curation.restore(store, [one])
    swept(store, [two], life="expired")
    curation.purge(store, [three])
    curation.supersede(store, [one], four)
    found = read(copy)
    assert [(span.label, span.unit) for span in found] == [(f"2026-01-0{n}", "day") for n in range(1, 6)]
    assert nonzero_counts(found) == [
        {"new": 3},
        {"new": 1, "high": 1, "low": 1},
        {"new": 1, "high": 1, "low": 1},
        {"new": 1, "high": 1, "removed": 1, "forgotten": 1},
        {"new": 1, "expired": 1, "forgotten": 1, "superseded": 1},
    ]


@thorough
def test_what_was_taken_back_was_never_done_until_it_is_done_again(store: Store, copy: Analytics, time: Clock) -> None:
    one, two = put(store, "one thing", "another thing")
    time.jump(1)
    run = swept(store, [one, two], life="expired")
    time.jump(1)
    curation.forget(store, put(store, "a third thing"))
    time.jump(1)
    assert nonzero_counts(read(copy)) == [
        {"new": 2},
        {"expired": 2},
        {"expired": 2, "forgotten": 1},
        {"expired": 2, "forgotten": 1},
    ]
    store.undo(run)
    assert nonzero_counts(read(copy)) == [{"new": 2}, {"new": 2}, *[{"new": 2, "forgotten": 1}] * 2]
    store.undo()
    assert nonzero_counts(read(copy)) == [{"new": 2}, {"new": 2}, {"new": 3}, {"new": 3}]
    store.redo()
    assert nonzero_counts(read(copy))[-1] == {"new": 2, "forgotten": 1}


@thorough
def test_a_command_over_many_and_an_import_of_what_was_let_go(store: Store, copy: Analytics, time: Clock) -> None:
    ids = put(store, *(f"thing number {n}" for n in range(3_000)))
    with store.command("import") as writer:
        store.admit(writer, memory("it came so", life=Life.FORGOTTEN))
        store.admit(writer, memory("it came so too", rank=Rank.HIGH))
    time.jump(1)
    swept(store, ids[:2_500], rank="low")
    curation.forget(store, ids[:100])
    assert nonzero_counts(read(copy)) == [
        {"new": 3_000, "high": 1, "forgotten": 1},
        {"new": 500, "high": 1, "low": 2_400, "forgotten": 101},
    ]


def test_another_owners_are_not_counted(store: Store) -> None:
    mine = put(store, "one thing")
    with closing(Store.open(store.folder, owner="ana")) as other, closing(Analytics(other)) as theirs:
        assert read(theirs) == ()
        put(other, "their thing")
        swept(store, mine, rank="low")
        assert nonzero_counts(read(theirs)) == [{"new": 1}]


@thorough
def test_a_backup_in_the_records_place_is_read_anew(store: Store, copy: Analytics, time: Clock, tmp_path: Path) -> None:
    (one,) = put(store, "one thing")
    store.backup(tmp_path / "copy")
    swept(store, [one], life="expired")
    assert nonzero_counts(read(copy)) == [{"expired": 1}]
    restore(store.folder, tmp_path / "copy", content_key)
    time.now += 1  # another history is recognised by its times
    swept(store, [one], rank="low")
    assert nonzero_counts(read(copy)) == [{"low": 1}]


@pytest.mark.parametrize(
    ("days", "unit", "count", "first", "last"),
    [
        (0, "day", 1, "2026-01-01", "2026-01-01"),
        (35, "day", 36, "2026-01-01", "2026-02-05"),
        (36, "week", 6, "2025-12-29", "2026-02-02"),
        (248, "week", 36, "2025-12-29", "2026-08-31"),
        (365, "month", 13, "2026-01", "2027-01"),
        (3 * 365, "month", 36, "2026-01", "2028-12"),
        (4 * 366, "quarter", 17, "2026-01", "2030-01"),
        (12 * 366, "year", 13, "2026", "2038"),
        (50 * 366, "decade", 6, "2020", "2070"),
    ],
)
def test_spans_are_as_short_as_there_is_room_for(
    store: Store, copy: Analytics, time: Clock, days: int, unit: str, count: int, first: str, last: str
) -> None:
    (one,) = put(store, "one thing")
    time.jump(days)
    found = read(copy)
    assert ({span.unit for span in found}, len(found)) == ({unit}, count)
    assert (found[0].label, found[-1].label) == (first, last)
    curation.forget(store, [one])
    assert nonzero_counts(read(copy))[-1] == {"forgotten": 1}
    assert all(sum(span.counts) == 1 for span in found)


def test_a_clock_that_went_back_counts_all_the_same(store: Store, copy: Analytics, time: Clock) -> None:
    (one,) = put(store, "one thing")
    time.jump(-3)
    swept(store, [one], rank="low")
    time.jump(5)
    swept(store, [one], rank="high")
    found = nonzero_counts(read(copy))
    assert found[-1] == {"high": 1} and all(
        sum(span.values()) <= 1 and min(span.values()) > 0 for span in found if span
    )
    time.jump(-9)  # all events lie after now, and are counted up to now
    assert nonzero_counts(read(copy)) == [{"high": 1}]


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "forget", "reject", "restore", "validate", "low", "high", "expire", "remove", "back"]),
        st.integers(0, 3),
        st.integers(0, 9),
    ),
    max_size=25,
)


@thorough
@example_settings(max_examples=share(40), suppress_health_check=list(HealthCheck))
@given(steps=_STEPS)
def test_it_is_what_the_standing_commands_did_day_by_day(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    """Compare with a fold over all commands in effect, forwards and memory by memory."""
    own = Clock()
    with pytest.MonkeyPatch.context() as patch, closing(Store.open(tmp_path_factory.mktemp("states"))) as store:
        patch.setattr(clock, "now", lambda: own.now)
        with closing(Analytics(store)) as copy:
            ids = put(store, "one thing", "another thing")
            for number, (verb, jump, which) in enumerate(steps):
                own.jump(jump // 2)
                _do(store, verb, ids, which, number)
                if number % 4 == 0:
                    read(copy)  # continue from what was read before
            found = read(copy)
        assert [span.counts for span in found] == _folded(store, len(found), own.now)


def test_it_is_stopped_by_a_close_that_comes_while_it_reads(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "I like tea")
    copy, read = Analytics(store), state_history.state_changes
    copy.follow()

    def closed(*asked: Any) -> Any:
        yield from read(*asked)
        copy.close()

    monkeypatch.setattr(state_history, "state_changes", closed)
    with pytest.raises(Stopped):
        spans(copy.ask_past, FIRST)


def _do(store: Store, verb: str, ids: list[int], which: int, number: int) -> None:
    chosen = [ids[which % len(ids)]]
    try:
        match verb:
            case "put":
                ids += put(store, f"thing number {number}")
            case "low" | "high":
                swept(store, chosen, rank=verb)
            case "expire" | "remove":
                swept(store, chosen, life="expired" if verb == "expire" else "forgotten")
            case "back":
                commands = [
                    command.id for command in store.journal.log() if command.undone is None and command.target is None
                ]
                store.undo(commands[which % len(commands)])
                ids[:] = [memory.id for memory in store.get_many(ids)] or put(store, f"new thing {number}")
            case _:
                getattr(curation, verb)(store, chosen)
    except Conflict:
        pass  # refused, as it would be for the person


def _folded(store: Store, days: int, now: int) -> list[tuple[int, ...]]:
    """Fold all events; return the counts at the end of each of the last `days` days."""
    today = now // clock.DAY
    with store.sqlite() as record:
        rows = record.execute(
            "SELECT c.at, c.actor, e.changes FROM events e JOIN commands c ON c.id = e.command"
            " WHERE c.undone IS NULL AND c.verb NOT IN ('undo', 'redo') ORDER BY e.seq"
        ).fetchall()
    counts = []
    for day in range(today - days + 1, today + 1):
        life: dict[int, str] = {}
        rank: dict[int, str] = {}
        for at, actor, changes in rows:
            for change in decode(changes) if at // clock.DAY <= day else []:
                for one, row in _written(change):
                    if "life" in row:
                        gone = row["life"] == "forgotten" and actor != "person"
                        life[one] = "removed" if gone else str(row["life"])
                    if "rank" in row:
                        rank[one] = str(row["rank"])
        found = Counter(rank[one] if state == "live" else state for one, state in life.items())
        counts.append(tuple(found[state] for state in STATES))
    return counts


def _written(change: Change) -> Iterator[tuple[int, dict[str, Value]]]:
    """Yield the memories that a change wrote, each with its columns."""
    if change.table == "memories" and not isinstance(change, Delete):
        rows = change.rows if isinstance(change, Insert) else [change.after] * len(change.keys)
        for (memory,), row in zip(change.keys, rows, strict=True):
            yield int(memory or 0), dict(zip(change.columns, row, strict=True))
