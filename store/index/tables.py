"""The LanceDB tables of one generation of the index: schema, writes and maintenance.

LanceDB takes two seconds to import: only `connect` does, so that a program can start without it.
"""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from store.errors import StoreError
from store.index import remote
from store.index.reader import Row
from store.index.unspaced import with_bigrams
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
"""English words without topical meaning, ignored in searches. ICU's own list contains words of other languages too,
and so ignores "dog" and "cat".
"""
WORDS_FROM = 20_000  # number of memories from which LanceDB indexes their words instead of SQLite
TRAIN_FROM = 200_000  # number of vectors from which they are in a vector index; fewer are compared as fast and exactly
RETRAIN = 4  # growth in vectors, as a factor, after which the vector index is trained again
_FILTERED = ("kind", "tier", "rank", "review", "origin", "project", "source", "scope")
_FRAGMENTS = 50  # maximum fragments of a table; each commit adds one, and many slow down reading
_FRAGMENT = 75_000_000  # bytes of a fragment during a build: the vectors of 50,000 memories with 384 dimensions
_LOOSE = 2_000  # maximum rows outside the full-text index, which are searched one by one
_KEPT = timedelta(hours=1)  # for which former versions are kept, for readers in other processes
_TRIES = 8  # maximum attempts at a write that other commits precede


@dataclass(frozen=True, slots=True)
class Tables:
    """The two tables of a generation; in memory without a folder."""

    folder: Path | None
    memories: "Table"
    messages: "Table"


def is_damage(error: BaseException) -> bool:
    """Return True for errors that LanceDB raises for a missing or damaged file.

    Some flipped bits cause a Rust panic, which is not an Exception, and others an error of Arrow.
    """
    kinds = (RuntimeError, OSError, ValueError, LookupError, ArithmeticError)
    return (isinstance(error, kinds) or type(error).__module__.startswith("pyo3")) and not isinstance(error, StoreError)


def connect(folder: Path | None) -> "DBConnection":
    """Connect to LanceDB over the tables of a generation, or in memory. Raises Unreachable.

    Tables in the folder show other processes' commits at once, tables on object storage only after `refresh`.
    """
    if folder is not None and (location := remote.location(folder)) is not None:
        return remote.connect(location)
    made = remote.engine().connect(folder or "memory://", read_consistency_interval=timedelta(0))
    return cast("DBConnection", made)


def create(folder: Path | None, dimension: int) -> Tables:
    """Create the two empty tables."""
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
    """Open the tables of a generation. Raises FileNotFoundError or RuntimeError if they are missing or damaged."""
    database = connect(folder)
    try:
        return Tables(folder, database.open_table("memories"), database.open_table("messages"))
    except ValueError as error:
        raise FileNotFoundError(folder) from error


def refresh(tables: Tables) -> None:
    """Load the commits of other processes to tables on object storage, which takes a request."""
    for table in (tables.memories, tables.messages):
        cast("Any", table).checkout_latest()


