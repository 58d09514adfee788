"""What the record has and the index has not yet: searched by simpler means, so that an answer is never stale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.index.query_builder import stems
from store.index.reader import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CAP = 2_000  # rows; with more to do, catching up comes first

Scored = list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Lag:
    """The memories touched since the index's mark, and as many of them as are live and may be searched here.

    Of those in `same` the index has the very words, and so knows best how well they fit.
    """

    changed: frozenset[int]
    rows: tuple[Row, ...]
    same: frozenset[int] = frozenset()

    @property
    def reach(self) -> int:
        """How many more hits to ask the engine for, since this many may be dropped."""
        return min(len(self.changed), CAP)


def by_words(rows: Sequence[Row], query: str, column: str, best: float) -> Scored:
    """Share of the query's words in each row, on the scale of the engine's `best` score."""
    wanted = stems(query)
    found = []
    for row in rows:
        shared = len(wanted & stems(row.memory.text if column == "text" else row.context))
        if shared:
            found.append((row.memory.id, best * shared / len(wanted)))
    return found


def by_vector(rows: Sequence[Row], vector: "NDArray[np.float32]") -> Scored:
    """Cosine with each row that has a vector."""
    import numpy as np

    found = []
    for row in rows:
        if row.vector is not None:
            own = np.frombuffer(row.vector, np.float32)
            scale = float(np.linalg.norm(own) * np.linalg.norm(vector))
            if scale:
                found.append((row.memory.id, float(own @ vector) / scale))
    return found
