"""What other members said, as memories of this store: candidates of the inbox that no model gets yet."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from curator.curation.claims import NO_DECISION
from curator.curation.create import checked
from curator.curation.forgotten_match import Return, index_forgotten, quarantine
from curator.curation.names import redact_names
from curator.errors import Refused
from curator.injection import flag_memory
from curator.secrets import redact
from curator.services.import_batch import find_matches
from curator.services.search_session import embed_missing, installed_embedder
from curator.share.members import Members
from curator.share.outgoing import Entry, entry_digest, said_digest, words_in
from curator.share.project import Share
from curator.share.segments import Signed
from store import Conflict, Forgotten, Store, Value, Writer
from store.model import (
    BY_MEMBER,
    SHARED,
    Actor,
    Kind,
    Life,
    Memory,
    NewEvidence,
    NewMemory,
    Origin,
    Relation,
    Review,
)
from store.record.shares import REJECTED, VALIDATED, MemberChain, Sent, Statement, Vote
from store.sanitize import replace_invisible, storable

SOURCE = "shared"
"""The source of received memories."""
JUDGE = "share/1"
"""The judge of conflicts with corrections of other members."""
_QUOTE = 2_000
_QUOTES = 5
_TAG = 60


@dataclass(frozen=True, slots=True)
class Said:
    """A statement of another member, read at the edge. `id` is its own in the space."""

    id: str
    member: str
    digest: str
    text: str
    kind: Kind
    tags: tuple[str, ...]
    until: int | None
    said_at: int | None
    validated: bool
    written: int
    quotes: tuple[tuple[str, int | None], ...]


def statement_id(share: Share, member: str, item: str) -> str:
    """Return the id of a member's statement."""
    return share.hashed(f"{member} {item}", b"curator-stmt")


def read(share: Share, member: str, entry: Entry) -> Said | None:
    """Return a statement as it may be stored; None if it cannot be a memory."""
    try:
        text = checked(replace_invisible(str(entry["text"])))
        quotes = [(_plain(str(quote), _QUOTE), _moment(at)) for quote, at in entry.get("quotes", ())[:_QUOTES]]
        tags = (_plain(str(tag), _TAG).casefold().replace(" ", "-") for tag in entry["tags"])
        return Said(
            statement_id(share, member, str(entry["id"])),
            member,
            said_digest(share, entry),
            text,
            Kind(entry["kind"]),
            tuple(dict.fromkeys(filter(None, tags))),
            _moment(entry["until"]),
            _moment(entry["said_at"]),
            entry["validated"] is True,
            int(entry["written"]),
            tuple(quotes),
        )
    except (Refused, ValueError, KeyError, TypeError):
        return None


def _plain(text: str, most: int) -> str:
    return redact(" ".join(replace_invisible(storable(text[: 4 * most])).split())).text[:most]


def _moment(at: object) -> int | None:
    """Return a moment that a store can hold. Raises ValueError."""
    if at is None:
        return None
    if not isinstance(at, int) or isinstance(at, bool) or not -(1 << 62) < at < 1 << 62:
        raise ValueError("no moment")
    return at


@dataclass(slots=True)
class Counts:
    """Numbers of what a pass received: new and corrected statements by member, and the others in all."""

    new: Counter[str] = field(default_factory=Counter)
    corrected: Counter[str] = field(default_factory=Counter)
    withdrawn: int = 0
    refused: int = 0
    released: int = 0
    held: int = 0


def fold(
    store: Store, share: Share, members: Members, segments: Sequence[tuple[MemberChain, Signed]], *, manual: bool
) -> Counts:
    """Fold segments into the store as one command, and release or hold memories by the verdicts that are known then.

    Also without segments: whom the person trusts, and who may validate, may have changed.
    """
    said = {
        (place, number): one
        for place, (_, signed) in enumerate(segments)
        if signed.member != share.member
        for number, entry in enumerate(signed.content["statements"])
        if (one := read(share, signed.member, entry)) is not None
    }
    index_forgotten(store)
    own_tag = share.tag(store.shares.device())
    matches: dict[str, tuple[int, Return]] = {}
    if said and store.tombstones.any():
        texts = sorted({one.text for one in said.values()})
        embedder = installed_embedder()
        embed_missing(store, embedder)
        matches = {texts[place]: match for place, match in find_matches(store, texts, embedder).items()}
    counts = Counts()
    with store.command("share", Actor.SWEEP, manual=manual) as writer:
        store.shares.follow(writer.connection, share.id)
        folding = _Folding(store, share, members, writer, matches, counts)
        for place, (chain, signed) in enumerate(segments):
            if signed.member == share.member:
                folding.own(signed.content, here=chain.tag == own_tag)
            else:
                entries = signed.content["statements"]
                folding.counts.refused += sum((place, number) not in said for number in range(len(entries)))
                for number in range(len(entries)):
                    if (one := said.get((place, number))) is not None:
                        folding.statement(one)
                folding.others(signed)
            store.shares.put_chain(writer.connection, share.id, chain)
        writer.summarise(folding.summary())
    with store.command("share", Actor.SWEEP) as writer:  # of its own: plain undo is not to release what is held back
        _Folding(store, share, members, writer, matches, decided := Counts()).decide()
        writer.summarise(decided_in_words(decided))
    return replace(counts, released=decided.released, held=decided.held)


