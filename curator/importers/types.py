"""Items that an importer yields, and its errors."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from curator.errors import ImportFailure
from store.model import FileMark, Life, NewConversation, NewMemory, Origin, Rank, Review


class Format(StrEnum):
    """A supported chat format. The value is the `source` of its conversations."""

    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    CLAUDE_CODE = "claude-code"
    OPENAI = "openai"
    MARKDOWN = "markdown"
    MEMORIES = "memories"


STORE = "curator_store"  # the reason for skipping a store, or a copy of one


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that could not be read: its place and the reason. The rest is imported."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Records skipped on purpose, by reason.

    `do_not_remember`, `no_messages`, `no_mapping` (a damaged ChatGPT entry), `not_a_message` (a log's own bookkeeping),
    `other_file` (a part of an export without conversations), `curator_store`, `secret` (a memory that is only a
    secret).
    """

    reason: str
    place: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class ReadyMemory:
    """A memory from a memory file. Claimed decisions of a person count only if their signature is valid."""

    claimed: NewMemory
    signer: str | None = None  # fingerprint of the key that signed the row
    changed: bool = False  # the signature does not match
    unknown_kind: str | None = None  # stored as a fact

    @property
    def unproven(self) -> NewMemory:
        """The memory as live and open, like a distilled one, ignoring decisions claimed by the file."""
        return replace(
            self.claimed,
            review=Review.OPEN,
            rank=Rank.NEW,
            life=Life.LIVE,
            pinned=False,
            user_score=None,
            origin=Origin.IMPORT,
        )


Item = NewConversation | ReadyMemory | Problem | Skipped | FileMark
Resume = Callable[[str], FileMark | None]


@dataclass(slots=True)
class Meter:
    """Progress of a read in bytes of (unpacked) log; both numbers only grow."""

    done: int = 0
    total: int = 0


class Unreadable(ImportFailure):
    """The file does not exist, may not be read, or is a damaged or hostile archive."""


class Unrecognised(ImportFailure):
    """No content of a known format."""


class Unsupported(ImportFailure):
    """A known format without a reader; `name` is its name."""

    def __init__(self, name: str, place: str) -> None:
        supported = ", ".join(Format)
        super().__init__(f"{place}: this is {name}, which is not supported yet (supported: {supported})")
        self.name = name
