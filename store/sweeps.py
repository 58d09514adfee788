"""The part of the store that only work in the background needs. What it keeps is neither journaled nor state."""

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from store import clock
from store.errors import LeaseLost, NotFound
from store.model import Alert, Failure, Fingerprint, Judgment, Recalled, SweepProgress
from store.record import compare_queue, database, meta, model_replies, sweep_state, vectors, warmth
from store.record.compare_queue import Compared
from store.record.journal import Writer
from store.repository import Repository


@dataclass(frozen=True, slots=True)
class Lease:
    """An item that somebody is at, in one epoch of the record: after a restore it may be another item."""

    item: str
    holder: str
    epoch: str


def _confirm(connection: sqlite3.Connection, lease: Lease) -> None:
    """Raise LeaseLost unless the lease is held in the transaction that is open, and in the same epoch."""
    if meta.epoch(connection) != lease.epoch:
        raise LeaseLost(f"the store was restored while this one was at {lease.item}; it is done again")
    sweep_state.confirm(connection, lease.item, lease.holder)


class Sweeps(Repository):
    """Reached as `Store.sweeps`."""

    # Leases

    def take(self, item: str, holder: str, seconds: float) -> Lease | None:
        """Take an item for a time; None if somebody else is at it. A holder may take what it holds."""
        present = clock.now()
        with self._reading() as connection:
            epoch = meta.epoch(connection)
            taken = sweep_state.take(connection, item, holder, present + clock.from_seconds(seconds), present)
        return Lease(item, holder, epoch) if taken else None

    def renew(self, lease: Lease, seconds: float) -> bool:
        """Hold an item for a time from now on; False if somebody else has taken it over."""
        with self._reading() as connection:
            return sweep_state.renew(connection, lease.item, lease.holder, clock.now() + clock.from_seconds(seconds))

    def release(self, lease: Lease) -> None:
        """Let go of an item."""
        with self._reading() as connection:
            sweep_state.release(connection, lease.item, lease.holder)

    def held(self, prefix: str, holder: str) -> set[str]:
        """The items beginning with `prefix` that others than `holder` are at."""
        with self._reading() as connection:
            return set(sweep_state.held(connection, prefix, holder, clock.now()))

    @contextlib.contextmanager
    def holding(self, lease: Lease) -> Iterator[sqlite3.Connection]:
        """A transaction in which the lease is held. Raises LeaseLost, and then nothing was written."""
        with self._reading() as connection, database.writing(connection):
            _confirm(connection, lease)
            yield connection

    def confirm(self, writer: Writer, lease: Lease) -> None:
        """Raise LeaseLost unless the lease is held in the writer's transaction."""
        _confirm(writer.connection, lease)

    # How far a run is, for other processes to see

    def put_progress(self, rows: Sequence[SweepProgress]) -> None:
        """Write down the progress of this process's runs, in a transaction of its own."""
        with self._reading() as connection:
            database.at_once(connection, lambda: sweep_state.put_progress(connection, rows))

    def drop_progress(self, holder: str, sweeps: Sequence[str]) -> None:
        """Drop the progress of a holder's runs that have ended."""
        with self._reading() as connection:
            sweep_state.drop_progress(connection, holder, sweeps)

    def progress(self) -> list[SweepProgress]:
        """Return the progress of the runs of all processes, killed ones included, the last begun first."""
        with self._reading() as connection:
            return sweep_state.progress(connection)

    # How far a sweep has come

    def unswept(self, sweep: str, shortest: int = 0) -> list[int]:
        """Conversations with messages that a sweep has not passed, the oldest first.

        A coding agent's session with fewer than `shortest` messages is left out until it has grown.
        """
        with self._reading() as connection:
            return sweep_state.unswept(connection, self._owner, sweep, shortest)

    def upto(self, sweep: str, item: int = 0) -> int:
        """How far a sweep has come with a conversation: a message's id. For item 0, when it ran last."""
        with self._reading() as connection:
            return sweep_state.upto(connection, sweep, item)

    def mark(self, sweep: str, item: int, upto: int, writer: Writer | None = None) -> None:
        """Note how far a sweep has come, in the writer's transaction if there is one."""
        with self._reading() as connection:
            sweep_state.mark(connection if writer is None else writer.connection, sweep, item, upto)

    def set_mark(self, connection: sqlite3.Connection, sweep: str, item: int, upto: int) -> None:
        """The same in a transaction of `holding`."""
        sweep_state.mark(connection, sweep, item, upto)

    def unmark(self, sweep: str, writer: Writer | None = None) -> None:
        """Let a sweep read every conversation anew; what it failed at is forgotten."""
        with self._reading() as connection:
            sweep_state.unmark(connection if writer is None else writer.connection, self._owner, sweep)

    def put_vectors(self, lease: Lease, fingerprint: Fingerprint, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Keep vectors (memory, the text that was embedded, little-endian float32). Raises LeaseLost."""
        with self.holding(lease) as connection:
            vectors.add_vectors(connection, fingerprint, rows)

    # What failed

    def put_failure(self, connection: sqlite3.Connection, failure: Failure) -> None:
        """Keep what could not be done, in an open transaction; one try more if it stands there already.

        `id`, `tries` and `at` are given by the store.
        """
        sweep_state.fail(connection, self._owner, failure)

    def drop_failure(self, connection: sqlite3.Connection, failure: int) -> None:
        """Forget a failure in the transaction in which it was done."""
        sweep_state.forgive(connection, [failure])

    def forgive(self, ids: Sequence[int], writer: Writer | None = None) -> None:
        """Forget failures: it was done since, or there is nothing left to do."""
        with self._reading() as connection:
            sweep_state.forgive(connection if writer is None else writer.connection, ids)

    def failures(self, sweep: str, limit: int | None = None) -> list[Failure]:
        """What a sweep failed at, the last first."""
        with self._reading() as connection:
            return sweep_state.failures(connection, self._owner, sweep, -1 if limit is None else limit)

    def failed(self, sweep: str) -> int:
        """How many things a sweep failed at."""
        with self._reading() as connection:
            return sweep_state.failed(connection, self._owner, sweep)

    # What was compared

    def uncompared(self, rules: str, fingerprint: Fingerprint | None, limit: int) -> list[int]:
        """Live memories that wait to be compared with the others by these rules and vectors, the first first.

        One that had no vector then waits again when it has one.
        """
        with self._reading() as connection:
            space = None if fingerprint is None else vectors.space(connection, fingerprint)
            return compare_queue.pending(connection, self._owner, rules, space, limit)

    def count_uncompared(self, rules: str, fingerprint: Fingerprint | None) -> int:
        """How many of them there are."""
        with self._reading() as connection:
            space = None if fingerprint is None else vectors.space(connection, fingerprint)
            return compare_queue.count_pending(connection, self._owner, rules, space)

    def mark_compared(self, connection: sqlite3.Connection, rows: Sequence[Compared], rules: str) -> None:
        """Note that memories were compared, in an open transaction."""
        compare_queue.mark(connection, rows, rules)

    def stating(self, marks: Sequence[int], first: int, last: int) -> dict[int, list[int]]:
        """The live memories that were compared and state the same, by mark: the `first` and the `last` of them."""
        with self._reading() as connection:
            return compare_queue.stating(connection, self._owner, marks, first, last)

    def unmark_compared(self, connection: sqlite3.Connection, memories: Sequence[int]) -> None:
        """Let memories be compared again, in an open transaction."""
        compare_queue.unmark(connection, memories)

    def unmark_all_compared(self) -> None:
        """Let every memory be compared again."""
        with self._reading() as connection:
            compare_queue.unmark_all(connection, self._owner)

    # Answers, opinions, scores

    def secret(self) -> bytes:
        """A key for hashes in prompts, which says nothing of the store's own and is the same every time."""
        with self._reading() as connection:
            key = meta.get(connection, "key")
        return blake2b(b"prompts", key=key, digest_size=32).digest()

    def reply(self, key: bytes) -> str | None:
        """What a model answered to a question before."""
        with self._reading() as connection:
            return model_replies.reply(connection, key)

    def put_replies(self, connection: sqlite3.Connection, rows: Sequence[tuple[bytes, str, str, str]]) -> None:
        """Keep answers (key, task, model, reply), in the transaction of what was made of them."""
        model_replies.put_replies(connection, rows)

    def propose(self, writer: Writer, memory: int, distiller: str, text: str) -> None:
        """Keep how a distiller would put a memory, for the person to take or leave."""
        model_replies.propose(writer.connection, memory, distiller, text, writer.id)

    def unjudged(self, sweep: str, judge: str, limit: int) -> list[Alert]:
        """Open alerts that may be conflicts and have no judgment of this judge, strongest first."""
        with self._reading() as connection:
            return model_replies.unjudged(connection, self._owner, sweep, judge, limit)

    def count_unjudged(self, sweep: str, judge: str) -> int:
        """How many of them there are."""
        with self._reading() as connection:
            return model_replies.count_unjudged(connection, self._owner, sweep, judge)

    def open_alert(self, alert: int) -> Alert:
        """An alert that is open. Raises NotFound if there is none, or it was settled."""
        with self._reading() as connection:
            found = model_replies.open_alert(connection, self._owner, alert)
        if found is None:
            raise NotFound(f"there is no open alert {alert}")
        return found

    def put_judgment(self, connection: sqlite3.Connection, judgment: Judgment) -> None:
        """Keep an opinion in an open transaction; of one judge about one alert the last."""
        model_replies.put_judgment(connection, judgment)

    def unscored(self, sweep: str, limit: int) -> list[Recalled]:
        """Recalls whose turn has not been scored, the oldest first."""
        with self._reading() as connection:
            return warmth.unscored(connection, self._owner, sweep, limit)

    def count_unscored(self, sweep: str) -> int:
        """How many of them there are."""
        with self._reading() as connection:
            return warmth.count_unscored(connection, self._owner, sweep)

    def recalled(self, recall: int) -> Recalled:
        """A recall by its number. Raises NotFound."""
        with self._reading() as connection:
            found = warmth.recalled(connection, self._owner, recall)
        if found is None:
            raise NotFound(f"there is no recall {recall}")
        return found

    def warm(self, connection: sqlite3.Connection, recalled: Recalled, steps: Mapping[int, float]) -> bool:
        """Move the warmth of memories and let go of the turn, in an open transaction.

        False, and nothing done, if the turn is gone or was replaced meanwhile.
        """
        present = clock.now()
        if not warmth.drop_turn(connection, recalled.id, recalled.turn or ""):
            return False
        now = warmth.warmth(connection, self._owner, list(steps), present)
        warmth.put_warmth(connection, {memory: now[memory] + steps[memory] for memory in now}, present)
        return True
