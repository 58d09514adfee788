"""Checks: what recall must give for a prompt, and must not, as the person said. Neither journaled nor state."""

import sqlite3

from store import clock
from store.model import Check
from store.sanitize import storable


def checks(connection: sqlite3.Connection, owner: str) -> list[Check]:
    """The owner's checks, in the order they were made."""
    found: dict[int, tuple[str, dict[int, bool]]] = {}
    for row in connection.execute(
        "SELECT c.id, c.query, e.memory, e.wanted FROM checks c JOIN expected e ON e.check_id = c.id"
        " WHERE c.owner = ? ORDER BY c.id, e.memory",
        (owner,),
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


def expect(connection: sqlite3.Connection, owner: str, query: str, memory: int, wanted: bool | None) -> None:
    """Say that a memory must be given for a query, or must not; None takes that back. A check of nothing goes."""
    words = storable(query)
    row = connection.execute("SELECT id FROM checks WHERE owner = ? AND query = ?", (owner, words)).fetchone()
    if row is None and wanted is None:
        return
    number = row["id"] if row is not None else _begin(connection, owner, words)
    if wanted is None:
        connection.execute("DELETE FROM expected WHERE check_id = ? AND memory = ?", (number, memory))
        drop_empty(connection)
    else:
        connection.execute(
            "INSERT OR REPLACE INTO expected (check_id, memory, wanted) VALUES (?, ?, ?)", (number, memory, int(wanted))
        )


def drop(connection: sqlite3.Connection, owner: str, check: int) -> bool:
    """Let go of one of the owner's checks; whether there was such."""
    gone = connection.execute("DELETE FROM checks WHERE id = ? AND owner = ?", (check, owner)).rowcount == 1
    drop_empty(connection)
    return gone


def drop_empty(connection: sqlite3.Connection) -> None:
    """Let go of what belongs to no check any more, and of checks of nothing."""
    connection.execute("DELETE FROM expected WHERE check_id NOT IN (SELECT id FROM checks)")
    connection.execute("DELETE FROM checks WHERE id NOT IN (SELECT check_id FROM expected)")


def _begin(connection: sqlite3.Connection, owner: str, query: str) -> int:
    made = connection.execute("INSERT INTO checks (owner, query, at) VALUES (?, ?, ?)", (owner, query, clock.now()))
    assert made.lastrowid is not None
    return made.lastrowid
