"""What models said: answers by what was asked, opinions of alerts, other words for memories. None of it is state."""

import sqlite3
from collections.abc import Sequence

import orjson

from store import clock
from store.filter import STANDING_ALERTS
from store.model import Alert, Judgment, Relation, Wording
from store.record.alerts import alert_of
from store.sanitize import storable


def reply(connection: sqlite3.Connection, key: bytes) -> str | None:
    """What a model answered to a question before."""
    row = connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def put_replies(connection: sqlite3.Connection, rows: Sequence[tuple[bytes, str, str, str]]) -> None:
    """Keep answers: (key, task, model, reply)."""
    connection.executemany(
        "INSERT OR REPLACE INTO replies (key, task, model, reply, at) VALUES (?, ?, ?, ?, ?)",
        ((key, task, storable(model), storable(reply), clock.now()) for key, task, model, reply in rows),
    )


_UNJUDGED = (
    f"{STANDING_ALERTS} AND +x.owner = ?1 AND t.relation IN ('contradiction', 'update', 'unsure')"
    " AND NOT EXISTS (SELECT 1 FROM judgments j WHERE j.alert = t.id AND substr(j.judge, 1, length(?2)) = ?2)"
    " AND NOT EXISTS (SELECT 1 FROM failures f WHERE f.sweep = ?3 AND f.item = t.id)"
)


def unjudged(connection: sqlite3.Connection, owner: str, sweep: str, judge: str, limit: int) -> list[Alert]:
    """Open alerts that might be conflicts and that a judge has not seen, strongest first; what failed is left out.

    `judge` may be the beginning of a name.
    """
    rows = connection.execute(
        f"SELECT t.* FROM {_UNJUDGED} ORDER BY t.score DESC, t.id LIMIT ?4", (owner, judge, sweep, limit)
    )
    return [alert_of(row) for row in rows]


def count_unjudged(connection: sqlite3.Connection, owner: str, sweep: str, judge: str) -> int:
    """How many of them there are."""
    return int(connection.execute(f"SELECT count(*) FROM {_UNJUDGED}", (owner, judge, sweep)).fetchone()[0])


def open_alert(connection: sqlite3.Connection, owner: str, alert: int) -> Alert | None:
    """An alert, if it is open still."""
    row = connection.execute(
        f"SELECT t.* FROM {STANDING_ALERTS} AND +x.owner = ? AND t.id = ?", (owner, alert)
    ).fetchone()
    return None if row is None else alert_of(row)


def put_judgment(connection: sqlite3.Connection, judgment: Judgment) -> None:
    """Keep an opinion; of one judge the last."""
    connection.execute(
        "INSERT OR REPLACE INTO judgments (alert, judge, relation, reasons, at) VALUES (?, ?, ?, ?, ?)",
        (
            judgment.alert,
            storable(judgment.judge),
            judgment.relation.value,
            storable(orjson.dumps(list(judgment.reasons)).decode()),
            judgment.at,
        ),
    )


def judgments(connection: sqlite3.Connection, owner: str, alerts: Sequence[int]) -> dict[int, tuple[Judgment, ...]]:
    """What judges said of these alerts, the last first."""
    rows = connection.execute(
        "SELECT j.* FROM judgments j JOIN alerts t ON t.id = j.alert JOIN memories m ON m.id = t.a AND +m.owner = ?"
        " WHERE j.alert IN (SELECT value FROM json_each(?)) ORDER BY j.at DESC, j.judge",
        (owner, orjson.dumps(list(alerts)).decode()),
    )
    found: dict[int, tuple[Judgment, ...]] = {}
    for row in rows:
        reasons = tuple(orjson.loads(row["reasons"]))
        one = Judgment(row["alert"], row["judge"], Relation(row["relation"]), reasons, row["at"])
        found[one.alert] = (*found.get(one.alert, ()), one)
    return found


def propose(connection: sqlite3.Connection, memory: int, distiller: str, text: str, command: int) -> None:
    """Keep a distiller's words for a memory. Its first stand: they are of the passage that it read first."""
    connection.execute(
        "INSERT INTO wordings (memory, distiller, text, command, at) VALUES (?1, ?2, ?3, ?4, ?5)"
        " ON CONFLICT (memory, distiller) DO UPDATE SET text = ?3, command = ?4, at = ?5"
        " WHERE EXISTS (SELECT 1 FROM commands c WHERE c.id = wordings.command AND c.undone IS NOT NULL)",
        (memory, storable(distiller), storable(text), command, clock.now()),
    )


def wordings(connection: sqlite3.Connection, memory: int) -> list[Wording]:
    """Other words for a memory, the last first, for as long as it is live and nobody has decided on it.

    What it says, or said before, is none.
    """
    rows = connection.execute(
        "SELECT w.memory, w.distiller, w.text, w.at FROM wordings w JOIN memories m ON m.id = w.memory"
        " WHERE w.memory = ? AND m.life = 'live' AND m.review = 'open' AND NOT m.pinned AND w.text <> m.text"
        " AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.memory = m.id AND v.text = w.text)"
        " AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = w.command AND c.undone IS NOT NULL)"
        " ORDER BY w.at DESC, w.distiller",
        (memory,),
    )
    return [Wording(**dict(row)) for row in rows]


def drop_wordings(connection: sqlite3.Connection, memory: int) -> None:
    """Let what was proposed for a memory say what it says already: no proposal, and the distiller makes none again."""
    connection.execute(
        "UPDATE wordings SET text = (SELECT text FROM memories WHERE id = ?1) WHERE memory = ?1", (memory,)
    )