def _arrow(rows: Sequence[Row], schema: "pa.Schema", vectors: bool) -> "pa.Table":
    """Return rows as an Arrow table, with or without vectors. Raises if a vector does not have the table's length."""
    import pyarrow as pa

    dimension = schema.field("vector").type.list_size
    own = [row.vector if vectors else None for row in rows]
    floats = np.frombuffer(b"".join(vector or bytes(4 * dimension) for vector in own), np.float32)
    missing = pa.array([vector is None for vector in own])
    ready = {
        "text": pa.array([with_bigrams(row.memory.text) for row in rows], pa.string()),
        "context": pa.array([with_bigrams(row.context) for row in rows], pa.string()),
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


def add_memories(tables: Tables, parts: Iterable[Sequence[Row]], vectors: bool) -> None:
    """Add new rows in few commits, to keep vector searches fast: they take twice as long in 50 fragments as in two."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    for rows in parts:
        waiting.append(_arrow(rows, tables.memories.schema, vectors))
        if sum(part.nbytes for part in waiting) >= _FRAGMENT:
            tables.memories.add(pa.concat_tables(waiting), on_bad_vectors="null")
            waiting.clear()
    if waiting:
        tables.memories.add(pa.concat_tables(waiting), on_bad_vectors="null")


def put_memories(tables: Tables, rows: Sequence[Row], removed: Collection[int], vectors: bool) -> None:
    """Add rows, or replace those with the same id, in one commit; then delete the `removed` memories."""
    if rows:
        data = _arrow(rows, tables.memories.schema, vectors)
        merge = tables.memories.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        _persistent(lambda: merge.execute(data, on_bad_vectors="null"))
    if removed:
        _delete(tables.memories, f"id IN ({', '.join(map(str, removed))})")


def add_messages(tables: Tables, messages: Sequence[Message]) -> None:
    """Add new messages."""
    import pyarrow as pa

    rows = {"id": [message.id for message in messages], "text": [with_bigrams(message.text) for message in messages]}
    tables.messages.add(pa.table(rows, schema=tables.messages.schema))


def remove_messages_after(tables: Tables, message: int) -> None:
    """Remove the messages with a greater id, which a killed process added without updating the mark."""
    _delete(tables.messages, f"id > {message}")


def _delete(table: "Table", condition: str) -> None:
    if table.count_rows(condition):  # a delete without matches would still be a commit
        _persistent(lambda: table.delete(condition))


def index_memories(tables: Tables) -> None:
    """Build the full-text indexes of memories, and the indexes of filtered columns."""
    from lancedb.index import Bitmap, BTree

    _index_words(tables.memories, "text", "context")
    _persistent(partial(tables.memories.create_index, "id", config=BTree()))
    for name in _FILTERED:
        _persistent(partial(tables.memories.create_index, name, config=Bitmap()))


def index_messages(tables: Tables) -> None:
    """Build the full-text index of messages."""
    _index_words(tables.messages, "text")


def _index_words(table: "Table", *columns: str) -> None:
    """Build a full-text index of columns: words by ICU's dictionaries, English stems, without accents."""
    from lancedb.index import FTS

    full_text = FTS(
        base_tokenizer="icu/split", stem=True, custom_stop_words=STOP_WORDS, ascii_folding=True, with_position=True
    )
    for column in columns:
        table.create_index(column, config=full_text)


def train(tables: Tables, trained: int) -> int:
    """Build or rebuild the vector index of a large table, if there are enough new vectors.

    Returns the number of vectors that it was trained on.
    """
    from lancedb.index import IvfRq

    memories, enough = tables.memories, max(TRAIN_FROM, RETRAIN * trained)
    if memories.count_rows() < enough or (vectors := memories.count_rows("vector IS NOT NULL")) < enough:
        return trained
    _persistent(partial(memories.create_index, "vector", config=IvfRq(distance_type="cosine"), name="vectors"))
    return vectors


def tidy(tables: Tables, words_beside: bool) -> None:
    """Merge small fragments if there are many, and add loose rows to the indexes.

    With `words_beside`, the words of memories are not in these tables. Otherwise the text indexes are rebuilt, because
    a replaced row counts twice in the frequencies of its words until then: with few memories, one that was only
    validated would rank lower. A rebuild takes a tenth of a second for 10,000 memories.
    """
    for table in (tables.memories, tables.messages):
        stats: Any = table.stats()  # a dict, despite its annotation
        texts = table.index_stats("text_idx")
        loose = 0 if words_beside and table is tables.memories else _LOOSE + 1
        if texts is not None:
            loose = texts.num_unindexed_rows
        if stats["fragment_stats"]["num_fragments"] > _FRAGMENTS or loose > _LOOSE:
            _persistent(partial(table.optimize, cleanup_older_than=_KEPT))
    if not words_beside and tables.memories.count_rows() < WORDS_FROM:
        _persistent(partial(_index_words, tables.memories, "text", "context"))


def _persistent(write: Callable[[], object]) -> None:
    """Call a function that writes, and retry if another process committed first."""
    for attempt in range(_TRIES):
        try:
            write()
            return
        except RuntimeError as error:
            if "Retryable commit conflict" not in str(error) or attempt == _TRIES - 1:
                raise
            time.sleep(0.02 * 2**attempt)
