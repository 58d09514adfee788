"""Queries for the details of a memory: fast ones first, then slow ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curator.curation import always_once_validated
from curator.curation.pairs import age
from curator.curation.reasons import reason
from curator.share.attribution import member_attributions
from curator.tui.text_diff import DiffPiece, diff
from store import NotFound, Store, clock
from store.model import (
    ASKED,
    Alert,
    Command,
    Evidence,
    Judgment,
    Life,
    Memory,
    Message,
    Review,
    Uses,
    Version,
    Wording,
)
from store.record.command_log import ReasonedChange

if TYPE_CHECKING:
    from curator.compare.related import SimilarMemory
    from curator.services.asked_memories import AskedWords
    from store.index import Index

SHOWN = 6  # pieces of evidence, with the messages around them
FORMER = 8  # former texts


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote, with the messages around it if the log is in this store."""

    evidence: Evidence
    around: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class FoundConflict:
    """An open alert, the other memory, the models' judgments (latest first), and the reason."""

    alert: Alert
    other: Memory
    judgments: Sequence[Judgment] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Former:
    """A former text, and the changes that led to the next one."""

    version: Version
    pieces: tuple[DiffPiece, ...]


@dataclass(frozen=True, slots=True)
class Proposed:
    """The wording proposed by a model, and its difference from the text."""

    wording: Wording
    pieces: tuple[DiffPiece, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """A memory with its evidence (newest first; `more` quotes are omitted), former texts and alerts.

    `fate` is the command that ended its life, if it is not live; `successors` are the memory that superseded it and the
    last one of that chain. `related` is None until `enrich` has run.
    """

    memory: Memory
    evidence: tuple[Quoted, ...]
    more: int
    versions: tuple[Former, ...]
    alerts: tuple[FoundConflict, ...]
    older: int = 0  # former texts omitted
    uses: Uses | None = None
    fate: Command | None = None
    successors: tuple[Memory, ...] = ()
    related: "tuple[SimilarMemory, ...] | None" = None
    proposed: Proposed | None = None  # the latest, if the memory is not reviewed
    reasoned: tuple[ReasonedChange, ...] = ()  # changes by sweeps and their reasons, latest first
    urgent: bool = False  # once validated, it is always given
    asked: "AskedWords | None" = None  # the request for which the memory is in quarantine
    shared_by: tuple[str, ...] = ()  # members of a shared project who said and validated it


def load(store: Store, memory_id: int) -> Details | None:
    """Read a memory without related memories, in milliseconds; None if it is gone."""
    memories = store.get_many([memory_id])
    if not memories:
        return None
    memory = memories[0]
    try:
        evidence = store.evidence(memory_id)[::-1]
        shown = evidence[:SHOWN]
        visible = store.raw.visible_messages([item.message for item in shown if item.message is not None])
        around = [store.raw.around(item.message) if item.message in visible else () for item in shown]
        versions = store.versions(memory_id)
        chain = store.successors(memory_id) if memory.life is Life.SUPERSEDED else []
        wordings = store.wordings.of(memory_id)
        return Details(
            memory,
            tuple(Quoted(item, tuple(messages)) for item, messages in zip(shown, around, strict=True)),
            max(len(evidence) - SHOWN, 0),
            tuple(_formers(memory.text, versions[:FORMER])),
            tuple(open_conflicts(store, memory_id)),
            older=max(len(versions) - FORMER, 0),
            uses=store.recalls.uses([memory_id]).get(memory_id),
            fate=None if memory.life is Life.LIVE else store.journal.last_life_change(memory_id),
            proposed=Proposed(wordings[0], tuple(diff(memory.text, wordings[0].text))) if wordings else None,
            reasoned=tuple(store.journal.reasoned_changes(memory_id)),
            successors=tuple(store.get_many(list(dict.fromkeys((*chain[:1], *chain[-1:]))))),
            urgent=memory.review is Review.OPEN and bool(always_once_validated(store, [memory])),
            asked=asked_for(store, memory),
            shared_by=tuple(member_attributions(store, memory)),
        )
    except NotFound:  # another process undid its import between two reads
        return None


def asked_for(store: Store, memory: Memory) -> "AskedWords | None":
    """Return the request to forget for which a memory is in quarantine, or None."""
    if memory.flag != ASKED or not memory.quarantined:
        return None
    from curator.services.asked_memories import asked_words  # slow to load

    return asked_words(store, memory)


def enrich(store: Store, details: Details, index: "Index | None") -> Details:
    """Add the live memories nearest in meaning; none without a vector or an index.

    Run in a thread: the first call reads all vectors of a small store, or loads the engine of a large one. Raises
    StoreError if the index can be neither read nor built.
    """
    from curator.compare.related import related

    return replace(details, related=() if index is None else related(store, details.memory.id, index))


def _formers(text: str, versions: Sequence[Version]) -> Iterator[Former]:
    """Yield each former text with its successor: the next text of the same memory, or the result of a merge."""
    followed: dict[int | None, str] = {None: text}
    made, at = text, 0  # result of the last change of the memory's own text, and its time
    for version in versions:
        origin = version.merged_from
        if origin is None:
            made, at = followed[None], version.at
        elif origin not in followed:  # changes within a second are of one command
            followed[origin] = made if abs(at - version.at) < clock.SECOND else followed[None]
        yield Former(version, tuple(diff(version.text, followed[origin])))
        followed[origin] = version.text


def open_conflicts(store: Store, memory_id: int) -> Iterator[FoundConflict]:
    """Yield the open alerts of a memory with the other memory, strongest first."""
    alerts = store.alerts.open(memory_id)
    other = {alert.id: alert.b if alert.a == memory_id else alert.a for alert in alerts}
    memories = {memory.id: memory for memory in store.get_many([memory_id, *other.values()])}
    judgments = store.judgments.of(list(other)) if other else {}
    for alert in alerts:
        if memory_id in memories and other[alert.id] in memories:
            this, that = memories[memory_id], memories[other[alert.id]]
            a, b = sorted((this, that), key=age)
            why = reason(alert, a, b, ("This", "The other") if a is this else ("The other", "This"))
            yield FoundConflict(alert, that, judgments.get(alert.id, ()), why)
