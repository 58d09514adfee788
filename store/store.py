"""The store: a folder with all memories of a person."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from store import clock
from store.atomic_write import check_target
from store.errors import Conflict, NotFound, Unwritable
from store.model import Actor, Command
from store.progress import Report, no_report
from store.record import (
    archive,
    archive_words,
    backup,
    database,
    integrity,
    journal,
    meta,
    migrations,
    purge,
    redact,
    restore,
    undo,
    word_variants,
)
from store.record.alerts import Alerts, Judgments
from store.record.command_log import Journal
from store.record.distillation import Distillation, ForgetRequests
from store.record.journal import Writer
from store.record.memories import Memories
from store.record.meta import UnfinishedPurge
from store.record.names import PersonNames
from store.record.pool import RECORD, Pool, check_not_lost, shared_pool
from store.record.projects import Projects
from store.record.purge import Cleaned, Erased
from store.record.purged_texts import note_checksums
from store.record.raw_messages import Raw
from store.record.recalls import Checks, Recalls
from store.record.shares import Shares
from store.record.sweep_state import Replies, Sweeps, Wordings
from store.record.sync.repository import Sync
from store.record.tombstones import Tombstones
from store.record.topic_places import TopicPlaces
from store.record.unfinished import UnfinishedRuns
from store.record.vectors import CompareQueue, Vectors
from store.record.word_variants import WordVariant

T = TypeVar("T")


class Store(Memories):
    """Access to memories, commands and maintenance; the attributes are repositories of other data.

    Reads are thread-safe, since each thread has its own connection; writes go through `command`. Neither LanceDB nor
    DuckDB is loaded.
    """

    def __init__(self, folder: Path, owner: str) -> None:
        super().__init__(self.sqlite, owner)
        self.folder = folder
        self.raw = Raw(self.sqlite, owner)  # conversations and messages
        self.distillation = Distillation(self.sqlite, owner)  # progress of distillers, and refusals
        self.forget_requests = ForgetRequests(self.sqlite, owner)
        self.unfinished_runs = UnfinishedRuns(self.sqlite, owner)  # imports that run or were stopped
        self.names = PersonNames(self.sqlite, owner)
        self.wordings = Wordings(self.sqlite, owner)
        self.alerts = Alerts(self.sqlite, owner)  # duplicates and conflicts
        self.judgments = Judgments(self.sqlite, owner)
        self.replies = Replies(self.sqlite, owner)
        self.tombstones = Tombstones(self.sqlite, owner)
        self.journal = Journal(self.sqlite, owner)
        self.recalls = Recalls(self.sqlite, owner)  # uses, feedback and warmth
        self.checks = Checks(self.sqlite, owner)
        self.vectors = Vectors(self.sqlite, owner)
        self.compare_queue = CompareQueue(self.sqlite, owner)
        self.projects = Projects(self.sqlite, owner)  # labels of projects
        self.sweeps = Sweeps(self.sqlite, owner)  # state of background work
        self.topic_places = TopicPlaces(self.sqlite, owner)
        self.sync = Sync(self.sqlite, owner)  # what other devices wrote
        self.shares = Shares(self.sqlite, owner)  # what members of shared projects said
        self._pool = shared_pool(folder / RECORD, self)

    @classmethod
    def open(cls, folder: Path, owner: str = "me") -> "Store":
        """Open the store in `folder`, creating or migrating it if necessary. Raises Unusable."""
        database.prepare_folder(folder)
        check_not_lost(folder)
        store = cls(folder, owner)
        try:
            with store.sqlite() as connection:
                version = database.check_identity(connection, store._pool.path)
                migrations.migrate(connection, store._pool.path, version)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close the store. The last store of a record in this process closes the connections of all threads.

        A thread that is using its connection closes it when it is done. Using the store again reopens it.
        """
        self._pool.leave(self)

    @contextlib.contextmanager
    def sqlite(self) -> Iterator[sqlite3.Connection]:
        """Yield this thread's connection, and translate SQLite errors to StoreError."""
        with self._joined().connection() as connection, database.translated(self._pool.path):
            yield connection

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Yield this thread's connection within a read transaction, so that all reads see the same state."""
        with self.sqlite() as connection, database.snapshot(connection):
            yield connection

    @property
    def in_command(self) -> bool:
        """True while this thread has uncommitted changes."""
        with self.sqlite() as connection:
            return connection.in_transaction

    def _joined(self) -> Pool:
        if self not in self._pool.users:  # closed
            self._pool = shared_pool(self.folder / RECORD, self)
        return self._pool

    @property
    def epoch(self) -> str:
        """Identifier that changes with every restore; data derived in another epoch does not match the record."""
        with self.sqlite() as connection:
            return meta.epoch(connection)

    def data_version(self) -> int:
        """Return a number that changes with every commit in any thread or process, to validate cached data.

        The call takes microseconds. Call it before reading the data, so that no commit is missed. Changes of uses and
        vectors count too, although they are not events. Numbers of different `Store` objects are not comparable, and
        numbers have no order.
        """
        with database.translated(self._pool.path):
            return self._joined().data_version()

    # Commands

    def command(
        self, verb: str, actor: Actor = Actor.PERSON, summary: str = "", *, manual: bool = False
    ) -> AbstractContextManager[Writer]:
        """Return a context manager that yields a writer and commits its changes as one undoable command.

        On an exception, all changes are rolled back. With `manual`, the person started the sweep that runs the command,
        so that `undo` without an id reverts it.
        """
        return journal.command(self.sqlite(), self.owner, verb, actor, summary, manual=manual)

    def continue_command(self, command: int) -> AbstractContextManager[Writer]:
        """Return a context manager that yields a writer which adds changes to a command that was stopped.

        Raises Conflict if it was undone.
        """
        return journal.continued(self.sqlite(), command)

    def undo(self, command: int | None = None) -> Command:
        """Undo a command, by default the person's last one, and return it.

        Raises NotFound if there is none, ReliedOn if later commands depend on it, Conflict for other reasons.
        """
        if command is None:
            last = self.journal.next_to_undo()
            if last is None:
                raise NotFound("there is nothing to undo")
            command = last.id
        return self._revert(command, "undo", command)

    def redo(self, command: int | None = None) -> Command:
        """Redo the command that was undone last, unless another command followed, and return it.

        Raises NotFound if there is none, and Conflict if `command` is given and is another one.
        """
        undone = self.journal.last_undo()
        if undone is None or undone.target is None:
            raise NotFound("there is nothing to redo")
        if command not in (None, undone.target):
            raise Conflict(f"command {command} cannot be redone: command {undone.target} was undone last")
        return self._revert(undone.id, "redo", undone.target)

    def _revert(self, command: int, verb: str, shown: int) -> Command:
        with self.sqlite() as connection:
            undo.revert(connection, self.owner, command, verb)
        return self.journal.commands([shown])[0]

    # Purge

    def purge_targets(self, ids: Sequence[int], variants: bool = False) -> list[int]:
        """Return all memories that a purge of `ids` erases; with `variants`, including other spellings of the words."""
        with self.sqlite() as connection:
            return purge.purge_targets(connection, self.owner, ids, variants)

    def find_variants(self, ids: Sequence[int]) -> list[WordVariant]:
        """Return the places where these memories' words occur in another spelling (see `purge`)."""
        with self.sqlite() as connection:
            return word_variants.find_variants(connection, self.owner, purge.purge_targets(connection, self.owner, ids))

    def copies_holding(self, ids: Sequence[int], variants: bool = False) -> list[str]:
        """Return the names of the copies in `backups/` that a purge deletes: they hold the words or are unreadable."""
        with self.sqlite() as connection:
            words = purge.words_of(connection, purge.purge_targets(connection, self.owner, ids, variants), variants)
        return [file.name for file in copies(self.folder) if not word_variants.is_clean(file, words)]

    def _clean_copies(self, ids: Sequence[int], variants: bool) -> list[str]:
        """Return the names of the copies in `backups/` that contain none of these memories' words."""
        names = {file.name for file in copies(self.folder)}  # listed before: a copy made meanwhile may have the words
        return sorted(names - {*self.copies_holding(ids, variants)})

    def purge(
        self, ids: Sequence[int], variants: bool = False, others: Mapping[tuple[int, str], str] | None = None
    ) -> Cleaned:
        """Erase the words of memories and of all memories with the same words. This cannot be undone.

        With `variants`, other spellings are erased too (`find_variants`). `others` are further texts, by memory and
        content key, that must not be admitted again. Afterwards the caller must erase copies of the words outside the
        record and call `end_purge`. Raises NotFound, Forbidden, Conflict.
        """
        self.check_owned(ids)
        clean = self._clean_copies(ids, variants)
        with self.command("purge", summary=purge.IN_EVERY_WRITING if variants else "") as writer:
            meta.note_purge(writer.connection, writer.id, clean)
            done = purge.purge(writer, purge.purge_targets(writer.connection, self.owner, ids, variants), variants)
            also = {(memory, meta.hashed(writer.key, key)): text for (memory, key), text in (others or {}).items()}
            note_checksums(writer.connection, [(key, text) for (_, key), text in also.items()])
            Tombstones.put(writer, [(self.owner, key, memory) for memory, key in sorted(also)])
            return done

    def erase_logs(self, conversations: Sequence[int], before: int) -> Erased:
        """Erase the messages of conversations that ended before a time. This cannot be undone.

        Only conversations that `raw.logs_before` still returns are erased, not those that have grown. Memories and
        quotes are kept. Afterwards the caller must erase copies of the messages outside the record and call
        `end_purge`.
        """
        with self.command("purge", summary="of logs") as writer:
            past = sorted({found for found, _ in self.raw.logs_before(before)}.intersection(conversations))
            erased = purge.erase_logs(writer, past)
            if erased.conversations:
                meta.note_purge(writer.connection, writer.id)
            return erased

    def reconcile(self, key_of: Callable[[str], str]) -> bool:
        """Run the commands that follow from changes of other devices; `key_of` computes the content key of a text.

        Return True if words were erased; the caller must then call `end_purge`.
        """
        return self.sync.reconcile(self._clean_copies, key_of)

    def unfinished_purge(self) -> UnfinishedPurge | None:
        """Return the purge whose words may still be in freed pages, copies or projections, or None."""
        with self.sqlite() as connection:
            return meta.unfinished_purge(connection)

    def repeat_if_purged(self, write: Callable[[], T]) -> T:
        """Return the result of `write`, which is called again as long as words are erased while it runs.

        So a file written from what was read before a purge in another process does not keep its words. The purge may
        also have deleted the unfinished file, which raises Unwritable.
        """
        while True:
            before = self._last_purge()
            try:
                done = write()
            except Unwritable:
                if self._last_purge() == before:
                    raise
                continue
            if self._last_purge() == before:
                return done

    def _last_purge(self) -> int:
        with self.sqlite() as connection:
            return meta.last_purge(connection)

    def end_purge(self, done: UnfinishedPurge) -> None:
        """Record that all remains of a purge are erased."""
        with self.sqlite() as connection:
            meta.clear_purge(connection, done)

    def texts(self) -> Iterator[tuple[str, int, str]]:
        """Yield (sort, id, text) of every text that may contain a secret; sort is message, conversation or memory."""
        with self.sqlite() as connection:
            yield from redact.texts(connection, self.owner)

    def redact(self, redactors: redact.Redactors) -> Cleaned:
        """Redact the secrets in all texts, including the journal. This cannot be undone; other commands still can.

        Afterwards the caller must erase copies of the secrets outside the record and call `end_purge`.
        """
        with self.command("redact") as writer:
            meta.note_purge(writer.connection, writer.id)
            done = redact.redact(writer, redactors)
            writer.summarise(f"{done.messages:,} messages, {len(done.memories):,} memories")
            return done

    def compact(self, wait: float = database.WAIT) -> bool:
        """Rewrite the record without deleted pages; return False if a reader in another process prevented it.

        `wait` is the time to wait for readers, in seconds.
        """
        with self.sqlite() as connection:
            return purge.compact(connection, wait)

    # Maintenance

    def state_hash(self) -> str:
        """Return a hash of all journaled tables."""
        with self.snapshot() as connection:
            return integrity.state_hash(connection)

    def differences(self) -> list[str]:
        """Return descriptions of the record's faults: damaged pages, or rows that differ from the journal."""
        with self.snapshot() as connection:
            return integrity.differences(connection)

    def backup(self, file: Path) -> int:
        """Write a consistent copy of the record to a file, for `restore`; return its size in bytes.

        A damaged record is written to another file next to `file`, so that an older copy is not overwritten. Raises
        ValueError, Unwritable, Damaged.
        """
        check_target(file, self.folder)

        def write() -> int:
            with self.sqlite() as connection:
                return backup.copy(connection, file, restore.faults)

        return self.repeat_if_purged(write)

    def keep_backup(self, most: int) -> Path:
        """Write a backup to the store's folder, and delete all but the newest `most`. Raises Unwritable, Damaged."""
        written: list[Path] = []

        def write() -> Path:
            for former in written:
                former.unlink(missing_ok=True)
            with self.sqlite() as connection:
                written.append(backup.keep(connection, most))
            return written[-1]

        return self.repeat_if_purged(write)

    def backups(self) -> list[Path]:
        """Return the backups in the store's folder, oldest first."""
        return backup.kept(self.folder)

    def backup_due(self, hours: float) -> bool:
        """Return True if the newest backup is at least `hours` old and the record has changed since."""
        with self.sqlite() as connection:
            return backup.due(connection, self.folder, clock.now(), round(hours * 3600 * clock.SECOND))

    def archive(
        self, out: archive.Output, forgotten_words: bool = True, report: Report = no_report
    ) -> archive.ArchiveCounts:
        """Write all rows in an open format (see `store.record.archive`). Raises Damaged.

        Without `forgotten_words`, only hashes of forgotten memories are written, as if they had been purged.
        """
        with self.snapshot() as connection:
            if forgotten_words:
                return archive.ArchiveCounts(archive.write(connection, out, report), 0)
            report("forgotten", 0, 0)
            with archive_words.without_forgotten_words(connection) as (copy, left_out):
                return archive.ArchiveCounts(archive.write(copy, out, report), left_out)


def copies(folder: Path) -> list[Path]:
    """Return the files in a store's `backups/` folder."""
    kept = folder / "backups"
    return sorted(file for file in kept.iterdir() if file.is_file()) if kept.is_dir() else []
