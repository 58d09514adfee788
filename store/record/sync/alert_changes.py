"""Folding of changes of alerts, which all devices know by their pair of memories."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from store.record.changes import Value
from store.record.journal import Writer
from store.record.repository import next_id
from store.record.sync.absorb import alert_item, note_alert, note_no_alert, turned
from store.record.sync.context import Context
from store.record.sync.values import Stamp

_ALERTS = frozenset(
    "a b relation score reasons judge cosine a_key b_key at later_until former settled settled_by".split()
)


def change_alert(writer: Writer, alert: sqlite3.Row, changed: dict[str, Value]) -> None:
    """Change columns of an alert; reasons as a delete and an insert, from which a purge can remove them."""
    if "reasons" in changed:
        writer.delete("alerts", "id = ?", (alert["id"],))
        row = dict(alert) | changed
        writer.insert("alerts", [*row], [tuple(row.values())])
    elif changed:
        writer.update("alerts", [alert["id"]], changed)


class AlertChanges(Context):
    """Changes of alerts."""

    def sides(self, pair: Sequence[Any]) -> tuple[int, int] | None:
        a, b = self.memory(pair[0]), self.memory(pair[1])
        return None if a is None or b is None else (a, b)

    def alert(self, a: int, b: int) -> sqlite3.Row | None:
        found: sqlite3.Row | None = self.connection.execute(
            "SELECT * FROM alerts WHERE (a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1)", (a, b)
        ).fetchone()
        return found

    def known(self, a: int, b: int) -> int | None:
        """Return the number of an alert that is or was there, the last one first."""
        row = self.connection.execute(
            "SELECT max(id) FROM sync_alerts WHERE (a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1)", (a, b)
        ).fetchone()
        return None if row[0] is None else int(row[0])

    def write_alert(
        self, writer: Writer, alert: sqlite3.Row, sides: tuple[int, int], after: dict[str, Value], stamp: Stamp
    ) -> None:
        """Write columns of an alert, given for its sides in the order of all devices."""
        item, other_way = alert_item(self.connection, alert["id"]), (alert["a"], alert["b"]) != sides
        present = turned(dict(alert)) if other_way else dict(alert)
        new = {
            name: self.values.write(item, name, value, stamp, present[name])
            for name, value in after.items()
            if name in _ALERTS - {"a", "b"}
        }
        if stamp.person:
            self.values.decide(item, stamp)
        changed = {name: value for name, value in new.items() if present[name] != value}
        change_alert(writer, alert, turned(changed) if other_way else changed)

    def settled(self, row: dict[str, Value]) -> dict[str, Value]:
        given = row.get("settled_by")
        return row | {"settled_by": self.names.command(self.ref(given))} if isinstance(given, str) else row

    def update_alert(self, writer: Writer, pair: Sequence[Any], after: dict[str, Value], stamp: Stamp) -> None:
        sides = self.sides(pair)
        alert = None if sides is None else self.alert(*sides)
        if sides is not None and alert is not None:
            self.write_alert(writer, alert, sides, self.settled(after), stamp)

    def put_alert(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        sides = self.sides([row["a"], row["b"]])
        if sides is None:
            return
        after = self.settled({name: value for name, value in row.items() if name in _ALERTS})
        present = self.alert(*sides)
        if present is not None:
            other_way = (present["a"], present["b"]) != sides
            here = turned(dict(present)) if other_way else dict(present)
            item = alert_item(self.connection, present["id"])
            columns = {name: after.get(name) for name in _ALERTS - {"a", "b"}}
            new = self.values.renew(item, columns, stamp, here)
            if self.values.is_newer(item, stamp):
                self.connection.execute(
                    "UPDATE sync_alerts SET writer = ?, clock = ? WHERE id = ?", (stamp.device, stamp.clock, item.id)
                )
            changed = {name: value for name, value in new.items() if here[name] != value}
            change_alert(writer, present, turned(changed) if other_way else changed)
            return
        known = self.known(*sides)
        if known is not None and self.values.is_missed(alert_item(self.connection, known), "alerts", stamp):
            return
        number = int(next_id(self.connection, "alerts")) if known is None else known
        note_alert(self.connection, self.values, number, sides, stamp)
        values = after | {"id": number, "a": sides[0], "b": sides[1]}
        writer.insert("alerts", [*values], [tuple(values.values())])

    def drop_alert(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        sides = self.sides([row["a"], row["b"]])
        known = None if sides is None else self.known(*sides)
        if known is None:
            return
        item = alert_item(self.connection, known)
        if not self.values.undecided(item, stamp):
            self.connection.execute("INSERT OR IGNORE INTO sync_pending (memory) VALUES (?)", (-known,))
            return
        writer.delete("alerts", "id = ?", (known,))
        note_no_alert(self.values, item, stamp)
