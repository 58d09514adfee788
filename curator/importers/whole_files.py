"""Marks of files that are read as a whole: an unchanged one is not read again."""

from curator.importers.inputs import Meter, Part
from curator.importers.log_format import Options
from store.model import FileMark
from store.sanitize import storable


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
