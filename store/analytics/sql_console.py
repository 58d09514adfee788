"""Read-only SQL console: DuckDB over an in-memory copy of the record, without access to the store or any file.

The tables named in a query are first copied from the record (1.3 s per 100,000 memories were measured), so that no
query can change the record; then the engine is denied files, other databases and Python's variables, and its
configuration is locked.
"""

import difflib
import re
from dataclasses import dataclass

import duckdb
import pyarrow

from store.errors import StoreError
from store.store import Store

TABLES: dict[str, str] = {
    "memories": """SELECT id, external_id, text, kind, tier, origin, review, rank, life, pinned, given, confidence,
        user_score, importance, scope, project, source, session, ordinal, subject, relation, object, span, flag,
        distiller, created_at, added_at, expires_at, superseded_by,
        (SELECT count(*) FROM evidence v WHERE v.memory = m.id) AS evidence,
        coalesce((SELECT times FROM uses u WHERE u.memory = m.id), 0) AS uses
        FROM memories m WHERE owner = ?""",
    "evidence": """SELECT v.id, v.memory, v.message, v.quote, v.start, v.end FROM evidence v
        JOIN memories m ON m.id = v.memory AND m.owner = ?""",
    "tags": "SELECT t.memory, t.tag FROM tags t JOIN memories m ON m.id = t.memory AND m.owner = ?",
    "conversations": """SELECT c.id, source, external_id, title, created_at, project, agent FROM conversations c
        WHERE owner = ? AND EXISTS (SELECT 1 FROM segments s WHERE s.conversation = c.id)""",
    "messages": """SELECT m.id, m.conversation, m.role, m.channel, m.text, m.external_id, m.created_at, m.active,
        m.hidden FROM messages m JOIN segments s ON s.conversation = m.conversation AND s.batch = m.batch
        JOIN conversations c ON c.id = m.conversation AND c.owner = ?""",
    "refusals": """SELECT r.message, r.start, r.end, r.distiller, r.reason, r.kind, r.confidence FROM refusals r
        JOIN messages m ON m.id = r.message JOIN conversations c ON c.id = m.conversation AND c.owner = ?""",
    "log": "SELECT id, at, actor, verb, summary, undone FROM commands WHERE owner = ?",
}
"""Tables available to queries, with their SQL on the record. Times become timestamps in UTC."""

_TYPES = {
    **dict.fromkeys("created_at added_at expires_at at".split(), pyarrow.timestamp("us")),
    **dict.fromkeys(
        "external_id text kind tier given origin review rank life scope project source session subject relation object"
        " span flag distiller quote tag title role channel reason actor verb summary".split(),
        pyarrow.string(),
    ),
    "confidence": pyarrow.float64(),
}
"""Types of non-integer columns; times are in UTC."""


class BadQuery(StoreError):
    """The query cannot be answered; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of a query, and their column names."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


def query(store: Store, sql: str) -> Result:
    """Answer one SELECT over the tables of `TABLES`. Raises BadQuery."""
    with duckdb.connect(":memory:") as connection:
        try:
            statements = connection.extract_statements(sql)
        except duckdb.Error as error:
            raise BadQuery(_words(error)) from error
        if len(statements) != 1 or statements[0].type not in (
            duckdb.StatementType.SELECT,
            duckdb.StatementType.EXPLAIN,
        ):
            raise BadQuery("one SELECT at a time: the store is changed by commands, not by SQL")
        for name in TABLES.keys() & set(re.findall(r"\w+", sql.casefold())):
            _fill(connection, store, name)
        for setting in ("enable_external_access=false", "python_enable_replacements=false", "lock_configuration=true"):
            connection.execute(f"SET {setting}").fetchall()
        try:
            relation = connection.sql(statements[0].query)
            return Result(tuple(relation.columns), relation.fetchall()) if relation is not None else Result((), [])
        except duckdb.Error as error:
            raise BadQuery(_words(error)) from error


def _words(error: duckdb.Error) -> str:
    """Return DuckDB's message without its class and its guesses, which may be names of its own catalog."""
    text, _, guess = str(error).partition("\nDid you mean")
    text = re.sub(r"^\w+ Error: ", "", text)
    if unknown := re.match(r"Table with name (\w+) does not exist", text):
        near = difflib.get_close_matches(unknown[1].casefold(), TABLES, 1)
        return f"there is no table {unknown[1]}{f', did you mean {near[0]}?' if near else ';'} " + (
            f"the tables are {', '.join(TABLES)}"
        )
    return text.rstrip("! ") if guess else text


def _fill(connection: duckdb.DuckDBPyConnection, store: Store, name: str) -> None:
    """Copy one table from the record, in batches."""
    with store.sqlite() as record:
        cursor = record.execute(TABLES[name], (store.owner,))
        schema = pyarrow.schema([(column, _TYPES.get(column, pyarrow.int64())) for column, *_ in cursor.description])
        rows: list[tuple[object, ...]] = []
        verb = f'CREATE TABLE "{name}" AS'
        while rows or verb.startswith("CREATE"):
            arrays = [pyarrow.array([row[n] for row in rows], field.type) for n, field in enumerate(schema)]
            connection.register("batch", pyarrow.Table.from_arrays(arrays, schema=schema))
            connection.execute(f"{verb} SELECT * FROM batch").fetchall()
            connection.unregister("batch")
            rows, verb = cursor.fetchmany(50_000), f'INSERT INTO "{name}"'
