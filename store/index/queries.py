"""Queries to LanceDB, and simpler searches of changes that are not indexed yet.

Full-text queries are built as objects, never as query strings, so that typed text cannot contain operators.
"""

import re
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from store.filter import Dialect, Filter
from store.index.corrections import ENDINGS, edits_allowed, stems_of
from store.index.reader import IndexReader, Row, Scored
from store.index.tables import Tables
from store.index.unspaced import query_bigrams, with_bigrams
from store.sanitize import storable

if TYPE_CHECKING:
    from lancedb.query import FullTextQuery, LanceQueryBuilder, LanceVectorQueryBuilder
    from lancedb.table import Table


CAP = 2_000  # rows; with more changes, the index catches up first
_PROBES = 20


def condition(filter: Filter) -> str | None:
    """Return the filter as LanceDB's SQL, or None if it matches everything. Only live memories are in the tables.

    Conditions that the tables cannot test are left out: the caller confirms them (`Filter.indexed`).
    """
    expression = storable(replace(filter.indexed(), lives=()).sql(Dialect.LANCE))
    return None if expression == "true" else expression


def among(ids: Collection[int]) -> str:
    """Return a condition that matches only these memories, at least one."""
    return f"id IN ({', '.join(map(str, ids))})"


def by_words(table: "Table", query: "FullTextQuery", limit: int, where: str | None = None) -> Scored:
    """Return rows by BM25, best first."""
    return _scored(table.search(query, query_type="fts"), "_score", limit, where)


def nearest(tables: Tables, vector: NDArray[np.float32], limit: int, where: str | None) -> Scored:
    """Return memories by cosine, nearest first; a vector index approximates it with one bit per dimension.

    Memories without a vector are left out.
    """
    search = cast("LanceVectorQueryBuilder", tables.memories.search(vector, vector_column_name="vector"))
    pairs = _scored(search.distance_type("cosine").nprobes(_PROBES), "_distance", limit, where)
    return [(memory, 1.0 - distance) for memory, distance in pairs if distance is not None and distance == distance]


def _scored(search: "LanceQueryBuilder", measure: str, limit: int, where: str | None) -> Scored:
    search = search.select(["id", measure]).limit(limit)
    if where is not None:
        search = search.where(where, prefilter=True)
    return rows(search, "id", measure)


def rows(search: "LanceQueryBuilder", *columns: str) -> list[tuple[Any, ...]]:
    """Return the rows of a search as tuples of these columns."""
    found = search.to_arrow()
    return list(zip(*(found[column].to_pylist() for column in columns), strict=True))


def unchanged(tables: Tables, wanted: Sequence[Row]) -> list[int]:
    """Return those of these memories whose words are in the tables as they are now."""
    columns, ids = ["id", "text", "context"], [row.memory.id for row in wanted]
    found = rows(tables.memories.search().where(among(ids)).select(columns).limit(len(ids)), *columns)
    known = {memory: (text, context) for memory, text, context in found}
    return [
        row.memory.id
        for row in wanted
        if known.get(row.memory.id) == (with_bigrams(row.memory.text), with_bigrams(row.context))
    ]


INFLECTED = re.compile(r"[\u0370-\u0dff\u10a0-\u10ff\u1200-\u137f]{2,}")
"""Words in scripts that attach endings or particles to a word (Greek, Cyrillic, Hebrew, Arabic, Indic, …), for
which there is no stemmer here.
"""
_TOKEN = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|ly|e)$")


def match(query: str, column: str, every: bool = False) -> "FullTextQuery":
    """Return a BM25 query for any of the words, or with `every` for all of them.

    A query for any word also matches words with other last letters in inflected scripts, at half weight.
    """
    from lancedb.query import BooleanQuery, FullTextOperator, MatchQuery, Occur

    def clause(words: str, boost: float, fuzziness: int, prefix: int) -> MatchQuery:
        return MatchQuery(
            words,
            column,
            boost=boost,
            fuzziness=fuzziness,
            max_expansions=50,
            operator=FullTextOperator.AND if every else FullTextOperator.OR,
            prefix_length=prefix,
            document_granularity=None,
        )

    exact = clause(query_bigrams(storable(query)), 1.0, 0, 2)
    inflected = [] if every else dict.fromkeys(INFLECTED.findall(query)[:16])
    loose = [clause(word, 0.5, 2, max(2, len(word) - 1)) for word in inflected]
    return BooleanQuery([(Occur.SHOULD, part) for part in (exact, *loose)]) if loose else exact


