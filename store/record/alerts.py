"""Findings about two memories: one a pair, for good. What was decided stands for as long as both say the same.

Whether an alert is open is derived (`store.filter.OPEN_ALERTS`), so that it is right after any undo: one of a memory
that was let go is none any more, and neither is one that was found anew after a settled text was changed, once that
change is taken back. Until a memory that was put differently has been compared again, its alerts stand as they are.
"""

import sqlite3
from collections.abc import Sequence

import orjson

from store import clock
from store.filter import OPEN_ALERTS, SOURCE, STANDING_ALERTS
from store.model import Alert, Relation
from store.record.changes import Value
from store.record.journal import Writer
from store.record.memories import next_id

RULES = "rules"
"""What the name of a judge begins with that is no model."""
_COLUMNS = "id a b relation score reasons judge cosine a_key b_key at later_until former".split()


def alert_of(row: sqlite3.Row) -> Alert:
    """A row of the table as an Alert."""
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


# Reading


def alerts(connection: sqlite3.Connection, owner: str, memory: int | None) -> list[Alert]:
    """Open alerts, of one memory or all, strongest first."""
    which, parameters = ("", [owner]) if memory is None else (" AND (t.a = ? OR t.b = ?)", [owner, memory, memory])
    rows = connection.execute(
        f"SELECT t.* FROM {OPEN_ALERTS} AND +x.owner = ?{which} ORDER BY t.score DESC, t.id", parameters
    )
    return [alert_of(row) for row in rows]


def alerted(connection: sqlite3.Connection, owner: str) -> frozenset[int]:
    """The memories that open alerts are about. As one row: with threads at work each row would wait."""
    sides = connection.execute(
        f"SELECT json_group_array(t.a), json_group_array(t.b) FROM {OPEN_ALERTS} AND +x.owner = ?", [owner]
    ).fetchone()
    return frozenset(memory for side in sides for memory in orjson.loads(side))


def standing(connection: sqlite3.Connection, owner: str, ids: Sequence[int], due_by: int) -> frozenset[int]:
    """Those of these alerts that nobody has settled, and that were not put off beyond a moment."""
    rows = connection.execute(
        f"SELECT t.id FROM {STANDING_ALERTS} AND +x.owner = ? AND coalesce(t.later_until, 0) <= ?"
        " AND t.id IN (SELECT value FROM json_each(?))",
        (owner, due_by, orjson.dumps(list(ids)).decode()),
    )
    return frozenset(row[0] for row in rows)


def open_alerts(
    connection: sqlite3.Connection,
    owner: str,
    relations: Sequence[Relation],
    least_score: float,
    source: str | None,
    due_by: int | None,
    limit: int | None,
) -> list[Alert]:
    """Open alerts strongest first, by the index over what is not settled. See `Store.alerts.waiting`."""
    test, parameters = _meant(owner, relations, least_score, source, due_by)
    rows = connection.execute(
        f"SELECT t.* FROM {test} ORDER BY t.score DESC, t.id LIMIT ?", (*parameters, -1 if limit is None else limit)
    )
    return [alert_of(row) for row in rows]


def settled_alerts(connection: sqlite3.Connection, owner: str) -> list[Alert]:
    """Return the alerts that were settled, the last settled first."""
    rows = connection.execute(
        "SELECT t.* FROM alerts t JOIN memories x ON x.id = t.a AND +x.owner = ? WHERE t.settled IS NOT NULL"
        " ORDER BY t.settled_by DESC, t.id DESC",
        (owner,),
    )
    return [alert_of(row) for row in rows]


def counts(
    connection: sqlite3.Connection, owner: str, least_score: float, source: str | None, due_by: int | None
) -> dict[Relation, int]:
    """How many open alerts there are of each relation."""
    test, parameters = _meant(owner, (), least_score, source, due_by)
    rows = connection.execute(f"SELECT t.relation, count(*) FROM {test} GROUP BY t.relation", parameters)
    return {Relation(row[0]): row[1] for row in rows}


