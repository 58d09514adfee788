"""Import log files into the store. An import can be interrupted and restarted, and counts every record."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from curator.curation import apply_claims, provable
from curator.errors import ImportFailure, ModelError
from curator.importers import AskMe, Format, Item, Options, People, ReadProgress, open_log
from curator.models import Embedder
from curator.services.import_run import begin_run
from curator.services.import_summary import Progress, Report, Summary
from curator.services.run_progress import publish_progress
from curator.services.search_session import embed_missing, open_index
from store import Store, Unreachable
from store.gc_policy import collected_seldom
from store.model import Actor, FileMark

# Modules that distil and compare are imported in functions, after the logs were opened: they are slow to load.
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
    """Import, distil and embed all logs under the paths, as one command that can be undone.

    With `reveal=False`, as in sweeps, conversations hidden by an undo stay hidden, and only conversations imported by
    this actor are distilled. Without an embedder nothing is distilled or embedded; sweeps do it later.

    `me` are the person's names in group chats. They are stored, and used by later imports without names. `ask_me` is
    called for a chat in which none of the names occurs. Chats without the person are counted as unreadable.

    `review` is called with the changes made in exported notes, before anything is written; an exception from it
    cancels the import. `ask` decides whether to trust an unknown key.

    An interrupted import keeps what it committed and is resumed by the same call. Unreadable paths are listed in the
    summary. Raises ImportFailure for a path that does not exist, or if no path can be read, before anything is
    written.
    """
    summary = Summary()
    who = _PersonNames(store, tuple(me), ask_me)
    marks = _FileMarks(store, store.raw.has_file_marks())
    logs = _open_logs(paths, format, summary, Options(marks, who.me, who, _discovery_reporter(report, summary)))
    notes = [log.path for log in logs if Format.NOTES in log.formats]
    if review is not None and notes and (edited := preview(store, notes, format=Format.NOTES).edited):
        review(edited)
    from curator.services.import_batch import ClaimCheck, ImportBatch

    with begin_run(store, "import", actor, paths) as run:
        run.writer.pause()
        batch = ImportBatch(store, summary, ClaimCheck(store, summary, ask), run, reveal, embedder, marks.known)
        with publish_progress(store, report) if actor is Actor.PERSON else contextlib.nullcontext(report) as publish:
            _read_all(logs, batch, publish)
            store.names.add(who.me)
            batch.supersede_edited(run.writer)
            if embedder is not None and distil:
                from curator.services.distillation import distil_pending

                distil_pending(run, embedder, summary, publish, None if reveal else actor)
        run.end(summary)
    summary.decided, command = apply_claims(store, batch.known_claims, actor)
    return _finish(store, run.writer.id if run.writer.wrote else command, embedder, summary, report)


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
    """Return the summary of what an import would store, without writing or distilling."""
    from curator.services.import_batch import ClaimCheck, ImportBatch

    summary = Summary()
    marks = _FileMarks(store, store.raw.has_file_marks())
    batch = ImportBatch(store, summary, ClaimCheck(store, summary), known_marks=marks.known)
    who = _PersonNames(store, tuple(me), ask_me)
    options = Options(marks, tuple(me), who, _discovery_reporter(report, summary))
    _read_all(_open_logs(paths, format, summary, options), batch, report)
    summary.decided = len(provable(store, batch.known_claims))
    return summary


def distil_all(store: Store, embedder: Embedder, *, again: bool = False, report: Report | None = None) -> Summary:
    """Distil pending conversations and embed memories without a vector, as one command that can be undone.

    With `again`, all conversations are read again, by the rules now and by the chat model in its next sweep. The
    person's decisions are kept, forgotten memories are not admitted, and duplicates only add a quote. If it was
    stopped, the same call reads the rest.
    """
    from curator.distill import BY_WORDS, DISTILLER
    from curator.llm.extract import VERSION as EXTRACT
    from curator.services.distillation import distil_pending

    summary = Summary()
    with begin_run(store, "distil", again=again) as run:
        if again and not any(stopped.again for stopped in run.stopped):
            for mark in (DISTILLER, BY_WORDS):
                store.distillation.unmark(run.writer, mark)
            store.sweeps.unmark(EXTRACT)
            run.save(summary)
        run.writer.pause()
        distil_pending(run, embedder, summary, report)
        run.end(summary)
    return _finish(store, run.writer.id if run.writer.wrote else None, embedder, summary, report)


def index_memories(store: Store, embedder: Embedder, summary: Summary, report: Report | None = None) -> None:
    """Update the search index, so that the next search need not.

    If a remote index is unreachable, the summary gets a warning, and a later search updates it.
    """

    def tell(done: int, total: int) -> None:
        if report is not None:
            # writing its tables is the last step, of unknown length: no percentage
            report(Progress("indexing", done, total if done < total else 0, summary))

    try:
        open_index(store, embedder.fingerprint).catch_up(tell)
    except Unreachable as error:
        summary.warnings.append(f"the search index is updated later: {error}")


def _discovery_reporter(report: Report | None, summary: Summary) -> Callable[[int, int], None] | None:
    """Return a callback that reports the number of files examined and of logs found among them."""
    if report is None:
        return None

    def looked(files: int, logs: int) -> None:
        summary.files = logs
        report(Progress("looking", files, 0, summary))

    return looked


@dataclass(frozen=True, slots=True)
class _FileMarks:
    """Returns how far a file was read by earlier imports; `known` collects what it returned.

    Without `any`, no file was, and none is looked up: thousands of small logs are often imported into an empty store.
    """

    store: Store
    any: bool
    known: set[FileMark] = field(default_factory=set)

    def __call__(self, path: str) -> FileMark | None:
        """Return the mark of a file, or None."""
        mark = self.store.raw.file_mark(path) if self.any else None
        if mark is not None:
            self.known.add(mark)
        return mark


@dataclass(slots=True)
class _PersonNames:
    """The person's names in group chats: given as an argument, stored by an earlier import, or asked for."""

    store: Store
    me: tuple[str, ...]
    ask: AskMe | None

    def __call__(self, people: People, place: str) -> Sequence[str]:
        """Return the person's names among these people. Stored names are only used if none were given."""
        remembered = [] if self.me else self.store.names.known()
        stored = next((names for names in remembered if any(name in people for name in names)), [])
        if stored or self.ask is None:
            return stored
        answer = tuple(self.ask(people, place))
        self.me += answer
        return answer