def similar(table: "Table", word: str, limit: int, same_letter: bool = False) -> list[int]:
    """Return memories with words similar to a typed one; with another first letter only if there are no others."""
    from lancedb.query import FullTextOperator, MatchQuery

    beginnings = [word[:-letters] for letters in ENDINGS if len(word) > 2 * letters]
    stem = " ".join((stems_of([word])[word], *beginnings))  # words that are compared by letters are not stemmed there
    for prefix in (1,) if same_letter else (1, 0):
        wanted = MatchQuery(
            stem,
            "text",
            boost=1.0,
            fuzziness=edits_allowed(word),
            operator=FullTextOperator.OR,
            max_expansions=50,
            prefix_length=prefix,
            document_granularity=None,
        )
        if found := by_words(table, wanted, limit):
            return [number for number, _ in found]
    return []


def stems(text: str) -> frozenset[str]:
    """Return approximately the words that the full-text index would extract; only to score rows not yet indexed."""
    return frozenset(_ENDING.sub("", token) for token in _TOKEN.findall(query_bigrams(text.casefold())))


@dataclass(frozen=True, slots=True)
class Lag:
    """The memories changed since the index's mark, and the rows of those that are live.

    The indexed words of memories in `same` are current, so that the engine's scores are valid for them.
    """

    changed: frozenset[int] = frozenset()
    rows: tuple[Row, ...] = ()
    same: frozenset[int] = frozenset()

    @property
    def extra_hits(self) -> int:
        """Number of additional hits to request, since this many may be dropped."""
        return min(len(self.changed), CAP)

    def merge(
        self, found: Scored, record: IndexReader, filter: Filter, score: Callable[[Sequence[Row]], Scored]
    ) -> Scored:
        """Return the engine's hits without changed memories, plus the changed ones that match now."""
        if not self.changed:
            return found
        ids = [row.memory.id for row in self.rows]
        meant = {*ids} if filter == Filter() else record.matching(filter, ids)
        hits = [hit for hit in found if hit[0] not in self.changed]
        return sorted(hits + score([row for row in self.rows if row.memory.id in meant]), key=lambda hit: -hit[1])


def read_lag(record: IndexReader, changed: set[int], same: Callable[[Sequence[Row]], list[int]], former: Lag) -> Lag:
    """Return a lag with more memories changed since, or changed again; `same` as `unchanged`.

    Only the added memories are read from the record, which takes 0.08 ms each.
    """
    every = former.changed | changed
    latest = set(sorted(every)[-CAP:])
    again = (changed | record.session_neighbours(changed)) & latest
    fresh = record.rows(sorted(again))
    kept = [row for row in former.rows if row.memory.id in latest - again]
    return Lag(
        every,
        tuple(sorted([*kept, *fresh], key=lambda row: row.memory.id)),
        (former.same - again) | frozenset(same(fresh) if fresh else ()),
    )


def score_words(rows: Sequence[Row], query: str, column: str, best: float) -> Scored:
    """Return the rows that share words with the query, scored by their number, up to the engine's `best` score."""
    wanted = stems(query)
    texts = {row.memory.id: row.memory.text if column == "text" else row.context for row in rows}
    shared = {memory: wanted & stems(with_bigrams(text)) for memory, text in texts.items()}
    return [(memory, best * len(words) / len(wanted)) for memory, words in shared.items() if words]


def by_cosine(vectors: Mapping[int, bytes], vector: NDArray[np.float32]) -> Scored:
    """Return memories by the cosine of their vectors with `vector`, nearest first."""
    if not vectors:
        return []
    rows = np.frombuffer(b"".join(vectors.values()), np.float32).reshape(len(vectors), -1)
    lengths = np.sqrt(np.vecdot(rows, rows)) * np.linalg.norm(vector)
    return by_score(np.array(list(vectors)), np.vecdot(rows, vector) / np.maximum(lengths, 1e-12))


def by_score(ids: NDArray[np.int64], scores: NDArray[np.float32]) -> Scored:
    """Return ids with their scores, best first."""
    order = np.argsort(-scores, kind="stable")
    return list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))


def confirmed_hits(
    limit: int, reach: int, ask: Callable[[int], Scored], confirm: Callable[[Sequence[int]], Container[int]]
) -> Scored:
    """Return the best confirmed hits; request more and more until there are enough."""
    while True:
        found = ask(reach)
        right = confirm([number for number, _ in found])
        kept = [hit for hit in found if hit[0] in right]
        if len(kept) >= limit or len(found) < reach:
            return kept[:limit]
        reach *= 4
