"""Statements of other members as memories of this store: candidates of the inbox that no model gets yet."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from curator.curation.claims import NO_DECISION
from curator.curation.forgotten_match import MatchCertainty, quarantine
from curator.curation.names import redact_names
from curator.injection import flag_memory
from curator.share.heard import Heard, Said
from curator.share.names import clean_name
from curator.share.outbox import text_digest
from curator.share.project import Share
from store import Conflict, Forgotten, Store, Value, Writer
from store.model import (
    BY_MEMBER,
    SHARED,
    Life,
    Memory,
    NewEvidence,
    NewMemory,
    Origin,
    Relation,
    Review,
)
from store.record.shares import VALIDATED, Statement, Vote

SOURCE = "shared"
"""The source of received memories."""
JUDGE = "share/1"
"""The judge of conflicts with corrections of other members."""


@dataclass(slots=True)
class Counts:
    """Numbers of what a pass received: new and corrected statements by member, and the others in all."""

    new: Counter[str] = field(default_factory=Counter)
    corrected: Counter[str] = field(default_factory=Counter)
    withdrawn: int = 0
    refused: int = 0
    released: int = 0
    held: int = 0

    def in_words(self) -> str:
        """Return what was received, for the history."""
        parts = [f"{number} of {name}" for name, number in self.new.items() if number]
        parts += [f"{number} corrected by {name}" for name, number in self.corrected.items() if number]
        parts += [f"{self.withdrawn} withdrawn"] if self.withdrawn else []
        return ", ".join(parts)


def is_undecided(store: Store, memory: Memory) -> bool:
    """Return True for a received memory that the person here has not decided on."""
    if memory.origin is not Origin.SHARED or memory.review is not Review.OPEN or memory.pinned:
        return False
    return not store.journal.person_verbs([memory.id], NO_DECISION)


class Receiving:
    """One command that takes over what other members said. `matches` are the forgotten memories that texts match."""

    def __init__(
        self,
        store: Store,
        share: Share,
        names: Mapping[str, str],
        writer: Writer,
        matches: Mapping[str, tuple[int, MatchCertainty]],
        counts: Counts,
    ) -> None:
        self._store, self._share, self._writer = store, share, writer
        self._matches, self._names = matches, names
        self._statements = store.shares.statements(share.id)
        self._of_memory: defaultdict[int, dict[str, Statement]] = defaultdict(dict)
        for one in self._statements.values():
            if one.memory is not None:
                self._of_memory[one.memory][one.id] = one
        self.counts = counts

    def segment(self, heard: Heard, member: str) -> None:
        """Take over a segment."""
        self.counts.refused += heard.refused
        for said in heard.statements:
            self.statement(said)
        for statement, at in heard.withdrawn:
            self.withdraw(statement, member, at)
        for vote in heard.votes:
            self._vote(vote)

    def statement(self, said: Said) -> None:
        """Take a statement over, unless a later one of its author is known."""
        former = self._statements.get(said.id)
        if former is not None and former.written >= said.written:
            return
        fresh = Statement(said.id, said.member, said.digest, said.written)
        if former is None:
            fresh = replace(fresh, memory=self._admit(said))
        elif former.digest == said.digest:
            fresh = replace(fresh, memory=former.memory, said=former.said, released=former.released)
            if former.withdrawn:
                self._return(former)
        else:
            fresh = self._correct(former, said, fresh)
        if fresh.memory is not None and fresh.said is None:
            (memory,) = self._store.get_many([fresh.memory])
            says = self._says(memory, said) or (self._yields(memory, said) and self._reword(memory, said))
            fresh = replace(fresh, said=text_digest(self._share, said.text) if says else "")
        self._put(fresh)
        self._vote(Vote(said.id, said.member, said.digest, VALIDATED if said.validated else "", said.written))

    def _correct(self, former: Statement, said: Said, fresh: Statement) -> Statement:
        """Take a correction over: in place if nobody decided on the memory, else as a memory beside it, in conflict.

        What the person decided about the former words is no verdict on these: then `said` is empty.
        """
        memory, unsaid = self._memory(former.memory), replace(fresh, memory=former.memory, said="")
        if memory is None:  # it was refused, or the person took it back
            return unsaid if former.memory is not None else replace(fresh, memory=self._admit(said))
        if memory.review is not Review.REJECTED and memory.life in (Life.FORGOTTEN, Life.PURGED):
            return unsaid
        undecided = is_undecided(self._store, memory) and self._is_only(former)
        if undecided and self._is_by(memory, said.member):
            return replace(fresh, memory=memory.id) if self._reword(memory, said) else unsaid
        own = self._admit(said)
        if own == memory.id:  # another member said so first: their tags and quotes stay
            return unsaid
        if undecided:
            self._expire(memory, f"{self._name(said.member)} corrected it")
            return replace(fresh, memory=own)
        if own is not None and memory.life is Life.LIVE:
            reasons = (f"{self._name(said.member)} corrected what they had said",)
            self._store.alerts.put(self._writer, memory.id, own, Relation.UPDATE, 1.0, reasons, judge=JUDGE)
        return replace(fresh, memory=own)

    def _yields(self, memory: Memory, said: Said) -> bool:
        """Return True if held words give way to nearly the same ones that a member whom the person trusts validated.

        Else whoever says a variant first would keep those from models.
        """
        from curator.text import content_key

        held = (memory.flag or "").startswith(SHARED) and is_undecided(self._store, memory)
        by_trusted = said.validated and said.member in self._share.trusted and not self._is_by(memory, said.member)
        return held and by_trusted and content_key(memory.text) == content_key(said.text)

    def _reword(self, memory: Memory, said: Said) -> bool:
        """Correct an undecided memory; return False if that cannot be, and it is out of recall."""
        from curator.text import content_key

        author = f"{BY_MEMBER}{self._name(said.member)}"
        after = {"kind": said.kind.value, "expires_at": said.until, "flag": self._flag(said), "distiller": author}
        match = self._matches.get(said.text)
        try:
            if match is not None and match[1] is MatchCertainty.SAME:
                raise Forgotten(match[0])
            if said.text != memory.text:
                self._store.reword(self._writer, memory, said.text, content_key(said.text))
        except (Forgotten, Conflict):
            self._expire(memory, f"{self._name(said.member)} corrected it")
            self.counts.refused += 1
            return False
        self._writer.update("memories", [memory.id], {**after, "life": "live"})
        self._replace_tags_and_quotes(memory, self._memory_of(said))
        for one in [*self._of_memory[memory.id].values()]:  # withdrawn ones, which may return
            if one.id != said.id:
                self._put(replace(one, said=""))
        self.counts.corrected[self._name(said.member)] += 1
        return True

    def _replace_tags_and_quotes(self, memory: Memory, new: NewMemory) -> None:
        """Let a memory have the tags and the quotes of members that a correction has, and no others of theirs."""
        writer = self._writer
        for tag in set(memory.tags) - set(new.tags):
            writer.delete("tags", "memory = ? AND tag = ?", (memory.id, tag))
        writer.insert("tags", ("memory", "tag"), [(memory.id, tag) for tag in new.tags if tag not in memory.tags])
        said = {(one.reference, one.quote) for one in new.evidence}
        for one in self._store.evidence(memory.id):
            if one.source == SOURCE and (one.reference, one.quote) not in said:
                writer.delete("evidence", "id = ?", (one.id,))
        self._store.add_evidence(writer, memory.id, new.evidence)

    def withdraw(self, statement: str, member: str, at: int) -> None:
        """Note that a statement is withdrawn; what nobody decided on expires."""
        former = self._statements.get(statement) or Statement(statement, member, "", 0)
        if former.written >= at:
            return
        memory = self._memory(former.memory)
        if (
            memory is not None
            and memory.life is Life.LIVE
            and is_undecided(self._store, memory)
            and self._is_only(former)
        ):
            self._expire(memory, f"withdrawn by {self._name(member)}")
        self.counts.withdrawn += not former.withdrawn and memory is not None
        self._put(replace(former, withdrawn=True, released=False, written=at))

    def _expire(self, memory: Memory, why: str) -> None:
        self._writer.update("memories", [memory.id], {"life": "expired"}, {memory.id: why})

    def _return(self, former: Statement) -> None:
        memory = self._memory(former.memory)
        if memory is not None and memory.life is Life.EXPIRED and is_undecided(self._store, memory):
            after: dict[str, Value] = {
                "life": "live",
                "flag": self._held(former.member) if memory.flag is None else memory.flag,
            }
            self._writer.update("memories", [memory.id], after)

    def _says(self, memory: Memory, said: Said) -> bool:
        """Return True if a memory says and quotes what a member said: only then a verdict on one is about the other.

        A memory is found by what it said formerly too, and by words that differ in what a key leaves out.
        """
        new, there = self._memory_of(said), self._store.evidence(memory.id)
        quotes = {one.quote for one in new.evidence}
        if not {one.quote for one in there if one.source == SOURCE} <= quotes <= {one.quote for one in there}:
            return False
        return (memory.text, memory.kind, sorted(memory.tags), memory.expires_at) == (
            new.text,
            new.kind,
            sorted(new.tags),
            new.expires_at,
        )

    def _memory_of(self, said: Said) -> NewMemory:
        from curator.text import content_key

        name = self._name(said.member)
        quotes = [
            NewEvidence(quote, 0, len(quote), reference=said.id, source=SOURCE, title=name, said_at=at)
            for quote, at in said.quotes
            if quote
        ]
        return redact_names(
            NewMemory(
                text=said.text,
                key=content_key(said.text),
                kind=said.kind,
                origin=Origin.SHARED,
                project=self._share.project,
                scope=f"project:{self._share.project}",
                source=SOURCE,
                distiller=f"{BY_MEMBER}{name}",
                created_at=said.said_at,
                expires_at=said.until,
                flag=self._flag(said),
                tags=said.tags,
                evidence=tuple(quotes),
            )
        )

    def _admit(self, said: Said) -> int | None:
        """Return the memory that says what a member said, a new one if there is none; None if it is not wanted."""
        match = self._matches.get(said.text)
        if match is not None and match[1] is MatchCertainty.SAME:
            self.counts.refused += 1
            return None
        memory, name = self._memory_of(said), self._name(said.member)
        found = self._store.peek_memory(memory)
        if found.known is not None:
            return found.known
        added = None if found.forgotten is not None else self._store.admit(self._writer, memory).added
        self.counts.new[name] += added is not None
        self.counts.refused += added is None
        return added

    def _flag(self, said: Said) -> str:
        order = flag_memory(said.text, None, said.tags)
        if order is None and (match := self._matches.get(said.text)) is not None:
            return quarantine(match[0])
        return order or self._held(said.member)

    def _held(self, member: str) -> str:
        return f"{SHARED}{self._name(member)}"

    def _name(self, member: str) -> str:
        return self._names.get(member, "somebody")

    def _is_by(self, memory: Memory, member: str) -> bool:
        """Return True if a memory goes by the name of a member, perhaps from before another one's looked like it."""
        return memory.author in (self._name(member), clean_name(self._name(member)))

    def _memory(self, memory: int | None) -> Memory | None:
        return next(iter(self._store.get_many([] if memory is None else [memory])), None)

    def _is_only(self, statement: Statement) -> bool:
        """Return True if no other member says the same."""
        others = self._of_memory.get(statement.memory, {}).values() if statement.memory is not None else ()
        return all(one.withdrawn or one.id == statement.id for one in others)

    def _put(self, statement: Statement) -> None:
        former = self._statements.get(statement.id)
        if former is not None and former.memory is not None:
            del self._of_memory[former.memory][statement.id]
        if statement.memory is not None:
            self._of_memory[statement.memory][statement.id] = statement
        self._statements[statement.id] = statement
        self._store.shares.put_statement(self._writer.connection, self._share.id, statement)

    def _vote(self, vote: Vote) -> None:
        self._store.shares.put_vote(self._writer.connection, self._share.id, vote)
