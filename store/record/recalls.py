"""Repositories of recalls with their answers, the warmth of memories, and recall checks. Not journaled."""

import math
import sqlite3
from collections.abc import Mapping, Sequence

import orjson

from store import clock
from store.model import Check, Recalled, Uses
from store.record import database
from store.record.journal import Writer
from store.record.repository import Repository, first_or_not_found, json_list
from store.record.sweep_state import Sweeps
from store.sanitize import storable

START = 0.5
DRIFT = 0.95
"""Share of the distance from `START` that remains after a day."""
_PATIENCE = 1.0  # seconds to wait for other writers before giving up a bound on warmth
_ANSWERED = "heard"  # sweep mark of a recall with an answer; item -1 for recall 1, as 1 is a conversation
_RECALL = "SELECT r.id, r.ident, r.at, r.memories, t.text AS turn FROM"
_RECALLS = f"{_RECALL} recalls r LEFT JOIN turns t ON t.recall = r.id WHERE r.owner = ?"
_UNSCORED = (
    "turns t JOIN recalls r ON r.id = t.recall"
    " WHERE r.owner = ? AND NOT EXISTS (SELECT 1 FROM failures f WHERE f.sweep = ? AND f.item = r.id)"
)


def drifted(value: float, since: int, now: int) -> float:
    """Return a warmth at `now`: since it was stored, it has drifted towards `START` by 5 % a day."""
    return START + (value - START) * math.pow(DRIFT, max(now - since, 0) / clock.DAY)


class Recalls(Repository):
    """Uses of memories, recalls with their answers, and warmth (`Store.recalls`)."""

    # Uses

    def uses(self, ids: Sequence[int]) -> dict[int, Uses]:
        """Return the uses of the owner's memories among these; those never recalled are left out."""
        return {
            memory: Uses(*uses)
            for memory, *uses in self._rows(
                "SELECT u.memory, u.times, u.last_at FROM uses u JOIN memories m ON m.id = u.memory AND +m.owner = ?"
                " WHERE u.memory IN (SELECT value FROM json_each(?))",
                self.owner,
                json_list(ids),
            )
        }

    def record_use(self, ids: Sequence[int]) -> None:
        """Count one recall of each memory."""
        with self._writing() as connection:
            connection.executemany(
                "INSERT INTO uses (memory, times, last_at) VALUES (?, 1, ?)"
                " ON CONFLICT (memory) DO UPDATE SET times = times + 1, last_at = excluded.last_at",
                ((memory, clock.now()) for memory in ids),
            )

    # Recalls and the answers to them

    def put(self, ident: str, ids: Sequence[int]) -> None:
        """Store the memories of a block, under the id that it shows, for feedback on it."""
        self._rows(
            "INSERT OR IGNORE INTO recalls (owner, ident, at, memories) VALUES (?, ?, ?, ?)",
            self.owner,
            ident,
            clock.now(),
            json_list(ids),
        )

    def get(self, ident: str) -> Recalled:
        """Return a recall by the id shown in its block. Raises NotFound."""
        found = self._recalled(f"{_RECALLS} AND r.ident = ?", ident)
        return first_or_not_found(found, f"there is no recall {ident}; the first line of a block shows its id")

    def by_number(self, recall: int) -> Recalled:
        """Return a recall by its number, with its answer if that has not been scored. Raises NotFound."""
        return first_or_not_found(self._recalled(f"{_RECALLS} AND r.id = ?", recall), f"there is no recall {recall}")

    def put_answer(self, ident: str, text: str) -> None:
        """Store the answer to a recall until a sweep has scored it, replacing a former one. Raises NotFound.

        Secrets must have been redacted.
        """
        with self._writing() as connection:
            self._put_answer(connection, self.get(ident).id, text)

    def put_logged_answer(self, writer: Writer, ident: str, text: str) -> bool:
        """Store the answer to a recall found in a log; return False for an unknown recall or one that had an answer."""
        recall = self._id("SELECT id FROM recalls WHERE owner = ? AND ident = ?", self.owner, ident)
        if recall is None or self._number("SELECT upto FROM swept WHERE sweep = ? AND item = ?", _ANSWERED, -recall):
            return False
        self._put_answer(writer.connection, recall, text)
        return True

    def _put_answer(self, connection: sqlite3.Connection, recall: int, text: str) -> None:
        connection.execute("INSERT OR REPLACE INTO turns (recall, text) VALUES (?, ?)", (recall, storable(text)))
        connection.execute("DELETE FROM failures WHERE sweep LIKE 'score/%' AND item = ?", (recall,))
        Sweeps.on(connection, self.owner).mark(_ANSWERED, -recall, 1)

    def unscored(self, sweep: str, limit: int) -> list[Recalled]:
        """Return recalls with an answer that a sweep has neither scored nor failed at, oldest first."""
        return self._recalled(f"{_RECALL} {_UNSCORED} ORDER BY r.id LIMIT ?", sweep, limit)

    def _recalled(self, query: str, *parameters: object) -> list[Recalled]:
        return [
            Recalled(number, ident, at, tuple(orjson.loads(ids)), turn)
            for number, ident, at, ids, turn in self._rows(query, self.owner, *parameters)
        ]

    def count_unscored(self, sweep: str) -> int:
        """Count the recalls that `unscored` returns."""
        return self._number(f"SELECT count(*) FROM {_UNSCORED}", self.owner, sweep)

    def score(self, connection: sqlite3.Connection, recalled: Recalled, steps: Mapping[int, float]) -> bool:
        """Change the warmth of memories and delete the scored answer, in the open transaction.

        Return False, without changes, if the answer is gone or was replaced meanwhile.
        """
        query = "DELETE FROM turns WHERE recall = ? AND text = ?"
        if connection.execute(query, (recalled.id, recalled.turn or "")).rowcount != 1:
            return False
        self._move(connection, steps)
        return True

    # Warmth

    def warmth(self, ids: Sequence[int]) -> dict[int, float]:
        """Return the usefulness in recalls of each of the owner's memories among these, 0 to 1.

        It starts at 0.5, and drifts back to it by 5 % of the distance a day.
        """
        rows = self._rows(
            "SELECT m.id, w.value, w.at FROM memories m LEFT JOIN warmth w ON w.memory = m.id"
            " WHERE +m.owner = ? AND m.id IN (SELECT value FROM json_each(?))",
            self.owner,
            json_list(ids),
        )
        now = clock.now()
        return {row[0]: START if row[1] is None else drifted(row[1], row[2], now) for row in rows}

    def warm(self, steps: Mapping[int, float]) -> dict[int, float]:
        """Change the warmth of memories by `steps`, up or down; returns the new values."""
        with self._writing() as connection:
            self._move(connection, steps)
            return self.warmth(list(steps))

    def bound_warmth(self, bounds: Mapping[int, tuple[float, float]]) -> bool:
        """Raise the warmth of memories to at least the first bound, and lower it to at most the second.

        Return False, without changes, if other processes were writing for a second.
        """
        with self._connect() as connection, database.writing_soon(connection, _PATIENCE) as free:
            if free:
                before = self.warmth(list(bounds))
                after = {
                    memory: min(max(value, bounds[memory][0]), bounds[memory][1]) for memory, value in before.items()
                }
                _put(connection, {memory: value for memory, value in after.items() if value != before[memory]})
            return free

    def reset_warmth(self, ids: Sequence[int]) -> None:
        """Reset the warmth of the owner's memories among these to `START`."""
        self._rows(
            "DELETE FROM warmth WHERE memory IN (SELECT m.id FROM memories m WHERE +m.owner = ?"
            " AND m.id IN (SELECT value FROM json_each(?)))",
            self.owner,
            json_list(ids),
        )

    def _move(self, connection: sqlite3.Connection, steps: Mapping[int, float]) -> None:
        _put(connection, {memory: value + steps[memory] for memory, value in self.warmth(list(steps)).items()})


