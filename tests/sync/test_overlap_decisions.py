"""Decisions on memories of a log that another device imported too, made before the devices sync."""

from collections.abc import Callable
from itertools import count, product
from pathlib import Path
from uuid import UUID

import pytest

from curator import curation
from curator.curation import resolve
from curator.curation.pairs import Pair, pair, pairs
from curator.sync.key import words_of
from curator.sync.run import create, inspect_space, join
from effort import ALL, thorough
from factories import conversation, memory, quote
from store import Filter, Store, clock
from store.model import Actor, Given, Kind, Life, Relation, Tier
from sync.devices import KEY, Device, device, numbered, settle, states

pytestmark = thorough

OLD, NEW, OTHER = "My boss is Solveig Brekke", "My new boss is Anders Myhre", "I cannot stand tofu"


def imported(store: Store, at: int | None = None) -> None:
    """Import a log, distil its three statements, and find the conflict of two, as import and sweeps do."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("work", OLD, NEW, OTHER))
    with store.command("distil", Actor.SWEEP) as writer:
        for place, text in enumerate((OLD, NEW, OTHER)):
            number = store.raw.find_identity(writer, f"chatgpt:work:{place}")
            store.admit(writer, memory(text, created_at=at, evidence=(quote(text, text, number),)))
    with store.command("compare", Actor.SWEEP) as writer:
        a, b = numbered(store, OLD), numbered(store, NEW)
        store.alerts.put(writer, a, b, Relation.UPDATE, 0.99, ["two bosses"], judge="rules/1")


def on_old(verb: Callable[[Store, int], object]) -> Callable[[Store], None]:
    """Return a verb on the older statement."""
    return lambda store: (verb(store, numbered(store, OLD)), None)[1]


def on_pair(verb: Callable[[Store, Pair], object]) -> Callable[[Store], None]:
    """Return a verb on the conflict."""
    return lambda store: (verb(store, pair(store, store.alerts.open()[0].id)), None)[1]


def merge(store: Store) -> None:
    """Merge the two statements."""
    curation.merge(store, [numbered(store, OLD), numbered(store, NEW)], "My boss was Solveig, now Anders", 1)


def edit_and_forget(store: Store) -> None:
    curation.edit(store, numbered(store, OLD), "My boss was Solveig")
    curation.forget(store, [numbered(store, "My boss was Solveig")])


def forget_the_newer(store: Store) -> None:
    on_pair(lambda store, found: resolve.keep(store, found, "b"))(store)
    curation.forget(store, [numbered(store, NEW)])


def forget_and_restore(store: Store) -> None:
    curation.forget(store, [numbered(store, OLD)])
    curation.restore(store, [numbered(store, OLD)])


VERBS: dict[str, Callable[[Store], None]] = {
    "validate": on_old(lambda store, one: curation.validate(store, [one])),
    "reject": on_old(lambda store, one: curation.reject(store, [one])),
    "forget": on_old(lambda store, one: curation.forget(store, [one])),
    "forget and restore": forget_and_restore,
    "edit": on_old(lambda store, one: curation.edit(store, one, "My boss was Solveig")),
    "edit and forget": edit_and_forget,
    "tier": on_old(lambda store, one: curation.set_tier(store, [one], Tier.LOW)),
    "kind": on_old(lambda store, one: curation.set_kind(store, [one], Kind.RELATIONSHIP)),
    "always": on_old(lambda store, one: curation.set_given(store, [one], Given.ALWAYS)),
    "never": on_old(lambda store, one: curation.set_given(store, [one], Given.NEVER)),
    "scope": on_old(lambda store, one: curation.set_scope(store, [one], "project:site")),
    "until": on_old(lambda store, one: curation.set_until(store, [one], clock.now() + clock.DAY)),
    "later": on_old(lambda store, one: curation.later(store, [one])),
    "pin": on_old(lambda store, one: curation.pin(store, [one])),
    "score": on_old(lambda store, one: curation.score(store, [one], 7)),
    "importance": on_old(lambda store, one: curation.set_importance(store, [one], 9)),
    "tags": on_old(lambda store, one: curation.tag(store, [one], ["work"])),
    "supersede": lambda store: (curation.supersede(store, [numbered(store, OLD)], numbered(store, NEW)), None)[1],
    "merge": merge,
    "keep a": on_pair(lambda store, found: resolve.keep(store, found, "a")),
    "keep b": on_pair(lambda store, found: resolve.keep(store, found, "b")),
    "keep b and forget it": forget_the_newer,
    "keep both": on_pair(resolve.keep_both),
    "keep both dated": on_pair(lambda store, found: resolve.keep_both(store, found, text_a="My boss was Solveig")),
    "keep both scoped": on_pair(lambda store, found: resolve.keep_both(store, found, scope_a="project:site")),
    "merge the conflict": on_pair(lambda store, found: resolve.merge_pair(store, found, "My boss is now Anders")),
    "reject both": on_pair(resolve.reject_both),
    "snooze": on_pair(resolve.snooze),
}


def decided(store: Store) -> tuple[list[tuple[object, ...]], list[list[str]]]:
    """Return the live memories with all that a person decides on, and the conflicts that wait now."""
    live = store.get_many(store.list_ids(Filter(lives=(Life.LIVE,))))
    memories = [
        (
            one.text, one.kind, one.tier, one.review, one.scope, one.pinned, one.given, one.user_score, one.importance,
            one.tags, one.expires_at, one.later_until,
        )
        for one in live
    ]  # fmt: skip
    waiting = [found for found in pairs(store, store.alerts.find(due_by=clock.now())) if not found.outdated]
    return sorted(memories, key=str), sorted(sorted((found.a.text, found.b.text)) for found in waiting)


Apart = Callable[..., tuple[Device, Device]]


@pytest.fixture
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Apart:
    """Return a function that makes two devices that have imported one log, whose ids are in either order."""

    def make(down: bool = False, at: int | None = None) -> tuple[Device, Device]:
        numbers = count(100, -1) if down else count(1)
        monkeypatch.setattr("store.record.device.uuid4", lambda: UUID(int=next(numbers) << 120, version=4))
        made = device(tmp_path, "laptop"), device(tmp_path, "desktop")
        for one in made:
            with one.here() as store:
                imported(store, at)
        return made

    return make


def meet(folder: Path, first: Device, second: Device, read: bool) -> None:
    """Begin a space on one device and join it on the other, which recognises what the first has written, if `read`."""
    target = f"folder:{folder / 'target'}"
    with first.here() as store:
        create(store, target, first.name, KEY)
    if read:
        first.sync()
    with second.here() as store:
        join(store, inspect_space(store, target, second.name, words_of(KEY)))
    settle([first, second])


WAYS = list(product([False, True], repeat=3))
CASES = [(verb, *way) for place, verb in enumerate(VERBS) for way in WAYS[0 if ALL else place % 8 :: 1 if ALL else 8]]


@pytest.mark.parametrize(("verb", "down", "joining", "read"), CASES)
def test_what_was_decided_before_joining_holds_on_both(
    apart: Apart, tmp_path: Path, verb: str, down: bool, joining: bool, read: bool
) -> None:
    """The decision may be that of the joining device, and the other may have synced before or not."""
    made = apart(down)
    with made[joining].here() as store:
        VERBS[verb](store)
        wanted = decided(store)
    meet(tmp_path, *made, read)
    assert len(set(states([*made]))) == 1
    for one in made:
        with one.here() as store:
            assert decided(store) == wanted, one.name


@pytest.mark.parametrize("later", [0, 1])
def test_of_opposite_decisions_the_later_holds(apart: Apart, tmp_path: Path, later: int) -> None:
    made = apart()
    for place, (one, verb) in enumerate(zip(made, ("keep a", "keep b"), strict=True)):
        one.at = clock.DAY if place == later else 0
        with one.here() as store:
            VERBS[verb](store)
    meet(tmp_path, *made, True)
    assert len(set(states([*made]))) == 1
    for one in made:
        assert {text for text, *_ in decided(one.store)[0]} == {(OLD, NEW)[later], OTHER}
        assert decided(one.store)[1] == []


def test_a_memory_validated_after_another_device_superseded_it_stays(apart: Apart, tmp_path: Path) -> None:
    one, other = made = apart()
    with one.here() as store:
        VERBS["keep b"](store)
    other.at = clock.DAY
    with other.here() as store:
        VERBS["validate"](store)
    meet(tmp_path, *made, True)
    for device_ in made:
        assert OLD in {text for text, *_ in decided(device_.store)[0]}


def test_a_statement_made_again_after_it_was_superseded_is_new(apart: Apart, tmp_path: Path) -> None:
    one, other = made = apart(at=clock.now() - 9 * clock.DAY)
    with one.here() as store:
        VERBS["keep b"](store)
    with other.here() as store:
        store.undo(next(command.id for command in store.journal.log() if command.verb == "distil"))
        with store.command("distil", Actor.SWEEP) as writer:
            store.admit(writer, memory(OLD, created_at=clock.now()))
    meet(tmp_path, *made, True)
    for device_ in made:
        assert OLD in {text for text, *_ in decided(device_.store)[0]}


def test_a_memory_that_is_restored_after_joining_stays(apart: Apart, tmp_path: Path) -> None:
    one, other = made = apart()
    with one.here() as store:
        VERBS["keep b"](store)
    meet(tmp_path, *made, True)
    with other.here() as store:
        curation.restore(store, [numbered(store, OLD)])
    settle([*made])
    assert len(set(states([*made]))) == 1
    for device_ in made:
        assert OLD in {text for text, *_ in decided(device_.store)[0]}