def _meant(
    owner: str, relations: Sequence[Relation], least_score: float, source: str | None, due_by: int | None
) -> tuple[str, list[Value]]:
    test = f"{STANDING_ALERTS if Relation.UNSURE in relations else OPEN_ALERTS} AND +x.owner = ? AND t.score >= ?"
    parameters: list[Value] = [owner, least_score]
    if relations:
        test += " AND t.relation IN (SELECT value FROM json_each(?))"
        parameters.append(_json(list(relations)))
    if source is not None:
        test += f" AND ? IN ({', '.join(SOURCE.replace('source', f'{side}.source') for side in 'xy')})"
        parameters.append(source)
    if due_by is not None:
        test += " AND coalesce(t.later_until, 0) <= ?"
        parameters.append(due_by)
    return test, parameters


def get_many(connection: sqlite3.Connection, owner: str, ids: Sequence[int]) -> list[Alert]:
    """The owner's among these alerts, open or not, in the order asked."""
    rows = connection.execute(
        "SELECT t.* FROM alerts t JOIN memories x ON x.id = t.a AND +x.owner = ?"
        " WHERE t.id IN (SELECT value FROM json_each(?))",
        (owner, _json(ids)),
    )
    found = {row["id"]: alert_of(row) for row in rows}
    return [found[number] for number in ids if number in found]


