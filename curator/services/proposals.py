"""Proposals of agents to remember, replace or forget something, for a person to review.

A proposed memory is in quarantine until a person validates it. A proposed replacement becomes a conflict, and a
proposal to forget becomes a request to forget.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b

from curator.curation.create import checked
from curator.curation.disclosure import Disclosure
from curator.curation.forgotten_match import find_forgotten, index_forgotten
from curator.curation.names import redact_names
from curator.injection import FLAG, flag_memory
from curator.recall.block import exclusion_reason
from curator.secrets import redact
from curator.services.projects import claim_label, label_of
from curator.text import content_key
from store import NotFound, Store, Writer, clock
from store.clock import DAY
from store.model import (
    PROPOSED,
    Actor,
    Channel,
    Kind,
    Life,
    Memory,
    NewConversation,
    NewEvidence,
    NewMemory,
    NewMessage,
    Origin,
    Relation,
    Role,
)
from store.record.purged_texts import PurgedTexts, read_purged
from store.record.raw_messages import Raw
from store.sanitize import replace_invisible, storable

PER_DAY = 100
"""Maximum number of proposals of all agents within 24 hours."""
PER_CONNECTION = 20
"""Maximum number of proposals of one connection."""
_CONNECTIONS = 1_000  # latest connections whose proposals are counted
SOURCE = "agent"
"""Source of the conversations that contain agents' proposals."""
_IMPORTANCE = 10  # high in the inbox, since an agent waits for the decision
_LONGEST, _NAME, _SHORT = 500, 200, 60  # characters of a reason, of a folder or project, and of a client's name
_READ = 20_000  # characters of an agent's text that are processed
_REFUSAL = "not wanted"  # must not reveal that something was forgotten


class Status(StrEnum):
    """Status of a proposal."""

    WAITING = "waiting"
    KNOWN = "known"
    REFUSED = "refused"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent: the client's name, its session and the folder it works in."""

    client: str
    session: str | None = None
    folder: str | None = None

    def memory(self, text: str, kind: Kind, project: str | None, flag: str | None) -> NewMemory:
        """Return the memory that the agent proposes, in quarantine; `flag` says why if not for being proposed."""
        return NewMemory(
            text=text,
            key=content_key(text),
            kind=kind,
            origin=Origin.AGENT,
            project=project,
            scope=f"project:{project}" if project else "global",
            source=SOURCE,
            distiller=f"{SOURCE}:{self.client}",
            importance=_IMPORTANCE,
            created_at=clock.now(),
            flag=flag or f"{PROPOSED}{self.client}",
        )


@dataclass(frozen=True, slots=True)
class Proposal:
    """Result of a proposal; `uid` is the memory's global id, if there is one."""

    status: Status
    uid: str | None = None
    reason: str = ""

    def reply(self) -> dict[str, object]:
        """Return the reply to the agent."""
        return {"status": self.status, "id": self.uid, "reason": self.reason}


class Allowance:
    """Limit on the number of proposals per named connection. Not thread-safe."""

    def __init__(self) -> None:
        self._made: Counter[str] = Counter()

    def refusal(self, connection: str) -> Proposal | None:
        """Count a proposal; return a refusal if the connection exceeds its limit."""
        if self._made[connection] >= PER_CONNECTION:
            return Proposal(Status.REFUSED, None, f"{PER_CONNECTION} proposals is the limit for a session or day")
        while len(self._made) > _CONNECTIONS:
            del self._made[next(iter(self._made))]
        self._made[connection] += 1
        return None


def propose(
    store: Store,
    text: str,
    by: Agent,
    because: str = "",
    kind: Kind = Kind.FACT,
    project: str | None = None,
    supersedes: Sequence[int] = (),
) -> Proposal:
    """Put a memory into the inbox; with `supersedes`, also as a conflict with these memories.

    Secrets are redacted. A text that repeats something forgotten is refused with a neutral reason, and one that
    instructs a model is flagged. The agent's reason is stored as the quote, in a conversation of its session. Raises
    Refused, StoreError.
    """
    words = checked(replace_invisible(text))
    named = _clean(project or "", _NAME) or None
    if refusal := _refusal(store):
        return refusal
    index_forgotten(store)
    if find_forgotten(store, words) is not None or _says_forgotten(store, words):
        return Proposal(Status.REFUSED, None, _REFUSAL)
    folder, reason, by = by.folder, _reason(store, because) or words, _clean_agent(by)
    flag = flag_memory(words, named, ()) or (FLAG if flag_memory(reason, None, ()) else None)
    memory = redact_names(by.memory(words, kind, named, flag))
    outcome = store.peek_memory(memory)
    if outcome.forgotten is not None:
        return Proposal(Status.REFUSED, None, _REFUSAL)
    if outcome.known is not None:
        return Proposal(Status.KNOWN, store.get(outcome.known).uid)
    try:
        with store.command("propose", Actor.SERVER, by.client) as writer:
            purged = read_purged(writer.connection, writer.owner, content_key)
            if purged is not None and any(purged.cover_text(part) != part for part in (words, named or "")):
                raise _RolledBack(None)
            if folder and named and named == label_of(store, folder):
                claim_label(writer, folder)
            message = _store_message(writer, by, named, reason, words, purged)
            quote = NewEvidence(purged.cover_text(reason) if purged else reason, 0, len(reason), message=message)
            admitted = store.admit(writer, replace(memory, evidence=(quote,)))
            if admitted.added is None:
                raise _RolledBack(admitted.known)
            for former in supersedes:
                why = (f"{by.client} proposes to replace it",)
                store.alerts.put(writer, former, admitted.added, Relation.UPDATE, 1.0, why, judge=SOURCE)
    except _RolledBack as error:
        if error.known is None:
            return Proposal(Status.REFUSED, None, _REFUSAL)
        return Proposal(Status.KNOWN, store.get(error.known).uid)
    uid = store.get(admitted.added).uid
    if flag is not None:
        return Proposal(Status.QUARANTINED, uid, "it looks like an order to a model")
    return Proposal(Status.WAITING, uid)


