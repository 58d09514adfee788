"""Reader of logs that are read as a whole, with marks so that unchanged files are not read again."""

from collections.abc import Callable, Iterable, Iterator

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Unreadable
from curator.importers.log_format import Options
from store.model import FileMark, NewConversation
from store.sanitize import storable


def each_file(
    files: Iterable[LogFile],
    progress: ReadProgress,
    options: Options,
    read: Callable[[LogFile], Iterator[Item]],
    is_agent: Callable[[LogFile], bool] = lambda log: False,
) -> Iterator[Item]:
    """Yield the items that `read` yields for each file, then its mark; for an unchanged file only its mark.

    The messages of a sub-agent's file belong to its session's conversation, and are counted there.

    A file with a damaged record or without a conversation gets no mark, so that each import reads it and reports its
    problems again.
    """
    for log in files:
        count, damaged = 0, False
        try:
            if mark := known_mark(log, progress, options):
                yield mark
                continue
            log = log.in_memory()
            for item in read(log):
                count += isinstance(item, NewConversation)
                damaged = damaged or isinstance(item, Problem)
                yield item
            if count and not damaged and (mark := new_mark(log, 0 if is_agent(log) else count)):
                yield mark
        except Unreadable as error:
            yield Problem(log.name, f"cannot be read any further: {error}")


def known_mark(log: LogFile, progress: ReadProgress, options: Options) -> FileMark | None:
    """Return the mark of a file if it is unchanged since the last import, else None. Raises Unreadable."""
    path = str(log.path or "")
    known = options.resume(path) if options.resume and path else None
    if known is None or known.size != log.size or log.digest(log.size) != known.digest:
        return None
    progress.done += log.size
    return known


def new_mark(log: LogFile, conversations: int) -> FileMark | None:
    """Return the mark of a file that was read; None in a zip, or if its path cannot be stored. Raises Unreadable."""
    path = str(log.path or "")
    if not path or storable(path) != path:
        return None
    return FileMark(path, log.size, log.digest(log.size), conversations)
