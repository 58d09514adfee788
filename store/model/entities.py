"""Rows of the record as dataclasses."""

from dataclasses import dataclass
from typing import Protocol

from store import uids
from store.model.enums import Actor, Channel, Kind, Life, Origin, Rank, Relation, Review, Role, Tier

_UNDATED = -(2**63)  # microseconds


@dataclass(frozen=True, slots=True)
class Surprise:
    """Score parts of a candidate, each 0-1."""

    novelty: float
    contradiction: float
    specificity: float
    emphasis: float
    switch: float

    @property
    def total(self) -> float:
        """0.40·novelty + 0.25·contradiction + 0.20·specificity + 0.10·emphasis + 0.05·switch."""
        return (
            0.40 * self.novelty
            + 0.25 * self.contradiction
            + 0.20 * self.specificity
            + 0.10 * self.emphasis
            + 0.05 * self.switch
        )


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as the record holds it."""

    id: int
    external_id: str | None
    text: str
    kind: Kind
    tier: Tier
    origin: Origin
    review: Review
    rank: Rank
    life: Life
    pinned: bool
    confidence: float
    user_score: int | None
    importance: int
    scope: str
    project: str | None
    source: str | None
    session: str | None
    ordinal: int | None
    subject: str | None
    relation: str | None
    object: str | None
    span: str | None
    flag: str | None
    surprise: Surprise | None
    distiller: str | None
    created_at: int | None  # when it was said; None where nobody knows
    added_at: int  # when it was stored
    expires_at: int | None
    later_until: int | None
    superseded_by: int | None
    seq: int  # of the last event that touched it
    device: str | None  # that wrote it; None in a damaged record
    tags: tuple[str, ...] = ()

    @property
    def said_order(self) -> int:
        """Sort key of the time it was said: what has no date counts as the oldest."""
        return _UNDATED if self.created_at is None else self.created_at

    @property
    def uid(self) -> str:
        """Its global id (`store.uids`)."""
        return uids.of_row(uids.Sort.MEMORY, self.added_at, self.id, self.device)

    @property
    def quarantined(self) -> bool:
        """Flagged, and not validated by the person: it is not given to models."""
        return self.flag is not None and self.review is not Review.VALIDATED

    @property
    def state(self) -> str:
        """`life` if it is not live, else `rank`."""
        return self.rank.value if self.life is Life.LIVE else self.life.value


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote behind a memory, with its place. `message` is None when the log is not in this store."""

    id: int
    memory: int
    quote: str
    start: int
    end: int
    message: int | None
    conversation: int | None
    reference: str | None
    source: str | None
    title: str | None
    said_at: int | None


