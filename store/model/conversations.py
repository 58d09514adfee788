"""Conversations, messages and passages: input and output types of the raw layer."""

from dataclasses import dataclass
from typing import NamedTuple

from store import uids
from store.model.enums import Channel, Kind, Role


class NewMessage(NamedTuple):
    """A message read by an importer, with secrets redacted. Tuples are created four times as fast as dataclasses.

    `identity` identifies the message in later imports: the log's own id (made unique if necessary), or a digest of the
    original text and position. The store keeps only a keyed hash of it.
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
    """A stored message: the fields of `NewMessage`, its ids and its position in the conversation."""

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
    ident: bytes = bytes(16)  # keyed hash of the identity

    @property
    def uid(self) -> str:
        """Global id of the message (`store.uids`)."""
        return uids.of_ident(self.ident)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFields:
    """Fields common to new and stored conversations."""

    source: str  # name of the log's format: chatgpt, claude, claude-code, openai, markdown
    external_id: str | None = None
    title: str | None = None
    created_at: int | None = None
    project: str | None = None
    agent: bool = False  # a coding agent's session


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation(ConversationFields):
    """A conversation read by an importer, with its messages in order."""

    identity: str
    messages: tuple[NewMessage, ...]
    folder: str | None = None  # working folder of the agent; not stored
    continues: bool = False  # True for a further part of the preceding conversation
    empty: int = 0  # number of messages without text, which are not stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation(ConversationFields):
    """A stored conversation; `messages` and `memories` are the numbers of visible messages and live memories."""

    id: int
    messages: int = 0
    memories: int = 0
    ident: bytes = bytes(16)  # keyed hash of the identity
    opening: str | None = None  # beginning of the person's first message, if there is no title

    @property
    def uid(self) -> str:
        """Global id of the conversation (`store.uids`)."""
        return uids.of_ident(self.ident)

    @property
    def name(self) -> str:
        """The title, or else the beginning of the person's first message."""
        return self.title or self.opening or "untitled"


@dataclass(frozen=True, slots=True)
class FileMark:
    """Read position in an append-only log: the first `size` bytes, with this blake2b `digest`, were read.

    `conversations` is the number of conversations in them.
    """

    path: str
    size: int
    digest: bytes
    conversations: int


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """Result of storing a conversation.

    `new`: the conversation was unknown. `grown`: it was known, and messages were added. `fresh` are the indexes of
    messages that were added or became visible again. `covered` is the number of passages with purged words.
    """

    new: bool
    grown: bool
    fresh: tuple[int, ...]
    covered: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused candidate with the gate's reason code; `start` and `end` are offsets in the message."""

    message: int
    start: int
    end: int
    reason: str
    kind: Kind | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request to forget in a message; `words` describe what to forget.

    `seen` is True if the person was shown the memories that match it.
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
        """Primary key of the request: message, start, end."""
        return self.message, self.start, self.end
