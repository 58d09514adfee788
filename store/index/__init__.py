"""The search index: a LanceDB projection of the record that can be deleted at any time and is then rebuilt.

In small stores, full text is indexed by SQLite instead. The index follows the record by the numbers of the last event,
vector and message, which are stored after each step; steps are idempotent. One process writes at a time and any number
read; searches merge changes that are not indexed yet. The tables may be on object storage, unlike the record.
"""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from store.errors import Busy, Unusable
from store.filter import Filter
from store.index import corrections, matrix, queries, tables, versions, words
from store.index.queries import Lag
from store.index.reader import Row, Scored
from store.index.updates import UpdatedIndex
from store.index.versions import IndexPosition
from store.model import Fingerprint
from store.store import Store

__all__ = ["Index", "Scored"]

T = TypeVar("T")

_log = logging.getLogger(__name__)

_ROUGHLY = 700
"""Candidates of the vector index whose exact vectors are compared.

With 100,000 memories this takes 20 ms and includes eight of the ten nearest memories; with 200 candidates it is six.
LanceDB's own refinement is slower.
"""
_SIMILAR = 50  # memories whose words are compared with a misspelt word
_SPARE = 50  # additional message hits requested, since an undone import leaves hidden messages in the index


class Index(UpdatedIndex):
    """Search over one owner's live memories and raw messages, with vectors of one fingerprint. Safe from any thread."""

    def __init__(self, store: Store, fingerprint: Fingerprint, uri: str = "") -> None:
        """Create as `UpdatedIndex`."""
        super().__init__(store, fingerprint, uri)
        self._behind: tuple[tuple[IndexPosition, int, int], Lag] | None = None
        self._matrix: matrix.Matrix | None = None

    def _words(self, mark: IndexPosition) -> Path | None:
        """Return the folder of the words of a small store, or None if LanceDB has them."""
        return versions.current(self._home) if mark.words else None

    def search_text(self, query: str, filter: Filter, limit: int, column: str = "text") -> Scored:
        """Return the best memories by their words: (memory, BM25), best first.

        The column "context" has the surrounding words too.
        """

        def ask(mark: IndexPosition, behind: Lag) -> Scored:
            wide = limit + behind.extra_hits
            among: Callable[[Sequence[int]], Scored]
            if (beside := self._words(mark)) is not None:

                def among(ids: Sequence[int]) -> Scored:
                    return words.search(beside, query, column, len(ids), ids)

                found = queries.confirmed_hits(
                    wide,
                    wide if filter == Filter() else 2 * wide,
                    lambda many: words.search(beside, query, column, many),
                    lambda ids: {*ids} if filter == Filter() else self.record.matching(filter, ids),
                )
            else:
                memories, wanted = self._tables().memories, queries.match(query, column)

                def among(ids: Sequence[int]) -> Scored:
                    return queries.by_words(memories, wanted, len(ids), queries.among(ids))

                found = self._confirmed(filter, wide, lambda *asked: queries.by_words(memories, wanted, *asked))
            best = found[0][1] if found else 1.0

            def score(rows: Sequence[Row]) -> Scored:
                same = [row.memory.id for row in rows if row.memory.id in behind.same]
                known = dict(found)
                if filter != Filter() and (missing := [memory for memory in same if memory not in known]):
                    known |= dict(among(missing))
                new = [row for row in rows if row.memory.id not in behind.same]
                hits = [(memory, known[memory]) for memory in same if memory in known]
                return hits + queries.score_words(new, query, column, best)

            return behind.merge(found, self.record, filter, score)[:limit]

        return self._asked(ask) if query.strip() and limit > 0 and filter.includes_live else []

    def corrections(
        self, words_typed: Sequence[str], filter: Filter, same_letter: bool = False
    ) -> dict[str, tuple[str, ...]]:
        """Return the words that occur in no memory or context, with similar words of memories that match the filter."""

        def ask(word: str, mark: IndexPosition, behind: Lag) -> tuple[str, ...]:
            if (beside := self._words(mark)) is not None:
                ids = words.similar(beside, word, _SIMILAR, same_letter)
            else:
                ids = queries.similar(self._tables().memories, word, _SIMILAR, same_letter)
            ids += [row.memory.id for row in behind.rows[-_SIMILAR:]]
            kept = self.record.matching(filter, ids)
            return tuple(
                corrections.suggest_words(word, [one.text for one in self.record.outlines(sorted(kept)).values()])
            )

        unknown = [word for word in words_typed if not self.search_text(word, Filter(), 1, "context")]
        found = {word: self._asked(partial(ask, word)) for word in unknown}
        return {word: nearest for word, nearest in found.items() if nearest}

    def search_vector(self, vector: NDArray[np.float32] | bytes, filter: Filter, limit: int) -> Scored:
        """Return the nearest memories: (memory, cosine), nearest first. Exact up to about 200,000 vectors.

        Raises ValueError if the vector's dimension differs from the fingerprint's.
        """
        wanted = np.frombuffer(vector, np.float32) if isinstance(vector, bytes) else vector.astype(np.float32)
        if wanted.shape != (self.fingerprint.dimension,):
            raise ValueError(f"a vector of shape {wanted.shape} for an index of {self.fingerprint.dimension}")
        if limit <= 0 or not wanted.any() or not filter.includes_live:
            return []
        known = self._mark()
        if self.record.last().vector < tables.TRAIN_FROM or (known is not None and known.vectors):
            self._matrix = matrix.read(self.record, self._matrix, versions.current(self._home))
            return matrix.nearest(self.record, self._matrix, wanted, filter, limit)

        def score(rows: Sequence[Row]) -> Scored:
            return queries.by_cosine(
                {row.memory.id: row.vector for row in rows if row.vector and any(row.vector)}, wanted
            )

        def ask(mark: IndexPosition, behind: Lag) -> Scored:
            found: Scored = []
            if mark.fingerprint == self.fingerprint.label:
                wide = max(limit, _ROUGHLY) + behind.extra_hits
                current = self._tables()
                rough = self._confirmed(filter, wide, lambda *asked: queries.nearest(current, wanted, *asked))
                found = queries.by_cosine(self.record.vectors([memory for memory, _ in rough]), wanted)
            return behind.merge(found, self.record, filter, score)[:limit]

        return self._asked(ask)

    def _confirmed(self, filter: Filter, limit: int, ask: Callable[[int, str | None], Scored]) -> Scored:
        """Return the engine's best hits that match a filter, of which the record tests what the engine cannot.

        If few memories match the filter, only those are searched; otherwise hits are requested until enough match.
        """
        if filter == filter.indexed():
            return ask(limit, queries.condition(filter))
        few = self.store.list_ids(filter, limit=queries.CAP + 1)
        if len(few) <= queries.CAP:
            return ask(limit, queries.among(few)) if few else []
        return queries.confirmed_hits(
            limit,
            limit,
            lambda many: ask(many, queries.condition(filter)),
            lambda ids: self.record.matching(filter, ids),
        )

    def search_messages(
        self,
        query: str,
        limit: int,
        project: str | None = None,
        every: bool = False,
        fits: Callable[[str], bool] = lambda text: True,
    ) -> Scored:
        """Return the best visible messages: (message, BM25), best first. New messages are indexed first.

        With `project`, only its conversations are searched; with `every`, messages must contain all words. Texts that
        `fits` rejects are left out.
        """

        def confirm(ids: Sequence[int]) -> set[int]:
            visible = self.store.raw.visible_messages(ids, project)
            return {number for number, message in visible.items() if fits(message.text)}

        def ask(mark: IndexPosition, behind: Lag) -> Scored:
            messages, wanted = self._tables().messages, queries.match(query, "text", every)
            return queries.confirmed_hits(
                limit, limit + _SPARE, lambda many: queries.by_words(messages, wanted, many), confirm
            )

        if not query.strip() or limit <= 0:
            return []
        mark = self._mark()
        if mark is not None and mark.message < self.record.last().message:
            self.catch_up()
        return self._asked(ask)

    def _asked(self, question: Callable[[IndexPosition, Lag], T]) -> T:
        """Run a search on the current generation; retry on the next if it was replaced or is unreadable.

        If the index lags far behind, it catches up first. Raises Busy if there is none yet and it cannot be built,
        Unreachable, Unusable if even a new one cannot answer.
        """
        for attempt in range(3):
            mark = self._mark()
            if mark is None or mark.store != self.store.epoch:
                if not self.catch_up():
                    raise Busy(
                        "there is no search index yet: another process is building it, or this command has to end "
                        "first; try again in a minute"
                    )
                mark = self._mark()
            if mark is not None:
                try:
                    behind = self._lag(mark)
                    if len(behind.changed) > queries.CAP and self.catch_up(wait=False):
                        mark = self._mark() or mark
                        behind = self._lag(mark)
                    return question(mark, behind)
                except BaseException as error:
                    self._check_away(error)
                    _log.info("the search index cannot be read", exc_info=True)
                    self._opened = None  # another process may have replaced it: reopen first
                    if attempt == 1:  # printed to stderr without logging configured
                        _log.warning("curator: the search index in %s is damaged and is rebuilt", self._home)
            if attempt == 1:
                self.rebuild()
        raise Unusable(f"the search index in {self._home} cannot be read; `curator doctor --rebuild` rebuilds it")

    def _lag(self, mark: IndexPosition) -> Lag:
        with self.store.snapshot():
            last = self.record.last()
            if (last.event, last.vector) == (mark.seq, mark.vector):
                return Lag()
            position, former, beside = (mark, last.event, last.vector), Lag(), self._words(mark)
            seq, vector = mark.seq, mark.vector
            if (behind := self._behind) is not None and behind[0][0] == mark:
                if behind[0] == position:
                    return behind[1]
                if behind[0][1] <= last.event and behind[0][2] <= last.vector:
                    (_, seq, vector), former = behind
            found = queries.read_lag(
                self.record,
                self.record.changed(seq, vector),
                lambda rows: (
                    queries.unchanged(self._tables(), rows) if beside is None else words.unchanged(beside, rows)
                ),
                former,
            )
        if not self.store.in_command:  # uncommitted changes may be rolled back and are not cached
            self._behind = (position, found)
        return found
