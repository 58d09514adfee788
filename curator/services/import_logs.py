"""Import of log files into the store: one batch, safe to stop and restart, with every record counted."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from curator.curation import apply_claims, provable
from curator.display import counted
from curator.errors import ImportFailure, ModelError
from curator.importers import AskMe, Format, Item, Options, People, ReadProgress, open_log
from curator.models import Embedder
from curator.services.import_summary import Progress, Report, Summary
from curator.services.run_progress import published
from curator.services.search_session import embed_missing, open_index
from store import Store, Unreachable
from store.gc_policy import collected_seldom
from store.model import Actor

# What distils and compares is imported in functions, after the logs are looked at: it takes longer than all else.
if TYPE_CHECKING:
    from curator.curation import Revision
    from curator.services.import_batch import Ask, ImportBatch


@collected_seldom()
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
    ask: "Ask | None" = None,
    me: Sequence[str] = (),
    ask_me: AskMe | None = None,
    review: "Callable[[Mapping[int, Revision]], None] | None" = None,
) -> Summary:
    """Import, distil and embed every log under the paths: one command, one undo.

    Without `reveal` (a sweep must not restore conversations that the person removed by undo), conversations hidden by
    an undo stay hidden, and only conversations that this actor imported are distilled.

    `me` are the person's names in chats among people. They are remembered, and count where none are given; `ask_me`
    is asked where none of them occurs. Chats in which nobody is the person are problems.

    `review` is called with the changes that edited notes ask for, before anything is written; what it raises ends the
    import.

    Without an embedder nothing is distilled or embedded; sweeps do it later. Stopping at any moment keeps everything
    committed, and the same call continues from there. Of several paths, one that is damaged or no log becomes a problem
    in the summary. Raises the importers' error for a path that does not exist, or if no path can be read, before
    anything is written.
    """
    summary = Summary()
    who = _Who(store, tuple(me), ask_me)
    logs = _open_logs(paths, format, summary, Options(store.raw.file_mark, who.me, who, finding(report, summary)))
    notes = [log.path for log in logs if Format.NOTES in log.formats]
    if review is not None and notes and (edited := preview(store, notes, format=Format.NOTES).edited):
        review(edited)
    from curator.services.import_batch import ClaimCheck, ImportBatch

    with store.command("import", actor) as writer:
        writer.pause()
        batch = ImportBatch(store, summary, ClaimCheck(store, summary, ask), writer, reveal, embedder)
        with published(store, report) if actor is Actor.PERSON else contextlib.nullcontext(report) as publish:
            _read_all(logs, batch, publish)
            if embedder is not None and distil:
                from curator.services.distillation import distil_pending

                distil_pending(store, writer, embedder, summary, publish, None if reveal else actor)
        batch.supersede_edited(writer)
        writer.summarise(f"{counted(summary.conversations, 'new conversation')}, {summary.found}")
    store.names.add(who.me)
    summary.decided, command = apply_claims(store, batch.known_claims, actor)
    return _finish(store, writer.id if writer.wrote else command, embedder, summary, report)


@collected_seldom()
def preview(
    store: Store,
    paths: Sequence[Path],
    *,
    format: Format | None = None,
    report: Report | None = None,
    me: Sequence[str] = (),
    ask_me: AskMe | None = None,
) -> Summary:
    """Count what an import would store, without writing or distilling."""
    from curator.services.import_batch import ClaimCheck, ImportBatch

    summary = Summary()
    batch = ImportBatch(store, summary, ClaimCheck(store, summary))
    options = Options(store.raw.file_mark, tuple(me), _Who(store, tuple(me), ask_me), finding(report, summary))
    _read_all(_open_logs(paths, format, summary, options), batch, report)
    summary.decided = len(provable(store, batch.known_claims))
    return summary


def distil_all(store: Store, embedder: Embedder, *, again: bool = False, report: Report | None = None) -> Summary:
    """Distil pending conversations and embed memories without a vector; one command, one undo.

    With `again`, every conversation is reread, by the rules now and by the chat model in its sweep: the person's
    decisions stay, forgotten memories are not admitted, and a duplicate adds its quote to the known memory.
    """
    from curator.distill import BY_WORDS, DISTILLER
    from curator.llm.extract import VERSION as EXTRACT
    from curator.services.distillation import distil_pending

    summary = Summary()
    with store.command("distil") as writer:
        if again:
            for mark in (DISTILLER, BY_WORDS):
                store.distillation.unmark(writer, mark)
            store.sweeps.unmark(EXTRACT)
        writer.pause()
        distil_pending(store, writer, embedder, summary, report)
        writer.resume()
        writer.summarise(summary.found)
    return _finish(store, writer.id if writer.wrote else None, embedder, summary, report)


def index_memories(store: Store, embedder: Embedder, summary: Summary, report: Report | None = None) -> None:
    """Update the search index, so that the first search does not wait for it.

    One out of reach is updated later, which is added to the problems.
    """

    def tell(done: int, total: int) -> None:
        if report is not None:
            # its tables are written last, in one step of unknown length: no percentage
            report(Progress("indexing", done, total if done < total else 0, summary))

    try:
        open_index(store, embedder.fingerprint).catch_up(tell)
    except Unreachable as error:
        summary.problems.append(f"the search index, which is updated later: {error}")


def finding(report: Report | None, summary: Summary) -> Callable[[int, int], None] | None:
    """Return a callback that reports how many files were looked at, and how many of them are logs."""
    if report is None:
        return None

    def looked(files: int, logs: int) -> None:
        summary.files = logs
        report(Progress("looking", files, 0, summary))

    return looked


@dataclass(slots=True)
class _Who:
    """The names of the person in group chats: given now, remembered from an earlier import, or asked for."""

    store: Store
    me: tuple[str, ...]
    ask: AskMe | None

    def __call__(self, people: People, place: str) -> Sequence[str]:
        """Return the person's names among these people; names given now are not replaced by remembered ones."""
        remembered = [] if self.me else self.store.names.known()
        known = next((names for names in remembered if any(name in people for name in names)), [])
        if known or self.ask is None:
            return known
        answer = tuple(self.ask(people, place))
        self.me += answer
        return answer


