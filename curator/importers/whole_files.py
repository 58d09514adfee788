"""Files that are read as a whole, and their marks: an unchanged one is not read again."""

from collections.abc import Callable, Iterable, Iterator

from curator.importers.inputs import Item, Meter, Part, Problem, Unreadable
from curator.importers.log_format import Options
from store.model import FileMark, NewConversation
from store.sanitize import storable


def each_file(
    parts: Iterable[Part],
    meter: Meter,
    options: Options,
    read: Callable[[Part], Iterator[Item]],
    is_agent: Callable[[Part], bool] = lambda part: False,
) -> Iterator[Item]:
    """Yield what `read` yields of each file, then its mark; of a file that has not changed only its mark.

    What a sub-agent's file holds belongs to its session's conversation, and is counted with that.

    A file with a damaged record or without a conversation gets none: it is read each time, and what is wrong with it is
    named each time.
    """
    for part in parts:
        count, damaged = 0, False
        try:
            if mark := known_mark(part, meter, options):
                yield mark
                continue
            for item in read(part):
                count += isinstance(item, NewConversation)
                damaged = damaged or isinstance(item, Problem)
                yield item
            if count and not damaged and (mark := new_mark(part, 0 if is_agent(part) else count)):
                yield mark
        except Unreadable as error:
            yield Problem(part.name, f"cannot be read any further: {error}")


def known_mark(part: Part, meter: Meter, options: Options) -> FileMark | None:
    """Return the mark of a file that has not changed since it was read; None if it is to be read. Raises Unreadable."""
    path = str(part.path or "")
    known = options.resume(path) if options.resume and path else None
    if known is None or known.size != part.size or part.digest(part.size) != known.digest:
        return None
    meter.done += part.size
    return known


def new_mark(part: Part, conversations: int) -> FileMark | None:
    """Return the mark of a file that was read; None in a zip, or if its path cannot be stored. Raises Unreadable."""
    path = str(part.path or "")
    if not path or storable(path) != path:
        return None
    return FileMark(path, part.size, part.digest(part.size), conversations)
