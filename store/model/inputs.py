"""Inputs of the store: what importers read, and memories about to be written."""

from dataclasses import dataclass

from store.model.entities import Surprise
from store.model.enums import Channel, Kind, Life, Origin, Rank, Review, Role, Tier


@dataclass(frozen=True, slots=True)
class NewMessage:
    """One message as an importer read it, secrets already redacted.

    `identity` makes the message recognisable in the next import: the log's own id (with whatever makes it unique),
    or a digest of the original text and position. The store keeps only a keyed hash of it.
    """

    identity: str
    role: Role
    text: str
    channel: Channel = Channel.SPOKEN
    external_id: str | None = None
    created_at: int | None = None
    active: bool = True  # False: on a branch the person left
    hidden: bool = False  # the log's own program did not show it
    redactions: int = 0


@dataclass(frozen=True, slots=True)
class NewConversation:
    """One conversation as an importer read it, with its messages in order."""

    identity: str
    source: str  # the format's name: chatgpt, claude, claude-code, openai, markdown
    messages: tuple[NewMessage, ...]
    external_id: str | None = None
    title: str | None = None
    created_at: int | None = None
    project: str | None = None
    agent: bool = False  # a coding agent's session


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """A verbatim quote for a memory. `message` is the stored message; `reference` stands in where that is elsewhere."""

    quote: str
    start: int
    end: int
    message: int | None = None
    reference: str | None = None  # external id of the message
    source: str | None = None  # format of its log
    title: str | None = None  # of its conversation
    said_at: int | None = None


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A former text of a memory; `key` is its content key, where it is to be recognised."""

    text: str
    at: int
    merged_from: int | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory about to be written. `key` is its content key (`curator.compare.content_key`)."""

    text: str
    key: str
    kind: Kind
    origin: Origin
    tier: Tier = Tier.MEDIUM
    review: Review = Review.OPEN
    rank: Rank = Rank.NEW
    life: Life = Life.LIVE
    pinned: bool = False
    confidence: float = 0.5
    user_score: int | None = None
    importance: int = 5
    scope: str = "global"
    project: str | None = None
    source: str | None = None
    session: str | None = None
    ordinal: int | None = None
    subject: str | None = None
    relation: str | None = None
    object: str | None = None
    span: str | None = None
    flag: str | None = None  # why it is in quarantine, e.g. "injection"
    surprise: Surprise | None = None
    distiller: str | None = None
    external_id: str | None = None
    created_at: int | None = None  # when it was said; None where nobody knows
    expires_at: int | None = None
    evidence: tuple[NewEvidence, ...] = ()
    versions: tuple[NewVersion, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileMark:
    """Read position in an append-only log file: `size` bytes with this `digest` (blake2b) held `conversations`."""

    path: str
    size: int
    digest: bytes
    conversations: int


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """Result of storing one conversation. `fresh` are the indexes, in the conversation as given, of the messages that
    were added or became visible again.
    """

    new: bool
    grown: bool
    fresh: tuple[int, ...]
