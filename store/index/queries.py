"""The questions that are put to LanceDB."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from store.filter import Dialect, Filter
from store.index.overlay import Scored
from store.index.tables import Tables
from store.sanitize import storable

if TYPE_CHECKING:
    import numpy as np
    from lancedb.query import FullTextQuery, LanceVectorQueryBuilder
    from lancedb.table import Table
    from numpy.typing import NDArray

_PROBES = 20


def condition(filter: Filter) -> str | None:
    """The filter as LanceDB's SQL, None where everything is meant. Only live memories are in the tables.

    What the tables hold nothing of is left out: `Filter.indexed` says whether there is any, for the caller to confirm.
    """
    expression = storable(replace(filter.indexed(), lives=()).sql(Dialect.LANCE))
    return None if expression == "true" else expression


def among(ids: Collection[int]) -> str:
    """A condition that only these memories, one at least, meet."""
    return f"id IN ({', '.join(map(str, ids))})"


def by_words(table: "Table", query: "FullTextQuery", limit: int, where: str | None = None) -> Scored:
    """Rows by BM25, best first."""
    search = table.search(query, query_type="fts").select(["id", "_score"]).limit(limit)
    if where is not None:
        search = search.where(where, prefilter=True)
    found = search.to_arrow()
    return list(zip(found["id"].to_pylist(), found["_score"].to_pylist(), strict=True))


def nearest(tables: Tables, vector: "NDArray[np.float32]", limit: int, where: str | None) -> Scored:
    """Memories by cosine, nearest first, as the vector index judges it where there is one: from a bit a dimension.

    Those without a vector are left out.
    """
    search = (
        cast("LanceVectorQueryBuilder", tables.memories.search(vector, vector_column_name="vector"))
        .distance_type("cosine")
        .nprobes(_PROBES)
        .select(["id", "_distance"])
        .limit(limit)
    )
    if where is not None:
        search = search.where(where, prefilter=True)
    found = search.to_arrow()
    pairs = zip(found["id"].to_pylist(), found["_distance"].to_pylist(), strict=True)
    return [(memory, 1.0 - distance) for memory, distance in pairs if distance is not None and distance == distance]


def words_of(tables: Tables, ids: Collection[int]) -> dict[int, tuple[str, str]]:
    """The words of these memories as they are indexed: their own, and those around them."""
    names = ["id", "text", "context"]
    known = tables.memories.search().where(among(ids)).select(names).limit(len(ids)).to_arrow()
    columns = (known[name].to_pylist() for name in names)
    return {memory: (text, context) for memory, text, context in zip(*columns, strict=True)}


def state(tables: Tables) -> list[tuple[int, int, bool]]:
    """Every indexed memory: its id, the event it is as of, and whether it has a vector."""
    every = tables.memories.search().select({"id": "id", "seq": "seq", "embedded": "vector IS NOT NULL"}).to_arrow()
    columns = (every[name].to_pylist() for name in ("id", "seq", "embedded"))
    return list(zip(*columns, strict=True))


def all_words(tables: Tables) -> dict[int, str]:
    """The text of every indexed memory."""
    every = tables.memories.search().select(["id", "text"]).to_arrow()
    return dict(zip(every["id"].to_pylist(), every["text"].to_pylist(), strict=True))


def message_ids(tables: Tables) -> list[int]:
    """Every indexed message."""
    return list(tables.messages.search().select(["id"]).to_arrow()["id"].to_pylist())
