"""Small databases in which programs keep their chats."""

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from importers.sample_logs import Json
from store.model import NewMessage


def by_channel(messages: Iterable[NewMessage]) -> dict[str, list[str]]:
    """Return the texts of messages by role and channel, such as `user.spoken`."""
    found: dict[str, list[str]] = {}
    for message in messages:
        found.setdefault(f"{message.role}.{message.channel}", []).append(message.text)
    return found


def write_tables(path: Path, tables: Mapping[str, Sequence[Json]]) -> Path:
    """Write a SQLite database with the rows of each table; the first row names the columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table, rows in tables.items():
            names = list(rows[0])
            columns = ", ".join(f'"{name}"' for name in names)
            connection.execute(f'CREATE TABLE IF NOT EXISTS "{table}" ({columns})')
            marks = ", ".join("?" * len(names))
            values = (
                [json.dumps(one) if isinstance(one, dict | list) else one for one in row.values()]
                for row in rows
                if any(value is not None for value in row.values())
            )
            connection.executemany(f'INSERT INTO "{table}" ({columns}) VALUES ({marks})', values)
        connection.commit()
    return path