@dataclass(frozen=True, slots=True)
class _Log:
    """An opened file, folder or zip archive, and an iterator over its items."""

    path: Path
    formats: frozenset[Format]
    progress: ReadProgress
    items: Iterator[Item]


def _open_logs(paths: Sequence[Path], format: Format | None, summary: Summary, options: Options) -> list[_Log]:
    """Open every path, and count unreadable ones in the summary.

    Raises ImportFailure for a path that does not exist, and the first failure if no path can be read.
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
    """Read opened logs into a batch. Raises ImportFailure if the only path cannot be read."""
    summary = batch.summary
    for log in logs:
        try:
            for item in log.items:
                batch.add(item, log.path)
                if report is not None:
                    report(Progress("reading", log.progress.done, log.progress.total, summary))
        except ImportFailure as error:
            if summary.files == 1 and not summary.unreadable_paths:
                raise
            summary.add_unreadable(log.path, error)
    batch.flush()
    if report is not None and logs:
        report(Progress("reading", logs[-1].progress.done, logs[-1].progress.total, summary))


def _finish(
    store: Store, command: int | None, embedder: Embedder | None, summary: Summary, report: Report | None
) -> Summary:
    """Set the summary's command and embed memories without a vector; a model failure becomes a warning."""

    def progress(made: int) -> None:
        if report is not None:
            report(Progress("embedding", made, max(summary.memories, made), summary))

    summary.batch = command
    if embedder is not None:
        try:
            embed_missing(store, embedder, progress)
        except ModelError as error:
            summary.warnings.append(f"vectors are made later: {error}")
    return summary
