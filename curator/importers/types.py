"""Items that an importer yields, and its errors."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from curator.errors import ImportFailure
from store.model import FileMark, Life, NewConversation, NewMemory, Origin, Rank, Review


class Format(StrEnum):
    """A chat format that can be read. The value is the `source` of its conversations."""

    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    CLAUDE_CODE = "claude-code"
    OPENAI = "openai"
    MARKDOWN = "markdown"
    MEMORIES = "memories"


STORE = "curator_store"  # the reason for which a store, or a copy of one, is skipped


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that could not be read: where it is and why. The rest is imported."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Records that were skipped on purpose, by reason.

    `do_not_remember`, `no_messages`, `no_mapping` (a damaged ChatGPT entry), `not_a_message` (a log's own bookkeeping),
    `other_file` (a part of an export that holds no conversations), `curator_store`, `secret` (a memory of only one).
    """

    reason: str
    place: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class ReadyMemory:
    """A memory from a file of memories. Decisions of a person that the file claims count only with their signature."""

    claimed: NewMemory
    signer: str | None = None  # fingerprint of the key that signed the row
    changed: bool = False  # its signature does not fit
    unknown_kind: str | None = None  # kept as a fact

    @property
    def unproven(self) -> NewMemory:
        """The memory as live and open, like a distilled one, whatever the file claims that a person decided."""
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
    """Progress of a read, in bytes of (unpacked) log; both numbers only grow."""

    done: int = 0
    total: int = 0


class Unreadable(ImportFailure):
    """No such file, no permission, a damaged or hostile archive."""


class Unrecognised(ImportFailure):
    """Nothing in it looks like a known format."""


class Unsupported(ImportFailure):
    """A format we recognise and cannot read yet; `name` is what it is called."""

    def __init__(self, name: str, place: str) -> None:
        supported = ", ".join(Format)
        super().__init__(f"{place}: this is {name}, which is not supported yet (supported: {supported})")
        self.name = name
