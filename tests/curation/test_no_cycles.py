"""Random commands, undone and redone in any order: no memory supersedes itself, and undo is exact."""

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from curator import curation
from curator.curation.commands import supersede_within
from effort import share
from factories import put
from store import Conflict, Filter, NotFound, Store, clock
from store.model import Actor, Relation
from store.record.memory_queries import MemoryQueries

_TOWNS = ("Lisbon", "Porto", "Faro")
_TOWN = st.sampled_from(_TOWNS)
_PLACE = st.integers(0, 30)


class Settling(RuleBasedStateMachine):
    """A person and a sweep that resolve conflicts between any two of three memories."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = Store.open(Path(self.folder.name) / "store")
        self.ids = [
            put(self.store, f"I live in {town}", created_at=(9 - n) * clock.DAY)[0] for n, town in enumerate(_TOWNS)
        ]
        with self.store.command("compare", Actor.SWEEP) as writer:
            for n, a in enumerate(self.ids):
                for b in self.ids[:n]:
                    self.store.alerts.put(writer, a, b, Relation.UPDATE, 0.8, [])

    def teardown(self) -> None:
        assert self.store.differences() == []
        self.store.close()
        self.folder.cleanup()

    def _do(self, verb: Callable[[], object]) -> None:
        """Run a verb; check that undo and redo restore the exact states."""
        before = self.store.state_hash()
        try:
            verb()
        except (Conflict, NotFound, ValueError):
            assert self.store.state_hash() == before
            return
        after = self.store.state_hash()
        if after != before:
            self.store.undo()
            assert self.store.state_hash() == before
            self.store.redo()
            assert self.store.state_hash() == after

    def _pair(self, place: int) -> curation.Pair | None:
        found = curation.waiting(self.store, curation.ConflictFilter())
        return found[place % len(found)] if found else None

    def _two(self, place: int) -> list[int]:
        found = self.store.list_ids(Filter(), descending=place % 2 == 0)
        return [found[place % len(found)], found[(place // 3) % len(found)]] if found else []

    @rule(place=_PLACE, side=st.sampled_from(["a", "b"]))
    def keep(self, place: int, side: curation.Side) -> None:
        if pair := self._pair(place):
            self._do(lambda: curation.keep(self.store, pair, side))

    @rule(place=_PLACE, amend=st.booleans(), town=_TOWN)
    def keep_both(self, place: int, amend: bool, town: str) -> None:
        if pair := self._pair(place):
            text, scope = (f"I really live in {town}", "project:x") if amend else (None, None)
            self._do(lambda: curation.keep_both(self.store, pair, text_a=text, scope_b=scope))

    @rule(place=_PLACE, own=st.booleans(), town=_TOWN)
    def merge(self, place: int, own: bool, town: str) -> None:
        if pair := self._pair(place):
            text = f"I moved to {town}" if own else pair.a.text
            self._do(lambda: curation.merge_pair(self.store, pair, text))

    @rule(place=_PLACE, verb=st.sampled_from([curation.reject_both, curation.snooze]))
    def reject_or_put_off(self, place: int, verb: Callable[[Store, curation.Pair], int]) -> None:
        if pair := self._pair(place):
            self._do(lambda: verb(self.store, pair))

    @rule(which=st.sampled_from([curation.Rule.NEWEST, curation.Rule.VALIDATED]), count=st.integers(1, 3))
    def bulk(self, which: curation.Rule, count: int) -> None:
        plan = curation.plan_bulk(curation.waiting(self.store, curation.ConflictFilter(), count), which)
        self._do(lambda: curation.bulk(self.store, plan))

    @rule(place=_PLACE)
    def supersede(self, place: int) -> None:
        if two := self._two(place):
            self._do(lambda: curation.supersede(self.store, two[:1], two[1]))

    @rule(place=_PLACE)
    def sweep(self, place: int) -> None:
        """Supersede as a sweep does, so that it is not the person's last command."""
        if two := self._two(place):
            with (
                contextlib.suppress(Conflict, NotFound, ValueError),
                self.store.command("merge", Actor.SWEEP) as writer,
            ):
                supersede_within(self.store, writer, two[:1], two[1])

    @rule(place=_PLACE, verb=st.sampled_from(["validate", "reject", "forget", "restore", "restore", "restore"]))
    def decide(self, place: int, verb: str) -> None:
        self._do(lambda: getattr(curation, verb)(self.store, [self.ids[place % len(self.ids)]]))

    @rule(place=_PLACE)
    def change_ones_mind(self, place: int) -> None:
        """Restore a superseded memory, and let it supersede its successor."""
        found = self.store.get_many(self.ids)
        gone = [(one.id, one.superseded_by) for one in found if one.superseded_by is not None]
        if gone:
            old, by = gone[place % len(gone)]
            self._do(lambda: curation.restore(self.store, [old]))
            self._do(lambda: curation.supersede(self.store, [by], old))

    @rule(place=_PLACE, town=_TOWN)
    def edit(self, place: int, town: str) -> None:
        self._do(lambda: curation.edit(self.store, self.ids[place % len(self.ids)], f"My home is {town}"))

    @rule()
    def undo(self) -> None:
        with contextlib.suppress(Conflict, NotFound):
            self.store.undo()

    @rule(place=_PLACE, verb=st.sampled_from(["restore", "supersede", "merge", "settle", "reject"]))
    def undo_one(self, place: int, verb: str) -> None:
        commands = [one for one in self.store.journal.log(60) if one.undone is None and one.verb == verb]
        if commands:
            with contextlib.suppress(Conflict, NotFound):
                self.store.undo(commands[place % len(commands)].id)

    @rule()
    def redo(self) -> None:
        with contextlib.suppress(Conflict, NotFound):
            self.store.redo()

    @invariant()
    def nobody_takes_their_own_place(self) -> None:
        with self.store.sqlite() as connection:
            pointing = dict(connection.execute("SELECT id, superseded_by FROM memories WHERE superseded_by > 0"))
            assert MemoryQueries.on(connection, "me").circle(pointing) is None
        for first in pointing:
            link, seen = first, {first}
            while link in pointing:
                link = pointing[link]
                assert link not in seen
                seen.add(link)

    @invariant()
    def who_is_live_has_no_successor(self) -> None:
        found = self.store.get_many(self.store.list_ids(Filter()))
        assert [memory.id for memory in found if memory.superseded_by is not None] == []


TestSettling = Settling.TestCase
TestSettling.settings = settings(
    max_examples=share(50), stateful_step_count=25, suppress_health_check=list(HealthCheck)
)