def decided_in_words(counts: Counts) -> str:
    """Return what a trusted member's verdicts did, for the history."""
    parts = [(counts.released, "validated by whom you trust"), (counts.held, "held back again")]
    return ", ".join(f"{number} {what}" for number, what in parts if number)


class _Folding:
    """One command that folds segments."""

    def __init__(
        self,
        store: Store,
        share: Share,
        members: Members,
        writer: Writer,
        matches: Mapping[str, tuple[int, Return]],
        counts: Counts,
    ) -> None:
        self._store, self._share, self._members, self._writer = store, share, members, writer
        self._matches, self._names = matches, members.names
        self._statements = store.shares.statements(share.id)
        self.counts = counts

    def own(self, content: dict[str, Any], *, here: bool) -> None:
        """Note what this person has said; `here` if it was on this device, which was interrupted then."""
        known = self._store.shares.sent(self._share.id)
        told = [
            Sent(str(entry["id"]), False, entry_digest(self._share, entry), int(entry["written"]), here)
            for entry in content["statements"]
        ]
        told += [Sent(str(item), False, "", int(at), here) for item, at in content["withdrawn"]]
        told += [
            Sent(str(item), True, f"{verdict} {digest}" if verdict else "", int(at), here)
            for item, digest, verdict, at in content["votes"]
        ]
        for one in told:
            key = (one.item, one.vote)
            former = known.get(key, Sent(one.item, one.vote, "", -1))
            newest = one if former.written < one.written else former
            known[key] = replace(newest, here=words_in(one.digest) if here and not one.vote else former.here)
        self._store.shares.put_sent(self._writer.connection, self._share.id, known.values())

    def others(self, signed: Signed) -> None:
        """Note what another member withdrew, and their verdicts."""
        for item, at in signed.content["withdrawn"]:
            self.withdraw(statement_id(self._share, signed.member, str(item)), signed.member, int(at))
        for statement, digest, verdict, at in signed.content["votes"]:
            if verdict in (VALIDATED, REJECTED, ""):
                self._vote(Vote(str(statement), signed.member, str(digest), verdict, int(at)))

    def statement(self, said: Said) -> None:
        """Take a statement over, unless a later one of its author is known."""
        former = self._statements.get(said.id)
        if former is not None and former.written >= said.written:
            return
        fresh = Statement(said.id, said.member, said.digest, said.written)
        if former is None:
            fresh = replace(fresh, memory=self._admit(said))
            self.counts.new[self._name(said.member)] += fresh.memory is not None
        elif former.digest == said.digest:
            fresh = replace(fresh, memory=former.memory, said=former.said, released=former.released)
            if former.withdrawn:
                self._return(former)
        else:
            fresh = self._correct(former, said, fresh)
        if fresh.memory is not None and fresh.said is None:
            fresh = replace(fresh, said=self._store.content_keys([fresh.memory]).get(fresh.memory))
        self._put(fresh)
        self._vote(Vote(said.id, said.member, said.digest, VALIDATED if said.validated else "", said.written))

    def _correct(self, former: Statement, said: Said, fresh: Statement) -> Statement:
        """Take a correction over: in place if nobody decided on the memory, else as a memory beside it, in conflict."""
        memory = self._memory(former.memory)
        if memory is None:  # it was refused, or the person took it back
            return replace(fresh, memory=None if former.memory is not None else self._admit(said))
        if memory.review is not Review.REJECTED and memory.life in (Life.FORGOTTEN, Life.PURGED):
            return fresh
        if self._is_undecided(memory) and self._is_only(former):
            return replace(fresh, memory=memory.id if self._reword(memory, said) else None)
        own = self._admit(said)
        if own is not None and own != memory.id and memory.life is Life.LIVE:
            reasons = (f"{self._name(said.member)} corrected what they had said",)
            self._store.alerts.put(self._writer, memory.id, own, Relation.UPDATE, 1.0, reasons, judge=JUDGE)
        self.counts.corrected[self._name(said.member)] += 1
        return replace(fresh, memory=own)

    def _reword(self, memory: Memory, said: Said) -> bool:
        """Correct an undecided memory; return False if that cannot be, and it is out of recall."""
        from curator.text import content_key

        after = {"kind": said.kind.value, "expires_at": said.until, "flag": self._flag(said)}
        match = self._matches.get(said.text)
        try:
            if match is not None and match[1] is Return.SAME:
                raise Forgotten(match[0])
            if said.text != memory.text:
                self._store.reword(self._writer, memory, said.text, content_key(said.text))
        except (Forgotten, Conflict):
            self._expire(memory, f"{self._name(said.member)} corrected it")
            self.counts.refused += 1
            return False
        self._writer.update("memories", [memory.id], {**after, "life": "live"})
        self.counts.corrected[self._name(said.member)] += 1
        return True

    def withdraw(self, statement: str, member: str, at: int) -> None:
        """Note that a statement is withdrawn; what nobody decided on expires."""
        former = self._statements.get(statement) or Statement(statement, member, "", 0)
        if former.written >= at:
            return
        memory = self._memory(former.memory)
        if memory is not None and memory.life is Life.LIVE and self._is_undecided(memory) and self._is_only(former):
            self._expire(memory, f"withdrawn by {self._name(member)}")
        self.counts.withdrawn += not former.withdrawn and memory is not None
        self._put(replace(former, withdrawn=True, released=False, written=at))

    def _expire(self, memory: Memory, why: str) -> None:
        self._writer.update("memories", [memory.id], {"life": "expired"}, {memory.id: why})

    def _return(self, former: Statement) -> None:
        memory = self._memory(former.memory)
        if memory is not None and memory.life is Life.EXPIRED and self._is_undecided(memory):
            after: dict[str, Value] = {
                "life": "live",
                "flag": self._held(former.member) if memory.flag is None else memory.flag,
            }
            self._writer.update("memories", [memory.id], after)

    def decide(self) -> None:
        """Release memories that a trusted member validated, and hold those of which that is no longer so.

        Only what changed since the last time: another device of this person may trust others.
        """
        votes = self._store.shares.votes(self._share.id)
        trusted = {one.key for one in self._members.members if one.validates and one.key in self._share.trusted}
        for one in list(self._statements.values()):
            verdicts = {
                vote.verdict for vote in votes.get(one.id, ()) if vote.digest == one.digest and vote.member in trusted
            }
            released = not one.withdrawn and verdicts - {""} == {VALIDATED}
            if released == one.released:
                continue
            self._put(replace(one, released=released))
            memory = self._memory(one.memory)
            if memory is None or memory.life is not Life.LIVE or not self._is_undecided(memory):
                continue
            if released and (memory.flag or "").startswith(SHARED):
                self._writer.update("memories", [memory.id], {"flag": None})
                self.counts.released += 1
            elif not released and memory.flag is None and not self._released_otherwise(one):
                self._writer.update("memories", [memory.id], {"flag": self._held(one.member)})
                self.counts.held += 1

    def summary(self) -> str:
        """Return what was done, for the history."""
        counts = self.counts
        parts = [f"{number} of {name}" for name, number in counts.new.items() if number]
        parts += [f"{number} corrected by {name}" for name, number in counts.corrected.items() if number]
        parts += [f"{counts.withdrawn} withdrawn"] if counts.withdrawn else []
        return ", ".join(parts)

    def _admit(self, said: Said) -> int | None:
        """Return the memory that says what a member said, a new one if there is none; None if it is not wanted."""
        from curator.text import content_key

        match = self._matches.get(said.text)
        if match is not None and match[1] is Return.SAME:
            self.counts.refused += 1
            return None
        name = self._name(said.member)
        quotes = [
            NewEvidence(quote, 0, len(quote), reference=said.id, source=SOURCE, title=name, said_at=at)
            for quote, at in said.quotes
            if quote
        ]
        memory = redact_names(
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
        found = self._store.peek_memory(memory)
        if found.known is not None:
            return found.known
        added = None if found.forgotten is not None else self._store.admit(self._writer, memory).added
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

    def _memory(self, memory: int | None) -> Memory | None:
        return next(iter(self._store.get_many([] if memory is None else [memory])), None)

    def _is_undecided(self, memory: Memory) -> bool:
        """Return True for a received memory that the person here has not decided on."""
        if memory.origin is not Origin.SHARED or memory.review is not Review.OPEN or memory.pinned:
            return False
        return not self._store.journal.person_verbs([memory.id], NO_DECISION)

    def _is_only(self, statement: Statement) -> bool:
        """Return True if no other member says the same."""
        return not any(
            one.memory == statement.memory and not one.withdrawn and one.id != statement.id
            for one in self._statements.values()
        )

    def _released_otherwise(self, statement: Statement) -> bool:
        return any(
            one.memory == statement.memory and one.released and one.id != statement.id
            for one in self._statements.values()
        )

    def _put(self, statement: Statement) -> None:
        self._statements[statement.id] = statement
        self._store.shares.put_statement(self._writer.connection, self._share.id, statement)

    def _vote(self, vote: Vote) -> None:
        self._store.shares.put_vote(self._writer.connection, self._share.id, vote)
