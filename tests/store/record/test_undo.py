"""Undo and redo restore the exact states, and journal and rows always agree (I2, I3)."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from curator import curation
from effort import exhaustive, share
from factories import conversation, memory, put, quote
from store import Conflict, Filter, NotFound, Store, StoreError
from store.model import Life, Refusal, Tier

_WORDS = st.sampled_from(["tea", "coffee", "Porto", "Lisbon", "trains", "fish shell", "no nuts", "green paint"])


class Session(RuleBasedStateMachine):
    """Random commands of a person: every undo and redo must restore a state hash that was seen."""

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.store = Store.open(Path(self.folder.name) / "store")
        self.done: list[str] = [self.store.state_hash()]
        self.undone: list[str] = []
        self.turns = 0

    def teardown(self) -> None:
        assert self.store.differences() == []
        self.store.close()
        self.folder.cleanup()

    def _after(self) -> None:
        new = self.store.state_hash()
        if new != self.done[-1]:
            self.done.append(new)
            self.undone.clear()

    def _some(self, data: st.DataObject) -> list[int]:
        with self.store.sqlite() as connection:
            ids = [row[0] for row in connection.execute("SELECT id FROM memories ORDER BY id")]
        return data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=4)) if ids else []

    def _live(self, data: st.DataObject) -> list[int]:
        """Draw live memories of one scope, so that they can be merged."""
        found = self.store.get_many(self.store.list_ids(Filter(), descending=False))
        alike = [one.id for one in found if one.scope == found[0].scope]
        return data.draw(st.lists(st.sampled_from(alike), min_size=1, max_size=4, unique=True)) if alike else []

    @rule(word=_WORDS)
    def add(self, word: str) -> None:
        with contextlib.suppress(StoreError):
            curation.add(self.store, f"I like {word}", tags=["x"])
        self._after()

    @rule(word=_WORDS, data=st.data())
    def edit(self, word: str, data: st.DataObject) -> None:
        for number in self._some(data)[:1]:
            with contextlib.suppress(StoreError):
                curation.edit(self.store, number, f"I really like {word}")
        self._after()

    @rule(data=st.data(), verb=st.sampled_from(["validate", "reject", "forget", "restore"]))
    def decide(self, data: st.DataObject, verb: str) -> None:
        with contextlib.suppress(StoreError):
            getattr(curation, verb)(self.store, self._some(data))
        self._after()

    @rule(data=st.data(), tier=st.sampled_from(list(Tier)), value=st.one_of(st.none(), st.integers(0, 10)))
    def weigh(self, data: st.DataObject, tier: Tier, value: int | None) -> None:
        ids = self._some(data)
        curation.set_tier(self.store, ids, tier)
        self._after()
        curation.score(self.store, ids, value)
        self._after()
        curation.tag(self.store, ids, ["a", "b"], ["x"])
        self._after()

    @rule(data=st.data(), days=st.integers(0, 3), scope=st.sampled_from(["global", "project:x", "session:1"]))
    def move(self, data: st.DataObject, days: int, scope: str) -> None:
        ids = self._some(data)
        changes: tuple[Callable[[], object], ...] = (
            lambda: curation.later(self.store, ids, days),
            lambda: curation.set_scope(self.store, ids, scope),
            lambda: curation.adjust_score(self.store, ids, days - 2),
        )
        for change in changes:
            with contextlib.suppress(StoreError):
                change()
            self._after()

    @rule(data=st.data(), own=st.booleans(), word=_WORDS)
    def merge(self, data: st.DataObject, own: bool, word: str) -> None:
        ids = self._live(data)
        with contextlib.suppress(StoreError, ValueError):
            made = curation.draft(self.store, ids)
            curation.merge(self.store, ids, f"Both {word} and more" if own else made.text, made.survivor)
        self._after()

    @rule(data=st.data())
    def supersede(self, data: st.DataObject) -> None:
        by, *old = self._live(data) or [0]
        with contextlib.suppress(StoreError, ValueError):
            curation.supersede(self.store, old, by)
        self._after()

    @rule(data=st.data())
    def accept_passage(self, data: st.DataObject) -> None:
        refused = self.store.distillation.refused()
        if refused:
            with contextlib.suppress(StoreError):
                curation.accept_passage(self.store, data.draw(st.sampled_from(refused)))
        self._after()

    @rule(grown=st.integers(1, 4), word=_WORDS)
    def import_log(self, grown: int, word: str) -> None:
        turns = [f"I like {word} {n}" for n in range(grown)]
        with self.store.command("import") as writer:
            self.store.raw.put_conversation(writer, conversation(word, *turns))
            number = self.store.raw.find_identity(writer, f"chatgpt:{word}:{grown - 1}")
            assert number is not None
            evidence = (quote("I like", turns[0], message=number),)
            self.store.admit(writer, memory(turns[0], evidence=evidence))
            self.store.distillation.put_refusals(writer, "rules/1", [Refusal(number, 0, len(turns[-1]), "vague")])
        self._after()

    @rule()
    def undo(self) -> None:
        if len(self.done) == 1:
            with pytest.raises(NotFound):
                self.store.undo()
            return
        self.store.undo()
        self.undone.append(self.done.pop())
        assert self.store.state_hash() == self.done[-1]

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        self.store.redo()
        self.done.append(self.undone.pop())
        assert self.store.state_hash() == self.done[-1]

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Store.open(Path(self.folder.name) / "store")

    @invariant()
    def nothing_is_lost(self) -> None:
        assert self.store.state_hash() == self.done[-1]


TestSession = Session.TestCase
TestSession.settings = settings(max_examples=share(25), stateful_step_count=25, suppress_health_check=list(HealthCheck))


def test_one_command_can_be_taken_back_by_id(store: Store) -> None:
    first, second = put(store, "I like tea", "I like trains")
    curation.validate(store, [first])
    curation.pin(store, [second])
    validated = store.journal.log()[1]
    assert validated.verb == "validate"
    store.undo(validated.id)
    assert store.get(first).review == "open"
    assert store.get(second).pinned


def test_a_command_that_later_ones_rest_on_is_refused_and_they_are_named(store: Store) -> None:
    (number,) = put(store, "I like tea")
    curation.validate(store, [number])
    with pytest.raises(Conflict, match="2"):
        store.undo(1)
    store.undo(2)
    store.undo(1)
    with pytest.raises(NotFound):
        store.get(number)
    with pytest.raises(Conflict, match="already"):
        store.undo(1)


def test_an_import_that_memories_of_another_command_cite_is_refused(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I like tea"))
    (found,) = store.raw.get_conversations()
    (message,) = store.raw.messages(found.id)
    with store.command("distil") as writer:
        store.admit(writer, memory("I like tea", evidence=(quote("tea", "I like tea", message=message.id),)))
    with pytest.raises(Conflict):
        store.undo(1)


def test_an_undone_import_is_hidden_and_shown_by_importing_again(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "hi", "hello"))
    store.undo()
    assert store.raw.get_conversations() == []
    with store.command("import") as writer:
        counts = store.raw.put_conversation(writer, conversation("a", "hi", "hello", "more"))
    assert (counts.new, counts.fresh) == (True, (0, 1, 2))
    (known,) = store.raw.get_conversations()
    assert known.messages == 3
    assert store.differences() == []


@exhaustive
def test_a_bulk_command_over_ten_thousand_memories_is_one_step(store: Store) -> None:
    put(store, *(f"fact number {n}" for n in range(10_000)))
    ids = store.list_ids(Filter())
    before = store.state_hash()
    assert curation.forget(store, ids) == 10_000
    assert store.count(Filter()) == 0
    undone = store.undo()
    assert (undone.verb, undone.count) == ("forget", 10_000)
    assert store.state_hash() == before
    assert store.get(ids[0]).life is Life.LIVE


def test_redo_ends_when_something_new_is_done(store: Store) -> None:
    put(store, "I like tea")
    store.undo()
    put(store, "I like trains")
    with pytest.raises(NotFound):
        store.redo()


def test_a_person_undoes_only_what_is_theirs(store: Store) -> None:
    put(store, "I like tea")
    other = Store.open(store.folder, owner="ana")
    with pytest.raises(NotFound):
        other.undo()
    with pytest.raises(NotFound):
        other.undo(1)
    other.close()
