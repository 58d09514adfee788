"""Commands, alerts, and the state of recall and background work, as the record holds them."""

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
    later_until: int | None = None  # postponed until then
    settled_by: int | None = None  # the command; None also where that was not kept yet


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
