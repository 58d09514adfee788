"""Alerts: stored relations of two memories, at most one per pair. A resolution is valid for the texts it was made for.

Whether an alert is open is computed from the rows (`store.filter.OPEN_ALERTS`), so that it is correct after any undo:
forgetting a memory closes its alerts, and undoing a rewording closes alerts that the rewording reopened. Alerts of a
reworded memory do not change until it is compared again.
"""

import sqlite3
from collections.abc import Sequence

import orjson

from store import clock
from store.filter import OPEN_ALERTS, SOURCE, STANDING_ALERTS
from store.model import Alert, Judgment, Relation
from store.record.journal import Writer
from store.record.repository import Repository, first_column, first_or_not_found, grouped, json_list, next_id
from store.sanitize import storable

RULES = "rules"
"""Prefix of the names of rule-based judges."""
_COLUMNS = "id a b relation score reasons judge cosine a_key b_key at later_until former".split()
_MATCHING = (
    " AND +x.owner = ?1 AND t.score >= ?2 AND (?3 = '[]' OR t.relation IN (SELECT value FROM json_each(?3)))"
    f" AND (?4 IS NULL OR ?4 IN ({', '.join(SOURCE.replace('source', f'{side}.source') for side in 'xy')}))"
    " AND (?5 IS NULL OR coalesce(t.later_until, 0) <= ?5)"
)


def _alert_of(row: sqlite3.Row) -> Alert:
    """Return the alert in a row of the table."""
    return Alert(
        row["id"],
        row["a"],
        row["b"],
        Relation(row["relation"]),
        row["score"],
        tuple(orjson.loads(row["reasons"])),
        row["settled"],
        row["judge"],
        row["cosine"],
        None if row["a_key"] is None else (row["a_key"], row["b_key"]),
        row["at"],
        row["later_until"],
        row["settled_by"],
    )


