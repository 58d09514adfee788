"""The LanceDB tables of one generation of the index: schema, writes and maintenance.

LanceDB takes two seconds to import: only `connect` does, so that a program can start without it.
"""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from store.errors import StoreError
from store.gc_policy import exempt_from_gc
from store.index.reader import Row
from store.model import Message

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.db import DBConnection
    from lancedb.table import Table

STOP_WORDS = (
    "a about am an and are as at be been being but by can could d did do does doing done don for from had has have"
    " having he her him his how i if in into is it its just ll m may me might must my no not of on or our re s shall"
    " she should so such t than that the their them then there these they this to too us ve very was we were what when"
    " where which who whom whose why will with would you your"
).split()
"""English words that say nothing about what a text is about. ICU's own list joins those of all languages, and so drops
"dog" and "cat"."""
TRAIN_FROM = 20_000  # vectors; below, comparing with every one is fast enough and exact
RETRAIN = 4  # times as many vectors as the index was trained on
_FILTERED = ("kind", "tier", "rank", "review", "origin", "project", "source", "scope")
_FRAGMENTS = 50  # each commit makes one; reading slows down with them
_FRAGMENT = 75_000_000  # bytes of one while an index is built: the vectors of 50,000 memories at 384 numbers each
_LOOSE = 2_000  # rows outside the full-text index, which are searched one by one
_KEPT = timedelta(hours=1)  # former versions, for readers in other processes
_TRIES = 8


@dataclass(frozen=True, slots=True)
class Tables:
    """The two tables of a generation; one without a folder is in memory."""

    folder: Path | None
    memories: "Table"
    messages: "Table"


def is_damage(error: BaseException) -> bool:
    """Return whether an error is one that LanceDB raises for a missing or damaged file, and none of our own.

    Rust panics on some flipped bits, and that is no Exception; other bits end in Arrow's errors.
    """
    kinds = (RuntimeError, OSError, ValueError, LookupError, ArithmeticError)
    return (isinstance(error, kinds) or type(error).__module__.startswith("pyo3")) and not isinstance(error, StoreError)


def connect(folder: Path | None) -> "DBConnection":
    """Connect to LanceDB over a folder, seeing what other processes commit at once, or in memory."""
    os.environ.setdefault("LANCEDB_LOG", "error")  # before the import; its warnings would draw over the app
    with contextlib.nullcontext() if "lancedb" in sys.modules else exempt_from_gc():
        import lancedb
    return lancedb.connect(folder or "memory://", read_consistency_interval=timedelta(0))


def create(folder: Path | None, dimension: int) -> Tables:
    """Make the two empty tables."""
    import pyarrow as pa

    database = connect(folder)
    memories = [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("seq", pa.int64()),
        *(pa.field(name, pa.string()) for name in ("text", "context", *_FILTERED, "flag")),
        pa.field("tags", pa.list_(pa.string())),
        *(pa.field(name, pa.bool_()) for name in ("pinned", "conflict")),
        pa.field("confidence", pa.float64()),
        *(pa.field(name, pa.int64()) for name in ("user_score", "created_at")),
        pa.field("vector", pa.list_(pa.float32(), dimension)),
    ]
    messages = [pa.field("id", pa.int64(), nullable=False), pa.field("text", pa.string())]
    return Tables(
        folder,
        database.create_table("memories", schema=pa.schema(memories)),
        database.create_table("messages", schema=pa.schema(messages)),
    )


def open_tables(folder: Path) -> Tables:
    """Open the tables of a generation. Raises FileNotFoundError or RuntimeError where they are gone or damaged."""
    database = connect(folder)
    try:
        return Tables(folder, database.open_table("memories"), database.open_table("messages"))
    except ValueError as error:
        raise FileNotFoundError(folder) from error


def _arrow(rows: Sequence[Row], schema: "pa.Schema") -> "pa.Table":
    """Return the rows as an Arrow table. A vector of another length than the table's is an error of its embedder."""
    import pyarrow as pa

    dimension = schema.field("vector").type.list_size
    floats = np.frombuffer(b"".join(row.vector or bytes(4 * dimension) for row in rows), np.float32)
    missing = pa.array([row.vector is None for row in rows])
    ready = {
        "context": pa.array([row.context for row in rows], pa.string()),
        "conflict": pa.array([row.conflict for row in rows]),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(floats), dimension, mask=missing),
    }
    columns = [
        ready[field.name]
        if field.name in ready
        else pa.array([getattr(row.memory, field.name) for row in rows], field.type)
        for field in schema
    ]
    return pa.table(columns, names=schema.names).cast(schema)


