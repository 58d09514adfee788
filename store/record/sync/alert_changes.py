"""Folding of changes of alerts, which are identified by their pair of memories on all devices."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from store.record.changes import Value
from store.record.journal import Writer
from store.record.repository import next_id
from store.record.sync.context import Context
from store.record.sync.pairs import columns_of, turned
from store.record.sync.values import Item, Stamp


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

    def settled(self, row: dict[str, Value]) -> dict[str, Value]:
        given = row.get("settled_by")
        return row | {"settled_by": self.names.command(self.ref(given))} if isinstance(given, str) else row

    def base(self, sides: tuple[int, int], item: Item) -> dict[str, Value] | None:
        """Return the columns of an alert, even a removed one, in the order of memories common to all devices."""
        alert = self.alert(*sides)
        if alert is None:
            return self.pairs.kept(item)
        return turned(dict(alert)) if (alert["a"], alert["b"]) != sides else dict(alert)

    def update_alert(self, writer: Writer, pair: Sequence[Any], after: dict[str, Value], stamp: Stamp) -> None:
        sides = self.sides(pair)
        item = None if sides is None else self.pairs.item(*sides)
        if sides is not None and item is not None:
            base = self.base(sides, item)
            self.pairs.write(item, self.settled(after), stamp, base or {})
            self.show_alert(writer, sides, item, base)

    def put_alert(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        sides = self.sides([row["a"], row["b"]])
        if sides is None:
            return
        known = self.pairs.item(*sides)
        number = int(next_id(self.connection, "alerts")) if known is None else known.id
        former = None if known is None else self.base(sides, known)
        item, base = self.pairs.find(number, sides, columns_of(self.settled(row)), stamp, former)
        self.show_alert(writer, sides, item, base)

    def drop_alert(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        sides = self.sides([row["a"], row["b"]])
        item = None if sides is None else self.pairs.item(*sides)
        if sides is not None and item is not None:
            base = self.base(sides, item)
            self.pairs.remove(item, stamp)
            self.show_alert(writer, sides, item, base)

    def show_alert(self, writer: Writer, sides: tuple[int, int], item: Item, base: Mapping[str, Value] | None) -> None:
        """Update an alert to the values that its writes resolve to."""
        holding, present = self.pairs.holding(item, base), self.alert(*sides)
        if present is None:
            if holding is not None:
                row = holding | {"id": item.id, "a": sides[0], "b": sides[1]}
                writer.insert("alerts", [*row], [tuple(row.values())])
            return
        other_way = (present["a"], present["b"]) != sides
        if holding is None:
            self.pairs.keep(item, base or {})
            writer.delete("alerts", "id = ?", (present["id"],))
            return
        here = turned(holding) if other_way else holding
        change_alert(writer, present, {name: value for name, value in here.items() if present[name] != value})
