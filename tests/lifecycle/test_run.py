"""A lifecycle run over a store: previewed, with reasons, undone at once, and never against the person."""

import importlib

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from curator import curation
from curator.config import settings
from curator.lifecycle import Step, mark_useful, outdated, plan, run
from effort import share, thorough
from factories import memory, put
from store import Conflict, Forbidden, Store, clock
from store.model import Actor, Given, Kind, Life, Rank, Review

DAY = clock.DAY


def ahead(days: float) -> int:
    """Return a time `days` days from now."""
    return clock.now() + round(days * DAY)


def steps(store: Store, days: float) -> dict[int, Step]:
    """Return the steps that a run `days` days from now would take."""
    return {change.memory: change.step for change in plan(store, ahead(days)).changes}


def test_what_nobody_uses_is_demoted_and_stays_in_the_inbox_until_it_was_seen(store: Store) -> None:
    unseen, seen, vouched, pinned = put(store, "one thing", "another thing", "a third thing", "a fourth thing")
    curation.later(store, [seen])
    curation.validate(store, [vouched])
    curation.pin(store, [pinned])
    assert steps(store, 20) == {unseen: Step.DEMOTE, seen: Step.DEMOTE}
    assert steps(store, 40) == {unseen: Step.DEMOTE, seen: Step.REMOVE}
    assert plan(store, ahead(40)).spared.unseen == 1
    run(store, plan(store, ahead(20)))
    assert store.get(unseen).rank is Rank.LOW
    assert steps(store, 40) == {seen: Step.REMOVE}


def test_a_run_is_one_command_of_the_sweep_and_one_undo(store: Store) -> None:
    ids = put(store, "alpha beta", "gamma delta", confidence=0.2)
    (task,) = put(store, "water the plants", kind=Kind.TASK)
    curation.later(store, ids[:1])
    before = store.state_hash()
    command, done = run(store, plan(store, ahead(40)))
    assert {change.memory: change.step for change in done} == {
        ids[0]: Step.REMOVE,
        ids[1]: Step.DEMOTE,
        task: Step.EXPIRE,
    }
    assert all(change.reason for change in done)
    (made,) = store.journal.commands([command])
    assert (made.actor, made.verb, made.count) == (Actor.SWEEP, "tidy", 3)
    assert made.summary == "1 demoted, 1 expired, 1 removed"
    assert store.get(task).life is Life.EXPIRED and store.get(ids[0]).life is Life.FORGOTTEN
    assert not store.differences()
    store.undo(command)
    assert store.state_hash() == before and not store.differences()


