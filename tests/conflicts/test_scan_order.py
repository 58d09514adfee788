"""Scans between any verbs in any order: no statement is lost, no decision overruled, one alert per pair."""

import contextlib
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from scans import scan

from curator import curation
from effort import share
from factories import put
from store import Filter, Store, StoreError, clock
from store.model import Actor, Life, Review

_SAID = (
    "I drink tea in the evening",
    "User drinks tea in the evening",
    "The user drinks tea in the evening.",
    "I don't drink tea in the evening",
    "I drink 3 cups of tea in the evening",
    "I live in Lisbon",
    "The user lives in Lisbon",
    "I live in Porto",
)
_PLACE = st.integers(0, 30)


class Comparing(RuleBasedStateMachine):
    """A person writes and decides in random order, with scans in between."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = Store.open(Path(self.folder.name) / "store")

    def teardown(self) -> None:
        assert self.store.differences() == []
        self.store.close()
        self.folder.cleanup()

    def _any(self, place: int) -> int | None:
        found = self.store.list_ids(Filter(lives=()), descending=False)
        return found[place % len(found)] if found else None

    @rule(place=_PLACE, project=st.booleans())
    def say(self, place: int, project: bool) -> None:
        fields = {"scope": "project:x"} if project else {}
        put(self.store, _SAID[place % len(_SAID)], created_at=(place + 1) * clock.DAY, **fields)

    @rule(place=_PLACE, verb=st.sampled_from(["validate", "pin", "forget", "restore", "restore"]))
    def decide(self, place: int, verb: str) -> None:
        number = self._any(place)
        if number is not None:
            with contextlib.suppress(StoreError):
                getattr(curation, verb)(self.store, [number])

    @rule(place=_PLACE, other=_PLACE)
    def edit(self, place: int, other: int) -> None:
        number = self._any(place)
        if number is not None:
            with contextlib.suppress(StoreError):
                curation.edit(self.store, number, _SAID[other % len(_SAID)])

    @rule(place=_PLACE, verb=st.sampled_from([curation.keep_both, curation.reject_both, curation.snooze]))
    def settle(self, place: int, verb) -> None:  # type: ignore[no-untyped-def]
        found = curation.waiting(self.store, curation.ConflictFilter())
        if found:
            verb(self.store, found[place % len(found)])

    @rule()
    def undo(self) -> None:
        with contextlib.suppress(StoreError):
            self.store.undo()

    @rule(place=_PLACE)
    def take_back_what_a_machine_did(self, place: int) -> None:
        done = [one.id for one in self.store.journal.log(99) if one.actor is Actor.SWEEP and one.undone is None]
        if done:
            with contextlib.suppress(StoreError):
                self.store.undo(done[place % len(done)])

    @rule(again=st.booleans())
    def compare(self, again: bool) -> None:
        before = {one.id: one for one in self.store.get_many(self.store.list_ids(Filter(lives=())))}
        scan(self.store, again)
        for number, was in before.items():
            now = self.store.get(number)
            if was.review is Review.VALIDATED or was.pinned or was.flag:
                assert (now.life, now.text, now.review, now.pinned) == (was.life, was.text, was.review, was.pinned)
            if was.life is Life.LIVE and now.life is not Life.LIVE:
                (heir, *_) = self.store.successors(number)
                kept = {version.text for version in self.store.versions(heir)} | {self.store.get(heir).text}
                assert was.text in kept
                assert now.text == was.text, "and it can be restored as it was"
        if any(one.actor is Actor.SWEEP and one.undone is not None for one in self.store.journal.log(999)):
            scan(self.store, again=True)  # finds undone alerts again, as a repeated scan should
        after = self.store.state_hash()
        scan(self.store, again=True)
        assert self.store.state_hash() == after, "what was compared is not changed by comparing again"

    @invariant()
    def one_a_pair(self) -> None:
        with self.store.sqlite() as connection:
            pairs = [frozenset(row) for row in connection.execute("SELECT a, b FROM alerts")]
        assert len(set(pairs)) == len(pairs)
        assert all(len(pair) == 2 for pair in pairs)


TestComparing = Comparing.TestCase
TestComparing.settings = settings(
    max_examples=share(12), stateful_step_count=14, suppress_health_check=list(HealthCheck)
)
