"""Memories: input and output types."""

from collections.abc import Mapping
from dataclasses import dataclass

from store import uids
from store.model.enums import Given, Kind, Life, Origin, Rank, Review, Tier

PROPOSED = "proposed by "
"""Prefix of the flag of a memory proposed by an agent."""
SHARED = "shared by "
"""Prefix of the flag of a shared memory that no trusted member has validated."""
ASKED = "you asked to forget it in a chat"
"""Flag of a memory that matches a request to forget, until the person decides."""
LIKE_FORGOTTEN = "like memory "
"""Prefix of the flag of a memory that may repeat a forgotten or rejected one."""
BY_MEMBER = "shared:"
"""Prefix of the `distiller` of a shared memory; the member's name follows."""
_UNDATED = -(2**63)  # microseconds


def said_order(at: int | None) -> int:
    """Return a sort key of memories by the time they were said; undated ones are the oldest."""
    return _UNDATED if at is None else at


SURPRISE_WEIGHTS: Mapping[str, float] = {
    "novelty": 0.40,
    "contradiction": 0.25,
    "specificity": 0.20,
    "emphasis": 0.10,
    "switch": 0.05,
}
"""Weight of each part of `Surprise` in its total."""


@dataclass(frozen=True, slots=True)
class Surprise:
    """Parts of a candidate's surprise score, each from 0 to 1."""

    novelty: float
    contradiction: float
    specificity: float
    emphasis: float
    switch: float

    @property
    def total(self) -> float:
        """The sum of the parts, by `SURPRISE_WEIGHTS`."""
        parts: list[float] = [weight * getattr(self, part) for part, weight in SURPRISE_WEIGHTS.items()]
        return sum(parts)


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """A verbatim quote for a memory.

    `message` is the stored message; if it is not in the store, `reference` identifies it instead.
    """

    quote: str
    start: int
    end: int
    message: int | None = None
    reference: str | None = None  # external id of the message
    source: str | None = None  # format of its log
    title: str | None = None  # of its conversation
    said_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(NewEvidence):
    """A stored quote of a memory; `conversation` is None if its message is not in the store."""

    id: int
    memory: int
    conversation: int | None


@dataclass(frozen=True, slots=True)
class Version:
    """A former text of a memory; `merged_from` is the merged memory it came from, if any."""

    text: str
    at: int
    merged_from: int | None = None


@dataclass(frozen=True, slots=True)
class NewVersion(Version):
    """A former text to be stored; `key` is its content key."""

    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFields:
    """Fields common to new and stored memories."""

    text: str
    kind: Kind
    origin: Origin
    tier: Tier = Tier.MEDIUM
    review: Review = Review.OPEN
    rank: Rank = Rank.NEW
    life: Life = Life.LIVE
    pinned: bool = False
    given: Given = Given.RELEVANT
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
    flag: str | None = None  # reason for quarantine, e.g. "injection"
    surprise: Surprise | None = None
    distiller: str | None = None
    external_id: str | None = None
    created_at: int | None = None  # when it was said; None if unknown
    expires_at: int | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory(MemoryFields):
    """A memory to be stored; `key` is its content key (`curator.text.content_key`)."""

    key: str
    evidence: tuple[NewEvidence, ...] = ()
    versions: tuple[NewVersion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory(MemoryFields):
    """A stored memory."""

    id: int
    added_at: int  # when it was stored
    later_until: int | None
    superseded_by: int | None
    seq: int  # number of the last event that changed it
    device: str | None  # device that wrote it; None in a damaged record
    number: int | None = None  # its id on that device, if the store is synced

    @property
    def said_order(self) -> int:
        """Sort key by the time it was said (`said_order`)."""
        return said_order(self.created_at)

    @property
    def uid(self) -> str:
        """Global id of the memory (`store.uids`)."""
        return uids.of_row(uids.ObjectType.MEMORY, self.added_at, self.number or self.id, self.device)

    @property
    def quarantined(self) -> bool:
        """True if the memory is flagged and not validated, so that no model is given it."""
        return self.flag is not None and self.review is not Review.VALIDATED

    @property
    def may_be_forgotten(self) -> bool:
        """True if it is in quarantine because of a forgotten memory or a request to forget; keeping it releases it."""
        return self.quarantined and (self.flag or "").startswith((ASKED, LIKE_FORGOTTEN))

    @property
    def proposed(self) -> bool:
        """True if it is in quarantine because an agent or a member of a shared project proposed it."""
        return self.quarantined and (self.flag or "").startswith((PROPOSED, SHARED))

    @property
    def author(self) -> str | None:
        """Name of the member who shared it; None for the person's own memories."""
        return (self.distiller or BY_MEMBER).removeprefix(BY_MEMBER) if self.origin is Origin.SHARED else None

    @property
    def in_project(self) -> str | None:
        """The project of its scope, else the project it is about, if any."""
        return self.scope.removeprefix("project:") if self.scope.startswith("project:") else self.project

    @property
    def suspect(self) -> bool:
        """True if it is in quarantine because of its content."""
        return self.quarantined and not self.proposed

    @property
    def state(self) -> str:
        """The rank of a live memory, else its life cycle state."""
        return self.rank.value if self.life is Life.LIVE else self.life.value


@dataclass(frozen=True, slots=True)
class Aging:
    """Data of a live memory for ranking and expiry.

    `score` is the person's score scaled to 0-1, or else the confidence. `times` is the number of recalls, `last_at`
    the time of the last one (None for never).
    """

    memory: int
    kind: Kind
    tier: Tier
    rank: Rank
    review: Review
    pinned: bool
    score: float
    importance: int
    created_at: int | None
    added_at: int
    expires_at: int | None
    times: int
    last_at: int | None
    text: str = ""
    always_given: bool = False  # its uses are not counted

    @property
    def said_by(self) -> int:
        """Time it was said; if unknown, the time it was stored."""
        return self.added_at if self.created_at is None else self.created_at


@dataclass(frozen=True, slots=True)
class Outline:
    """Data of a live memory for the ranking of search results.

    It was said at position `ordinal` of the conversation or session `group`.
    """

    id: int
    text: str
    kind: Kind
    tier: Tier
    review: Review
    pinned: bool
    importance: int
    subject: str | None
    created_at: int | None
    expires_at: int | None
    group: str | None
    ordinal: int
    flag: str | None = None
    given: Given = Given.RELEVANT
    scope: str = "global"

    @property
    def said_order(self) -> int:
        """Sort key by the time it was said (`said_order`)."""
        return said_order(self.created_at)


@dataclass(frozen=True, slots=True)
class Uses:
    """Number of recalls of a memory, and the time of the last one."""

    times: int
    last_at: int


def is_protected(memory: Memory | Aging | Outline) -> bool:
    """Return True if the person validated or pinned a memory, so that it is never expired automatically."""
    return memory.pinned or memory.review is Review.VALIDATED


def own_expiry(memory: Memory | Aging | Outline) -> int | None:
    """Return the expiry date stored with a memory; None if it has none or is pinned.

    The date is part of the statement ("due 15 February"), so validating a memory confirms it. A validated memory is no
    longer recalled after the date, but otherwise unchanged. `Filter.unexpired_at` is the same condition in SQL.
    """
    return None if memory.pinned else memory.expires_at


def has_expired(memory: Memory | Aging | Outline, now: int) -> bool:
    """Return True if a memory's expiry date has passed at `now`."""
    expiry = own_expiry(memory)
    return expiry is not None and expiry <= now
