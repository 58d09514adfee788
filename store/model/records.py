"""Commands, alerts, and stored state of recall and background work."""

from dataclasses import dataclass

from store import uids
from store.model.enums import Actor, Relation


@dataclass(frozen=True, slots=True)
class Command:
    """One undoable step. `undone` is the command that undid it, `target` the one that it undid or redid itself."""

    id: int
    at: int
    actor: Actor
    verb: str
    count: int  # memories touched
    summary: str
    undone: int | None
    undoable: bool
    target: int | None
    device: str | None  # device that ran it; None in a damaged record
    number: int | None = None  # its number there, if that is another device
    elsewhere: str = ""  # the name of that other device

    @property
    def uid(self) -> str:
        """Its global id (`store.uids`)."""
        return uids.of_row(uids.Sort.COMMAND, self.at, self.number or self.id, self.device)


@dataclass(frozen=True, slots=True)
class Alert:
    """A stored relation of two memories; `a` was added first. Reasons put the value said first before a `/`.

    It is open while both memories are live and it is not resolved for their present texts.
    """

    id: int
    a: int
    b: int
    relation: Relation
    score: float
    reasons: tuple[str, ...]
    settled: str | None  # resolution for its texts; None while it waits for the person
    judge: str = ""  # who found it: a version of the rules, or a prompt and a model
    cosine: float | None = None
    keys: tuple[str, str] | None = None  # content keys of its texts of `a` and `b`; None if unknown
    at: int = 0  # when it was found
    later_until: int | None = None  # postponed until this time
    settled_by: int | None = None  # the resolving command; None also for resolutions from before it was stored


@dataclass(frozen=True, slots=True)
class Judgment:
    """A model's opinion of an alert, beside the rules' one; `judge` names prompt and model."""

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
class Recalled:
    """Memories recalled together, in the order of the block, and the turn that followed (None if not reported)."""

    id: int
    ident: str
    at: int
    memories: tuple[int, ...]
    turn: str | None


@dataclass(frozen=True, slots=True)
class Check:
    """A prompt saved by the person, with the memories that recall must and must not return for it.

    With a `project`, as in a session there; else from all memories.
    """

    id: int
    query: str
    must: tuple[int, ...]
    must_not: tuple[int, ...]
    project: str | None = None


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """Progress of one run of a sweep in a process; `seen` is when it was last written, in microseconds."""

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
class Failure:
    """An item that a model failed at. `item` is a conversation, alert or recall; `first` and `last` are the ids of its
    messages, 0 without any; `tries` counts the attempts.
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
class Fingerprint:
    """Identity of an embedder: everything that changes its vectors. A search uses vectors of only one (I9)."""

    provider: str
    model: str
    digest: str
    dimension: int
    prefix: str = ""
    max_tokens: int = 0

    @property
    def label(self) -> str:
        """One line of text that is equal only for equal fingerprints."""
        return "|".join(
            (self.provider, self.model, self.digest, str(self.dimension), self.prefix, str(self.max_tokens))
        )

    @property
    def by_meaning(self) -> bool:
        """True if the vectors stand for meaning, not only for letters."""
        return self.provider != "hashing"

    @classmethod
    def parse(cls, label: str) -> "Fingerprint":
        """Return the fingerprint of a label. Raises ValueError for an invalid one."""
        provider, model, digest, dimension, rest = label.split("|", 4)
        prefix, max_tokens = rest.rsplit("|", 1)
        return cls(provider, model, digest, int(dimension), prefix, int(max_tokens))
