"""Discovery of logs on this machine: in the folders of programs, and exports among the downloads."""

from collections.abc import Iterator
from pathlib import Path

from curator.importers.downloads import downloaded_logs
from curator.importers.formats import FORMATS
from curator.importers.inputs import Problem, Unreadable, readable
from curator.importers.log_format import Format


def find_logs() -> list[tuple[Format, Path]]:
    """Return the importable logs in the folders of programs and in the downloads folder."""
    return [item for item in known_places() if not isinstance(item, Problem)]


def known_places() -> Iterator[tuple[Format, Path] | Problem]:
    """Yield importable logs as they are found, and Problems for downloads that cannot be read."""
    for one in FORMATS:
        try:
            with readable():
                found = list(one.places()) if one.places else []
        except Unreadable as error:
            yield Problem(f"logs of {one.name}", str(error))
            continue
        yield from ((one.name, path) for path in found)
    yield from downloaded_logs()
