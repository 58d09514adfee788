"""The journal, to be read: what was done, by whom, and what it changed. It is written by commands (`Store.command`)."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from store import clock
from store.model import Command
from store.record import command_effects, command_log, device, journal, lifecycle_rows
from store.record.changes import decode, memories_of
from store.record.command_effects import Changes
from store.record.command_log import LogFilter, Reasoned
from store.repository import Repository


class Journal(Repository):
    """Reached as `Store.journal`."""

    def seq(self) -> int:
        """The number of the last event."""
        with self._reading() as connection:
            return int(connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0])

    def days_ahead(self) -> int:
        """Return by how many whole days the journal's clock is ahead of this machine's; 0 if it is not."""
        with self._reading() as connection:
            row = connection.execute("SELECT clock FROM events ORDER BY seq DESC LIMIT 1").fetchone()
            return 0 if row is None else max(device.ahead(row["clock"]), 0) // clock.DAY

    def log(self, limit: int = 50, memory: int | None = None, filter: LogFilter | None = None) -> list[Command]:
        """What was done, newest first: everything, what touched one memory, or what a filter means."""
        which = filter or LogFilter()
        if memory is not None:
            which = replace(which, memories=(*which.memories, memory))
        with self._reading() as connection:
            return command_log.log(connection, self._owner, which, limit)

    def command_ids(self, filter: LogFilter | None = None, limit: int | None = None) -> list[int]:
        """The ids of the commands a filter means, newest first."""
        with self._reading() as connection:
            return command_log.command_ids(connection, self._owner, filter or LogFilter(), limit)

    def commands(self, ids: Sequence[int]) -> list[Command]:
        """The owner's among these commands, in the order asked; what is missing is left out."""
        with self._reading() as connection:
            return command_log.commands(connection, self._owner, ids)

    def next_to_undo(self) -> Command | None:
        """What an undo would take back: the person's last command that stands."""
        with self._reading() as connection:
            return self._one(connection, journal.last_to_undo(connection, self._owner))

    def final_step(self) -> Command | None:
        """The person's newest step, if it is one that cannot be undone, as a purge: what is next lies before it."""
        with self._reading() as connection:
            return self._one(connection, journal.final_step(connection, self._owner))

    def next_to_redo(self) -> Command | None:
        """What a redo would do again."""
        with self._reading() as connection:
            undo = self._one(connection, journal.last_to_redo(connection, self._owner))
            return None if undo is None else self._one(connection, undo.target)

    def _one(self, connection: sqlite3.Connection, command: int | None) -> Command | None:
        found = [] if command is None else command_log.commands(connection, self._owner, [command])
        return found[0] if found else None

    def verbs(self) -> list[str]:
        """Every verb that was ever done, from A. Reads all commands."""
        with self._reading() as connection:
            return command_log.verbs(connection, self._owner)

    def first_touched(self, ids: Sequence[int]) -> dict[int, int]:
        """The first memory that each of these commands touched; large commands are left out."""
        with self._reading() as connection:
            return command_effects.first_touched(connection, self._owner, ids)

    def changes(self, command: int, limit: int = 50, before: Sequence[int] = ()) -> Changes:
        """What a command did to the first memories and conversations it touched, those of `before` before the others.

        Raises NotFound.
        """
        with self._reading() as connection:
            return command_effects.changes(connection, self._owner, command, limit, before)

    def changed_since(self, seq: int) -> list[int]:
        """Memories that events after `seq` touched, those gone since included."""
        with self._reading() as connection:
            rows = connection.execute("SELECT changes FROM events WHERE seq > ?", (seq,))
            return sorted({memory for row in rows for change in decode(row[0]) for memory in memories_of(change)})

    # Of memories

    def fate(self, memory: int) -> Command | None:
        """The standing command that made a memory's life what it is: forgot it, brought it back, or wrote it down."""
        with self._reading() as connection:
            return command_log.fate(connection, self._owner, memory)

    def reasoned(self, memory: int) -> list[Reasoned]:
        """What sweeps did to a memory and why, the last first, as far as it stands."""
        with self._reading() as connection:
            return command_log.reasoned(connection, self._owner, memory)

    def done_by_person(self, ids: Sequence[int], apart_from: Sequence[str] = ()) -> dict[int, set[str]]:
        """The verbs, but for some, with which the person touched each of these memories, as far as they stand."""
        with self._reading() as connection:
            return lifecycle_rows.done_by_person(connection, self._owner, ids, apart_from)

    def taken_back(self, verb: str, ids: Sequence[int], since: int) -> set[int]:
        """Those of these memories with which a sweep did what the person took back, at `since` or later."""
        with self._reading() as connection:
            return lifecycle_rows.taken_back(connection, self._owner, verb, ids, since)
