"""The record's schema, as numbered migrations.

A migration is one of the SQL files here and is never changed once released (`store.record.migrations` runs them).
"""

from pathlib import Path

NEWEST = 17
MIGRATIONS: tuple[tuple[int, str], ...] = tuple(
    (number, Path(__file__).with_name(f"v{number}.sql").read_text("utf-8")) for number in range(1, NEWEST + 1)
)
