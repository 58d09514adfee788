"""Current records converted to older schemas."""

import contextlib
from dataclasses import replace
from pathlib import Path

from store.record import changes, migrations, schema
from store.record.database import connect


def lead_back(folder: Path, number: int) -> Path:
    """Replace the record in `folder` by one of schema `number` with as much as its tables can hold; return its path."""
    path = folder / "record.sqlite"
    newest = path.rename(folder / "newest")
    with contextlib.closing(connect(path)) as connection:
        migrations.migrate(connection, path, 0, schema.MIGRATIONS[:number])
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("ATTACH ? AS newest", (str(newest),))
        for (table,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"DELETE FROM main.{table}")
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newest.{table}")
        for seq, data in connection.execute("SELECT seq, changes FROM main.events").fetchall():
            known = [_without_device(change) for change in changes.decode(data)]
            connection.execute("UPDATE main.events SET changes = ? WHERE seq = ?", (changes.encode(known), seq))
    newest.unlink()
    return path


def _without_device(change: changes.Change) -> changes.Change:
    if isinstance(change, changes.Update) or "device" not in change.columns:
        return change
    place = change.columns.index("device")
    return replace(
        change,
        columns=change.columns[:place] + change.columns[place + 1 :],
        rows=tuple(row[:place] + row[place + 1 :] for row in change.rows),
    )
