"""Read the tables of the SQL console from the record, as Arrow tables or Parquet files.

Files of a table are divided at fixed ids. New rows therefore change only the last file, and the hashes of the others
stay equal.
"""

import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterator
from operator import itemgetter

import pyarrow
import pyarrow.parquet

from store.store import Store

TABLES: dict[str, str] = {
    "memories": """SELECT id, external_id, text, kind, tier, origin, review, rank, life, pinned, given, confidence,
        user_score, importance, scope, project, source, session, ordinal, subject, relation, object, span, flag,
        distiller, created_at, added_at, expires_at, later_until, superseded_by,
        (SELECT count(*) FROM evidence v WHERE v.memory = m.id) AS evidence,
        coalesce((SELECT times FROM uses u WHERE u.memory = m.id), 0) AS uses,
        (SELECT last_at FROM uses u WHERE u.memory = m.id) AS last_used
        FROM memories m WHERE +owner = ? ORDER BY id""",
    "evidence": """SELECT v.id, v.memory, v.message, v.quote, v.start, v.end FROM evidence v
        CROSS JOIN memories m ON m.id = v.memory AND m.owner = ? ORDER BY v.id""",
    "tags": """SELECT t.memory, t.tag FROM tags t CROSS JOIN memories m ON m.id = t.memory AND m.owner = ?
        ORDER BY t.memory, t.tag""",
    "conversations": """SELECT c.id, source, external_id, title, created_at, project, agent FROM conversations c
        WHERE owner = ? AND EXISTS (SELECT 1 FROM segments s WHERE s.conversation = c.id) ORDER BY c.id""",
    "messages": """SELECT m.id, m.conversation, m.role, m.channel, m.text, m.external_id, m.created_at, m.active,
        m.hidden FROM messages m CROSS JOIN segments s ON s.conversation = m.conversation AND s.batch = m.batch
        CROSS JOIN conversations c ON c.id = m.conversation AND c.owner = ? ORDER BY m.id""",
    "refusals": """SELECT r.message, r.start, r.end, r.distiller, r.reason, r.kind, r.confidence FROM refusals r
        CROSS JOIN messages m ON m.id = r.message CROSS JOIN conversations c ON c.id = m.conversation AND c.owner = ?
        ORDER BY r.message, r.start, r.end, r.distiller""",
    "log": "SELECT id, at, actor, verb, summary, undone FROM commands WHERE +owner = ? ORDER BY id",
}
"""Tables available to queries, with their SQL on the record, by the id in the first column. Times become timestamps in
UTC. Joins are in the order that needs no sorting, and + keeps SQLite from an index of another order.
"""

_TYPES = {
    **dict.fromkeys("created_at added_at expires_at later_until last_used at".split(), pyarrow.timestamp("us")),
    **dict.fromkeys(
        "external_id text kind tier given origin review rank life scope project source session subject relation object"
        " span flag distiller quote tag title role channel reason actor verb summary".split(),
        pyarrow.string(),
    ),
    "confidence": pyarrow.float64(),
}
"""Types of non-integer columns; times are in UTC."""
_BATCH = 2_000  # rows converted at once
_SPAN = 50_000  # ids in one file
_MOST = 32_000_000  # bytes after which a file ends before its span does


def batches(store: Store, record: sqlite3.Connection, name: str) -> Iterator[pyarrow.Table]:
    """Yield the rows of a table as Arrow tables, at least one, each with rows of a single span of ids."""
    cursor = record.cursor()
    cursor.row_factory = None  # plain tuples are faster
    cursor.execute(TABLES[name], (store.owner,))
    schema = pyarrow.schema([(column, _TYPES.get(column, pyarrow.int64())) for column, *_ in cursor.description])
    yield schema.empty_table()
    while rows := cursor.fetchmany(_BATCH):
        while rows:
            end = bisect_left(rows, (rows[0][0] // _SPAN + 1) * _SPAN, key=itemgetter(0))
            columns = zip(*rows[:end], strict=True)
            arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            yield pyarrow.Table.from_arrays(arrays, schema=schema)
            rows = rows[end:]


def files(store: Store, record: sqlite3.Connection, name: str, report: Callable[[], None]) -> Iterator[bytes]:
    """Yield the contents of a table's Parquet files, at least one; call `report` after each small step."""
    parts: list[pyarrow.Table] = []
    size, span = 0, None
    for batch in batches(store, record, name):
        report()
        if not len(batch):
            parts.append(batch)
            continue
        its = batch.column(0)[0].as_py() // _SPAN
        if span is not None and (its != span or size > _MOST):
            yield _parquet(parts)
            parts, size = [], 0
        parts.append(batch)
        size, span = size + batch.nbytes, its
    yield _parquet(parts)


def _parquet(parts: list[pyarrow.Table]) -> bytes:
    out = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.concat_tables(parts), out, compression="zstd")
    return bytes(out.getvalue())
