"""Reading the snapshot of a store on another machine. The cache has the parts that were fetched:

    snapshots/<hash of the target>/lock             held while a query runs
    snapshots/<hash of the target>/<hash>.parquet   of the newest snapshot only

So they are not fetched again, and what was purged elsewhere goes here with the next query.
"""

import contextlib
import hashlib
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from curator.errors import Offline
from curator.paths import cache_folder
from curator.snapshot.manifest import Damaged, Manifest, manifests, part_name
from curator.sync.targets import Target, from_anywhere, target_of
from store.atomic_write import written_whole

if TYPE_CHECKING:
    from store.analytics.file_insights import FileInsights
    from store.analytics.sql_console import Result

T = TypeVar("T")
_Files: TypeAlias = Callable[[str], Sequence[Path]]

_NONE = (
    "there is no snapshot in {}: the machine whose setting snapshot.target names it writes one, and a synced folder"
    " must have carried all of it here"
)
_TRIES = 3  # the writer may erase an old snapshot while it is fetched


class _Gone(Exception):
    """A part was erased meanwhile."""


def query(text: str, sql: str) -> "tuple[Result, int]":
    """Answer one SELECT over the snapshot in a target; return also its time in microseconds.

    Raises BadQuery, ValueError for a text that is no target, Damaged, Offline.
    """
    from store.analytics.sql_console import query_files

    return _read(text, lambda files: query_files(files, sql))


def insights(text: str, now: int) -> "tuple[FileInsights, int]":
    """Return insights from the snapshot in a target, and its time in microseconds. Raises as `query` does."""
    from store.analytics.file_insights import file_insights

    return _read(text, lambda files: file_insights(files("memories"), now))


def _read(text: str, answer: Callable[[_Files], T]) -> tuple[T, int]:
    """Call `answer` with a function that returns the files of a table, fetched if they are not there yet."""
    from filelock import FileLock

    text = from_anywhere(text)
    target = target_of(text)
    cache = cache_folder() / "snapshots" / hashlib.sha256(text.encode()).hexdigest()[:16]
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(cache / "lock"):
        for _ in range(_TRIES):
            manifest = _newest(target)
            _keep_only(cache, manifest.parts if manifest else ())
            if manifest is None:
                raise Offline(_NONE.format(text))
            with contextlib.suppress(_Gone):
                return answer(partial(_files, target, manifest, cache)), manifest.at
    raise Offline(f"the snapshot in {text} is being replaced: try again in a minute")


def _files(target: Target, manifest: Manifest, cache: Path, name: str) -> list[Path]:
    return [_fetched(target, part, cache) for part in manifest.tables[name]]


def _newest(target: Target) -> Manifest | None:
    """Return the newest snapshot whose parts are all there: a synced folder may carry the manifest before them.

    Raises Damaged, Offline.
    """
    from store.analytics.sql_tables import TABLES

    names = set(target.names())
    found = next((one for _, one in manifests(target, names) if one.parts <= names), None)
    if found is not None and found.tables.keys() != TABLES.keys():
        raise Damaged("the snapshot was written by another version of Curator: have the same one on both machines")
    return found


def _keep_only(cache: Path, parts: Collection[str]) -> None:
    """Delete what was fetched of other snapshots: it may hold words that were purged since."""
    for file in cache.glob("*.parquet"):
        if f"parts/{file.name}" not in parts:
            file.unlink()


def _fetched(target: Target, part: str, cache: Path) -> Path:
    """Return the file of a part in the cache, fetched if it is not there as it should be."""
    file = cache / part.removeprefix("parts/")
    if file.exists() and part_name(file.read_bytes()) == part:
        return file
    data = target.get(part)
    if data is None:
        raise _Gone
    if part_name(data) != part:
        raise Damaged(f"{part} of the snapshot is damaged: delete it there, and it is written again")
    with written_whole(file, synced=False) as new:
        new.write_bytes(data)
    return file
