"""Read-only SQL console: DuckDB over an in-memory copy of the record or over Parquet files, without other access.

The tables named in a query are first copied from the record (1.3 s per 100,000 memories were measured), so that no
query can change the record; then the engine is denied files, other databases and Python's variables, and its
configuration is locked. Parquet files are read in place.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import duckdb
import pyarrow

from store.analytics.sql_tables import TABLES, batches
from store.errors import StoreError
from store.store import Store

_CLOSED = ("enable_external_access=false", "python_enable_replacements=false", "lock_configuration=true")
_LISTING = re.compile(r"\s*show\s+(?:all\s+)?tables\s*;?\s*", re.I)  # answered separately: it names no table to copy
_AT_ONCE = 25  # Arrow tables inserted at once


class BadQuery(StoreError):
    """The query cannot be answered; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of a query, and their column names."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


def query(store: Store, sql: str) -> Result:
    """Return the result of a SELECT over the tables in `TABLES`. Raises BadQuery."""

    def provide(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
        with store.snapshot() as record:
            for name in names:
                rows, verb = batches(store, record, name), f'CREATE TABLE "{name}" AS'
                while some := list(islice(rows, _AT_ONCE)):
                    connection.register("batch", pyarrow.concat_tables(some))
                    connection.execute(f"{verb} SELECT * FROM batch").fetchall()
                    connection.unregister("batch")
                    verb = f'INSERT INTO "{name}"'

    return _answer(sql, provide)


def query_files(files: Callable[[str], Sequence[Path]], sql: str) -> Result:
    """Return the result of a SELECT over Parquet files with the rows of `TABLES`. Raises BadQuery.

    `files` is called with each table that the query names and returns its files; its errors are raised unchanged.
    """

    def provide(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
        allowed: list[str] = []
        for name in names:
            own = [str(file) for file in files(name)]
            connection.read_parquet(own).create_view(name)
            allowed += own
        connection.execute("SET allowed_paths = ?", [allowed]).fetchall()

    return _answer(sql, provide)


def _answer(sql: str, provide: Callable[[duckdb.DuckDBPyConnection, Iterable[str]], None]) -> Result:
    if _LISTING.fullmatch(sql):
        return Result(("name",), [(name,) for name in TABLES])
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
        try:
            provide(connection, sorted(TABLES.keys() & set(re.findall(r"\w+", sql.casefold()))))
            for setting in _CLOSED:
                connection.execute(f"SET {setting}").fetchall()
            relation = connection.sql(statements[0].query)
            return Result(tuple(relation.columns), relation.fetchall()) if relation is not None else Result((), [])
        except duckdb.Error as error:
            raise BadQuery(_words(error)) from error


def _words(error: duckdb.Error) -> str:
    """Return DuckDB's message without the error's class and suggestions, which may name internal tables."""
    text, _, guess = str(error).partition("\nDid you mean")
    text = re.sub(r"^\w+ Error: ", "", text)
    if unknown := re.match(r"Table with name (\w+) does not exist", text):
        near = difflib.get_close_matches(unknown[1].casefold(), TABLES, 1)
        return f"there is no table {unknown[1]}{f', did you mean {near[0]}?' if near else ';'} " + (
            f"the tables are {', '.join(TABLES)}"
        )
    return text.rstrip("! ") if guess else text