def add_memories(tables: Tables, parts: Iterable[Sequence[Row]]) -> None:
    """Add rows that are not there yet, in few commits: at 100,000 in fifty fragments a vector search took twice as long
    as in two.
    """
    import pyarrow as pa

    waiting: list[pa.Table] = []
    for rows in parts:
        waiting.append(_arrow(rows, tables.memories.schema))
        if sum(part.nbytes for part in waiting) >= _FRAGMENT:
            tables.memories.add(pa.concat_tables(waiting), on_bad_vectors="null")
            waiting.clear()
    if waiting:
        tables.memories.add(pa.concat_tables(waiting), on_bad_vectors="null")


def put_memories(tables: Tables, rows: Sequence[Row], removed: Collection[int]) -> None:
    """Add rows or replace those with the same id, in one commit; then delete the removed ones."""
    if rows:
        data = _arrow(rows, tables.memories.schema)
        merge = tables.memories.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        _persistent(lambda: merge.execute(data, on_bad_vectors="null"))
    if removed:
        _delete(tables.memories, f"id IN ({', '.join(map(str, removed))})")


def add_messages(tables: Tables, messages: Sequence[Message]) -> None:
    """Add messages that are not there yet."""
    import pyarrow as pa

    rows = {"id": [message.id for message in messages], "text": [message.text for message in messages]}
    tables.messages.add(pa.table(rows, schema=tables.messages.schema))


def remove_messages_after(tables: Tables, message: int) -> None:
    """Remove the messages with a greater id: what a process that died had added and not noted."""
    _delete(tables.messages, f"id > {message}")


def _delete(table: "Table", condition: str) -> None:
    if table.count_rows(condition):  # a delete of nothing would still be a commit
        _persistent(lambda: table.delete(condition))


def index_texts(tables: Tables) -> None:
    """Build the full-text indexes."""
    _index_words(tables.memories, "text", "context")
    _index_words(tables.messages, "text")


def _index_words(table: "Table", *columns: str) -> None:
    """Index words of any script by ICU's dictionaries, with English stems and accents folded."""
    from lancedb.index import FTS

    full_text = FTS(
        base_tokenizer="icu/split", stem=True, custom_stop_words=STOP_WORDS, ascii_folding=True, with_position=True
    )
    for column in columns:
        table.create_index(column, config=full_text)


def train(tables: Tables, trained: int) -> int:
    """Build or rebuild the indexes that a large table needs, where there are enough new vectors.

    Returns the number of vectors that the vector index now rests on.
    """
    from lancedb.index import Bitmap, BTree, IvfRq

    memories, enough = tables.memories, max(TRAIN_FROM, RETRAIN * trained)
    if memories.count_rows() < enough or (vectors := memories.count_rows("vector IS NOT NULL")) < enough:
        return trained
    _persistent(partial(memories.create_index, "vector", config=IvfRq(distance_type="cosine"), name="vectors"))
    _persistent(partial(memories.create_index, "id", config=BTree()))
    for name in _FILTERED:
        _persistent(partial(memories.create_index, name, config=Bitmap()))
    return vectors


def tidy(tables: Tables) -> None:
    """Merge small commits where there are many, and fold them into the indexes.

    A row that is written again counts twice in how often its words occur, until the text indexes are built anew; among
    few memories that is felt: one that was only validated ranked lower. A tenth of a second for 10,000 undoes it.
    """
    for table in (tables.memories, tables.messages):
        stats: Any = table.stats()  # a dict, whatever its annotation says
        texts = table.index_stats("text_idx")
        if stats["fragment_stats"]["num_fragments"] > _FRAGMENTS or texts is None or texts.num_unindexed_rows > _LOOSE:
            _persistent(partial(table.optimize, cleanup_older_than=_KEPT))
    if tables.memories.count_rows() < TRAIN_FROM:
        _persistent(partial(_index_words, tables.memories, "text", "context"))


def _persistent(write: Callable[[], object]) -> None:
    """Write, again where another commit came first."""
    for attempt in range(_TRIES):
        try:
            write()
            return
        except RuntimeError as error:
            if "Retryable commit conflict" not in str(error) or attempt == _TRIES - 1:
                raise
            time.sleep(0.02 * 2**attempt)
