"""Conversations, messages, and passages of them: what goes into the record, and what comes out of it."""

from dataclasses import dataclass

from store import uids
from store.model.enums import Channel, Kind, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFields:
    """Fields that a message has from the beginning."""

    role: Role
    text: str
    channel: Channel = Channel.SPOKEN
    external_id: str | None = None
    created_at: int | None = None
    active: bool = True  # False: on a branch the person left
    hidden: bool = False  # the log's own program did not show it


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage(MessageFields):
    """One message as an importer read it, secrets already redacted.

    `identity` makes the message recognisable in the next import: the log's own id (with whatever makes it unique),
    or a digest of the original text and position. The store keeps only a keyed hash of it.
    """

    identity: str
    redactions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(MessageFields):
    """A stored message."""

    id: int
    conversation: int
    ordinal: int
    ident: bytes = bytes(16)  # what it is recognised by

    @property
    def uid(self) -> str:
        """Its global id (`store.uids`)."""
        return uids.of_ident(self.ident)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFields:
    """Fields that a conversation has from the beginning."""

    source: str  # the format's name: chatgpt, claude, claude-code, openai, markdown
    external_id: str | None = None
    title: str | None = None
    created_at: int | None = None
    project: str | None = None
    agent: bool = False  # a coding agent's session


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation(ConversationFields):
    """One conversation as an importer read it, with its messages in order."""

    identity: str
    messages: tuple[NewMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation(ConversationFields):
    """A stored conversation. `messages` and `memories` are counts of what is visible and live."""

    id: int
    messages: int = 0
    memories: int = 0
    ident: bytes = bytes(16)  # what it is recognised by

    @property
    def uid(self) -> str:
        """Its global id (`store.uids`)."""
        return uids.of_ident(self.ident)


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


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused candidate, with the gate's reason code. Offsets point into the message."""

    message: int
    start: int
    end: int
    reason: str
    kind: Kind | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A place in a message where the person asked for something to be forgotten; `words` say what.

    `seen`: they were shown which memories may be meant.
    """

    message: int
    start: int
    end: int
    words: str
    seen: bool
    conversation: int
    title: str | None
    source: str
    said_at: int | None

    @property
    def place(self) -> tuple[int, int, int]:
        """Its key in the record."""
        return self.message, self.start, self.end