def judged(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> dict[int, list[Alert]]:
    """The alerts of these memories that nobody has settled, whoever found them and for whatever texts, by memory."""
    chosen = _json(memories)
    found: dict[int, list[Alert]] = {}
    for side in "ab":
        rows = connection.execute(
            f"SELECT t.* FROM alerts t JOIN memories x ON x.id = t.{side} AND +x.owner = ?"
            f" WHERE t.{side} IN (SELECT value FROM json_each(?)) AND t.settled IS NULL ORDER BY t.id",
            (owner, chosen),
        )
        for row in rows:
            found.setdefault(row[side], []).append(alert_of(row))
    return found


# Writing


def raise_alert(
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
    at: int | None = None,
) -> bool:
    """Keep a finding about two memories, in either order; returns whether there is an open alert that was none before.

    `keys` are the content keys of the texts that were judged, by default those of now: what was put differently since
    is not raised, but looked at again. A pair that was settled stays so until one of its texts is another, for good
    for the texts it was settled for. An open alert takes over another version's finding, and a decision where its
    judge had none.
    """
    if a > b:
        a, b, keys = b, a, keys and (keys[1], keys[0])
    present = _keys(writer.connection, a, b)
    if present is None or keys not in (None, present):
        return False
    row = writer.connection.execute(
        "SELECT * FROM alerts WHERE (a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1)", (a, b)
    ).fetchone()
    finding = (relation.value, score, orjson.dumps(list(reasons)).decode(), judge, cosine)
    found_at = clock.now() if at is None else at
    if row is None:
        number, former, later = next_id(writer.connection, "alerts"), "[]", None
        writer.insert("alerts", _COLUMNS, [(number, a, b, *finding, *present, found_at, later, former)])
        return True
    if (row["a"], row["b"]) != (a, b):
        a, b, present = b, a, (present[1], present[0])
    same = row["a_key"] is None or (row["a_key"], row["b_key"]) == present
    if same and (row["settled"] is not None or not _better(row, relation, judge)):
        return False
    former = orjson.loads(row["former"])
    if not same:
        if any((a_key, b_key) == present for _, a_key, b_key in former):
            return False
        if row["settled"] is not None:
            former.append([row["settled"], row["a_key"], row["b_key"]])
    later = row["later_until"] if same else None
    if not same:
        writer.connection.execute("DELETE FROM judgments WHERE alert = ?", (row["id"],))
    _replace(writer, row, (a, b, *finding, *present, found_at, later, orjson.dumps(former).decode()))
    return row["settled"] is not None


def _better(row: sqlite3.Row, relation: Relation, judge: str) -> bool:
    """Whether a finding takes the place of that of an open alert: a later version's, or one that is a decision."""
    if judge == row["judge"]:
        return False
    by_rules = row["judge"] == "" or row["judge"].startswith(RULES)
    return (by_rules and judge.startswith(RULES)) or (row["relation"] == "unsure" and relation is not Relation.UNSURE)


def _replace(writer: Writer, row: sqlite3.Row, values: Sequence[Value]) -> None:
    """Journaled as a row that goes and one that comes, which a purge knows how to clean of their reasons."""
    writer.delete("alerts", "id = ?", (row["id"],))
    writer.insert("alerts", _COLUMNS, [(row["id"], *values)])


def withdraw(writer: Writer, alert: int) -> bool:
    """Take back an open finding that its judge would not make of what the memories say now; whether that was done.

    An opinion of a model on these very texts keeps it. One that was settled for other texts is settled for them again.
    """
    row = writer.connection.execute(
        "SELECT *, EXISTS (SELECT 1 FROM judgments j WHERE j.alert = alerts.id) AS opined FROM alerts"
        " WHERE id = ? AND settled IS NULL",
        (alert,),
    ).fetchone()
    if row is None:
        return False
    same = (row["a_key"], row["b_key"]) == _keys(writer.connection, row["a"], row["b"])
    if same and (row["opined"] or not (row["judge"] == "" or row["judge"].startswith(RULES))):
        return False
    former = orjson.loads(row["former"])
    if former:
        (how, a_key, b_key), left = former[-1], orjson.dumps(former[:-1]).decode()
        writer.update("alerts", [alert], {"settled": how, "a_key": a_key, "b_key": b_key, "former": left})
    else:
        writer.delete("alerts", "id = ?", (alert,))
    writer.connection.execute("DELETE FROM judgments WHERE alert = ?", (alert,))
    return True


def settle(writer: Writer, memories: Sequence[int], how: str) -> None:
    """Close the alerts that stand between these memories, for what they say now."""
    rows = writer.connection.execute(
        "SELECT id FROM alerts WHERE settled IS NULL AND a IN (SELECT value FROM json_each(?1))"
        " AND b IN (SELECT value FROM json_each(?1))",
        (_json(sorted(memories)),),
    )
    settle_alerts(writer, [row[0] for row in rows.fetchall()], how)


def settle_alerts(writer: Writer, ids: Sequence[int], how: str) -> int:
    """Close alerts for what their memories say now; `how` is kept with them. Returns how many changed."""
    rows = writer.connection.execute(
        "SELECT t.id, x.content_key AS a_key, y.content_key AS b_key FROM alerts t JOIN memories x ON x.id = t.a"
        " JOIN memories y ON y.id = t.b WHERE t.id IN (SELECT value FROM json_each(?))",
        (_json(ids),),
    ).fetchall()
    keys = {row["id"]: {"a_key": row["a_key"], "b_key": row["b_key"]} for row in rows}
    changed = set(writer.update("alerts", list(keys), {"settled": how}))
    writer.update("alerts", sorted(changed), {"settled_by": writer.id})
    for number, present in keys.items():
        writer.update("alerts", [number], dict(present))
    return len(changed)


def put_off(writer: Writer, ids: Sequence[int], until: int | None) -> int:
    """Ask about alerts again at that time, with None at once. Returns how many changed."""
    return len(writer.update("alerts", ids, {"later_until": until}))


def _keys(connection: sqlite3.Connection, a: int, b: int) -> tuple[str, str] | None:
    """What two memories say now, as content keys; None unless both are there and neither was purged."""
    row = connection.execute(
        "SELECT x.content_key, y.content_key FROM memories x, memories y WHERE x.id = ? AND y.id = ?"
        " AND x.life <> 'purged' AND y.life <> 'purged'",
        (a, b),
    ).fetchone()
    return None if row is None else (row[0], row[1])


def _json(values: Sequence[int] | Sequence[str]) -> str:
    return orjson.dumps(list(values)).decode()
