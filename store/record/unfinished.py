"""Runs of imports and of distilling that have not finished: they are running, or were stopped."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from store.record import meta
from store.record.distillation import Place
from store.record.journal import Writer
from store.record.repository import Repository

UNFINISHED = "unfinished_runs"
"""Name of the runs in `store.record.meta`."""


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """A run and what it has committed.

    It belongs to the command `command` of `actor`, made `at` a time (microseconds): after a restore, another command
    may have its number. It reads the paths with this keyed hash (`again`: every conversation). `process` is its id
    on `host`. Memories changed after event `since`, and the requests to forget `asked`, are to be matched at its end;
    until it distils, `since` is None.
    """

    command: int
    at: int
    owner: str
    actor: str
    verb: str
    paths: str
    again: bool
    process: int
    host: str
    since: int | None = None
    asked: tuple[Place, ...] = ()
    conversations: int = 0
    memories: int = 0


def read_runs(value: bytes | None) -> list[UnfinishedRun]:
    """Return the runs in a value of meta. Raises ValueError, TypeError, KeyError for foreign values."""
    found: list[dict[str, Any]] = [] if value is None else orjson.loads(value)
    return [
        UnfinishedRun(
            int(one["command"]),
            int(one["at"]),
            str(one["owner"]),
            str(one["actor"]),
            str(one["verb"]),
            str(one["paths"]),
            bool(one["again"]),
            int(one["process"]),
            str(one["host"]),
            None if one["since"] is None else int(one["since"]),
            tuple((int(message), int(start), int(end)) for message, start, end in one["asked"]),
            int(one["conversations"]),
            int(one["memories"]),
        )
        for one in found
    ]


class UnfinishedRuns(Repository):
    """The owner's runs that have not finished (`Store.unfinished_runs`)."""

    def all(self) -> list[UnfinishedRun]:
        """Return the runs, latest command first."""
        with self._connect() as connection:
            runs = read_runs(meta.find(connection, UNFINISHED))
        return sorted((one for one in runs if one.owner == self.owner), key=lambda one: -one.command)

    def hash_paths(self, paths: Iterable[str]) -> str:
        """Return a keyed hash of paths: a purge could not erase words from the paths themselves."""
        with self._connect() as connection:
            return meta.hashed(meta.get(connection, "key"), "\0".join(sorted(paths)))

    @staticmethod
    def put(writer: Writer, run: UnfinishedRun) -> None:
        """Store a run in the open transaction, replacing the one of the same command."""
        _write(writer, [*_others(writer, {run.command}), run])

    @staticmethod
    def drop(writer: Writer, commands: Collection[int]) -> None:
        """Record in the open transaction that the runs of these commands are finished."""
        _write(writer, _others(writer, commands))


def _others(writer: Writer, commands: Collection[int]) -> list[UnfinishedRun]:
    runs = read_runs(meta.find(writer.connection, UNFINISHED))
    return [one for one in runs if one.command not in commands]


def _write(writer: Writer, runs: list[UnfinishedRun]) -> None:
    if runs:
        meta.put(writer.connection, UNFINISHED, orjson.dumps([asdict(one) for one in runs]))
    else:
        writer.connection.execute("DELETE FROM meta WHERE name = ?", (UNFINISHED,))
