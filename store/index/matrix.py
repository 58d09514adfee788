"""Exact vector search for stores with fewer than `tables.TRAIN_FROM` memories, by a matrix of all vectors.

With 100,000 memories, comparing all vectors takes 9 ms of processor time. LanceDB's vector index takes 11 ms and misses
two of the ten nearest memories.

The matrix is a memory-mapped file next to the tables of a generation, which opens instantly and is shared by processes;
reading the vectors from the record takes 80 ms per 10,000 memories. The file is never modified: changes since it was
written are read from the record and searched separately, and a new file is written when there are many.
"""

import contextlib
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from store.filter import Filter
from store.index import versions
from store.index.queries import CAP, by_score
from store.index.reader import IndexReader, Last, Scored

_EVENTS = 1_000  # maximum events whose changes are applied to a matrix; after more it is read again
_SOON = 2  # the file is rewritten after 1/2 of these changes
_NEAR = 3  # nearest memories tested against a filter, per hit wanted
_WIDER = 8  # maximum factor by which the number of tested memories grows if too few match
_beside = ThreadPoolExecutor(1, thread_name_prefix="vectors")  # starts with the first search of many rows
_MANY = 30_000  # minimum rows for which a second thread is used
_NAME = "vectors-{}-{}-{}.f32"  # the last event and vector in it, and the count: ids (int64), then rows of float32


