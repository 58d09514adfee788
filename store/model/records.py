"""Commands, alerts, and stored state of recall and background work."""

from dataclasses import dataclass

from store import uids
from store.model.enums import Actor, Relation


@dataclass(frozen=True, slots=True)
class Command:
    """An undoable step.

    `undone` is the command that undid it; `target` is the command that an undo or redo reverted.
    """

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
    number: int | None = None  # its id there, if it ran on another device
    elsewhere: str = ""  # name of that other device

    @property
    def uid(self) -> str:
        """Global id of the command (`store.uids`)."""
        return uids.of_row(uids.ObjectType.COMMAND, self.at, self.number or self.id, self.device)


@dataclass(frozen=True, slots=True)
class Alert:
    """A stored relation of two memories; `a` was added before `b`.

    Reasons list the earlier value before a `/`. An alert is open while both memories are live and it is not resolved
    for their current texts.
    """

    id: int
    a: int
    b: int
    relation: Relation
    score: float
    reasons: tuple[str, ...]
    settled: str | None  # resolution for these texts; None while it waits for the person
    judge: str = ""  # version of the rules, or prompt and model, that found it
    cosine: float | None = None
    keys: tuple[str, str] | None = None  # content keys of the texts of `a` and `b`; None if unknown
    at: int = 0  # time it was found
    later_until: int | None = None  # postponed until this time
    settled_by: int | None = None  # command that resolved it; None also for resolutions by earlier versions


@dataclass(frozen=True, slots=True)
class Judgment:
    """A model's opinion on an alert, in addition to the rules' opinion; `judge` names prompt and model."""

    alert: int
    judge: str
    relation: Relation
    reasons: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Wording:
    """A distiller's proposed rewording of a memory, which only the person can accept."""

    memory: int
    distiller: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """Memories recalled together, in the order of the block; `turn` is the answer that followed, if reported."""

    id: int
    ident: str
    at: int
    memories: tuple[int, ...]
    turn: str | None


@dataclass(frozen=True, slots=True)
class Check:
    """A prompt saved by the person, with the memories that recall must and must not return for it.

    With a `project`, recall is limited to memories that apply in it.
    """

    id: int
    query: str
    must: tuple[int, ...]
    must_not: tuple[int, ...]
    project: str | None = None


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """Progress of a run of a sweep in a process; `seen` is the time of the last update."""

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
    """An item that a model failed to process.

    `item` is a conversation, alert, recall or memory; `first` and `last` are the ids of its messages (0 if it has
    none); `tries` is the number of attempts.
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
    """Identity of an embedder: all properties that affect its vectors. Only vectors with equal ones are compared."""

    provider: str
    model: str
    digest: str
    dimension: int
    prefix: str = ""
    max_tokens: int = 0

    @property
    def label(self) -> str:
        """Unique text of the fingerprint, on one line."""
        return "|".join(
            (self.provider, self.model, self.digest, str(self.dimension), self.prefix, str(self.max_tokens))
        )

    @property
    def by_meaning(self) -> bool:
        """True if the vectors represent meaning, not only letters."""
        return self.provider != "hashing"

    @classmethod
    def parse(cls, label: str) -> "Fingerprint":
        """Parse a label. Raises ValueError if it is invalid."""
        provider, model, digest, dimension, rest = label.split("|", 4)
        prefix, max_tokens = rest.rsplit("|", 1)
        return cls(provider, model, digest, int(dimension), prefix, int(max_tokens))
