"""Checks: which memories recall must give for a prompt, and must not. Not journaled."""

import sqlite3

from store import clock
from store.model import Check
from store.record.repository import Repository
from store.sanitize import storable


class Checks(Repository):
    """Reached as `Store.checks`."""

    def all(self) -> list[Check]:
        """Return the owner's checks, in the order they were made."""
        found: dict[int, tuple[str, dict[int, bool]]] = {}
        for row in self._rows(
            "SELECT c.id, c.query, e.memory, e.wanted FROM checks c JOIN expected e ON e.check_id = c.id"
            " WHERE c.owner = ? ORDER BY c.id, e.memory",
            self.owner,
        ):
            found.setdefault(row["id"], (row["query"], {}))[1][row["memory"]] = bool(row["wanted"])
        return [
            Check(
                number,
                query,
                tuple(memory for memory, wanted in expected.items() if wanted),
                tuple(memory for memory, wanted in expected.items() if not wanted),
            )
            for number, (query, expected) in found.items()
        ]

    def expect(self, query: str, memory: int, wanted: bool | None) -> None:
        """Note that recall must give a memory for a prompt, or must not; None takes that back.

        Secrets must have been redacted.
        """
        prompt = storable(query)
        with self._writing() as connection:
            own = "SELECT id FROM checks WHERE owner = ?1 AND query = ?2"
            if wanted is None:
                forget = f"DELETE FROM expected WHERE check_id IN ({own}) AND memory = ?3"
                connection.execute(forget, (self.owner, prompt, memory))
                drop_empty(connection)
                return
            connection.execute(
                f"INSERT INTO checks (owner, query, at) SELECT ?1, ?2, ?3 WHERE NOT EXISTS ({own})",
                (self.owner, prompt, clock.now()),
            )
            connection.execute(
                f"INSERT OR REPLACE INTO expected (check_id, memory, wanted) SELECT ({own}), ?3, ?4",
                (self.owner, prompt, memory, wanted),
            )

    def drop(self, check: int) -> bool:
        """Delete one of the owner's checks; returns whether there was such."""
        with self._writing() as connection:
            query = "DELETE FROM checks WHERE id = ? AND owner = ?"
            dropped = connection.execute(query, (check, self.owner)).rowcount == 1
            drop_empty(connection)
            return dropped


def drop_empty(connection: sqlite3.Connection) -> None:
    """Delete the expectations of checks that are gone, and checks without any."""
    connection.execute("DELETE FROM expected WHERE check_id NOT IN (SELECT id FROM checks)")
    connection.execute("DELETE FROM checks WHERE id NOT IN (SELECT check_id FROM expected)")
