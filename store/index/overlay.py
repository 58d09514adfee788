"""Changes that are not in the index yet: searched by simpler means, so that an answer is never stale."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from store.filter import Filter
from store.index import queries, reader
from store.index.query_builder import stems
from store.index.reader import Row, Scored
from store.index.tables import Tables
from store.index.versions import Mark
from store.model import Fingerprint

CAP = 2_000  # rows; with more to do, catching up comes first


@dataclass(frozen=True, slots=True)
class Lag:
    """The memories touched since the index's mark, and as many of them as are live and may be searched here.

    Of those in `same` the index has the very words, and so knows best how well they fit.
    """

    changed: frozenset[int] = frozenset()
    rows: tuple[Row, ...] = ()
    same: frozenset[int] = frozenset()

    @property
    def extra_hits(self) -> int:
        """Hits to ask the engine for beyond the limit, since this many may be dropped."""
        return min(len(self.changed), CAP)

    def merge(
        self,
        found: Scored,
        connection: sqlite3.Connection,
        owner: str,
        filter: Filter,
        score: Callable[[Sequence[Row]], Scored],
    ) -> Scored:
        """Return the engine's hits without those that have changed, and what changed and matches as it is now."""
        meant = reader.matching(connection, owner, filter, [row.memory.id for row in self.rows])
        hits = [hit for hit in found if hit[0] not in self.changed]
        return sorted(hits + score([row for row in self.rows if row.memory.id in meant]), key=lambda hit: -hit[1])


def read_lag(
    connection: sqlite3.Connection, owner: str, fingerprint: Fingerprint, mark: Mark, tables: Callable[[], Tables]
) -> Lag:
    """Return what the record has and a generation with this mark has not."""
    changed = reader.changed(connection, fingerprint, mark.seq, mark.vector)
    rows = tuple(reader.rows(connection, owner, fingerprint, sorted(changed)[-CAP:]))
    known = queries.words_of(tables(), [row.memory.id for row in rows]) if rows else {}
    same = [row.memory.id for row in rows if known.get(row.memory.id) == (row.memory.text, row.context)]
    return Lag(frozenset(changed), rows, frozenset(same))


def by_words(rows: Sequence[Row], query: str, column: str, best: float) -> Scored:
    """Return each row that shares words with the query, by how many, on the scale of the engine's `best` score."""
    wanted = stems(query)
    shared = {row.memory.id: wanted & stems(row.memory.text if column == "text" else row.context) for row in rows}
    return [(memory, best * len(words) / len(wanted)) for memory, words in shared.items() if words]
