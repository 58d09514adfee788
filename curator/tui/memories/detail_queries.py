"""All that is known of one memory, read from the store for the detail pane: what is quick, then what takes longer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curator.tui.widgets.text_diff import Piece, words
from store import NotFound, Store, clock
from store.model import (
    Alert,
    Command,
    Evidence,
    Judgment,
    Life,
    Memory,
    Message,
    Uses,
    Version,
    Wording,
)
from store.record.command_log import ReasonedChange

if TYPE_CHECKING:
    from curator.compare.related import Near
    from store.index import Index

SHOWN = 6  # pieces of evidence with their surroundings
FORMER = 8  # former texts


@dataclass(frozen=True, slots=True)
class Quoted:
    """A piece of evidence, and the turns around it where the log is in this store."""

    evidence: Evidence
    around: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An open alert, what the other memory says, and what models said of the two, the last first."""

    alert: Alert
    other: Memory
    judgments: tuple[Judgment, ...] = ()


@dataclass(frozen=True, slots=True)
class Former:
    """A former text, and how it became the one that followed it."""

    version: Version
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Proposed:
    """Other words that a model would put the memory in, and how they differ from its own."""

    wording: Wording
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """One memory with its evidence (the newest first; `more` pieces are left out), former texts and alerts.

    `fate` is the command that ended the life of one that is not live; `successors` are what superseded it and, where
    that was superseded in turn, what stands at the end. `related` is None until `enrich` has looked.
    """

    memory: Memory
    evidence: tuple[Quoted, ...]
    more: int
    versions: tuple[Former, ...]
    alerts: tuple[Found, ...]
    older: int = 0  # former texts left out
    uses: Uses | None = None
    fate: Command | None = None
    successors: tuple[Memory, ...] = ()
    related: "tuple[Near, ...] | None" = None
    proposed: Proposed | None = None  # the last, where nobody has decided on the memory
    reasoned: tuple[ReasonedChange, ...] = ()  # what sweeps did to it and why, the last first


def load(store: Store, number: int) -> Details | None:
    """The details of a memory but what is related to it, in milliseconds; None if it is gone."""
    try:
        return _load(store, number)
    except NotFound:  # another process took it back between two reads
        return None


def enrich(store: Store, details: Details, index: "Index | None") -> Details:
    """The same with the live memories nearest in meaning: none where the memory has no vector, or there is no index.

    For a thread: the first time, all vectors of a small store are read, or the engine of a large one is loaded.
    Raises StoreError where the index can be neither read nor built.
    """
    from curator.compare.related import related

    return replace(details, related=() if index is None else related(store, details.memory.id, index))


def _load(store: Store, number: int) -> Details | None:
    found = store.get_many([number])
    if not found:
        return None
    memory = found[0]
    evidence = store.evidence(number)[::-1]
    versions = store.versions(number)
    chain = store.successors(number) if memory.life is Life.SUPERSEDED else []
    return Details(
        memory,
        tuple(_quoted(store, evidence[:SHOWN])),
        max(len(evidence) - SHOWN, 0),
        tuple(_formers(memory.text, versions[:FORMER])),
        tuple(_alerts(store, number)),
        older=max(len(versions) - FORMER, 0),
        uses=store.recalls.uses([number]).get(number),
        fate=None if memory.life is Life.LIVE else store.journal.last_life_change(number),
        proposed=_proposed(store, memory),
        reasoned=tuple(store.journal.reasoned_changes(number)),
        successors=tuple(store.get_many(list(dict.fromkeys((*chain[:1], *chain[-1:]))))),
    )


def _quoted(store: Store, evidence: Sequence[Evidence]) -> Iterator[Quoted]:
    seen = store.raw.visible_messages([item.message for item in evidence if item.message is not None])
    for item in evidence:
        yield Quoted(item, tuple(store.raw.around(item.message)) if item.message in seen else ())


def _formers(text: str, versions: Sequence[Version]) -> Iterator[Former]:
    """Each former text beside what followed it: the next of the same memory, or what the merge made of it."""
    followed: dict[int | None, str] = {None: text}
    made, at = text, 0  # what the change of the memory's own text made, and when it was
    for version in versions:
        origin = version.merged_from
        if origin is None:
            made, at = followed[None], version.at
        elif origin not in followed:  # of one command if they are that near
            followed[origin] = made if abs(at - version.at) < clock.SECOND else followed[None]
        yield Former(version, tuple(words(version.text, followed[origin])))
        followed[origin] = version.text


def _alerts(store: Store, number: int) -> Iterator[Found]:
    alerts = store.alerts.open(number)
    other = {alert.id: alert.b if alert.a == number else alert.a for alert in alerts}
    memories = {memory.id: memory for memory in store.get_many(list(other.values()))}
    judgments = store.judgments.of(list(other)) if other else {}
    for alert in alerts:
        if other[alert.id] in memories:
            yield Found(alert, memories[other[alert.id]], judgments.get(alert.id, ()))


def _proposed(store: Store, memory: Memory) -> Proposed | None:
    found = store.wordings.of(memory.id)
    return Proposed(found[0], tuple(words(memory.text, found[0].text))) if found else None
