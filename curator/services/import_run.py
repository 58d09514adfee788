"""Runs of an import or of distilling: each is one command, which the same work continues after a stop.

What a run needs at its end is stored with each step, so that it may be stopped at any moment, also by `kill -9`.
"""

import contextlib
import os
import socket
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from curator.display import counted
from curator.services.import_summary import Summary
from curator.services.run_progress import process_exists
from store import Store, Writer
from store.model import Actor
from store.record.distillation import Place
from store.record.unfinished import UnfinishedRun

_running: set[int] = set()  # commands of this process's runs


@dataclass(slots=True)
class ImportRun:
    """A run with its writer.

    `stopped` are earlier runs whose requests to forget are matched by this one; `continues` is the command of one of
    them that did this work, if other commands followed it. `former` is the one whose command this run belongs to.
    """

    store: Store
    writer: Writer
    state: UnfinishedRun
    stopped: tuple[UnfinishedRun, ...]
    undone: frozenset[int]  # commands of stopped runs that were undone since
    continues: int | None
    former: UnfinishedRun | None
    _matched: bool = False

    def save(self, summary: Summary, asked: Collection[Place] = ()) -> None:
        """Store the progress in the writer's open transaction; `asked` are newly found requests to forget."""
        conversations, memories = self._counts(summary)
        asked = tuple(sorted({*self.state.asked, *asked}))
        self.state = replace(self.state, asked=asked, conversations=conversations, memories=memories)
        self.store.unfinished_runs.put(self.writer, self.state)
        self.writer.summarise(self._in_words(summary, finished=False))

    def begin_distilling(self) -> None:
        """Note that memories that change from now on are to be matched with requests to forget."""
        if self.state.since is None:  # else since a stopped run began
            self.state = replace(self.state, since=self.store.journal.seq())

    def match_requests(self) -> int:
        """Quarantine the memories that requests to forget, also of stopped runs, refer to; return their number.

        The writer must be paused, and is paused again at the end.
        """
        from curator.services.forget_requests import quarantine_matches  # slow to load

        assert self.state.since is not None
        held = quarantine_matches(self.store, self.writer, self.state.since, self.state.asked)
        self._matched = True
        return held

    def end(self, summary: Summary) -> None:
        """Record in the writer's transaction that the run is finished, and stopped ones that leave nothing to match.

        A run that continues one that distilled, but does not distil itself, leaves it unfinished.
        """
        if not self.writer.connection.in_transaction:
            self.writer.resume()
        if self.former is not None and self.former.since is not None and not self._matched:
            self.save(summary)
            return
        left = _ended(self.store, self.state.actor)  # others may have been continued meanwhile
        over = {run.command for run in self.stopped if (self._matched or run.since is None) and run in left}
        self.store.unfinished_runs.drop(self.writer, {self.writer.id, *self.undone, *over})
        self.writer.summarise(self._in_words(summary, finished=True))

    def _counts(self, summary: Summary) -> tuple[int, int]:
        """Return the conversations and memories of the whole command."""
        former = self.former
        before = (0, 0) if former is None else (former.conversations, former.memories)
        return before[0] + summary.conversations, before[1] + summary.memories

    def _in_words(self, summary: Summary, finished: bool) -> str:
        conversations, memories = self._counts(summary)
        words = [counted(conversations, "new conversation")] if self.state.verb == "import" else []
        words += [counted(memories, "memory")] if finished or memories else []
        words += [f"{summary.held_back:,} quarantined"] if summary.held_back else []
        words += [f"continues command {self.continues}"] if self.continues is not None else []
        return ", ".join(words if finished else [*words, "not finished"])


def stopped_runs(store: Store, actor: Actor) -> tuple[UnfinishedRun, ...]:
    """Return an actor's runs that were stopped and not undone, latest first."""
    runs = _ended(store, actor)
    commands = store.journal.commands([run.command for run in runs])
    standing = {(command.id, command.at, command.verb) for command in commands if command.undone is None}
    return tuple(run for run in runs if (run.command, run.at, run.verb) in standing)


@contextlib.contextmanager
def begin_run(
    store: Store, verb: str, actor: Actor = Actor.PERSON, paths: Sequence[Path] = (), again: bool = False
) -> Iterator[ImportRun]:
    """Yield a run in an open transaction, and commit it at the end, like `Store.command`.

    If the person's last command is a stopped run of the same work, and since then only sweeps have written that are
    undone with it, the run belongs to that command.
    """
    stopped = stopped_runs(store, actor)
    names = store.unfinished_runs.hash_paths(str(path.absolute()) for path in paths)
    undone = frozenset(run.command for run in _ended(store, actor)).difference(run.command for run in stopped)
    alike = next((run for run in stopped if (run.verb, run.paths, run.again) == (verb, names, again)), None)
    last = store.journal.next_to_undo() if alike is not None and actor is Actor.PERSON else None
    former = alike if alike is not None and last is not None and last.id == alike.command else None
    with _begin_command(store, verb, actor, former) as writer:
        (command,) = store.journal.commands([writer.id])
        former = former if former is not None and former.command == writer.id else None
        state = UnfinishedRun(
            writer.id,
            command.at,
            store.owner,
            actor.value,
            verb,
            names,
            again,
            os.getpid(),
            socket.gethostname(),
            min((run.since for run in stopped if run.since is not None), default=None),
            tuple(sorted({place for run in stopped for place in run.asked})),
        )
        continues = alike.command if alike is not None and former is None else None
        run = ImportRun(store, writer, state, stopped, undone, continues, former)
        _running.add(writer.id)
        if former is not None:
            run.save(Summary())  # in the transaction in which nobody else continued it
        try:
            yield run
        finally:
            _running.discard(writer.id)


@contextlib.contextmanager
def _begin_command(store: Store, verb: str, actor: Actor, former: UnfinishedRun | None) -> Iterator[Writer]:
    """Yield a writer of a stopped run's command, or of a new one if another process continued it or others followed."""
    if former is not None:
        with store.continue_command(former.command) as writer:
            if former in _ended(store, actor) and not store.journal.is_followed(former.command):
                yield writer
                return
    with store.command(verb, actor) as writer:
        yield writer


def _ended(store: Store, actor: str) -> list[UnfinishedRun]:
    """Return an actor's runs that no process is working on, latest first."""
    runs = store.unfinished_runs.all()
    here = [run for run in runs if run.host == socket.gethostname()]
    running = {
        run.command
        for run in here
        if (run.command in _running if run.process == os.getpid() else process_exists(run.process))
    }
    return [run for run in runs if run.actor == actor and run.command not in running]
