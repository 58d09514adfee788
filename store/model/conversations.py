"""Conversations, messages and passages: input and output types of the raw layer."""

from dataclasses import dataclass
from typing import NamedTuple

from store import uids
from store.model.enums import Channel, Kind, Role


class NewMessage(NamedTuple):
    """One message as read by an importer, secrets already redacted. A tuple, which is made four times as fast.

    `identity` recognizes the message in later imports: the log's own id (made unique if necessary),
    or a digest of the original text and position. The store keeps only a keyed hash of it.
    """

    identity: str
    role: Role
    text: str
    channel: Channel = Channel.SPOKEN
    external_id: str | None = None
    created_at: int | None = None
    active: bool = True  # False: on an abandoned branch
    hidden: bool = False  # the log's own program did not show it
    redactions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A stored message; its fields are those of a new one, and where it stands."""

    id: int
    conversation: int
    ordinal: int
    role: Role
    text: str
    channel: Channel = Channel.SPOKEN
    external_id: str | None = None
    created_at: int | None = None
    active: bool = True
    hidden: bool = False
    ident: bytes = bytes(16)  # recognizes it in later imports

    @property
    def uid(self) -> str:
        """Its global id (`store.uids`)."""
        return uids.of_ident(self.ident)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFields:
    """Fields common to new and stored conversations."""

    source: str  # the format's name: chatgpt, claude, claude-code, openai, markdown
    external_id: str | None = None
    title: str | None = None
    created_at: int | None = None
    project: str | None = None
    agent: bool = False  # a coding agent's session


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation(ConversationFields):
    """One conversation as read by an importer, with its messages in order."""

    identity: str
    messages: tuple[NewMessage, ...]
    folder: str | None = None  # in which the agent worked; not stored
    continues: bool = False  # a further part of the conversation before it
    empty: int = 0  # messages of the log without a text, which are not stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation(ConversationFields):
    """A stored conversation. `messages` and `memories` count visible messages and live memories."""

    id: int
    messages: int = 0
    memories: int = 0
    ident: bytes = bytes(16)  # recognizes it in later imports
    opening: str | None = None  # beginning of the person's first words, if there is no title

    @property
    def uid(self) -> str:
        """Its global id (`store.uids`)."""
        return uids.of_ident(self.ident)

    @property
    def name(self) -> str:
        """The title; without one, the first words of the person."""
        return self.title or self.opening or "untitled"


@dataclass(frozen=True, slots=True)
class FileMark:
    """Read position in an append-only log file: `size` bytes with this `digest` (blake2b) contained `conversations`."""

    path: str
    size: int
    digest: bytes
    conversations: int


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """Result of storing one conversation. `fresh` are the indexes, in the conversation as given, of the messages that
    were added or became visible again. `covered` are the passages with purged words in them.
    """

    new: bool
    grown: bool
    fresh: tuple[int, ...]
    covered: int = 0


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
    """A place in a message where the person asked to forget something; `words` describe it.

    `seen`: the person was shown the memories that may be meant.
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