class Alerts(Repository):
    """Repository of alerts (`Store.alerts`)."""

    # Reading

    def get(self, alert: int) -> Alert:
        """Return an alert, open or not. Raises NotFound."""
        return first_or_not_found(self.get_many([alert]), f"there is no alert {alert}")

    def get_many(self, ids: Sequence[int]) -> list[Alert]:
        """Return the owner's alerts among these, open or not, in the order of `ids`; missing ones are left out."""
        return self._all(
            _alert_of,
            "SELECT t.* FROM json_each(?) w CROSS JOIN alerts t ON t.id = w.value"
            " JOIN memories x ON x.id = t.a AND +x.owner = ? ORDER BY w.key",
            json_list(ids),
            self.owner,
        )

    def get_open(self, alert: int) -> Alert:
        """Return an open alert. Raises NotFound if it is not open or does not exist."""
        query = f"SELECT t.* FROM {STANDING_ALERTS} AND +x.owner = ? AND t.id = ?"
        return first_or_not_found(self._all(_alert_of, query, self.owner, alert), f"there is no open alert {alert}")

    def open(self, memory: int | None = None) -> list[Alert]:
        """Return the open alerts, of one memory or all, strongest first."""
        query = f"SELECT t.* FROM {OPEN_ALERTS} AND +x.owner = ?1"
        if memory is None:
            return self._all(_alert_of, f"{query} ORDER BY t.score DESC, t.id", self.owner)
        # no condition that holds without a memory too: SQLite would read every alert
        return self._all(
            _alert_of, f"{query} AND (t.a = ?2 OR t.b = ?2) ORDER BY t.score DESC, t.id", self.owner, memory
        )

    def between(self, memories: Sequence[int]) -> list[Alert]:
        """Return the open alerts between two of these memories."""
        return self._all(
            _alert_of,
            f"SELECT t.* FROM {OPEN_ALERTS} AND +x.owner = ?1 AND t.a IN (SELECT value FROM json_each(?2))"
            " AND t.b IN (SELECT value FROM json_each(?2))",
            self.owner,
            json_list(memories),
        )

    def about(self, memories: Sequence[int]) -> list[Alert]:
        """Return the open alerts of any of these memories."""
        return self._all(
            _alert_of,
            f"SELECT t.* FROM {OPEN_ALERTS} AND +x.owner = ?1 AND (t.a IN (SELECT value FROM json_each(?2))"
            " OR t.b IN (SELECT value FROM json_each(?2)))",
            self.owner,
            json_list(memories),
        )

    def memories(self) -> frozenset[int]:
        """Return the memories with open alerts, without building the alerts, of which there may be 70,000."""
        sides = self._row(  # as one row: with other threads running, each row would wait
            f"SELECT json_group_array(t.a), json_group_array(t.b) FROM {OPEN_ALERTS} AND +x.owner = ?", self.owner
        )
        return frozenset(memory for side in sides or () for memory in orjson.loads(side))

    def due(self, ids: Sequence[int], due_by: int) -> frozenset[int]:
        """Return the unresolved alerts among these that are not postponed beyond `due_by`."""
        return frozenset(
            self._ids(
                f"SELECT t.id FROM {STANDING_ALERTS} AND +x.owner = ? AND coalesce(t.later_until, 0) <= ?"
                " AND t.id IN (SELECT value FROM json_each(?))",
                self.owner,
                due_by,
                json_list(ids),
            )
        )

    def find(
        self,
        relations: Sequence[Relation] = (),
        least_score: float = 0.0,
        source: str | None = None,
        due_by: int | None = None,
        limit: int | None = None,
    ) -> list[Alert]:
        """Return open alerts, strongest first, filtered by relation, minimum score and source of either memory.

        Unsure alerts are returned only if `relations` includes them. With `due_by`, alerts postponed beyond that time
        are omitted. With a `limit`, the query takes milliseconds for 100,000 alerts.
        """
        matching, parameters = self._matching(relations, least_score, source, due_by)
        return self._all(
            _alert_of,
            f"SELECT t.* FROM {matching} ORDER BY t.score DESC, t.id LIMIT ?",
            *parameters,
            -1 if limit is None else limit,
        )

    def counts(
        self, least_score: float = 0.0, source: str | None = None, due_by: int | None = None
    ) -> dict[Relation, int]:
        """Count the open alerts of each relation; reads them all."""
        matching, parameters = self._matching((), least_score, source, due_by)
        query = f"SELECT t.relation, count(*) FROM {matching} GROUP BY t.relation"
        return {Relation(relation): count for relation, count in self._rows(query, *parameters)}

    def _matching(
        self, relations: Sequence[Relation], least_score: float, source: str | None, due_by: int | None
    ) -> tuple[str, tuple[object, ...]]:
        """Return the part of a query after FROM that selects the alerts of `find`, and its parameters."""
        relevant = STANDING_ALERTS if Relation.UNSURE in relations else OPEN_ALERTS
        return relevant + _MATCHING, (self.owner, least_score, json_list(relations), source, due_by)

    def resolved(self) -> list[Alert]:
        """Return the resolved alerts, latest first."""
        return self._all(
            _alert_of,
            "SELECT t.* FROM alerts t JOIN memories x ON x.id = t.a AND +x.owner = ? WHERE t.settled IS NOT NULL"
            " ORDER BY t.settled_by DESC, t.id DESC",
            self.owner,
        )

    def unresolved(self, ids: Sequence[int]) -> dict[int, list[Alert]]:
        """Return the unresolved alerts by memory, including those for former texts of the memories."""
        return grouped(
            (row[side], _alert_of(row))
            for side in "ab"
            for row in self._rows(
                f"SELECT t.* FROM alerts t JOIN memories x ON x.id = t.{side} AND +x.owner = ?"
                f" WHERE t.{side} IN (SELECT value FROM json_each(?)) AND t.settled IS NULL ORDER BY t.id",
                self.owner,
                json_list(ids),
            )
        )

    def decided(self, one: int, other: int) -> bool:
        """Return True if the person decided on two live memories as a pair, so that no sweep may merge them.

        This is the case if a sweep's merge of them was reverted, by undo or by restoring one of them, or if an alert
        between them was resolved.
        """
        return bool(
            self._rows(
                "SELECT 1 FROM touched t JOIN events e ON e.seq = t.seq JOIN commands c ON c.id = e.command"
                " AND c.actor = 'sweep' AND c.verb = 'merge' WHERE t.memory = ?1 AND EXISTS"
                " (SELECT 1 FROM touched u JOIN events f ON f.seq = u.seq AND f.command = c.id WHERE u.memory = ?2)"
                " UNION ALL SELECT 1 FROM alerts WHERE ((a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1))"
                " AND (settled IS NOT NULL OR former <> '[]')",
                one,
                other,
            )
        )

    # Writing

    @staticmethod
    def put(
        writer: Writer,
        a: int,
        b: int,
        relation: Relation,
        score: float,
        reasons: Sequence[str],
        *,
        judge: str = "",
        cosine: float | None = None,
        keys: tuple[str, str] | None = None,
    ) -> bool:
        """Store a relation of two memories, in either order; return True if this opened an alert.

        `keys` are the content keys of the compared texts, by default the current ones. If a memory was reworded since,
        nothing is stored, because it will be compared again. Nothing is stored either if the pair was resolved for
        these texts. An open alert is replaced by the result of another version of its judge, and an unsure one by any
        other relation.
        """
        if a > b:
            a, b, keys = b, a, keys and (keys[1], keys[0])
        present = _content_keys(writer.connection, a, b)
        if present is None or keys not in (None, present):
            return False
        row = writer.connection.execute(
            "SELECT * FROM alerts WHERE (a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1)", (a, b)
        ).fetchone()
        finding, now = (relation.value, score, json_list(reasons), judge, cosine), clock.now()
        if row is None:
            number = next_id(writer.connection, "alerts")
            writer.insert("alerts", _COLUMNS, [(number, a, b, *finding, *present, now, None, "[]")])
            return True
        if (row["a"], row["b"]) != (a, b):
            a, b, present = b, a, (present[1], present[0])
        former, later = orjson.loads(row["former"]), row["later_until"]
        if row["a_key"] is None or (row["a_key"], row["b_key"]) == present:
            undecided = row["relation"] == "unsure" and relation is not Relation.UNSURE
            newer = judge.startswith(RULES) and _is_by_rules(row)
            if row["settled"] is not None or judge == row["judge"] or not (newer or undecided):
                return False
        elif any((a_key, b_key) == present for _, a_key, b_key in former):
            return False
        else:
            later = None
            if row["settled"] is not None:
                former.append([row["settled"], row["a_key"], row["b_key"]])
            writer.connection.execute("DELETE FROM judgments WHERE alert = ?", (row["id"],))
        # not an update: a purge can remove the reasons from a delete and an insert
        writer.delete("alerts", "id = ?", (row["id"],))
        writer.insert(
            "alerts", _COLUMNS, [(row["id"], a, b, *finding, *present, now, later, orjson.dumps(former).decode())]
        )
        return row["settled"] is not None

    @staticmethod
    def withdraw(writer: Writer, alert: int) -> bool:
        """Remove an open alert that its judge would not raise for the current texts; return True if removed.

        An alert stays if a model judged these exact texts. An alert that was resolved for former texts is resolved
        again instead.
        """
        row = writer.connection.execute(
            "SELECT *, EXISTS (SELECT 1 FROM judgments j WHERE j.alert = alerts.id) AS judged FROM alerts"
            " WHERE id = ? AND settled IS NULL",
            (alert,),
        ).fetchone()
        if row is None:
            return False
        same = (row["a_key"], row["b_key"]) == _content_keys(writer.connection, row["a"], row["b"])
        if same and (row["judged"] or not _is_by_rules(row)):
            return False
        former = orjson.loads(row["former"])
        if former:
            (how, a_key, b_key), left = former[-1], orjson.dumps(former[:-1]).decode()
            writer.update("alerts", [alert], {"settled": how, "a_key": a_key, "b_key": b_key, "former": left})
        else:
            writer.delete("alerts", "id = ?", (alert,))
        writer.connection.execute("DELETE FROM judgments WHERE alert = ?", (alert,))
        return True

    @staticmethod
    def resolve(writer: Writer, ids: Sequence[int], how: str) -> int:
        """Resolve alerts for the current texts of their memories, recording `how`; return the number changed.

        Call this last in a command, because a later change of a text reopens the alerts.
        """
        rows = writer.connection.execute(
            "SELECT t.id, x.content_key AS a_key, y.content_key AS b_key FROM alerts t JOIN memories x ON x.id = t.a"
            " JOIN memories y ON y.id = t.b WHERE t.id IN (SELECT value FROM json_each(?))",
            (json_list(ids),),
        ).fetchall()
        changed = writer.update("alerts", [row["id"] for row in rows], {"settled": how})
        writer.update("alerts", sorted(changed), {"settled_by": writer.id})
        for row in rows:
            writer.update("alerts", [row["id"]], {"a_key": row["a_key"], "b_key": row["b_key"]})
        return len(changed)

    @staticmethod
    def resolve_between(writer: Writer, memories: Sequence[int], how: str) -> None:
        """Resolve the alerts between any two of these memories."""
        between = first_column(
            writer.connection,
            "SELECT id FROM alerts WHERE settled IS NULL AND a IN (SELECT value FROM json_each(?1))"
            " AND b IN (SELECT value FROM json_each(?1))",
            json_list(sorted(memories)),
        )
        Alerts.resolve(writer, between, how)

    @staticmethod
    def postpone(writer: Writer, ids: Sequence[int], until: int | None) -> int:
        """Postpone alerts until a time, or show them at once with None; returns the number changed."""
        return len(writer.update("alerts", ids, {"later_until": until}))


