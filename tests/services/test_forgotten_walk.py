"""Random imports and decisions in any order: forgotten memories come back only by the person's own hand (I5)."""

import contextlib
import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from curator import curation
from curator.compare import relate
from curator.distill.candidate import Candidate
from curator.models import Embedder, load_embedder
from curator.paths import cache_folder
from curator.services.admission import admit
from curator.services.import_logs import distil_all, import_paths
from curator.services.import_summary import Summary
from curator.services.neighbours import Distiller, SourcedCandidate, compare
from curator.services.search_session import embed_missing
from effort import share
from factories import conversation, put
from store import Conflict, Filter, NotFound, Store
from store.model import Actor, Channel, Kind, Life, Memory, Origin, Relation, Tier

SAYINGS = (
    ("My sister Anna works as a nurse in Kiel.", "My sister Anna is working as a nurse in Kiel."),
    ("I prefer window seats on long flights.", "On long flights I prefer window seats."),
    ("I play the viola in a quartet.", "I am playing the viola in a quartet."),
)
_ABOUT, _WAY, _PLACE = st.integers(0, 2), st.integers(0, 1), st.integers(0, 40)
_REFUSED = (Conflict, NotFound, ValueError)


def same(one: str, other: str) -> bool:
    """Return True if two of the texts above are one statement, as the rules judge it and the test's author does."""
    return relate(one, other).relation is Relation.DUPLICATE