def _put(connection: sqlite3.Connection, values: Mapping[int, float]) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO warmth (memory, value, at) VALUES (?, ?, ?)",
        ((memory, min(1.0, max(0.0, value)), clock.now()) for memory, value in values.items()),
    )


class Checks(Repository):
    """Recall checks: prompts that the person saved, with the memories expected for each (`Store.checks`)."""

    def all(self) -> list[Check]:
        """Return the owner's checks, in order of creation."""
        return self._all(
            lambda row: Check(
                row[0], row[1], tuple(sorted(orjson.loads(row[2]))), tuple(sorted(orjson.loads(row[3]))), row[4]
            ),
            "SELECT c.id, c.query, json_group_array(e.memory) FILTER (WHERE e.wanted),"
            " json_group_array(e.memory) FILTER (WHERE NOT e.wanted), c.project"
            " FROM checks c JOIN expected e ON e.check_id = c.id WHERE c.owner = ? GROUP BY c.id ORDER BY c.id",
            self.owner,
        )

    def expect(self, query: str, memory: int, wanted: bool | None, project: str | None = None) -> None:
        """Expect recall to return a memory for a prompt in a project, or not to; None removes the expectation.

        Secrets must have been redacted.
        """
        prompt = storable(query)
        with self._writing() as connection:
            of = (self.owner, prompt, project)
            own = "SELECT id FROM checks WHERE owner = ?1 AND query = ?2 AND project IS ?3"
            if wanted is None:
                connection.execute(f"DELETE FROM expected WHERE check_id IN ({own}) AND memory = ?4", (*of, memory))
                drop_empty(connection)
                return
            connection.execute(
                f"INSERT INTO checks (owner, query, project, at) SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS ({own})",
                (*of, clock.now()),
            )
            connection.execute(
                f"INSERT OR REPLACE INTO expected (check_id, memory, wanted) SELECT ({own}), ?4, ?5",
                (*of, memory, wanted),
            )

    def drop(self, check: int) -> bool:
        """Delete one of the owner's checks; returns True if it existed."""
        with self._writing() as connection:
            dropped = (
                connection.execute("DELETE FROM checks WHERE id = ? AND owner = ?", (check, self.owner)).rowcount == 1
            )
            drop_empty(connection)
            return dropped


def drop_empty(connection: sqlite3.Connection) -> None:
    """Delete the expectations of deleted checks, and checks without any."""
    connection.execute("DELETE FROM expected WHERE check_id NOT IN (SELECT id FROM checks)")
    connection.execute("DELETE FROM checks WHERE id NOT IN (SELECT check_id FROM expected)")
