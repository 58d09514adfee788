"""Nearest vectors of many at once, with work that grows as their number and not as its square.

Few are compared with all, by matrix products in blocks. Many are first sorted into cells, each about one of them drawn
at random: a vector is looked for among those that have its own nearest centre among their nearest few, which costs
the same for each however many there are. Measured on two cores at 100,000 rows of 384: 150 s for all with all, 25 s in
cells; one by one through LanceDB's index it would be 900 s.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]

CELL = 1_000  # vectors about one centre, on average
PROBES = 12  # cells a vector is looked for in
EXACT = 400_000_000  # comparisons that are made without cells: 20,000 vectors with one another
_ROWS = 1_024  # compared in one product


class Vectors:
    """Unit vectors by place; a place without one has a row of zeros."""

    def __init__(self, rows: NDArray[np.float32], floor: float, most: int) -> None:
        """`floor` is the least cosine that counts, `most` how many near ones of each are wanted."""
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        self.rows = np.divide(rows, lengths, out=rows, where=lengths > 0)
        self.has = lengths[:, 0] > 0
        self._floor, self._most = floor, most

    def cosine(self, one: int, other: int) -> float | None:
        """Return the cosine of two places; None where one has no vector."""
        if not (self.has[one] and self.has[other]):
            return None
        return float(self.rows[one] @ self.rows[other])

    def blocks(self, wanted: Places) -> Iterator[tuple[Places, list[list[int]]]]:
        """Yield the wanted places in blocks, near ones together, and for each the places near it, nearest first."""
        known = np.flatnonzero(self.has)
        own, bare = wanted[self.has[wanted]], wanted[~self.has[wanted]]
        few = len(own) * len(known) <= EXACT or len(known) <= CELL * PROBES
        for part, among in [(own, known)] if few else self._cells(own, known):
            for at in range(0, len(part), _ROWS):
                yield part[at : at + _ROWS], self._nearest(part[at : at + _ROWS], among)
        for at in range(0, len(bare), _ROWS):
            part = bare[at : at + _ROWS]
            yield part, [[] for _ in part]

    def _cells(self, own: Places, known: Places) -> Iterator[tuple[Places, Places]]:
        """The wanted ones of each cell, and those among which they are looked for."""
        chance = np.random.default_rng(len(known))
        centres = self.rows[chance.choice(known, -(-len(known) // CELL), replace=False)]
        first = np.empty(len(known), np.int32)
        few = np.empty((len(known), PROBES), np.int32)
        for at in range(0, len(known), _ROWS):
            block = slice(at, at + _ROWS)
            away = -(self.rows[known[block]] @ centres.T)
            first[block] = away.argmin(axis=1)
            few[block] = np.argpartition(away, PROBES - 1, axis=1)[:, :PROBES]
        of_own = first[np.searchsorted(known, own)]
        order = np.argsort(few, axis=None, kind="stable")
        borders = np.searchsorted(few.ravel()[order], np.arange(len(centres) + 1))
        for cell in range(len(centres)):
            part = own[of_own == cell]
            if len(part):
                yield part, known[order[borders[cell] : borders[cell + 1]] // PROBES]

    def _nearest(self, part: Places, among: Places) -> list[list[int]]:
        most, found = self._most, [(np.empty(0, np.int64), np.empty(0, np.float32))] * len(part)
        for at in range(0, len(among), 16 * _ROWS):
            there = among[at : at + 16 * _ROWS]
            cosines = self.rows[part] @ self.rows[there].T
            cosines[part[:, None] == there[None, :]] = -1
            near = cosines >= self._floor
            for row in np.flatnonzero(near.any(axis=1)).tolist():
                hits = np.flatnonzero(near[row])
                values = cosines[row, hits]
                if len(hits) > most:
                    best = np.argpartition(-values, most)[:most]
                    hits, values = hits[best], values[best]
                places = np.concatenate((found[row][0], there[hits]))
                values = np.concatenate((found[row][1], values))
                best = np.argsort(-values, kind="stable")[:most]
                found[row] = (places[best], values[best])
        return [places.tolist() for places, _ in found]