@dataclass(frozen=True, slots=True)
class _Log:
    """An opened file, folder or zip, and the items read from it."""

    path: Path
    formats: frozenset[Format]
    progress: ReadProgress
    items: Iterator[Item]


def _open_logs(paths: Sequence[Path], format: Format | None, summary: Summary, options: Options) -> list[_Log]:
    """Open every path before anything is written; count unreadable ones.

    Raises the importers' error for a path that does not exist, and the first path's error if none can be read.
    """
    logs: list[_Log] = []
    failures: list[ImportFailure] = []
    for path in paths:
        progress = ReadProgress()
        try:
            formats, items = open_log(path, format, progress=progress, options=options)
        except ImportFailure as error:
            if not path.exists():
                raise
            failures.append(error)
            summary.add_unreadable(path, error)
        else:
            summary.formats |= formats
            logs.append(_Log(path, formats, progress, items))
    if failures and not logs:
        raise failures[0]
    summary.files = len(logs)
    return logs


def _read_all(logs: Sequence[_Log], batch: "ImportBatch", report: Report | None) -> None:
    """Read opened logs into a batch. Raises the importers' error if the only path turns out to contain no log."""
    summary = batch.summary
    for log in logs:
        try:
            for item in log.items:
                batch.add(item, log.path)
                if report is not None:
                    report(Progress("reading", log.progress.done, log.progress.total, summary))
        except ImportFailure as error:
            if summary.files == 1 and not summary.barren:
                raise
            summary.add_unreadable(log.path, error)
    batch.flush()
    if report is not None and logs:
        report(Progress("reading", logs[-1].progress.done, logs[-1].progress.total, summary))


def _finish(
    store: Store, command: int | None, embedder: Embedder | None, summary: Summary, report: Report | None
) -> Summary:
    """Embed memories without a vector. If the model's server fails, add a problem; a sweep embeds them later."""

    def progress(made: int) -> None:
        if report is not None:
            report(Progress("embedding", made, max(summary.memories, made), summary))

    summary.batch = command
    if embedder is not None:
        try:
            embed_missing(store, embedder, progress)
        except ModelError as error:
            summary.problems.append(f"vectors, which are made later: {error}")
    return summary
