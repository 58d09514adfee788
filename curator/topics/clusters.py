"""Clusters of vectors: average linkage of the memories up to the last checkpoint; later ones join these clusters.

So a new memory moves no other between two checkpoints, which are half as many memories again apart. All steps are in
order of ids and none is random: equal input gives equal clusters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

    Rows = numpy.ndarray[Any, numpy.dtype[numpy.float32]]
    Numbers = numpy.ndarray[Any, numpy.dtype[numpy.int64]]

NEAR = 0.2
"""Average cosine of centered vectors from which two clusters are one topic.

Judged by hand on 127 memories of a demo and 577 of long chats: 0.15 mixes topics, 0.3 splits them.
"""
_NEIGHBOURS = 3  # memories before and after one in its conversation that are its context
_CONTEXT = 1.5  # their weight at most; it falls with the square of how much they differ from each other
_LEAST = 3  # memories of a topic; more in a large store, so that topics stay few
_FIRST = 64  # the first checkpoint, an id
_MOST = 1_200  # groups linked at once; a larger store is grouped around leaders first
_CLOSE = 0.6  # cosine to a leader from which a memory is in its group
_CENTRE = 20  # memories whose mean has half of its weight
_BLOCK = 1_024  # rows compared with all leaders, or summed, at once
_NEVER = -9.0
OTHER = -1


@dataclass(frozen=True, slots=True)
class MemoryVector:
    """A memory with a vector: its id, its conversation (`group`), position there, and given label, if any."""

    id: int
    group: str | None = None
    ordinal: int = 0
    label: str | None = None


def cluster_numbers(memories: Sequence[MemoryVector], vectors: "Rows") -> "Numbers":
    """Return the cluster of each memory, numbered from 0, or OTHER. `memories` are in order of their ids.

    Memories with the same label are one cluster, which others may join; two labels never meet in one.
    """
    import numpy as np

    if not memories:
        return np.empty(0, np.int64)
    checkpoint = checkpoint_of(memories[-1].id)
    base = sum(memory.id <= checkpoint for memory in memories)
    rows = centred(in_context(memories, vectors), base)
    labels = {name: number for number, name in enumerate(sorted({p.label for p in memories if p.label is not None}))}
    given = np.array([OTHER if memory.label is None else labels[memory.label] for memory in memories], np.int64)
    least = max(_LEAST, isqrt(base) // 6)
    found = given.copy()
    _link_into(found, np.arange(base), rows, given, least, 0)
    later = base + np.flatnonzero(given[base:] == OTHER)
    found[later] = nearest(rows, found, later)
    rest = np.flatnonzero(found == OTHER)  # among them clusters too small for a topic; now by their own words alone
    if len(rest):
        found[rest] = nearest(centred(_to_units(vectors.copy()), base), found, rest)
    _link_into(found, np.flatnonzero(found == OTHER), rows, np.full(len(rows), OTHER), least, int(found.max()) + 1)
    return found


def checkpoint_of(last: int) -> int:
    """Return the last checkpoint: 64, 96, 144 …, at most the largest id; that id itself below the first."""
    checkpoint = _FIRST
    while checkpoint * 3 // 2 <= last:
        checkpoint = checkpoint * 3 // 2
    return min(checkpoint, last)


def in_context(memories: Sequence[MemoryVector], vectors: "Rows") -> "Rows":
    """Return unit vectors blended with neighbouring memories, weighted by their agreement."""
    import numpy as np

    groups: dict[str, list[int]] = {}
    for row, memory in enumerate(memories):
        if memory.group is not None:
            groups.setdefault(memory.group, []).append(row)
    rows = vectors.astype(np.float32, copy=True)
    for members in groups.values():
        members.sort(key=lambda row: (memories[row].ordinal, memories[row].id))
        own = vectors[members]
        sums = np.vstack([np.zeros((1, own.shape[1]), np.float32), np.cumsum(own, 0, dtype=np.float32)])
        at = np.arange(len(members))
        first, last = np.maximum(at - _NEIGHBOURS, 0), np.minimum(at + _NEIGHBOURS + 1, len(members))
        mean = (sums[last] - sums[first] - own) / np.maximum(last - first - 1, 1)[:, None]
        rows[members] = own + _CONTEXT * mean * np.linalg.norm(mean, axis=1, keepdims=True)
    return _to_units(rows)


def centred(rows: "Rows", base: int) -> "Rows":
    """Center rows on the mean of the first `base` and normalize them; unrelated texts differ in cosine by model."""
    rows -= rows[:base].mean(0) * (base / (base + _CENTRE))
    return _to_units(rows)


def nearest(rows: "Rows", found: "Numbers", selected: "Numbers") -> "Numbers":
    """Return the nearest cluster of each selected row, or OTHER if none is NEAR on average."""
    import numpy as np

    count = int(found.max()) + 1
    if not count or not len(selected):
        return np.full(len(selected), OTHER, np.int64)
    known = np.flatnonzero(found != OTHER)
    means = _sums(rows, known, found[known], count)
    means /= np.bincount(found[known], minlength=count)[:, None]
    near = rows[selected] @ means.T
    best = near.argmax(1)
    return np.where(near[np.arange(len(selected)), best] >= NEAR, best, OTHER).astype(np.int64)


def linked(sums: "Rows", sizes: "Numbers", labelled: "Numbers") -> "Numbers":
    """Return for each group the one it is merged into by average linkage; labelled groups never merge."""
    import numpy as np

    means = sums / sizes[:, None]
    near = (means @ means.T).astype(np.float32)
    apart = labelled != OTHER
    near[np.ix_(apart, apart)] = _NEVER
    np.fill_diagonal(near, _NEVER)
    into, weights = np.arange(len(sums)), sizes.astype(np.float32)
    best = near.argmax(1)
    highest = near[into, best]
    while len(sums) and highest[one := int(highest.argmax())] >= NEAR:
        other = int(best[one])
        if apart[other] or (other < one and not apart[one]):
            one, other = other, one
        joined = (near[one] * weights[one] + near[other] * weights[other]) / (weights[one] + weights[other])
        joined[(near[one] == _NEVER) | (near[other] == _NEVER)] = _NEVER
        near[one] = near[:, one] = joined
        near[other] = near[:, other] = _NEVER
        weights[one] += weights[other]
        into[into == other] = one
        stale = np.flatnonzero((best == one) | (best == other))
        best[stale] = near[stale].argmax(1)
        highest[stale] = near[stale, best[stale]]
        closer = joined > highest
        best[closer], highest[closer] = one, joined[closer]
        best[one] = near[one].argmax()
        highest[one] = near[one, best[one]]
        highest[other] = _NEVER
    return into


def _link_into(found: "Numbers", selected: "Numbers", rows: "Rows", given: "Numbers", least: int, first: int) -> None:
    """Number the clusters of the selected rows that have at least `least` rows, or a label, from `first` on."""
    import numpy as np

    if not len(selected):
        return
    group = groups_of(rows, selected, given[selected])
    sizes = np.bincount(group)
    labelled = np.full(len(sizes), OTHER)
    labelled[group] = given[selected]
    into = linked(_sums(rows, selected, group, len(sizes)), sizes, labelled)[group]
    count, next_free = np.bincount(into), max(first, int(given.max()) + 1)
    for cluster in dict.fromkeys(into.tolist()):
        members = selected[into == cluster]
        if labelled[cluster] != OTHER:
            found[members] = labelled[cluster]
        elif count[cluster] >= least:
            found[members] = next_free
            next_free += 1


def groups_of(rows: "Rows", selected: "Numbers", given: "Numbers") -> "Numbers":
    """Return the group of each selected row: that of its label, its own, or of the nearest leader in a large store."""
    import numpy as np

    group = np.full(len(selected), OTHER)
    numbers: dict[int, int] = {}
    for row in np.flatnonzero(given != OTHER):
        group[row] = numbers.setdefault(int(given[row]), len(numbers))
    free = np.flatnonzero(given == OTHER)
    if len(free) <= _MOST:
        group[free] = len(numbers) + np.arange(len(free))
        return group
    leaders, led = np.empty((_MOST, rows.shape[1]), np.float32), 0
    for start in range(0, len(free), _BLOCK):
        block = free[start : start + _BLOCK]
        there = rows[selected[block]]
        near = there @ leaders[:led].T if led else np.full((len(block), 1), _NEVER, np.float32)
        best, known = near.argmax(1), led
        highest = near[np.arange(len(block)), best]
        for at in np.flatnonzero(highest < _CLOSE) if led < _MOST else ():
            row = there[at]
            if led > known and (later := leaders[known:led] @ row).max() > highest[at]:
                best[at], highest[at] = known + int(later.argmax()), later.max()
            if highest[at] < _CLOSE and led < _MOST:
                leaders[led], best[at] = row, led
                led += 1
        group[block] = len(numbers) + best
    return group


def _sums(rows: "Rows", selected: "Numbers", group: "Numbers", count: int) -> "Rows":
    import numpy as np

    order = np.argsort(group, kind="stable")
    sums = np.zeros((count, rows.shape[1]), np.float32)
    for start in range(0, len(order), _BLOCK):  # numpy stops all threads while it adds
        block = order[start : start + _BLOCK]
        starts = np.flatnonzero(np.diff(group[block], prepend=-2))
        sums[group[block][starts]] += np.add.reduceat(rows[selected[block]], starts, axis=0)
    return sums


def _to_units(rows: "Rows") -> "Rows":
    """Normalize rows to unit vectors, in place."""
    import numpy as np

    rows /= np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1e-9)[:, None]
    return rows