def test_others_may_write_during_a_long_run_and_what_they_decide_stands(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = put(store, *(f"thing number {n}" for n in range(9)), confidence=0.2)
    monkeypatch.setattr(importlib.import_module("curator.lifecycle.run"), "_AT_ONCE", 4)
    other = Store.open(store.folder)
    monkeypatch.setattr("time.sleep", lambda _: curation.validate(other, ids[5:]))
    command, done = run(store, plan(store, ahead(20)))
    assert [change.memory for change in done] == [*ids[:5]]
    (made,) = store.journal.commands([command])
    assert (made.summary, made.count) == ("5 demoted", 5) and not store.differences()
    assert all(store.get(one).rank is Rank.NEW for one in ids[5:])
    store.undo(command)
    assert all(store.get(one).rank is Rank.NEW for one in ids) and not store.differences()
    other.close()


def test_a_run_that_was_taken_back_while_it_ran_stops(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = put(store, *(f"thing number {n}" for n in range(9)), confidence=0.2)
    monkeypatch.setattr(importlib.import_module("curator.lifecycle.run"), "_AT_ONCE", 4)
    other = Store.open(store.folder)
    monkeypatch.setattr("time.sleep", lambda _: other.undo(other.journal.log(1)[0].id))
    with pytest.raises(Conflict, match="undone while it ran"):
        run(store, plan(store, ahead(20)))
    assert all(store.get(one).rank is Rank.NEW for one in ids) and not store.differences()
    other.close()


def test_the_persons_undo_does_not_take_back_a_run(store: Store) -> None:
    (one,) = put(store, "alpha beta", confidence=0.2)
    curation.later(store, [one])
    run(store, plan(store, ahead(40)))
    assert store.undo().verb == "later"
    assert store.get(one).life is Life.FORGOTTEN


def test_what_was_taken_back_is_left_alone_for_a_while(store: Store) -> None:
    (one,) = put(store, "alpha beta", confidence=0.2)
    command, _ = run(store, plan(store, ahead(20)))
    store.undo(command)
    later = plan(store, ahead(21))
    assert not later.changes and later.spared.taken_back == 1
    assert steps(store, 120) == {one: Step.DEMOTE}


def test_what_the_person_brought_back_or_reworded_is_not_removed(store: Store) -> None:
    back, reworded = put(store, "alpha beta", "gamma delta", confidence=0.2)
    curation.forget(store, [back])
    curation.restore(store, [back])
    curation.edit(store, reworded, "gamma delta epsilon")
    assert not {Step.REMOVE} & set(steps(store, 40).values())
    assert plan(store, ahead(40)).spared.wanted == 2


def test_what_a_sweep_let_go_of_may_come_back(store: Store) -> None:
    (one,) = put(store, "alpha beta", confidence=0.2)
    curation.later(store, [one])
    run(store, plan(store, ahead(40)))
    assert store.get(one).life is Life.FORGOTTEN and not store.tombstones.among([one])
    with store.command("import") as writer:
        assert store.admit(writer, memory("alpha beta")).added is not None


def test_a_plan_is_not_done_to_what_was_decided_meanwhile(store: Store) -> None:
    one, two = put(store, "alpha beta", "gamma delta", confidence=0.2)
    planned = plan(store, ahead(20))
    curation.validate(store, [one])
    _, done = run(store, planned)
    assert [change.memory for change in done] == [two]
    assert store.get(one).rank is Rank.NEW


def test_a_run_that_finds_nothing_leaves_no_trace(store: Store) -> None:
    put(store, "alpha beta")
    assert run(store, plan(store)) == (0, ())
    assert [command.verb for command in store.journal.log()] == ["add"]


def test_use_raises_and_counts_as_recorded(store: Store) -> None:
    (one,) = put(store, "alpha beta", confidence=0.9)
    for _ in range(10):
        store.recalls.record_use([one])
    assert steps(store, 0) == {one: Step.RAISE}
    assert "recalled 10 times" in plan(store).changes[0].reason


def test_dates_of_the_person(store: Store) -> None:
    soon, ever = put(store, "the bridge is closed", "call the bank", kind=Kind.TASK)
    curation.set_until(store, [soon], ahead(2))
    curation.set_until(store, [ever], clock.LATEST)
    assert Step.EXPIRE not in steps(store, 1).values()
    assert steps(store, 3) == {soon: Step.EXPIRE}
    assert steps(store, 60).get(ever) is not Step.EXPIRE
    curation.set_until(store, [ever], None)
    assert steps(store, 60)[ever] is Step.EXPIRE


def test_caps_come_from_the_settings(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "alpha beta", "gamma delta", "epsilon zeta")
    assert not plan(store).changes
    monkeypatch.setenv("CURATOR_LIFECYCLE__COUNT", "2")
    settings.cache_clear()
    (change,) = plan(store).changes
    assert change.step is Step.EVICT and "among the least of 3" in change.reason


def test_what_was_let_go_long_ago_is_listed_and_not_erased(store: Store) -> None:
    one, two = put(store, "alpha beta", "gamma delta")
    curation.forget(store, [one])
    assert outdated(store, 30) == ()
    assert [found.id for found in outdated(store, 30, ahead(31))] == [one]
    assert store.get(one).text == "alpha beta" and store.get(two).life is Life.LIVE


def test_marks_warm_and_drift_back(store: Store) -> None:
    one, two = put(store, "alpha beta", "gamma delta")
    assert mark_useful(store, [one], [two]) == pytest.approx({one: 0.6, two: 0.4})
    for _ in range(9):
        mark_useful(store, [one], [two])
    assert store.recalls.warmth([one, two]) == pytest.approx({one: 1.0, two: 0.0}, abs=1e-3)
    store.recalls.reset_warmth([one])
    assert store.recalls.warmth([one, two]) == pytest.approx({one: 0.5, two: 0.0}, abs=1e-3)
    with pytest.raises(ValueError, match="both useful and not useful"):
        mark_useful(store, [one], [one])


def test_another_owners_memories_are_neither_seen_nor_warmed(store: Store) -> None:
    other = Store.open(store.folder, owner="you")
    (theirs,) = put(other, "alpha beta", confidence=0.1)
    assert not plan(store, ahead(40)).changes
    with pytest.raises(Forbidden):
        mark_useful(store, [theirs])
    other.close()


_FATES = st.tuples(
    st.sampled_from([Kind.FACT, Kind.TASK, Kind.EVENT, Kind.IDENTITY]),
    st.floats(0, 1),
    st.integers(0, 12),
    st.sampled_from(["", "validate", "pin", "later", "forget"]),
)


@thorough
@example_settings(max_examples=share(15), suppress_health_check=list(HealthCheck))
@given(fates=st.lists(_FATES, min_size=1, max_size=8), jumps=st.lists(st.integers(1, 120), min_size=1, max_size=4))
def test_undoing_every_run_restores_the_state(
    tmp_path_factory: pytest.TempPathFactory, fates: list[tuple[Kind, float, int, str]], jumps: list[int]
) -> None:
    """I3 and I6: undo all runs; whatever happened before, the state before the first one is back."""
    store = Store.open(tmp_path_factory.mktemp("life"))
    sacred: set[int] = set()
    for number, (kind, confidence, times, verb) in enumerate(fates):
        (one,) = put(store, f"statement number {number}", kind=kind, confidence=confidence)
        for _ in range(times):
            store.recalls.record_use([one])
        if verb:
            getattr(curation, verb)(store, [one])
        if verb in ("validate", "pin"):
            sacred.add(one)
    hashes: list[tuple[int, str]] = []
    day = 0
    for jump in jumps:
        day += jump
        before = store.state_hash()
        command, done = run(store, plan(store, ahead(day)))
        assert all(change.memory not in sacred or change.step is Step.RAISE for change in done)
        if command:
            hashes.append((command, before))
    assert not store.differences()
    assert all(store.get(one).life is Life.LIVE and store.get(one).rank is not Rank.LOW for one in sacred)
    for command, before in reversed(hashes):
        store.undo(command)
        assert store.state_hash() == before
    assert not store.differences()
    store.close()


def test_restoring_what_expired(store: Store) -> None:
    (task,) = put(store, "water the plants", kind=Kind.TASK)
    run(store, plan(store, ahead(40)))
    curation.restore(store, [task])
    assert store.get(task).life is Life.LIVE and store.get(task).review is Review.OPEN
    assert steps(store, 41).get(task) is not Step.EXPIRE  # the person restored it
    with pytest.raises(Conflict):
        curation.forget(store, [task])
        curation.set_until(store, [task], None)


def test_a_plan_counts_what_is_past_its_date_and_validated(store: Store) -> None:
    ids = put(store, "The pass is valid", "The lease runs", expires_at=clock.now() - clock.DAY)
    curation.validate(store, ids[:1])
    planned = plan(store)
    assert [change.memory for change in planned.changes] == ids[1:] and planned.spared.decided == 1
    assert planned.spared.reasons == ((1, "expired, but kept: you validated it"),)


def test_what_is_always_given_is_not_taken_for_unused(store: Store) -> None:
    always, other = put(store, "Always answer in German", "Another thing")
    curation.set_given(store, [always], Given.ALWAYS)
    assert steps(store, 40) == {other: Step.DEMOTE}
