"""Apply statements of other members as memories of this store, in the inbox and kept from models."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from curator.curation.claims import NO_DECISION
from curator.curation.forgotten_match import MatchCertainty, like_forgotten_flag
from curator.curation.names import redact_names
from curator.injection import flag_memory
from curator.share.names import clean_name
from curator.share.outbox import text_digest
from curator.share.project import Share
from curator.share.segment_content import IncomingStatement, SegmentContent
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
from store.record.shares import VALIDATED, MemberStatement, Vote

SOURCE = "shared"
"""Source of received memories."""
JUDGE = "share/1"
"""Judge of conflicts with corrections of other members."""


@dataclass(slots=True)
class ReceivedCounts:
    """Numbers of received items of a pass: new and corrected statements by member, the others in total."""

    new: Counter[str] = field(default_factory=Counter)
    corrected: Counter[str] = field(default_factory=Counter)
    withdrawn: int = 0
    refused: int = 0
    released: int = 0
    held: int = 0

    def in_words(self) -> str:
        """Return a summary, for the history."""
        parts = [f"{number} of {name}" for name, number in self.new.items() if number]
        parts += [f"{number} corrected by {name}" for name, number in self.corrected.items() if number]
        parts += [f"{self.withdrawn} withdrawn"] if self.withdrawn else []
        return ", ".join(parts)


def is_undecided(store: Store, memory: Memory) -> bool:
    """Return True for a received memory without a decision of the person here."""
    if memory.origin is not Origin.SHARED or memory.review is not Review.OPEN or memory.pinned:
        return False
    return not store.journal.person_verbs([memory.id], NO_DECISION)


class StatementApplier:
    """Apply other members' statements in one command. `matches` are the forgotten memories that texts match."""

    def __init__(
        self,
        store: Store,
        share: Share,
        names: Mapping[str, str],
        writer: Writer,
        matches: Mapping[str, tuple[int, MatchCertainty]],
        counts: ReceivedCounts,
    ) -> None:
        self._store, self._share, self._writer = store, share, writer
        self._matches, self._names = matches, names
        self._statements = store.shares.statements(share.id)
        self._of_memory: defaultdict[int, dict[str, MemberStatement]] = defaultdict(dict)
        for one in self._statements.values():
            if one.memory is not None:
                self._of_memory[one.memory][one.id] = one
        self.counts = counts

    def apply_segment(self, content: SegmentContent, member: str) -> None:
        """Apply the statements, withdrawals and votes of a segment."""
        self.counts.refused += content.refused
        for statement in content.statements:
            self.apply_statement(statement)
        for identity, at in content.withdrawn:
            self.withdraw(identity, member, at)
        for vote in content.votes:
            self._vote(vote)

    def apply_statement(self, statement: IncomingStatement) -> None:
        """Apply a statement, unless a later version is known."""
        former = self._statements.get(statement.id)
        if former is not None and former.written >= statement.written:
            return
        fresh = MemberStatement(statement.id, statement.member, statement.digest, statement.written)
        if former is None:
            fresh = replace(fresh, memory=self._admit(statement))
        elif former.digest == statement.digest:
            fresh = replace(fresh, memory=former.memory, text_digest=former.text_digest, released=former.released)
            if former.withdrawn:
                self._revive(former)
        else:
            fresh = self._correct(former, statement, fresh)
        if fresh.memory is not None and fresh.text_digest is None:
            (memory,) = self._store.get_many([fresh.memory])
            says = self._is_equal(memory, statement) or (
                self._gives_way(memory, statement) and self._reword(memory, statement)
            )
            fresh = replace(fresh, text_digest=text_digest(self._share, statement.text) if says else "")
        self._put(fresh)
        self._vote(
            Vote(
                statement.id,
                statement.member,
                statement.digest,
                VALIDATED if statement.validated else "",
                statement.written,
            )
        )

    def _correct(
        self, former: MemberStatement, statement: IncomingStatement, fresh: MemberStatement
    ) -> MemberStatement:
        """Apply a correction: in place if the person has not decided on the memory, else as a new memory in conflict.

        A decision on the former words is no verdict on the new ones: then `text_digest` is empty.
        """
        memory, unsaid = self._memory(former.memory), replace(fresh, memory=former.memory, text_digest="")
        if memory is None:  # it was refused, or the person took it back
            return unsaid if former.memory is not None else replace(fresh, memory=self._admit(statement))
        if memory.review is not Review.REJECTED and memory.life in (Life.FORGOTTEN, Life.PURGED):
            return unsaid
        undecided = is_undecided(self._store, memory) and self._is_only(former)
        if undecided and self._is_by(memory, statement.member):
            return replace(fresh, memory=memory.id) if self._reword(memory, statement) else unsaid
        own = self._admit(statement)
        if own == memory.id:  # another member said so first: their tags and quotes stay
            return unsaid
        if undecided:
            self._expire(memory, f"{self._name(statement.member)} corrected it")
            return replace(fresh, memory=own)
        if own is not None and memory.life is Life.LIVE:
            reasons = (f"{self._name(statement.member)} corrected what they had said",)
            self._store.alerts.put(self._writer, memory.id, own, Relation.UPDATE, 1.0, reasons, judge=JUDGE)
        return replace(fresh, memory=own)

    def _gives_way(self, memory: Memory, statement: IncomingStatement) -> bool:
        """Return True if a held memory gives way to nearly the same words, validated by a trusted member.

        Otherwise a member who posts a variant first could keep those words from models.
        """
        from curator.text import content_key

        held = (memory.flag or "").startswith(SHARED) and is_undecided(self._store, memory)
        by_trusted = (
            statement.validated
            and statement.member in self._share.trusted
            and not self._is_by(memory, statement.member)
        )
        return held and by_trusted and content_key(memory.text) == content_key(statement.text)

    def _reword(self, memory: Memory, statement: IncomingStatement) -> bool:
        """Correct an undecided memory; return False if it was expired instead, since the new words are refused."""
        from curator.text import content_key

        author = f"{BY_MEMBER}{self._name(statement.member)}"
        after = {
            "kind": statement.kind.value,
            "expires_at": statement.until,
            "flag": self._flag(statement),
            "distiller": author,
        }
        match = self._matches.get(statement.text)
        try:
            if match is not None and match[1] is MatchCertainty.SAME:
                raise Forgotten(match[0])
            if statement.text != memory.text:
                self._store.reword(self._writer, memory, statement.text, content_key(statement.text))
        except (Forgotten, Conflict):
            self._expire(memory, f"{self._name(statement.member)} corrected it")
            self.counts.refused += 1
            return False
        self._writer.update("memories", [memory.id], {**after, "life": Life.LIVE})
        self._replace_tags_and_quotes(memory, self._memory_of(statement))
        for one in [*self._of_memory[memory.id].values()]:  # withdrawn ones, which may return
            if one.id != statement.id:
                self._put(replace(one, text_digest=""))
        self.counts.corrected[self._name(statement.member)] += 1
        return True

    def _replace_tags_and_quotes(self, memory: Memory, new: NewMemory) -> None:
        """Replace the tags and the members' quotes of a memory by those of a correction."""
        writer = self._writer
        for tag in set(memory.tags) - set(new.tags):
            writer.delete("tags", "memory = ? AND tag = ?", (memory.id, tag))
        writer.insert("tags", ("memory", "tag"), [(memory.id, tag) for tag in new.tags if tag not in memory.tags])
        kept = {(one.reference, one.quote) for one in new.evidence}
        for one in self._store.evidence(memory.id):
            if one.source == SOURCE and (one.reference, one.quote) not in kept:
                writer.delete("evidence", "id = ?", (one.id,))
        self._store.add_evidence(writer, memory.id, new.evidence)

    def withdraw(self, statement: str, member: str, at: int) -> None:
        """Record a withdrawal; an undecided memory expires."""
        former = self._statements.get(statement) or MemberStatement(statement, member, "", 0)
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
        self._writer.update("memories", [memory.id], {"life": Life.EXPIRED}, {memory.id: why})

    def _revive(self, former: MemberStatement) -> None:
        memory = self._memory(former.memory)
        if memory is not None and memory.life is Life.EXPIRED and is_undecided(self._store, memory):
            after: dict[str, Value] = {
                "life": Life.LIVE,
                "flag": self._held_flag(former.member) if memory.flag is None else memory.flag,
            }
            self._writer.update("memories", [memory.id], after)

    def _is_equal(self, memory: Memory, statement: IncomingStatement) -> bool:
        """Return True if a memory equals a statement, quotes included: only then do verdicts on one apply to the other.

        A memory is also found by its former texts, and by words that differ only in what a content key ignores.
        """
        new, there = self._memory_of(statement), self._store.evidence(memory.id)
        quotes = {one.quote for one in new.evidence}
        if not {one.quote for one in there if one.source == SOURCE} <= quotes <= {one.quote for one in there}:
            return False
        return (memory.text, memory.kind, sorted(memory.tags), memory.expires_at) == (
            new.text,
            new.kind,
            sorted(new.tags),
            new.expires_at,
        )

    def _memory_of(self, statement: IncomingStatement) -> NewMemory:
        from curator.text import content_key

        name = self._name(statement.member)
        quotes = [
            NewEvidence(quote, 0, len(quote), reference=statement.id, source=SOURCE, title=name, said_at=at)
            for quote, at in statement.quotes
            if quote
        ]
        return redact_names(
            NewMemory(
                text=statement.text,
                key=content_key(statement.text),
                kind=statement.kind,
                origin=Origin.SHARED,
                project=self._share.project,
                scope=f"project:{self._share.project}",
                source=SOURCE,
                distiller=f"{BY_MEMBER}{name}",
                created_at=statement.said_at,
                expires_at=statement.until,
                flag=self._flag(statement),
                tags=statement.tags,
                evidence=tuple(quotes),
            )
        )

    def _admit(self, statement: IncomingStatement) -> int | None:
        """Return the memory of a statement, admitted if there is none yet; None if it is refused."""
        match = self._matches.get(statement.text)
        if match is not None and match[1] is MatchCertainty.SAME:
            self.counts.refused += 1
            return None
        memory, name = self._memory_of(statement), self._name(statement.member)
        found = self._store.peek_memory(memory)
        if found.known is not None:
            return found.known
        added = None if found.forgotten is not None else self._store.admit(self._writer, memory).added
        self.counts.new[name] += added is not None
        self.counts.refused += added is None
        return added

    def _flag(self, statement: IncomingStatement) -> str:
        order = flag_memory(statement.text, None, statement.tags)
        if order is None and (match := self._matches.get(statement.text)) is not None:
            return like_forgotten_flag(self._store, match[0])
        return order or self._held_flag(statement.member)

    def _held_flag(self, member: str) -> str:
        return f"{SHARED}{self._name(member)}"

    def _name(self, member: str) -> str:
        return self._names.get(member, "somebody")

    def _is_by(self, memory: Memory, member: str) -> bool:
        """Return True if a memory's author is a member, perhaps by the name before it was disambiguated."""
        return memory.author in (self._name(member), clean_name(self._name(member)))

    def _memory(self, memory: int | None) -> Memory | None:
        return next(iter(self._store.get_many([] if memory is None else [memory])), None)

    def _is_only(self, statement: MemberStatement) -> bool:
        """Return True if no other member has a statement on the same memory."""
        others = self._of_memory.get(statement.memory, {}).values() if statement.memory is not None else ()
        return all(one.withdrawn or one.id == statement.id for one in others)

    def _put(self, statement: MemberStatement) -> None:
        former = self._statements.get(statement.id)
        if former is not None and former.memory is not None:
            del self._of_memory[former.memory][statement.id]
        if statement.memory is not None:
            self._of_memory[statement.memory][statement.id] = statement
        self._statements[statement.id] = statement
        self._store.shares.put_statement(self._writer.connection, self._share.id, statement)

    def _vote(self, vote: Vote) -> None:
        self._store.shares.put_vote(self._writer.connection, self._share.id, vote)
