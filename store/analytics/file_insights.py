"""Insights from the files of the memories of another machine (`store.analytics.sql_tables`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from store.analytics.insights import Insights, memory_insights


@dataclass(frozen=True, slots=True)
class FileInsights:
    """Insights without imports, which only the record has, and the texts of the memories that they name."""

    counts: Insights
    texts: Mapping[int, str]


def file_insights(files: Sequence[Path], now: int) -> FileInsights:
    """Count the memories in Parquet files; the calendar ends at `now`."""
    with duckdb.connect(":memory:") as connection:
        connection.read_parquet([str(file) for file in files]).create_view("kept")
        connection.execute(
            "CREATE VIEW memories AS SELECT * EXCLUDE (created_at, last_used), uses AS used,"
            " epoch_us(created_at) AS created_at, epoch_us(last_used) AS last_used FROM kept"
        ).fetchall()
        found = memory_insights(lambda sql: connection.sql(sql).fetchall(), now)
        rows = connection.execute("SELECT id, text FROM memories WHERE list_contains(?, id)", [found.named]).fetchall()
        return FileInsights(found, dict(rows))