@dataclass(frozen=True, slots=True)
class Version:
    """A former text of a memory, newest first when listed; `merged_from` names the memory it came from."""

    text: str
    at: int
    merged_from: int | None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A stored conversation. `messages` and `memories` are counts of what is visible and live."""

    id: int
    source: str
    external_id: str | None
    title: str | None
    created_at: int | None
    project: str | None
    agent: bool
    messages: int = 0
    memories: int = 0
    ident: bytes = bytes(16)  # what it is recognised by

    @property
    def uid(self) -> str:
        """Its global id (`store.uids`)."""
        return uids.of_ident(self.ident)


@dataclass(frozen=True, slots=True)
class Message:
    """A stored message."""

    id: int
    conversation: int
    ordinal: int
    role: Role
    channel: Channel
    text: str
    external_id: str | None
    created_at: int | None
    active: bool
    hidden: bool
    ident: bytes = bytes(16)  # what it is recognised by

    @property
    def uid(self) -> str:
        """Its global id (`store.uids`)."""
        return uids.of_ident(self.ident)


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


@dataclass(frozen=True, slots=True)
class Command:
    """One undoable step. `undone` is the command that undid it, `target` the one that it undid or redid itself."""

    id: int
    at: int
    actor: Actor
    verb: str
    count: int  # memories it touched
    summary: str
    undone: int | None
    undoable: bool
    target: int | None
    device: str | None  # that did it; None in a damaged record

    @property
    def uid(self) -> str:
        """Its global id (`store.uids`)."""
        return uids.of_row(uids.Sort.COMMAND, self.at, self.id, self.device)


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """Progress of a process with one run of a sweep; `seen` is when it was last written, in microseconds."""

    sweep: str
    holder: str
    process: int
    host: str
    since: int
    seen: int
    done: int
    total: int
    failed: int


@dataclass(frozen=True, slots=True)
class Judgment:
    """A model's opinion of an alert, beside that of the rules; `judge` names prompt and model."""

    alert: int
    judge: str
    relation: Relation
    reasons: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Wording:
    """A distiller's proposal to reword a memory; only the person accepts it."""

    memory: int
    distiller: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that a model could not do. `item` is a conversation, alert or recall; `first` and `last` are the
    messages it is about, 0 where there are none; `tries` counts how often it was taken up.
    """

    id: int
    sweep: str
    item: int
    first: int
    last: int
    reason: str
    reply: str
    model: str
    tries: int
    at: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """Memories recalled together, in the order of the block, and the turn that followed (None if not reported)."""

    id: int
    ident: str
    at: int
    memories: tuple[int, ...]
    turn: str | None


@dataclass(frozen=True, slots=True)
class Check:
    """A prompt that the person keeps, with the memories that recall must give for it, and those it must not."""

    id: int
    query: str
    must: tuple[int, ...]
    must_not: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Aging:
    """Inputs of ranking and expiry of a live memory. `score` is the person's (as a share) or the machine's confidence;
    `times` and `last_at` say how often it was recalled, and when last (None for never).
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

    @property
    def said_by(self) -> int:
        """When it was said; where nobody knows, when it was stored: it was not said later."""
        return self.added_at if self.created_at is None else self.created_at


@dataclass(frozen=True, slots=True)
class Uses:
    """Number of recalls of a memory, and the time of the last."""

    times: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Identity of an embedder: everything that changes its vectors. Only vectors of one meet in a search (I9)."""

    provider: str
    model: str
    digest: str
    dimension: int
    prefix: str = ""
    max_tokens: int = 0

    @property
    def label(self) -> str:
        """One line that is equal only for equal fingerprints."""
        return "|".join(
            (self.provider, self.model, self.digest, str(self.dimension), self.prefix, str(self.max_tokens))
        )

    @classmethod
    def parse(cls, label: str) -> "Fingerprint":
        """Return the fingerprint of a label. Raises ValueError for another text."""
        provider, model, digest, dimension, rest = label.split("|", 4)
        prefix, max_tokens = rest.rsplit("|", 1)
        return cls(provider, model, digest, int(dimension), prefix, int(max_tokens))


@dataclass(frozen=True, slots=True)
class Alert:
    """A stored relation of two memories; `a` was added first. Reasons give the value said first before a `/`.

    It is open while both memories are live and it is not resolved for their present texts.
    """

    id: int
    a: int
    b: int
    relation: Relation
    score: float
    reasons: tuple[str, ...]
    settled: str | None  # how, for the texts it is about; None while it waits for the person
    judge: str = ""  # whose finding it is: a version of the rules, or a prompt and a model
    cosine: float | None = None
    keys: tuple[str, str] | None = None  # of the texts of `a` and `b` that it is about; None where that is not known
    at: int = 0  # when it was found
    later_until: int | None = None  # put off until then
    settled_by: int | None = None  # the command; None also where that was not kept yet


class Dated(Protocol):
    """Fields of a memory that decide when it expires by its own date."""

    @property
    def expires_at(self) -> int | None: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def review(self) -> Review: ...


def is_protected(memory: Dated) -> bool:
    """Return whether the person validated or pinned a memory, so that no machine lets it expire."""
    return memory.pinned or memory.review is Review.VALIDATED


def own_end(memory: Dated) -> int | None:
    """Return the end of a memory by its own date; None where it has none, or is pinned.

    A date is part of what a memory says ("due 15 February"): a person who validates it agrees to the date too. After it
    a validated memory leaves recall and nothing else. `Filter.unexpired_at` is the same in SQL.
    """
    return None if memory.pinned else memory.expires_at


def is_over(memory: Dated, now: int) -> bool:
    """Return whether a memory's own end was before `now`."""
    end = own_end(memory)
    return end is not None and end <= now