def propose_forget(store: Store, memory: Memory, by: Agent, because: str = "") -> Proposal:
    """Store an agent's request to forget a memory. Raises StoreError."""
    if memory.life is not Life.LIVE:
        return Proposal(Status.KNOWN, memory.uid)
    if refusal := _refusal(store):
        return refusal
    index_forgotten(store)
    reason, by = _reason(store, because), _clean_agent(by)
    text = f"{memory.text}\n{reason}".rstrip()
    with store.command("propose", Actor.SERVER, by.client) as writer:
        purged = read_purged(writer.connection, writer.owner, content_key)
        message = _store_message(writer, by, memory.project, text, f"forget {memory.uid}", purged)
        store.forget_requests.put(writer, [(message, 0, len(memory.text))])
    return Proposal(Status.WAITING, memory.uid)


def visible_memory(store: Store, uid: str) -> Memory:
    """Return a memory if an agent may see it. Raises NotFound, Forbidden, and ValueError for a malformed id."""
    try:
        memory = store.get(store.by_uid(uid))
    except ValueError:
        raise ValueError(f"{uid[:100]!r} is not the id of a memory; a search gives ids") from None
    if exclusion_reason(memory, clock.now()) is not None:
        raise NotFound(f"there is no memory {uid}")
    return memory


def _refusal(store: Store) -> Proposal | None:
    if store.journal.count("propose", clock.now() - DAY) < PER_DAY:
        return None
    return Proposal(Status.REFUSED, None, f"{PER_DAY} proposals a day is the limit; the person reviews those first")


class _RolledBack(Exception):
    """Rolls back a proposal. `known` is the memory with the same statement, or None for purged or forgotten words."""

    def __init__(self, known: int | None) -> None:
        super().__init__(known)
        self.known = known


def _reason(store: Store, because: str) -> str:
    """Return an agent's reason, cleaned for storing; empty if it repeats something forgotten."""
    reason = _clean(because, _LONGEST)
    return "" if _says_forgotten(store, reason) else reason


def _says_forgotten(store: Store, text: str) -> bool:
    """Return True if a text contains something forgotten, in any spelling."""
    return flag_memory(text, None, ()) is None and Disclosure(store).words(text or "-") is None


def _clean_agent(by: Agent) -> Agent:
    """Return an agent with its names cleaned for storing."""
    return Agent(
        _clean(by.client, _SHORT) or "an agent",
        _clean(by.session or "", _NAME) or None,
        _clean(by.folder or "", _NAME) or None,
    )


def _clean(text: str, most: int) -> str:
    """Return a text on one line of at most `most` characters, without secrets, invisible and control characters."""
    plain = " ".join(replace_invisible(storable(text[:_READ])).split())
    return redact(plain).text[:most]


def _store_message(
    writer: Writer, by: Agent, project: str | None, text: str, what: str, purged: PurgedTexts | None
) -> int:
    """Store a text as a message of the agent's session, with purged words covered; return the message's id."""
    day = clock.to_iso(clock.now())[:10]
    session = by.session or f"{by.client} on {day}"
    message = NewMessage(
        role=Role.ASSISTANT,
        text=text,
        channel=Channel.INJECTED,  # never distilled
        created_at=clock.now(),
        identity=blake2b(f"{session}\0{what}\0{text}".encode(), digest_size=16).hexdigest(),
    )
    conversation = NewConversation(
        source=SOURCE,
        external_id=by.session,
        title=f"{by.client}, {by.folder}" if by.folder else by.client,
        project=project,
        agent=True,
        identity=f"{SOURCE}:{session}",
        created_at=clock.now(),
        messages=(message,),
    )
    Raw.put_conversation(writer, conversation, purged=purged)
    return Raw.find_identity(writer, message.identity)