@dataclass(frozen=True, slots=True)
class Matrix:
    """Unit vectors of all live memories as of an event and a vector number of an epoch.

    `ids` are the memories of `rows`, followed by those of `added`. Positions in `stale` are outdated and ignored.
    """

    position: tuple[str | None, int, int]
    ids: NDArray[np.int64]
    rows: NDArray[np.float32]
    added: NDArray[np.float32]
    stale: NDArray[np.int64]

    def sorted(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the ids, ascending, and their rows."""
        kept = np.delete(np.arange(len(self.ids)), self.stale)
        order = kept[np.argsort(self.ids[kept])]
        return self.ids[order], np.concatenate((self.rows, self.added))[order]


def read(record: IndexReader, former: Matrix | None, folder: Path | None = None) -> Matrix:
    """Return the matrix of the current record, reusing the `former` one with changes applied if they are few.

    Without a former matrix, the file in a generation's folder is used if it exists. A matrix with uncommitted changes
    must not be passed as a former one, since the numbers of rolled back events are reused.
    """
    uncommitted = record.store.in_command  # a snapshot counts as one
    with record.store.snapshot():
        epoch = None if uncommitted else record.store.epoch
        last = record.last()
        position = epoch, last.event, last.vector
        if not uncommitted:
            if former is not None and former.position == position:
                return former
            changed = None if former is None else _changed(record, former, last)
            if changed is None and folder is not None:
                former = _mapped(record, folder)
                changed = None if former is None else _changed(record, former, last)
            if former is not None and changed is not None:
                return _with(record, former, changed, position)
        ids, rows = _whole(record)
    return Matrix(position, ids, rows, rows[:0], ids[:0])


def _changed(record: IndexReader, known: Matrix, last: Last) -> set[int] | None:
    """Return the memories that changed since a matrix was made; None if they are too many, or the epoch differs."""
    epoch, event, vector = known.position
    if epoch != record.store.epoch:
        return None
    events, vectors = last.event - event, last.vector - vector
    if not (0 <= events <= _EVENTS and 0 <= vectors <= CAP):
        return None
    changed = record.changed(event, vector) if events or vectors else set[int]()
    return None if len(changed) > CAP else changed


def _with(record: IndexReader, known: Matrix, changed: set[int], position: tuple[str | None, int, int]) -> Matrix:
    """Return a matrix with changes of the record applied; many added rows are merged with the others."""
    fresh = record.vectors(record.matching(Filter(), changed))
    stale = np.union1d(known.stale, np.flatnonzero(np.isin(known.ids, np.array(list(changed), np.int64))))
    added = np.concatenate((known.added, _unit(b"".join(fresh.values()), known.rows.shape[1])))
    ids = np.concatenate((known.ids, np.array(list(fresh), np.int64)))
    made = Matrix(position, ids, known.rows, added, stale)
    if len(added) + len(stale) <= CAP:
        return made
    ids, rows = made.sorted()
    return Matrix(position, ids, rows, rows[:0], ids[:0])


def _whole(record: IndexReader) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Read all from the record."""
    dimension = record.fingerprint.dimension
    ids, parts = [np.empty(0, np.int64)], [np.empty((0, dimension), np.float32)]
    for numbers, rows in record.store.vectors.blocks(record.fingerprint):
        ids.append(np.array(numbers, np.int64))
        parts.append(_unit(rows, dimension))
    return np.concatenate(ids), np.concatenate(parts)


def _unit(rows: bytes, dimension: int) -> NDArray[np.float32]:
    """Return vectors normalized to length 1."""
    read = np.frombuffer(rows, np.float32).reshape(-1, dimension)
    made: NDArray[np.float32] = read / np.maximum(np.linalg.norm(read, axis=1, keepdims=True), 1e-12)
    return made


# The file


def write(record: IndexReader, folder: Path, last: Last) -> None:
    """Write the file of a generation unless the one that is there lags by few changes. Call it within a snapshot."""
    former = _file(folder)
    if former is not None:
        _, event, vector, _ = former
        few = last.event - event <= _EVENTS // _SOON and last.vector - vector <= CAP // _SOON
        if few and len(record.changed(event, vector)) <= CAP // _SOON:
            return
    partial = folder / f"vectors.{os.getpid()}"
    ids, rows = _whole(record)
    with partial.open("wb") as file:
        file.write(ids.data)
        file.write(rows.data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder / _NAME.format(last.event, last.vector, len(ids)))
    if former is not None:
        with contextlib.suppress(OSError):  # in use (Windows): it stays until its generation is deleted
            former[0].unlink()


def _file(folder: Path) -> tuple[Path, int, int, int] | None:
    """Return the newest file of a generation, with the numbers in its name."""
    found = [
        (path, int(event), int(vector), int(count))
        for path in folder.glob(_NAME.format("*", "*", "*"))
        for _, event, vector, count in [path.stem.split("-")]
    ]
    return max(found, key=lambda one: one[1:], default=None)


def _mapped(record: IndexReader, folder: Path) -> Matrix | None:
    """Return the matrix in a generation's file; None if it is missing, damaged, or has other vectors."""
    mark, newest = versions.read_mark(folder), _file(folder)
    if mark is None or newest is None or mark.fingerprint != record.fingerprint.label:
        return None
    path, event, vector, count = newest
    dimension = record.fingerprint.dimension
    rows = np.empty((0, dimension), np.float32)
    try:
        if path.stat().st_size != count * (8 + 4 * dimension):
            return None
        ids = np.fromfile(path, np.int64, count)
        if count:
            rows = np.memmap(path, np.float32, "r", 8 * count, (count, dimension))
    except (OSError, ValueError):  # deleted meanwhile
        return None
    return Matrix((mark.store, event, vector), ids, rows, np.empty((0, dimension), np.float32), ids[:0])


def differences(record: IndexReader, folder: Path) -> list[str]:
    """Return the differences of the file, and the changes since, from the record, as text."""
    mapped = _mapped(record, folder)
    if mapped is None:
        return [] if _file(folder) is None else [f"the vectors in {folder} are damaged"]
    with record.store.snapshot():
        changed = _changed(record, mapped, record.last())
        right = changed is None  # too old to be used
        if changed is not None:
            (ids, rows), (live, exact) = _with(record, mapped, changed, mapped.position).sorted(), _whole(record)
            right = np.array_equal(ids, live) and np.array_equal(rows, exact)
    return [] if right else [f"the vectors in {folder} are not those of the record"]


# Searching


def nearest(record: IndexReader, matrix: Matrix, vector: NDArray[np.float32], filter: Filter, limit: int) -> Scored:
    """Return the memories that match a filter by cosine with `vector`, nearest first.

    Uses `vecdot`, on two threads if there are many rows: the threads of a matrix product spin for about 25 ms
    afterwards, which slows down concurrent full-text searches. Testing 1,000 memories against a filter takes 1 ms,
    listing all matches among 100,000 takes 170 ms.
    """
    unit = vector / np.linalg.norm(vector)
    half = len(matrix.rows) // 2 if len(matrix.rows) >= _MANY else 0
    first = _beside.submit(np.vecdot, matrix.rows[:half], unit) if half else None
    parts = [np.vecdot(matrix.rows[half:], unit), np.vecdot(matrix.added, unit)]
    cosines = np.concatenate(parts if first is None else [first.result(), *parts])
    cosines[matrix.stale] = -np.inf
    live, reach, tested = len(cosines) - len(matrix.stale), limit if filter == Filter() else _NEAR * limit, set[int]()
    found: Scored = []
    while True:
        reach = min(reach, live)
        best = np.argpartition(-cosines, reach)[:reach] if reach < len(cosines) else np.arange(reach)
        best.sort()  # of equal cosines the first
        near = [hit for hit in by_score(matrix.ids[best], cosines[best]) if hit[0] not in tested]
        right = record.matching(filter, [memory for memory, _ in near]) if filter != Filter() else dict(near)
        found += [hit for hit in near if hit[0] in right]
        if len(found) >= limit or reach >= live:
            return found[:limit]
        tested.update(memory for memory, _ in near)
        reach = int(reach * min(_WIDER, 1.5 * limit / max(len(found), 1)))
