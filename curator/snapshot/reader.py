"""Query the snapshot of a store on another machine. Fetched parts are cached:

    snapshots/<hash of the target>/lock             held while a query runs
    snapshots/<hash of the target>/<hash>.parquet   of the newest snapshot only

So parts are not fetched again, and what was purged elsewhere is deleted here by the next query.
"""

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from curator.errors import TargetUnreachable
from curator.paths import cache_folder
from curator.snapshot.manifest import DamagedSnapshot, Manifest, newest_complete, part_name
from curator.targets import Target, from_anywhere, target_of
from store.atomic_write import written_whole

if TYPE_CHECKING:
    from store.analytics.file_stats import FileStats
    from store.analytics.sql_console import Result

T = TypeVar("T")
_Files: TypeAlias = Callable[[str], Sequence[Path]]

_NONE = (
    "there is no snapshot in {}: the machine with this snapshot.target writes one, and a synced folder must be complete"
)
_OTHER = "the snapshot in {} was written by another version of Curator: install the same one on both machines"
_TRIES = 3  # the writer may erase an old snapshot while it is fetched


class _PartErased(Exception):
    """A part was erased after the manifest was read."""


def query(text: str, sql: str) -> "tuple[Result, int]":
    """Answer one SELECT over the snapshot in a target; return also its time in microseconds.

    Raises BadQuery, ValueError for a text that is no target, DamagedSnapshot, TargetUnreachable.
    """
    from store.analytics.sql_console import query_files

    return _read(text, lambda files, _: query_files(files, sql))


def stats(text: str, now: int) -> "tuple[FileStats, int]":
    """Return the counts of the snapshot in a target, and its time in microseconds. Raises as `query` does."""
    import duckdb

    from store.analytics.file_stats import file_stats, read_history

    def answer(files: _Files, manifest: Manifest) -> "FileStats":
        try:
            return file_stats(files("memories"), read_history(manifest.history), now)
        except (TypeError, KeyError, duckdb.BinderException):
            raise DamagedSnapshot(_OTHER.format(text)) from None

    return _read(text, answer)


def _read(text: str, answer: Callable[[_Files, Manifest], T]) -> tuple[T, int]:
    """Call `answer` with a function that returns the files of a table, fetched if missing."""
    from filelock import FileLock

    from store.analytics.sql_tables import TABLES

    text = from_anywhere(text)
    target = target_of(text)
    folder = cache_folder() / "snapshots" / hashlib.sha256(text.encode()).hexdigest()[:16]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        for _ in range(_TRIES):
            manifest = newest_complete(target)
            for file in folder.glob("*.parquet"):
                if manifest is None or f"parts/{file.name}" not in manifest.parts:
                    file.unlink()  # it may hold words that were purged since
            if manifest is None:
                raise TargetUnreachable(_NONE.format(text))
            if manifest.tables.keys() != TABLES.keys():
                raise DamagedSnapshot(_OTHER.format(text))
            with contextlib.suppress(_PartErased):
                return answer(_Cache(target, manifest, folder).files, manifest), manifest.at
    raise TargetUnreachable(f"the snapshot in {text} is being replaced: try again in a minute")


@dataclass(frozen=True, slots=True)
class _Cache:
    """The folder with the fetched parts of a snapshot."""

    target: Target
    manifest: Manifest
    folder: Path

    def files(self, name: str) -> list[Path]:
        """Return the files of a table. Raises DamagedSnapshot, TargetUnreachable, _PartErased."""
        return [self.fetched(part) for part in self.manifest.tables[name]]

    def fetched(self, part: str) -> Path:
        """Return the file of a part, fetched if it is missing or damaged."""
        file = self.folder / part.removeprefix("parts/")
        if file.exists() and part_name(file.read_bytes()) == part:
            return file
        data = self.target.get(part)
        if data is None:
            raise _PartErased
        if part_name(data) != part:
            raise DamagedSnapshot(f"{part} of the snapshot is damaged: delete it there; the next snapshot has it again")
        with written_whole(file, synced=False) as new:
            new.write_bytes(data)
        return file
