"""Save and load the DuckDB copy as a file, because reading a large record row by row is slow.

    analytics/lock             held by readers, writers and deleters, in any process
    analytics/<owner>.rows     Parquet with its `CopyPosition` (record and position) in the metadata; then its hash

It contains texts of memories: purging deletes it. The lock ensures that no process writes one afterwards from data
read before: a writer first checks for purges and redactions, and these delete after their commit. A lost snapshot can
be rebuilt. One that does not match the record, or is damaged, is deleted when found.
"""

import hashlib
import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from store.analytics.reader import ROWS, CopyPosition, schema
from store.atomic_write import written_whole
from store.errors import Busy
from store.file_lock import locked
from store.filter import OPEN_ALERTS

if TYPE_CHECKING:
    import pyarrow

_log = logging.getLogger(__name__)

_WAIT = 5.0  # seconds to wait for another process, which reads or writes a snapshot in about one
_GROUPS = 4  # row groups passed on at once
_FEW = ["kind", "tier", "rank", "review", "life", "origin", "project", "source", "scope", "flag", "given"]
_NAME = b"curator"
_HASH = 32  # bytes of the hash at the end of the file


def root(folder: Path) -> Path:
    """Return the folder of the snapshots of the store in `folder`."""
    return folder / "analytics"


def snapshot_path(folder: Path, owner: str) -> Path:
    """Return the snapshot file of an owner."""
    return root(folder) / f"{hashlib.blake2b(owner.encode(errors='replace'), digest_size=6).hexdigest()}.rows"


def load(
    folder: Path, owner: str, fits: Callable[[CopyPosition], bool], take: "Callable[[pyarrow.Table], object]"
) -> CopyPosition | None:
    """Pass the rows of the snapshot to `take` in parts, and return its mark.

    `fits` tells if a mark is in the record's past, with nothing purged since. Return None if no snapshot fits or it is
    damaged; rows that were passed before are then invalid.
    """
    file = snapshot_path(folder, owner)
    if not file.exists():
        return None
    import pyarrow
    from filelock import FileLock, Timeout
    from pyarrow.parquet import ParquetFile

    try:
        with FileLock(root(folder) / "lock", timeout=_WAIT):
            try:
                content = memoryview(file.read_bytes())
                if _hash(content[:-_HASH]) != content[-_HASH:]:
                    raise ValueError("its hash is another")
                kept = ParquetFile(pyarrow.BufferReader(content[:-_HASH]))
                mark = _read_mark(kept.schema_arrow)
                if mark is not None and fits(mark):
                    for start in range(0, kept.num_row_groups, _GROUPS):
                        take(kept.read_row_groups(list(range(start, min(start + _GROUPS, kept.num_row_groups)))))
                    return mark
            except (ValueError, pyarrow.ArrowException):
                _log.warning("the snapshot %s is damaged and is rebuilt", file, exc_info=True)
            file.unlink(missing_ok=True)
    except Timeout:
        _log.info("another process holds the snapshots in %s", root(folder))
    except OSError:
        _log.warning("the snapshot %s cannot be read", file, exc_info=True)
    return None


def save(
    folder: Path, mark: CopyPosition, tables: "Iterable[pyarrow.Table]", fits: Callable[[CopyPosition], bool]
) -> bool:
    """Replace the snapshot with the rows as of `mark`.

    Return False, without writing, if another process holds the lock, or if `mark` no longer matches the record.
    Raises Unwritable, OSError.
    """
    from filelock import FileLock, Timeout
    from pyarrow.parquet import ParquetWriter

    root(folder).mkdir(exist_ok=True)
    try:
        with FileLock(root(folder) / "lock", timeout=0):
            if not fits(mark):
                return False
            with written_whole(snapshot_path(folder, mark.owner)) as partial:
                with ParquetWriter(
                    partial,
                    schema().with_metadata({_NAME: orjson.dumps({"of": _columns(), **asdict(mark)})}),
                    compression="zstd",
                    compression_level=1,
                    use_dictionary=_FEW,
                    write_statistics=False,
                ) as writer:
                    for table in tables:
                        writer.write_table(table.cast(schema()))
                hashed = _hash(partial.read_bytes())
                with partial.open("ab") as end:
                    end.write(hashed)
    except Timeout:
        return False
    return True


def drop(folder: Path, wait: float = 60.0) -> None:
    """Delete the snapshots of all owners. Raises Busy if another process holds the lock longer than `wait` seconds."""
    if not root(folder).exists():
        return
    busy = Busy(f"another program is using {root(folder)}, whose files could not be deleted; close it")
    try:
        with locked(root(folder) / "lock", wait, busy):
            for file in root(folder).iterdir():
                if file.name != "lock":
                    file.unlink()
    except PermissionError:
        raise busy from None


def _hash(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=_HASH).digest()


def _columns() -> str:
    """Return a text that changes with the meaning of the columns, to detect snapshots of another version."""
    return f"{ROWS}\n{OPEN_ALERTS}\n{schema()}"


def _read_mark(found: "pyarrow.Schema") -> CopyPosition | None:
    try:
        fields = orjson.loads((found.metadata or {})[_NAME])
        return CopyPosition(**fields) if fields.pop("of") == _columns() else None
    except (KeyError, TypeError, AttributeError, orjson.JSONDecodeError):
        return None