def _is_by_rules(row: sqlite3.Row) -> bool:
    return not row["judge"] or str(row["judge"]).startswith(RULES)


def _content_keys(connection: sqlite3.Connection, a: int, b: int) -> tuple[str, str] | None:
    """Return the content keys of two memories; None unless both exist and neither was purged."""
    row = connection.execute(
        "SELECT x.content_key, y.content_key FROM memories x, memories y WHERE x.id = ? AND y.id = ?"
        " AND x.life <> 'purged' AND y.life <> 'purged'",
        (a, b),
    ).fetchone()
    return None if row is None else (row[0], row[1])


_UNJUDGED = (
    f"{STANDING_ALERTS} AND +x.owner = ?1 AND t.relation IN ('contradiction', 'update', 'unsure')"
    " AND NOT EXISTS (SELECT 1 FROM judgments j WHERE j.alert = t.id AND substr(j.judge, 1, length(?2)) = ?2)"
    " AND NOT EXISTS (SELECT 1 FROM failures f WHERE f.sweep = ?3 AND f.item = t.id)"
)


class Judgments(Repository):
    """Opinions of models on alerts, at most one per judge and alert (`Store.judgments`)."""

    def of(self, alerts: Sequence[int]) -> dict[int, list[Judgment]]:
        """Return the judgments of these alerts, latest first; alerts without any are left out."""
        return grouped(
            (alert, Judgment(alert, judge, Relation(relation), tuple(orjson.loads(reasons)), at))
            for alert, judge, relation, reasons, at in self._rows(
                "SELECT j.alert, j.judge, j.relation, j.reasons, j.at FROM judgments j JOIN alerts t ON t.id = j.alert"
                " JOIN memories m ON m.id = t.a AND +m.owner = ?"
                " WHERE j.alert IN (SELECT value FROM json_each(?)) ORDER BY j.at DESC, j.judge",
                self.owner,
                json_list(alerts),
            )
        )

    def missing(self, sweep: str, judge: str, limit: int) -> list[Alert]:
        """Return open alerts that may be conflicts and that a judge has not judged, strongest first.

        `judge` may be a prefix of the judge's name. Alerts with a stored failure of the sweep are left out.
        """
        return self._all(
            _alert_of,
            f"SELECT t.* FROM {_UNJUDGED} ORDER BY t.score DESC, t.id LIMIT ?4",
            self.owner,
            judge,
            sweep,
            limit,
        )

    def count_missing(self, sweep: str, judge: str) -> int:
        """Count the alerts that `missing` returns."""
        return self._number(f"SELECT count(*) FROM {_UNJUDGED}", self.owner, judge, sweep)

    @staticmethod
    def put(connection: sqlite3.Connection, judgment: Judgment) -> None:
        """Store a judgment in the open transaction; it replaces the judge's former one on the alert."""
        connection.execute(
            "INSERT OR REPLACE INTO judgments (alert, judge, relation, reasons, at) VALUES (?, ?, ?, ?, ?)",
            (
                judgment.alert,
                storable(judgment.judge),
                judgment.relation.value,
                storable(json_list(judgment.reasons)),
                judgment.at,
            ),
        )
