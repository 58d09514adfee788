"""Insights from the files of the memories of another machine (`store.analytics.sql_tables`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from store.analytics.insights import History, ImportJunk, Insights, memory_insights
from store.analytics.state_history import Span


@dataclass(frozen=True, slots=True)
class FileInsights:
    """Insights, states over time, and the texts of the memories that they name."""

    counts: Insights
    states: Sequence[Span]
    texts: Mapping[int, str]


def read_history(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> History:
    """Return a history from its fields. Raises TypeError or KeyError if they are others."""
    states = (Span(row["label"], row["unit"], tuple(row["counts"])) for row in rows.get("states", ()))
    imports = (ImportJunk(**{**row, "reasons": tuple(map(tuple, row["reasons"]))}) for row in rows.get("imports", ()))
    return History(tuple(states), tuple(imports))


def file_insights(files: Sequence[Path], history: History, now: int) -> FileInsights:
    """Count the memories in Parquet files; the calendar ends at `now`."""
    with duckdb.connect(":memory:") as connection:
        connection.read_parquet([str(file) for file in files]).create_view("kept")
        connection.execute(
            "CREATE VIEW memories AS SELECT * EXCLUDE (created_at, last_used), uses AS used,"
            " epoch_us(created_at) AS created_at, epoch_us(last_used) AS last_used FROM kept"
        ).fetchall()
        found = memory_insights(lambda sql: connection.sql(sql).fetchall(), now)
        rows = connection.execute("SELECT id, text FROM memories WHERE list_contains(?, id)", [found.named]).fetchall()
        return FileInsights(replace(found, imports=history.imports), history.states, dict(rows))
