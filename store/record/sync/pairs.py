"""Replicated state of alerts, identified by their pair of memories, so that an alert found again is the same one.

For each column, and for the existence of the alert, the concurrent latest writes are stored. Of these, a person's write
wins over a machine's, then the later one. Finding an alert writes all of its columns as a machine; changing a column
also writes that the alert exists.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

import orjson

from store.record.changes import Value
from store.record.sync.names import ALERT
from store.record.sync.values import Item, Stamp, Values

_COLUMNS = "relation score reasons judge cosine a_key b_key at later_until former settled settled_by".split()
_DEFAULTS: dict[str, Value] = {"judge": "", "at": 0, "former": "[]"}
_REMOVED = "removed alerts"  # field with 1 for an alert that is removed, 0 for one that is there
_ROW = "removed row"  # field with the columns of a removed alert that have no writes of their own
_TURNED = {"a_key": "b_key", "b_key": "a_key"}
_OF_PAIR = "SELECT max(id), writer, clock FROM sync_alerts WHERE (a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1)"


def turned(row: Mapping[str, Value]) -> dict[str, Value]:
    """Return the columns of an alert for the opposite order of its memories."""
    out = {_TURNED.get(name, name): value for name, value in row.items()}
    if out.get("former"):
        former = [[how, b_key, a_key] for how, a_key, b_key in orjson.loads(str(out["former"]))]
        out["former"] = orjson.dumps(former).decode()
    return out


def columns_of(row: Mapping[str, Value]) -> dict[str, Value]:
    """Return all columns of an alert except its id and memories, with defaults for those that old versions lack."""
    return {name: row.get(name, _DEFAULTS.get(name)) for name in _COLUMNS}


class Pairs:
    """Alerts by pair; columns are for the order of memories that is common to all devices."""

    def __init__(self, connection: sqlite3.Connection, values: Values) -> None:
        self._connection = connection
        self._values = values

    def item(self, a: int, b: int) -> Item | None:
        """Return the alert of two memories, with its latest id and finding; None if it was never found."""
        row = self._connection.execute(_OF_PAIR, (a, b)).fetchone()
        return None if row[0] is None else Item(ALERT, *row)

    def numbered(self, alert: int) -> tuple[Item, bool] | None:
        """Return the alert that has or had an id, and True if its memories are in the opposite order there."""
        row = self._connection.execute("SELECT a, b FROM sync_alerts WHERE id = ?", (alert,)).fetchone()
        item = None if row is None else self.item(*row)
        return None if item is None else (item, self.is_turned(*row))

    def is_turned(self, a: int, b: int) -> bool:
        """Return True if all devices agree on the other order of two memories."""
        return self._values.names.order(a) > self._values.names.order(b)

    def find(
        self,
        alert: int,
        sides: tuple[int, int],
        after: Mapping[str, Value],
        stamp: Stamp,
        base: Mapping[str, Value] | None = None,
    ) -> tuple[Item, Mapping[str, Value]]:
        """Record that an alert was found, for the first time or again; its id may change.

        `base` are its previous columns without writes of their own. Return the alert, and its new `base`.
        """
        stamp, known = replace(stamp, person=False), self.item(*sides)
        fresh = Item(ALERT, alert, stamp.device, stamp.clock)
        if known is None:
            self._put(fresh, sides)
            return fresh, after
        item = replace(known, id=max(alert, known.id))
        if item.id != known.id:
            self._put(item, sides)
            for table in ("sync_values", "sync_decided"):
                self._connection.execute(
                    f"UPDATE OR REPLACE {table} SET item = ? WHERE sort = ? AND item = ?", (item.id, ALERT, known.id)
                )
        if stamp.knew(item.writer, item.clock) and self._values.knew_all(item, stamp):
            item = replace(fresh, id=item.id)
            self._put(item, sides)
            self._values.clear(item)
            return item, after
        self.write(item, after, stamp, base or {})
        return item, base or after

    def _put(self, item: Item, sides: tuple[int, int]) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO sync_alerts VALUES (?, ?, ?, ?, ?)", (item.id, *sides, item.writer, item.clock)
        )

    def write(self, item: Item, after: Mapping[str, Value], stamp: Stamp, base: Mapping[str, Value]) -> None:
        """Note that columns of an alert were written; `base` are those that have no writes of their own."""
        for name, value in after.items():
            if name in _COLUMNS:
                self._values.note(item, name, value, stamp, base.get(name))
        self._values.note(item, _REMOVED, 0, stamp, 0)

    def remove(self, item: Item, stamp: Stamp) -> None:
        """Note that an alert was removed."""
        self._values.note(item, _REMOVED, 1, stamp, 0)

    def keep(self, item: Item, base: Mapping[str, Value]) -> None:
        """Store the columns of a removed alert, which may be restored."""
        self._values.put_one(item, _ROW, orjson.dumps(columns_of(base)).decode())

    def kept(self, item: Item) -> dict[str, Value] | None:
        """Return the stored columns of a removed alert."""
        found = self._values.noted(item, _ROW, None)
        return None if found is None else dict(orjson.loads(str(found)))

    def holding(self, item: Item, base: Mapping[str, Value] | None) -> dict[str, Value] | None:
        """Return the winning columns of an alert; None if it is removed."""
        if self._values.noted(item, _REMOVED, 0) != 0 or base is None:
            return None
        return {name: self._values.noted(item, name, base[name]) for name in _COLUMNS}
