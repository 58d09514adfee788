"""Proposals of agents: memories in the inbox that no model is given until a person validates them."""

from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b

from curator.curation.create import checked
from curator.curation.forgotten_match import find_forgotten, index_forgotten
from curator.curation.names import redact_names, typed
from curator.injection import PROPOSED, flag_memory
from curator.secrets import redact
from store import Store, clock
from store.clock import DAY
from store.model import Actor, Channel, Kind, NewConversation, NewEvidence, NewMemory, NewMessage, Origin, Role
from store.record.raw_messages import Raw

PER_DAY = 100
"""Proposals admitted in 24 hours, of all agents together."""
SOURCE = "agent"
"""The source of conversations that hold agents' proposals."""
_LONGEST = 500  # characters of a reason


class Status(StrEnum):
    """The result of a proposal."""

    WAITING = "waiting"
    KNOWN = "known"
    REFUSED = "refused"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class Agent:
    """Who proposes: the client's name, its session and the folder it works in."""

    client: str
    session: str | None = None
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """The result of a proposal; `uid` is the memory's global id, if there is one."""

    status: Status
    uid: str | None = None
    reason: str = ""


def proposed_by(client: str) -> str:
    """Return the flag of a memory that an agent proposed; it is in quarantine until a person validates it."""
    return f"{PROPOSED}{' '.join(client.split())[:60]}"


def propose(
    store: Store, text: str, by: Agent, because: str = "", kind: Kind = Kind.FACT, project: str | None = None
) -> Proposal:
    """Put a memory into the inbox. Raises Refused for an empty or overlong text, StoreError.

    Secrets are redacted; what repeats something forgotten is refused without naming it; what gives orders to a model is
    flagged so. The agent's reason becomes the quote, in a conversation of its session.
    """
    from curator.text import content_key

    words = checked(text)
    project = typed(project) if project else None
    reason = redact(" ".join(because.split())[:_LONGEST]).text if because.strip() else words
    if store.journal.count("propose", clock.now() - DAY) >= PER_DAY:
        return Proposal(Status.REFUSED, None, f"{PER_DAY} proposals in one day are the most; review those first")
    index_forgotten(store)
    if find_forgotten(store, words) is not None:
        return Proposal(Status.REFUSED, None, "not wanted")
    flag = flag_memory(words, project, ())
    memory = NewMemory(
        text=words,
        key=content_key(words),
        kind=kind,
        origin=Origin.AGENT,
        project=project,
        scope=f"project:{project}" if project else "global",
        source=SOURCE,
        session=by.session,
        distiller=f"agent:{by.client}"[:100],
        created_at=clock.now(),
        flag=flag or proposed_by(by.client),
    )
    memory = redact_names(memory)
    found = store.peek_memory(memory)
    if found.forgotten is not None:
        return Proposal(Status.REFUSED, None, "not wanted")
    if found.known is not None:
        return Proposal(Status.KNOWN, store.get(found.known).uid)
    message = NewMessage(
        role=Role.ASSISTANT,
        text=reason,
        channel=Channel.INJECTED,  # never distilled
        created_at=clock.now(),
        identity=blake2b(f"{by.client}\0{by.session}\0{words}\0{reason}".encode(), digest_size=16).hexdigest(),
    )
    place = f" in {by.folder}" if by.folder else ""
    conversation = NewConversation(
        source=SOURCE,
        external_id=by.session,
        title=f"{by.client}{place}"[:200],
        project=project,
        agent=True,
        identity=f"{SOURCE}:{by.client}:{by.session}",
        created_at=clock.now(),
        messages=(message,),
    )
    with store.command("propose", Actor.SERVER, by.client) as writer:
        Raw.put_conversation(writer, conversation)
        number = Raw.find_identity(writer, message.identity)
        said = NewEvidence(reason, 0, len(reason), message=number)
        admitted = store.admit(writer, replace(memory, evidence=(said,)))
    if admitted.added is None:
        return Proposal(Status.KNOWN if admitted.known is not None else Status.REFUSED)
    status = Status.WAITING if flag is None else Status.QUARANTINED
    return Proposal(status, store.get(admitted.added).uid, "" if flag is None else "it reads like an order to a model")
