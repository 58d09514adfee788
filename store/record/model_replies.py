"""Replies of chat models, their judgments of alerts, and proposed wordings of memories. Not journaled."""

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b

import orjson

from store import clock
from store.filter import STANDING_ALERTS
from store.model import Alert, Judgment, Relation, Wording
from store.record.alerts import alert_of
from store.record.journal import Writer
from store.record.repository import Repository, json_list
from store.sanitize import storable


class Replies(Repository):
    """Reached as `Store.replies`: replies of models, by a key of what was asked."""

    def secret(self) -> bytes:
        """Return a key for hashes in prompts, always the same, from which the store's own key cannot be told."""
        return blake2b(b"prompts", key=self._key(), digest_size=32).digest()

    def get(self, key: bytes) -> str | None:
        """Return the reply that a model gave before."""
        row = self._row("SELECT reply FROM replies WHERE key = ?", key)
        return None if row is None else str(row[0])

    @staticmethod
    def put(connection: sqlite3.Connection, rows: Sequence[tuple[bytes, str, str, str]]) -> None:
        """Keep replies (key, task, model, reply) in the open transaction, that of what was made of them."""
        connection.executemany(
            "INSERT OR REPLACE INTO replies (key, task, model, reply, at) VALUES (?, ?, ?, ?, ?)",
            ((key, task, storable(model), storable(reply), clock.now()) for key, task, model, reply in rows),
        )


_UNJUDGED = (
    f"{STANDING_ALERTS} AND +x.owner = ?1 AND t.relation IN ('contradiction', 'update', 'unsure')"
    " AND NOT EXISTS (SELECT 1 FROM judgments j WHERE j.alert = t.id AND substr(j.judge, 1, length(?2)) = ?2)"
    " AND NOT EXISTS (SELECT 1 FROM failures f WHERE f.sweep = ?3 AND f.item = t.id)"
)


class Judgments(Repository):
    """Reached as `Store.judgments`: opinions of models on alerts, one of each judge on each."""

    def of(self, alerts: Sequence[int]) -> dict[int, tuple[Judgment, ...]]:
        """Return the judgments of these alerts, the last first; alerts without any are left out."""
        rows = self._rows(
            "SELECT j.* FROM judgments j JOIN alerts t ON t.id = j.alert JOIN memories m ON m.id = t.a AND +m.owner = ?"
            " WHERE j.alert IN (SELECT value FROM json_each(?)) ORDER BY j.at DESC, j.judge",
            self.owner,
            json_list(alerts),
        )
        found: dict[int, tuple[Judgment, ...]] = {}
        for row in rows:
            reasons = tuple(orjson.loads(row["reasons"]))
            one = Judgment(row["alert"], row["judge"], Relation(row["relation"]), reasons, row["at"])
            found[one.alert] = (*found.get(one.alert, ()), one)
        return found

    def missing(self, sweep: str, judge: str, limit: int) -> list[Alert]:
        """Return open alerts that may be conflicts and that a judge has not seen, strongest first.

        `judge` may be a prefix of the name. What the sweep failed at is left out.
        """
        query = f"SELECT t.* FROM {_UNJUDGED} ORDER BY t.score DESC, t.id LIMIT ?4"
        return [alert_of(row) for row in self._rows(query, self.owner, judge, sweep, limit)]

    def count_missing(self, sweep: str, judge: str) -> int:
        """Count the alerts that `missing` returns."""
        return self._number(f"SELECT count(*) FROM {_UNJUDGED}", self.owner, judge, sweep)

    @staticmethod
    def put(connection: sqlite3.Connection, judgment: Judgment) -> None:
        """Keep a judgment in the open transaction; it replaces the judge's former one of the alert."""
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


class Wordings(Repository):
    """Reached as `Store.wordings`: how distillers would put a memory, until somebody decides on it."""

    def of(self, memory: int) -> list[Wording]:
        """Return other wordings of a memory, the last first, while it is live and nobody has decided on it.

        Its present and former texts are left out. Raises NotFound, Forbidden.
        """
        self.check_owned([memory])
        rows = self._rows(
            "SELECT w.memory, w.distiller, w.text, w.at FROM wordings w JOIN memories m ON m.id = w.memory"
            " WHERE w.memory = ? AND m.life = 'live' AND m.review = 'open' AND NOT m.pinned AND w.text <> m.text"
            " AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.memory = m.id AND v.text = w.text)"
            " AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = w.command AND c.undone IS NOT NULL)"
            " ORDER BY w.at DESC, w.distiller",
            memory,
        )
        return [Wording(**dict(row)) for row in rows]

    @staticmethod
    def put(writer: Writer, memory: int, distiller: str, text: str) -> None:
        """Keep a distiller's wording of a memory. Its first one stays: it is of the passage that it read first."""
        writer.connection.execute(
            "INSERT INTO wordings (memory, distiller, text, command, at) VALUES (?1, ?2, ?3, ?4, ?5)"
            " ON CONFLICT (memory, distiller) DO UPDATE SET text = ?3, command = ?4, at = ?5"
            " WHERE EXISTS (SELECT 1 FROM commands c WHERE c.id = wordings.command AND c.undone IS NOT NULL)",
            (memory, storable(distiller), storable(text), writer.id, clock.now()),
        )

    def drop(self, memory: int) -> None:
        """Drop the wordings of a memory, and keep its distillers from proposing another. Raises NotFound, Forbidden.

        They are set to the present text: that is no other wording, and a distiller's first one stays.
        """
        self.check_owned([memory])
        self._rows("UPDATE wordings SET text = (SELECT text FROM memories WHERE id = ?1) WHERE memory = ?1", memory)
