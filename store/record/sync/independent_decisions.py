"""Decisions of other devices that stand when a command is undone that was written without knowing of them."""

import sqlite3
from collections.abc import Iterator, Mapping

from store.record.changes import Insert, Value, decode, rows_of
from store.record.journal import Writer
from store.record.repository import grouped
from store.record.sync.names import MEMORY, References, field_of
from store.record.sync.values import Item, Values

_TEXTS = ("text", "content_key")  # the other text is a version, or a memory of its own
_ROWS = ("tags", "tombstones")  # what a person adds to a memory

_CLOCKS = "FROM commands c JOIN events e ON e.command = c.id LEFT JOIN sync_clocks k ON k.seq = e.seq"
_RIVALS = f"""
SELECT DISTINCT v.item, v.field, o.device, o.clock
{_CLOCKS} JOIN touched t ON t.seq = e.seq
JOIN sync_values v ON v.sort = ?2 AND v.item = t.memory AND v.device = c.device
    AND v.clock = coalesce(k.clock, e.clock) AND v.person
JOIN sync_values o ON o.sort = v.sort AND o.item = v.item AND o.field = v.field
    AND o.device NOT IN (0, v.device) AND o.person
WHERE c.id = ?1
"""


def keep_independent(writer: Writer, command: int) -> str:
    """Write again what other devices decided concurrently with a command that is undone; return a summary, or ""."""
    connection = writer.connection
    rows = connection.execute(_RIVALS, (command, MEMORY)).fetchall()
    undone = undone_events(connection) if rows else set()
    rivals = grouped(((item, field), (device, at)) for item, field, device, at in rows if (device, at) not in undone)
    values = Values(connection, References(connection))
    devices: dict[int, set[int]] = {}  # by memory
    for (memory, field), writes in rivals.items():
        if " " not in field and field not in _TEXTS:
            after = {field: values.winning(Item(MEMORY, memory), field, writes)}
            if writer.update("memories", [memory], after):
                devices.setdefault(memory, set()).update(device for device, _ in writes)
    for table, row in added_rows(connection, command) if rivals else ():
        memory = int(row["memory"] or 0)
        writes = rivals.get((memory, field_of(table, row)), [])
        if writes and may_have_row(connection, table, memory):
            writer.insert(table, [*row], [tuple(row.values())])
            devices.setdefault(memory, set()).update(device for device, _ in writes)
    return summary_of(connection, devices)


def undone_events(connection: sqlite3.Connection) -> set[tuple[int, int]]:
    """Return the device and clock of each event whose command is undone."""
    return {
        *map(tuple, connection.execute(f"SELECT c.device, coalesce(k.clock, e.clock) {_CLOCKS} WHERE c.undone > 0"))
    }


def added_rows(connection: sqlite3.Connection, command: int) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield the tags and tombstones that a command added."""
    for (changes,) in connection.execute("SELECT changes FROM events WHERE command = ?", (command,)).fetchall():
        for change in decode(changes):
            if isinstance(change, Insert) and change.table in _ROWS:
                yield from ((change.table, row) for row in rows_of(change))


def may_have_row(connection: sqlite3.Connection, table: str, memory: int) -> bool:
    """Return True if a memory may have a row of a table: live ones have no tombstones."""
    life = connection.execute("SELECT life FROM memories WHERE id = ?", (memory,)).fetchone()
    return life is not None and (table == "tags" or life[0] != "live")


def summary_of(connection: sqlite3.Connection, devices: Mapping[int, set[int]]) -> str:
    """Return whose decisions stand, without text of a memory."""
    if not devices:
        return ""
    named = dict(connection.execute("SELECT id, name FROM devices").fetchall())
    names = sorted({named.get(device) or "another device" for found in devices.values() for device in found})
    which = "1 memory stays" if len(devices) == 1 else f"{len(devices):,} memories stay"
    return f"{which} as decided on {' and '.join(names)}"