class Walk(RuleBasedStateMachine):
    """A person, imports, a distiller and a model that work with three statements in two wordings each."""

    embedder: ClassVar[Embedder] = load_embedder("hashing", cache_folder())

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = Store.open(Path(self.folder.name) / "store")
        self.number = 0

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def _live(self) -> list[Memory]:
        return self.store.get_many(self.store.list_ids(Filter(), descending=False))

    def _gone(self) -> dict[int, str]:
        return self.store.tombstones.texts(self.store.list_ids(Filter(lives=(Life.FORGOTTEN,))))

    def _one(self, place: int, *lives: Life) -> list[int]:
        ids = self.store.list_ids(Filter(lives=lives), descending=False)
        return [ids[place % len(ids)]] if ids else []

    def _refusing(self, work: Callable[[], object]) -> None:
        """Run `work` and check that no new memory says what is still forgotten."""
        before, gone = {(memory.id, memory.text) for memory in self._live()}, self._gone()
        with contextlib.suppress(*_REFUSED):
            work()
        still = {memory: text for memory, text in self._gone().items() if gone.get(memory) == text}
        for memory in self._live():
            if (memory.id, memory.text) not in before:
                for text in still.values():
                    assert not same(text, memory.text), (text, memory)

    @rule(about=_ABOUT, way=_WAY)
    def add(self, about: int, way: int) -> None:
        self._refusing(lambda: curation.add(self.store, SAYINGS[about][way]))

    @rule(place=_PLACE, about=_ABOUT, way=_WAY)
    def edit(self, place: int, about: int, way: int) -> None:
        for memory in self._one(place, Life.LIVE):
            self._refusing(partial(curation.edit, self.store, memory, SAYINGS[about][way]))

    @rule(place=_PLACE, verb=st.sampled_from([curation.forget, curation.reject]))
    def let_go(self, place: int, verb: Callable[[Store, list[int]], int]) -> None:
        verb(self.store, self._one(place, Life.LIVE, Life.SUPERSEDED))

    @rule(place=_PLACE)
    def restore(self, place: int) -> None:
        with contextlib.suppress(Conflict, NotFound):
            curation.restore(self.store, self._one(place, Life.FORGOTTEN, Life.SUPERSEDED))

    @rule(about=_ABOUT, way=_WAY, again=st.booleans())
    def import_log(self, about: int, way: int, again: bool) -> None:
        self.number += not again
        name = f"log{0 if again else self.number}-{about}-{way}"
        self._refusing(lambda: self._import(name, SAYINGS[about][way]))

    def _import(self, name: str, said: str) -> None:
        with self.store.command("import") as writer:
            self.store.raw.put_conversation(writer, conversation(name, f"Remember that {said}", "Noted."))
        distil_all(self.store, self.embedder)

    @rule()
    def distil_again(self) -> None:
        self._refusing(lambda: distil_all(self.store, self.embedder, again=True))

    @rule(about=_ABOUT, way=_WAY, with_vectors=st.booleans())
    def import_ready(self, about: int, way: int, with_vectors: bool) -> None:
        self.number += 1
        file = Path(self.folder.name) / f"ready{self.number}.jsonl"
        file.write_text(json.dumps({"id": f"r{self.number}", "text": SAYINGS[about][way]}) + "\n", encoding="utf-8")
        self._refusing(lambda: import_paths(self.store, [file], self.embedder if with_vectors else None))

    @rule(about=_ABOUT, way=_WAY, embedded=st.booleans())
    def model(self, about: int, way: int, embedded: bool) -> None:
        """Propose a model's candidate from a log, with the forgotten memories embedded already or not."""
        self.number += 1
        said = SAYINGS[about][way]

        def sweep() -> None:
            with self.store.command("import", Actor.SWEEP) as writer:
                self.store.raw.put_conversation(writer, conversation(f"model{self.number}", said))
            if embedded:
                embed_missing(self.store, self.embedder)
            (where,) = [one for one in self.store.raw.get_conversations() if one.external_id == f"model{self.number}"]
            (message,) = self.store.raw.messages(where.id)
            candidate = Candidate(message.id, 0, len(said), said, said, Kind.FACT, Tier.MEDIUM, 0.8, 10)
            distiller = Distiller("test/1", Origin.MODEL)
            compared = compare(
                self.store, self.embedder, [SourcedCandidate(candidate, where, Channel.SPOKEN)], distiller
            )
            with self.store.command("distil", Actor.MODEL) as writer:
                admit(writer, compared, [], Summary())

        self._refusing(sweep)

    @rule(place=_PLACE)
    def accept_passage(self, place: int) -> None:
        refused = self.store.distillation.refused()
        if refused:
            self._refusing(lambda: curation.accept_passage(self.store, refused[place % len(refused)]))

    @rule(first=_PLACE, second=_PLACE, about=_ABOUT, way=_WAY, own=st.booleans())
    def merge(self, first: int, second: int, about: int, way: int, own: bool) -> None:
        ids = [*self._one(first, Life.LIVE), *self._one(second, Life.LIVE)]

        def merging() -> None:
            made = curation.draft(self.store, ids)
            curation.merge(self.store, ids, SAYINGS[about][way] if own else made.text, made.survivor)

        self._refusing(merging)

    @rule(first=_PLACE, second=_PLACE, about=_ABOUT, way=_WAY, how=st.sampled_from("ab=m0"))
    def settle_conflict(self, first: int, second: int, about: int, way: int, how: str) -> None:
        a, b = self._one(first, Life.LIVE), self._one(second, Life.LIVE)
        if not a or a == b:
            return
        with self.store.command("compare", Actor.SWEEP) as writer:
            older, newer = sorted([*a, *b])
            self.store.alerts.put(writer, older, newer, Relation.UPDATE, 0.8, ["told"], judge="rules/2")
        for alert in self.store.alerts.open(a[0])[:1]:
            pair, text = curation.pair(self.store, alert.id), SAYINGS[about][way]
            ways: dict[str, Callable[[], object]] = {
                "a": partial(curation.keep, self.store, pair, "a"),
                "b": partial(curation.keep, self.store, pair, "b"),
                "=": partial(curation.keep_both, self.store, pair, text_a=text),
                "m": partial(curation.merge_pair, self.store, pair, text),
                "0": partial(curation.reject_both, self.store, pair),
            }
            self._refusing(ways[how])

    @rule()
    def undo(self) -> None:
        with contextlib.suppress(Conflict, NotFound):
            self.store.undo()

    @rule(place=_PLACE)
    def undo_one(self, place: int) -> None:
        commands = self.store.journal.log(60)
        with contextlib.suppress(Conflict, NotFound):
            self.store.undo(commands[place % len(commands)].id if commands else None)

    @rule()
    def redo(self) -> None:
        with contextlib.suppress(Conflict, NotFound):
            self.store.redo()

    @rule(place=_PLACE)
    def purge(self, place: int) -> None:
        with contextlib.suppress(Conflict, NotFound):
            self.store.purge(self._one(place, Life.FORGOTTEN))

    @invariant()
    def what_is_found_is_what_reading_all_would_find(self) -> None:
        gone = self._gone()
        for text in (way for saying in SAYINGS for way in saying):
            assert (curation.find_forgotten(self.store, text) is not None) == any(
                same(old, text) for old in gone.values()
            )


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=share(60), stateful_step_count=25, suppress_health_check=list(HealthCheck))


def test_forgotten_twice_said_once(store: Store) -> None:
    """Restore one of two that say the same in other words: its words may return, the other's may not."""
    one, other = put(store, SAYINGS[0][0]) + put(store, SAYINGS[0][1])
    curation.forget(store, [one, other])
    curation.restore(store, [one])
    assert store.get(one).life is Life.LIVE and store.get(other).life is Life.FORGOTTEN
    assert curation.find_forgotten(store, SAYINGS[0][1]) == other
