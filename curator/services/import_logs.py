"""From log files to the store: one batch, safe to stop and to start again, counted to the last record."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator.curation import Return, apply_claims, provable, quarantine, said_again
from curator.distill import DISTILLER
from curator.errors import ImportFailure, ModelError
from curator.importers import Format, Item, Meter, Problem, ReadyMemory, Skipped, detect, read
from curator.injection import FLAG, flag_memory
from curator.llm.extract import VERSION as EXTRACT
from curator.models import Embedder
from curator.secrets import redact
from curator.services.distill_pending import distil_pending
from curator.services.embed_missing import embed_missing
from curator.services.forgotten_matches import coming_back
from curator.services.import_summary import CameBack, Progress, Report, Summary
from curator.services.recall_feedback import heard
from curator.services.run_progress import published
from curator.signature import own_fingerprint, trust, trusted
from curator.text import content_key
from store import Store, Writer, uids
from store.model import Actor, FileMark, Life, NewConversation, NewEvidence, NewMemory, Review

_CHUNK = 2_000_000  # characters stored in one transaction: a fraction of a second of lock
_PROBLEMS_KEPT = 20
Ask = Callable[[str], bool]
"""Asks the person whether to trust the key with this fingerprint."""


def import_paths(
    store: Store,
    paths: Sequence[Path],
    embedder: Embedder | None,
    *,
    format: Format | None = None,
    distil: bool = True,
    report: Report | None = None,
    actor: Actor = Actor.PERSON,
    reveal: bool = True,
    ask: Ask | None = None,
) -> Summary:
    """Import every log under the paths, distil and embed it: one command, one undo.

    Without `reveal` (a sweep does not bring back what the person took back) what an undo has hidden stays so, and only
    what this actor has imported is distilled.

    Without an embedder nothing is distilled or embedded: it is left to a sweep. Stopping at any moment leaves what
    was committed, and the same call goes on from there. Of several paths one that is damaged or no log is a
    problem of the summary. Raises the importers' error for a path that is not there, or if no path can be read, before
    anything is written.
    """
    summary = Summary()
    paths = _detect(paths, format, summary)
    with store.command("import", actor) as writer:
        writer.pause()
        storing = _Storing(store, writer, summary, _Proof(store, summary, ask), reveal, embedder)
        with published(store, report) if actor is Actor.PERSON else contextlib.nullcontext(report) as told:
            for path in paths:
                _read_into(storing.take, path, format, store.raw.file_mark, summary, told)
            storing.flush()
            if embedder is not None and distil:
                distil_pending(store, writer, embedder, summary, told, None if reveal else actor)
        writer.resume()
        talks = "conversation" if summary.conversations == 1 else "conversations"
        memories = "memory" if summary.memories == 1 else "memories"
        writer.summarise(f"{summary.conversations} new {talks}, {summary.memories} {memories}")
    summary.decided, claimed = apply_claims(store, storing.claims, actor)
    summary.batch = writer.id if writer.wrote else claimed
    if embedder is not None:
        _embed_rest(store, embedder, summary, report)
    return summary


def distil_all(store: Store, embedder: Embedder, *, again: bool = False, report: Report | None = None) -> Summary:
    """Distil what is pending and embed what has no vector; one command, one undo.

    With `again` every conversation is read anew, by the rules now and by the chat model in its sweep: what a person
    decided stands, what was forgotten stays away, and
    what says the same as a memory adds its quote.
    """
    summary = Summary()
    with store.command("distil") as writer:
        if again:
            store.distillation.unmark(writer, DISTILLER)
            store.sweeps.unmark(EXTRACT)
        writer.pause()
        distil_pending(store, writer, embedder, summary, report)
        writer.resume()
        writer.summarise(f"{summary.memories} memories")
    summary.batch = writer.id if writer.wrote else None
    _embed_rest(store, embedder, summary, report)
    return summary


def _embed_rest(store: Store, embedder: Embedder, summary: Summary, report: Report | None) -> None:
    """Embed what has no vector. A server that is gone by now fails nothing: a sweep does it later, and it is said."""
    try:
        embed_missing(store, embedder, _embedding(report, summary.memories, summary))
    except ModelError as error:
        summary.problems.append(f"vectors, which are made later: {error}")


def index_memories(store: Store, embedder: Embedder, summary: Summary, report: Report | None = None) -> None:
    """Bring the search index up to the record now, so that the first search does not wait for it."""
    from store.index import Index

    def tell(done: int, total: int) -> None:
        if report is not None:
            report(Progress("indexing", done, total, summary))

    Index.open(store, embedder.fingerprint).catch_up(tell)


def preview(
    store: Store, paths: Sequence[Path], *, format: Format | None = None, report: Report | None = None
) -> Summary:
    """Count what an import would store; writes nothing, and distils nothing."""
    summary = Summary()
    seen: set[str] = set()
    gone = store.tombstones.any()
    proof = _Proof(store, summary)
    claims: dict[int, NewMemory] = {}

    def take(item: Item) -> None:
        if isinstance(item, NewConversation):
            fresh = tuple(m for m in item.messages if m.identity not in seen)
            seen.update(m.identity for m in fresh)
            item = replace(item, messages=fresh)
            counts = store.raw.peek_conversation(item)
            _count_conversation(summary, item, counts.new, counts.grown, counts.fresh)
        elif isinstance(item, ReadyMemory):
            memory = proof.believed(item)
            found = store.peek_memory(memory)
            forgotten = found.forgotten
            if gone and forgotten is None and found.known is None and memory.life is Life.LIVE:
                forgotten = said_again(store, memory.text)
            if forgotten is not None:
                summary.refuse_returning(_back(memory, forgotten))
            elif found.known is not None and memory.external_id in proof.proven:
                claims[found.known] = memory
            _count_memory(summary, found.known, forgotten)
        elif isinstance(item, FileMark):
            summary.known += item.conversations if store.raw.file_mark(item.path) == item else 0
        else:
            _count_other(summary, item)

    for path in _detect(paths, format, summary):
        _read_into(take, path, format, store.raw.file_mark, summary, report)
    summary.decided = len(provable(store, claims))
    return summary


def _detect(paths: Sequence[Path], format: Format | None, summary: Summary) -> list[Path]:
    """Return the paths in which there is something to read, before anything is written; another is a problem.

    Raises the importers' error for what is not there, and for the first where there is nothing in any.
    """
    found: list[Path] = []
    failures: list[ImportFailure] = []
    for path in paths:
        try:
            summary.formats.add((format or detect(path)).value)
            found.append(path)
        except ImportFailure as error:
            if not path.exists():
                raise
            failures.append(error)
            _count_barren(summary, path, error)
    if failures and not found:
        raise failures[0]
    summary.files = len(found)
    return found


def _read_into(
    take: Callable[[Item], None],
    path: Path,
    format: Format | None,
    resume: Callable[[str], FileMark | None],
    summary: Summary,
    report: Report | None,
) -> None:
    meter = Meter()
    summary.reading = str(path)
    try:
        for item in read(path, format, meter=meter, resume=resume):
            take(item)
            if report is not None:
                report(Progress("reading", meter.done, meter.total, summary))
    except ImportFailure as error:
        if summary.files == 1 and not summary.barren:
            raise
        _count_barren(summary, path, error)


class _Proof:
    """Decides by signatures whether the decisions that ready memories claim count."""

    def __init__(self, store: Store, summary: Summary, ask: Ask | None = None) -> None:
        self.proven: set[str | None] = set()  # ids of memories whose claims count
        self._store = store
        self._summary = summary
        self._ask = ask
        self._known: dict[str, bool] = {}  # by fingerprint

    def believed(self, item: ReadyMemory) -> NewMemory:
        """Return the memory as it is to be stored; count claims that are ignored, by reason.

        An id of a store is a claim, too, but one that nobody needs to be told of.
        """
        if item.unknown_kind is not None:
            self._summary.unknown_kinds[item.unknown_kind] += 1
        if item.signer is not None and self._trusts(item.signer):
            memory = _identified(self._store, item.claimed)
            self.proven.add(memory.external_id)
            return memory
        if item.changed:
            self._summary.unproven["bad_signature"] += 1
        elif item.unproven != item.claimed:
            self._summary.unproven["unsigned" if item.signer is None else "untrusted_key"] += 1
            if item.signer is not None:
                self._summary.signers[item.signer] += 1
                self._summary.signed_files.setdefault(item.signer, {})[self._summary.reading] = None
        name = item.unproven.external_id
        unproven = replace(item.unproven, external_id=None if name is None else uids.mark_unproven(name))
        return _identified(self._store, unproven)

    def _trusts(self, signer: str) -> bool:
        if signer not in self._known:
            self._known[signer] = signer == own_fingerprint() or signer in trusted()
            if not self._known[signer] and self._ask is not None and self._ask(signer):
                trust(signer)
                self._known[signer] = True
        return self._known[signer]


@dataclass(slots=True)
class _Storing:
    """Gathers what is read and writes it in chunks, so that others can write in between."""

    store: Store
    writer: Writer
    summary: Summary
    proof: _Proof
    reveal: bool
    embedder: Embedder | None = None
    waiting: list[NewConversation | NewMemory | FileMark] = field(default_factory=list)
    size: int = 0
    claims: dict[int, NewMemory] = field(default_factory=dict)  # proven rows of memories known before

    def take(self, item: Item) -> None:
        """Take one item; write all that waits when it is much."""
        if isinstance(item, Problem | Skipped):
            _count_other(self.summary, item)
            return
        if isinstance(item, ReadyMemory):
            self.waiting.append(self.proof.believed(item))
        else:
            self.waiting.append(item)
        self.size += _size(item)
        if self.size >= _CHUNK:
            self.flush()

    def flush(self) -> None:
        """Write what waits, in one transaction."""
        items, self.waiting, self.size = self.waiting, [], 0
        if not items:
            return
        ready = [item for item in items if isinstance(item, NewMemory)]
        places = _places(self.store, ready)
        back = self._coming_back(ready)
        self.writer.resume()
        for item in items:
            if isinstance(item, NewConversation):
                counts = self.store.raw.put_conversation(self.writer, item, self.reveal)
                _count_conversation(self.summary, item, counts.new, counts.grown, counts.fresh)
                for recall, answer in heard(item, counts.fresh):
                    self.store.recalls.put_logged_answer(self.writer, recall, answer)
            elif isinstance(item, NewMemory):
                self._admit(_linked(self._without_purged(item), places), back.get(id(item)))
            elif isinstance(item, FileMark):
                self._mark(item)
        self.writer.pause()

    def _coming_back(self, ready: Sequence[NewMemory]) -> dict[int, tuple[int, Return]]:
        """Those of ready memories that say what was let go, by the identity of the object."""
        live = [item for item in ready if item.life is Life.LIVE]
        if not live or not self.store.tombstones.any():
            return {}
        texts = [item.text for item in live]
        vectors = None
        if self.embedder is not None:
            embed_missing(self.store, self.embedder)
            vectors = self.embedder.embed(texts)
        found = coming_back(self.store, texts, vectors, self.embedder)
        return {id(live[place]): memory for place, memory in found.items()}

    def _without_purged(self, memory: NewMemory) -> NewMemory:
        """Return a ready memory without former texts, quotes and titles that say what was purged."""
        if not (memory.versions or memory.evidence) or not self.store.tombstones.any():
            return memory

        def purged(text: str | None) -> bool:
            return bool(text) and self.store.tombstones.matching(content_key(text or ""), purged_only=True) is not None

        quotes = [one for one in memory.evidence if not purged(one.quote)]
        return replace(
            memory,
            versions=tuple(one for one in memory.versions if not purged(one.text)),
            evidence=tuple(replace(one, title=None) if purged(one.title) else one for one in quotes),
        )

    def _admit(self, memory: NewMemory, back: tuple[int, Return] | None) -> None:
        """Write a ready memory, unless it is known or was let go; what may have been is held in quarantine."""
        known = self.store.peek_memory(memory) if back is not None else None
        if back is not None and known is not None and known.known is None:
            if back[1] is Return.SAME:
                self.summary.reasons["forgotten"] += 1
                self.summary.refuse_returning(_back(memory, back[0]))
                return
            self.summary.held += memory.flag is None
            memory = _quarantined(memory, memory.flag or quarantine(back[0]))
        found = self.store.admit(self.writer, memory)
        if found.forgotten is not None:
            self.summary.refuse_returning(_back(memory, found.forgotten))
        _count_memory(self.summary, found.known, found.forgotten)
        if found.known is not None and back is None and memory.external_id in self.proof.proven:
            self.claims[found.known] = memory
        self.summary.quarantined += found.added is not None and memory.flag == FLAG

    def _mark(self, mark: FileMark) -> None:
        """A mark that is known already means a file that has not grown and was not read again."""
        if self.store.raw.file_mark(mark.path) == mark:
            self.summary.known += mark.conversations
        else:
            self.store.raw.put_file_mark(self.writer, mark)


def _identified(store: Store, memory: NewMemory) -> NewMemory:
    """Return a ready memory whose id, if it holds what looks like a secret, is a keyed hash of it.

    Ids stay distinct thereby. One that was imported when such ids were redacted keeps its redacted id.
    """
    if memory.external_id is None or not (found := redact(memory.external_id)).count:
        return memory
    former = replace(memory, external_id=found.text)
    known = store.peek_memory(former).known
    if known is not None and store.get(known).text == memory.text:
        return former
    return replace(memory, external_id=store.hashed_id(memory.external_id))


def _back(memory: NewMemory, gone: int) -> CameBack:
    return CameBack(gone, memory.text, memory.source, None, memory.created_at)


def _size(item: Item) -> int:
    if isinstance(item, NewConversation):
        return 1_000 + sum(len(message.text) for message in item.messages)
    return 1_000


def _places(store: Store, memories: Sequence[NewMemory]) -> dict[str, tuple[int, str]]:
    """The stored messages that the evidence of ready memories names."""
    names = {quote.reference for memory in memories for quote in memory.evidence if quote.reference}
    return store.raw.find_messages(sorted(names)) if names else {}


def _linked(memory: NewMemory, places: dict[str, tuple[int, str]]) -> NewMemory:
    """A ready memory with its quotes tied to stored messages where they stand there word for word, and flagged."""

    def link(quote: NewEvidence) -> NewEvidence:
        message, text = places.get(quote.reference or "", (None, ""))
        return quote if text[quote.start : quote.end] != quote.quote else replace(quote, message=message)

    memory = replace(memory, evidence=tuple(map(link, memory.evidence)))
    flag = flag_memory(memory.text, memory.project, memory.tags)
    return memory if flag is None else _quarantined(memory, memory.flag or flag)


def _quarantined(memory: NewMemory, flag: str) -> NewMemory:
    """Return a ready memory in quarantine: no file lets it out, signed or not, only the person who reads it."""
    review = Review.OPEN if memory.review is Review.VALIDATED else memory.review
    return replace(memory, flag=flag, review=review)


def _count_conversation(
    summary: Summary, conversation: NewConversation, new: bool, grown: bool, fresh: Sequence[int]
) -> None:
    summary.formats.add(conversation.source)
    summary.conversations += new
    summary.grown += grown
    summary.known += not new and not grown
    for place in fresh:
        message = conversation.messages[place]
        summary.messages["hidden" if message.hidden else message.role.value] += 1
        summary.redacted += message.redactions


def _count_memory(summary: Summary, known: int | None, forgotten: int | None) -> None:
    if forgotten is not None:
        summary.reasons["forgotten"] += 1
    elif known is not None:
        summary.known += 1
    else:
        summary.memories += 1


def _count_other(summary: Summary, item: Problem | Skipped) -> None:
    if isinstance(item, Problem):
        summary.invalid += 1
        summary.reasons["invalid"] += 1
        if len(summary.problems) < _PROBLEMS_KEPT:
            summary.problems.append(f"{item.place}: {item.reason}")
    else:
        summary.reasons[item.reason] += item.count


def _count_barren(summary: Summary, path: Path, error: ImportFailure) -> None:
    """Count a path that gave nothing, and keep why."""
    summary.barren += 1
    _count_other(summary, Problem(str(path), str(error).removeprefix(f"{path}: ")))


def _embedding(report: Report | None, total: int, summary: Summary) -> Callable[[int], None]:
    def tell(made: int) -> None:
        if report is not None:
            report(Progress("embedding", made, max(total, made), summary))

    return tell
