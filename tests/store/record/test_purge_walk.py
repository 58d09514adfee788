"""Random commands: purged words are nowhere and do not come back, and the journal always agrees with the rows."""

import contextlib
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from curator import curation
from effort import share
from factories import conversation, memory, quote
from store import Filter, Store, StoreError
from store.model import Refusal
from store.record.changes import Update, decode
from store.record.text_redaction import squeezed

_COLOURS = st.sampled_from(["red", "blue", "green"])
_PLACE = st.integers(0, 30)


def _text(colour: str) -> str:
    return f"The {colour} vault code is here"


def _otherwise(colour: str) -> str:
    """Return the words in another writing within a longer text."""
    return f"Note: the **{colour}** vault, code\n> is here!"


class Walk(RuleBasedStateMachine):
    """A person and imports that work with three texts."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = Store.open(Path(self.folder.name) / "store")
        self.purged: set[str] = set()

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def _memory(self, place: int) -> list[int]:
        with self.store.sqlite() as connection:
            ids = [row[0] for row in connection.execute("SELECT id FROM memories ORDER BY id")]
        return [ids[place % len(ids)]] if ids else []

    @rule(colour=_COLOURS)
    def add(self, colour: str) -> None:
        with contextlib.suppress(StoreError):
            curation.add(self.store, _text(colour), tags=["x"])

    @rule(place=_PLACE, colour=_COLOURS)
    def edit(self, place: int, colour: str) -> None:
        for number in self._memory(place):
            with contextlib.suppress(StoreError):
                curation.edit(self.store, number, _text(colour))

    @rule(place=_PLACE, verb=st.sampled_from(["forget", "restore", "validate"]))
    def decide(self, place: int, verb: str) -> None:
        with contextlib.suppress(StoreError):
            getattr(curation, verb)(self.store, self._memory(place))

    @rule(first=_PLACE, second=_PLACE, own=st.booleans())
    def merge(self, first: int, second: int, own: bool) -> None:
        found = self.store.list_ids(Filter(), descending=False)
        ids = [found[place % len(found)] for place in (first, second)] if found else []
        with contextlib.suppress(StoreError, ValueError):
            made = curation.draft(self.store, ids)
            curation.merge(self.store, ids, f"Merged {len(made.text)}" if own else made.text, made.survivor)

    @rule(first=_PLACE, second=_PLACE)
    def supersede(self, first: int, second: int) -> None:
        for old in self._memory(first):
            with contextlib.suppress(StoreError):
                curation.supersede(self.store, [old], self._memory(second)[0])

    @rule(place=_PLACE, scope=st.sampled_from(["global", "project:x"]))
    def move(self, place: int, scope: str) -> None:
        with contextlib.suppress(StoreError):
            curation.set_scope(self.store, self._memory(place), scope)
        with contextlib.suppress(StoreError):
            curation.later(self.store, self._memory(place))

    @rule(colour=_COLOURS, place=_PLACE)
    def write_otherwise(self, colour: str, place: int) -> None:
        hyphens = _text(colour).replace(" ", "-")
        with contextlib.suppress(StoreError):
            curation.add(self.store, _otherwise(colour), tags=["x", hyphens])
        with contextlib.suppress(StoreError):
            curation.tag(self.store, self._memory(place), add=[hyphens])
        with contextlib.suppress(StoreError):
            curation.set_scope(self.store, self._memory(place), f"project:{hyphens}")

    @rule(place=_PLACE)
    def accept_passage(self, place: int) -> None:
        refused = self.store.distillation.refused()
        if refused:
            with contextlib.suppress(StoreError, curation.Refused):
                curation.accept_passage(self.store, refused[place % len(refused)])

    @rule(colour=_COLOURS, external=st.booleans())
    def import_log(self, colour: str, external: bool) -> None:
        turn = f"Well, {_text(colour)} now"
        with self.store.command("import") as writer:
            self.store.raw.put_conversation(writer, conversation(colour, turn))
            number, kept = writer.connection.execute(
                "SELECT m.id, m.text FROM messages m JOIN conversations c ON c.id = m.conversation"
                " WHERE c.external_id = ?",
                (colour,),
            ).fetchone()
            self.store.distillation.put_refusals(writer, "rules/1", [Refusal(number, 0, len(turn), "vague")])
            said = (quote(kept[:10], kept, message=number), quote(kept[6:-4], kept, message=number))
            name = f"id of {colour}" if external else None
            if kept == turn:
                self.store.admit(writer, memory(_text(colour), evidence=said, external_id=name))
                self.store.admit(writer, memory(f"Speaks of {colour}", evidence=said[:1]))

    @rule()
    def undo(self) -> None:
        with contextlib.suppress(StoreError):
            self.store.undo()

    @rule(place=_PLACE)
    def undo_one(self, place: int) -> None:
        commands = self.store.journal.log()
        if commands:
            with contextlib.suppress(StoreError):
                self.store.undo(commands[place % len(commands)].id)

    @rule()
    def redo(self) -> None:
        with contextlib.suppress(StoreError):
            self.store.redo()

    @precondition(lambda self: self.store.count(Filter(lives=())))
    @rule(place=_PLACE, variants=st.booleans())
    def purge(self, place: int, variants: bool) -> None:
        chosen = self._memory(place)
        texts = {self.store.get(chosen[0]).text} | {version.text for version in self.store.versions(chosen[0])}
        try:
            purged = self.store.purge(chosen, variants)
        except StoreError:
            return
        assert purged.memories
        assert self.store.compact()
        gone = {text for text in texts if "vault" in text and "█" not in text}
        self.purged |= gone
        files = [path.read_bytes() for path in self.store.folder.rglob("*") if path.is_file()]
        with self.store.sqlite() as connection:
            events = [repr(decode(row[0])) for row in connection.execute("SELECT changes FROM events")]
        for text in gone:
            assert not any(text.encode() in data for data in files)
            assert not any(text in event for event in events)
        if variants:
            held = [squeezed(text) for text in self._texts()]
            assert not any(squeezed(text) in other for text in gone for other in held)

    def _texts(self) -> list[str]:
        """Return every text in rows and journal, except ids of conversations."""
        with self.store.sqlite() as connection:
            tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            values = [
                value for table in tables for row in connection.execute(f"SELECT * FROM {table}") for value in row
            ]
            for (data,) in connection.execute("SELECT changes FROM events"):
                for change in decode(data):
                    rows = (change.before, change.after) if isinstance(change, Update) else change.rows
                    values += [value for row in rows for value in row]
        return [value for value in values if isinstance(value, str)]

    @invariant()
    def journal_and_rows_agree(self) -> None:
        assert self.store.differences() == []

    @invariant()
    def purged_words_stay_away(self) -> None:
        texts = {memory.text for memory in self.store.get_many(self.store.list_ids(Filter()))}
        assert texts.isdisjoint(self.purged)
        assert not any("█" in text for text in texts)


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=share(80, 5), stateful_step_count=25, suppress_health_check=list(HealthCheck))
