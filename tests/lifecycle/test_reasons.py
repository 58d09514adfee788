"""The reason of each lifecycle change: in the journal, and where a person looks."""

from curator import curation
from curator.lifecycle import Step, UpkeepChange, plan, run
from curator.tui.glyphs import UNICODE
from curator.tui.history import queries, render
from curator.tui.memories import detail_queries, detail_render
from effort import thorough
from factories import put
from store import Store, clock
from store.model import Kind, Life

DAY = clock.DAY


def run_later(store: Store, days: int) -> tuple[int, dict[int, UpkeepChange]]:
    """Run the lifecycle some days ahead; return its command, and the changes by memory."""
    command, done = run(store, plan(store, clock.now() + days * DAY))
    return command, {change.memory: change for change in done}


@thorough
def test_every_change_of_a_run_has_its_own_reason_for_good(store: Store) -> None:
    ids = put(store, *(f"thing number {n}" for n in range(2_500)), confidence=0.2)
    more = [put(store, f"other thing {n}", confidence=n / 100)[0] for n in range(40)]
    curation.later(store, ids[:3])
    (task,) = put(store, "water the plants", kind=Kind.TASK)
    before = store.state_hash()
    command, done = run_later(store, 40)
    assert done[ids[0]].step is Step.REMOVE and done[task].step is Step.EXPIRE and done.keys() >= {*ids, *more}
    assert len({change.reason for change in done.values()}) > 10
    for memory in (ids[0], ids[-1], *more, task):
        (kept,) = store.journal.reasoned_changes(memory)
        assert (kept.why, kept.command.id) == (done[memory].reason, command)
        assert {kept.column: kept.after} == done[memory].step.after
    assert not store.differences()
    store.undo(command)
    assert store.state_hash() == before and not store.journal.reasoned_changes(ids[0]) and not store.differences()


def test_a_purge_keeps_the_reasons_of_the_others(store: Store) -> None:
    one, two = put(store, "alpha beta", "gamma delta", confidence=0.2)
    _, done = run_later(store, 20)
    curation.purge(store, [one])
    assert [item.why for item in store.journal.reasoned_changes(two)] == [done[two].reason]
    assert not store.differences()


def test_the_history_shows_it_for_the_memory_that_was_asked_for(store: Store) -> None:
    ids = put(store, *(f"thing number {n}" for n in range(70)), confidence=0.2)
    command, done = run_later(store, 20)
    first, asked = queries.load(store, command), queries.load(store, command, f"memory:{ids[-1]}")
    assert first is not None and asked is not None
    shown = render.content(first, UNICODE, (), 100).plain
    assert shown.count("because  worth 0.") == queries.SHOWN and "rank  new → low" in shown
    assert ids[-1] not in first.changes.memories and asked.changes.memories[:2] == (ids[-1], ids[0])
    assert done[ids[-1]].reason in render.content(asked, UNICODE, (), 200).plain
    assert queries.load(store, command, "memory:") == first, "what is half typed changes nothing"


def test_a_memory_tells_its_own_history(store: Store) -> None:
    (one,) = put(store, "alpha beta", confidence=0.2)
    curation.edit(store, one, "alpha beta gamma")
    run_later(store, 20)
    curation.edit(store, one, "alpha beta gamma delta")
    (task,) = put(store, "water the plants", kind=Kind.TASK)
    run_later(store, 40)
    assert store.get(task).life is Life.EXPIRED
    for memory, words in ((one, "rank new → low"), (task, "life live → expired")):
        found = detail_queries.load(store, memory)
        assert found is not None
        seen = detail_render.content(found, UNICODE, 200).plain
        (kept,) = found.reasoned
        assert "CHANGED BY A SWEEP  1" in seen and words in seen and kept.why in seen
    assert "because  memories of kind task expire: due" in seen, "and not what the whole run did"
