"""Count the memories of another machine in Parquet files (`store.analytics.sql_tables`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from store.analytics.insights import ImportJunk, memory_insights
from store.analytics.state_history import PeriodCounts
from store.analytics.stats import History, RawCounts, Stats, memory_counts


@dataclass(frozen=True, slots=True)
class FileStats:
    """Counts, and the texts of the memories that the insights name."""

    counts: Stats
    texts: Mapping[int, str]


def read_history(fields: Mapping[str, Any]) -> History:
    """Return a history from decoded JSON fields. Raises TypeError or KeyError for missing or unknown fields."""
    states = (PeriodCounts(row["label"], row["unit"], tuple(row["counts"])) for row in fields["states"])
    imports = (ImportJunk(**{**row, "reasons": tuple(map(tuple, row["reasons"]))}) for row in fields["imports"])
    return History(RawCounts(**fields["raw"]), tuple(states), tuple(imports))


def file_stats(files: Sequence[Path], history: History, now: int) -> FileStats:
    """Count the memories in Parquet files, with the inbox and the calendar as of `now`.

    Raises duckdb.BinderException if the files lack a column, as those of another version may.
    """
    with duckdb.connect(":memory:") as connection:
        connection.read_parquet([str(file) for file in files]).create_view("kept")
        connection.execute(
            "CREATE VIEW memories AS SELECT * EXCLUDE (created_at, last_used, later_until), uses AS used,"
            " epoch_us(created_at) AS created_at, epoch_us(last_used) AS last_used,"
            " epoch_us(later_until) AS later_until FROM kept"
        ).fetchall()

        def rows(sql: str) -> list[tuple[Any, ...]]:
            return connection.sql(sql).fetchall()

        found = replace(memory_insights(rows, now), imports=history.imports)
        named = connection.execute("SELECT id, text FROM memories WHERE list_contains(?, id)", [found.named]).fetchall()
        return FileStats(Stats(memory_counts(rows, now), history.raw, found, history.states), dict(named))
