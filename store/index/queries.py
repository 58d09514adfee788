"""Queries to LanceDB."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from store.filter import Dialect, Filter
from store.index.reader import Scored
from store.index.tables import Tables
from store.sanitize import storable

if TYPE_CHECKING:
    from lancedb.query import FullTextQuery, LanceQueryBuilder, LanceVectorQueryBuilder
    from lancedb.table import Table

_PROBES = 20


def condition(filter: Filter) -> str | None:
    """Return the filter as LanceDB's SQL, None where everything is meant. Only live memories are in the tables.

    Conditions that the tables cannot test are left out: the caller confirms them (`Filter.indexed`).
    """
    expression = storable(replace(filter.indexed(), lives=()).sql(Dialect.LANCE))
    return None if expression == "true" else expression


def among(ids: Collection[int]) -> str:
    """Return a condition that only these memories, one at least, meet."""
    return f"id IN ({', '.join(map(str, ids))})"


def by_words(table: "Table", query: "FullTextQuery", limit: int, where: str | None = None) -> Scored:
    """Return rows by BM25, best first."""
    return _scored(table.search(query, query_type="fts"), "_score", limit, where)


def nearest(tables: Tables, vector: NDArray[np.float32], limit: int, where: str | None) -> Scored:
    """Return memories by cosine, nearest first; a vector index judges it from one bit a dimension.

    Those without a vector are left out.
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


def words_of(tables: Tables, ids: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return the words of these memories as they are indexed: their own, and those around them."""
    columns = ["id", "text", "context"]
    found = rows(tables.memories.search().where(among(ids)).select(columns).limit(len(ids)), *columns)
    return {memory: (text, context) for memory, text, context in found}
