"""The store: one folder that holds all of one person's memories, and the only door to the record."""

import contextlib
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from store import uids
from store.alerts import Alerts
from store.atomic_write import check_target
from store.distillation import Distilling
from store.errors import Conflict, NotFound
from store.filter import Dialect, Filter, Sort
from store.journal import Journal
from store.model import Actor, Aging, Command, Evidence, Life, Memory, NewEvidence, NewMemory, Version
from store.raw import Raw
from store.recalls import Recalls
from store.record import (
    backup,
    database,
    integrity,
    journal,
    lifecycle_rows,
    memories,
    memory_queries,
    merge,
    meta,
    migrations,
    purge,
    purge_places,
    redact,
    restore_stage,
    schema,
    succession,
)
from store.record.files import NAME as RECORD
from store.record.files import check_not_lost
from store.record.journal import Writer
from store.record.memories import Admitted
from store.record.meta import UnfinishedPurge
from store.record.pool import Pool, shared_pool
from store.record.purge import Erased
from store.record.purge_places import Place
from store.sweeps import Sweeps
from store.tombstones import Tombstones
from store.vectors import Vectors


class Store:
    """Memories, commands and the care of it all; the rest is behind doors of their own, which are its attributes.

    Reads are safe from any thread (each has its own connection); writes go through `command`. Another owner's memory
    is Forbidden, a missing one NotFound. Nothing here loads LanceDB or DuckDB.
    """

    def __init__(self, folder: Path, owner: str) -> None:
        self.folder = folder
        self.owner = owner
        self.raw = Raw(self._reading, owner)  # conversations and messages
        self.distillation = Distilling(self._reading, owner)  # what distillers left: marks, refusals, other words
        self.alerts = Alerts(self._reading, owner)  # duplicates and conflicts, and what was decided on them
        self.tombstones = Tombstones(self._reading, owner)  # what must not come back
        self.journal = Journal(self._reading, owner)  # what was done
        self.recalls = Recalls(self._reading, owner)  # what was recalled, its warmth, and checks
        self.vectors = Vectors(self._reading, owner)
        self.sweeps = Sweeps(self._reading, owner)  # what work in the background needs
        self._pool = shared_pool(folder / RECORD, self)

    @classmethod
    def open(cls, folder: Path, owner: str = "me") -> "Store":
        """Open the store in `folder`, making or migrating it as needed. Raises Unusable: nothing is overwritten."""
        database.prepare_folder(folder)
        check_not_lost(folder)
        store = cls(folder, owner)
        try:
            with store._reading() as connection:
                version = database.check_identity(connection, store._pool.path, schema.NEWEST)
                migrations.migrate(connection, store._pool.path, version)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close the store; the last one of this process on a record closes the connections of every thread.

        Used again, it opens anew.
        """
        self._pool.leave(self)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        connection = self._joined().connection()
        with database.translated(self._pool.path):
            yield connection

    def _joined(self) -> Pool:
        if self not in self._pool.users:  # closed
            self._pool = shared_pool(self.folder / RECORD, self)
        return self._pool

    @property
    def identity(self) -> str:
        """Public, random, the same for every copy of this store; read anew, since a restore may put another here."""
        with self._reading() as connection:
            return meta.get(connection, "id").decode()

    @property
    def epoch(self) -> str:
        """Name of the time since the last restore; what was made of the record in another epoch does not fit it."""
        with self._reading() as connection:
            return meta.epoch(connection)

    @property
    def prefix(self) -> str:
        """What the ids begin with that memories of this store have in exported files."""
        return uids.store_prefix(self.identity)

    def data_version(self) -> int:
        """A number that is another one as soon as anybody has committed anything, in whatever thread or process.

        It takes microseconds, however large the store is: what was read may be kept while the number stays the same.
        Take it before reading, so that what is committed meanwhile is not missed. Uses and vectors count too, which
        are no events; what is not committed yet does not. Only numbers of this one `Store` can be compared, and only
        for being the same: they do not say what came first.
        """
        with database.translated(self._pool.path):
            return self._joined().data_version()

    @contextlib.contextmanager
    def sqlite(self) -> Iterator[sqlite3.Connection]:
        """The thread's connection, for projections that read whole tables."""
        with self._reading() as connection:
            yield connection

    # Commands

    @contextlib.contextmanager
    def command(
        self, verb: str, actor: Actor = Actor.PERSON, summary: str = "", *, manual: bool = False
    ) -> Iterator[Writer]:
        """One undoable step: what is done with the writer is committed together, or not at all on an error.

        With `manual`, the person started a run of what a sweep does otherwise: plain undo takes it back.
        """
        with (
            self._reading() as connection,
            journal.command(connection, self.owner, verb, actor, summary, manual=manual) as writer,
        ):
            yield writer

    def undo(self, command: int | None = None) -> Command:
        """Take back the person's last command, or one by id; returns what was taken back.

        Raises NotFound where there is nothing, ReliedOn where later commands rest on it, Conflict for other reasons.
        """
        with self._reading() as connection:
            target = journal.last_to_undo(connection, self.owner) if command is None else command
            if target is None:
                raise NotFound("there is nothing to undo")
            journal.take_back(self._taker(connection), target, "undo")
            return self.journal.commands([target])[0]

    def redo(self, command: int | None = None) -> Command:
        """Do again what was undone last, if nothing was done since; returns the command that stands again.

        With a command, only if it is that. Raises NotFound where there is nothing, Conflict.
        """
        with self._reading() as connection:
            undo = journal.last_to_redo(connection, self.owner)
            if undo is None:
                raise NotFound("there is nothing to redo")
            (target,) = connection.execute("SELECT target FROM commands WHERE id = ?", (undo,)).fetchone()
            if command not in (None, target):
                raise Conflict(f"command {command} cannot be done again: command {target} was undone last")
            journal.take_back(self._taker(connection), undo, "redo")
            return self.journal.commands([target])[0]

    def _taker(self, connection: sqlite3.Connection) -> Callable[[str, int], Writer]:
        def begin(verb: str, target: int) -> Writer:
            return Writer(connection, self.owner, verb, Actor.PERSON, "", target)

        return begin

    # Writing memories

    def admit(self, writer: Writer, memory: NewMemory) -> Admitted:
        """Write a memory, unless it is known or was forgotten (`store.record.memories.admit`)."""
        own = self._own(memory)
        return own if own is not None else memories.admit(writer, memory)

    def peek_memory(self, memory: NewMemory) -> Admitted:
        """What `admit` would find known or forgotten; all None for what it would add."""
        own = self._own(memory)
        if own is not None:
            return own
        with self._reading() as connection:
            return memories.peek(connection, meta.get(connection, "key"), self.owner, memory)

    def hashed_id(self, external_id: str) -> str:
        """Return the substitute of an external id that holds a secret."""
        with self._reading() as connection:
            return memories.redacted_id(meta.get(connection, "key"), external_id)

    def _own(self, memory: NewMemory) -> Admitted | None:
        """A memory that was exported from this store and is here still, in whatever state of life.

        The number alone does not tell: after a restore it may have been given again.
        """
        if memory.external_id is None or uids.counterpart(memory.external_id) is None:
            return None
        number = uids.unmarked(memory.external_id).removeprefix(self.prefix)
        if not (number.isascii() and number.isdecimal() and len(number) < 18):
            return None
        for found in self.get_many([int(number)]):
            texts = {found.text, *(version.text for version in self.versions(found.id))}
            if memory.text in texts or found.life is Life.PURGED:
                return Admitted(known=found.id)
        return None

    def reword(self, writer: Writer, memory: Memory, text: str, content_key: str) -> int:
        """Give a memory another text; the former stays as a version. Raises Forgotten, Conflict."""
        return len(memories.reword(writer, memory, text, content_key))

    def add_evidence(self, writer: Writer, memory: int, evidence: Sequence[NewEvidence]) -> bool:
        """Add quotes to a memory; returns whether any was new."""
        return memories.add_evidence(writer, memory, evidence)

    def twins(self, writer: Writer, ids: Sequence[int]) -> tuple[int, int] | None:
        """One of these that is live beside another that says the same in its scope, and that other."""
        return journal.twins(writer.connection, ids)

    def refuse_twins(self, writer: Writer, ids: Sequence[int]) -> None:
        """Raise Conflict if one of these is live beside another that says the same, or beside a tombstone for it."""
        journal.refuse_twins(writer, ids)

    def absorb(self, writer: Writer, survivor: int, others: Sequence[int]) -> None:
        """Give a memory the quotes, tags and former texts of others, and what they say as versions from them."""
        merge.absorb(writer, survivor, others)

    # Reading memories

    def get(self, memory: int) -> Memory:
        """One memory. Raises NotFound, Forbidden."""
        self.check_owned([memory])
        return self.get_many([memory])[0]

    def by_uid(self, uid: str) -> int:
        """Return the number of the owner's memory with this global id. Raises NotFound, ValueError for another id."""
        with self._reading() as connection:
            return memories.by_uid(connection, self.owner, uid)

    def get_many(self, ids: Sequence[int]) -> list[Memory]:
        """The owner's among these memories, in the order asked; what is missing is left out."""
        with self._reading() as connection:
            return memories.get_many(connection, self.owner, ids)

    def check_owned(self, ids: Sequence[int]) -> None:
        """Raise NotFound or Forbidden unless all of these memories are the owner's."""
        with self._reading() as connection:
            memories.check_owned(connection, self.owner, ids)

    def list_ids(
        self, filter: Filter, sort: Sort = Sort.CREATED, limit: int | None = None, descending: bool = True
    ) -> list[int]:
        """Ids of the memories a filter means, in order."""
        return self.id_array(filter, sort, limit, descending).tolist()

    def id_array(
        self, filter: Filter, sort: Sort = Sort.CREATED, limit: int | None = None, descending: bool = True
    ) -> "array[int]":
        """The same as an array: a tenth of a second for a million, in which other threads run."""
        with self._reading() as connection:
            return memory_queries.list_ids(connection, self.owner, filter, sort, descending, limit)

    def count(self, filter: Filter) -> int:
        """How many memories a filter means."""
        with self._reading() as connection:
            query = f"SELECT count(*) FROM memories WHERE owner = ? AND {filter.sql(Dialect.SQLITE)}"
            return int(connection.execute(query, (self.owner,)).fetchone()[0])

    def of_session(self, session: str) -> frozenset[int]:
        """Return the memories that were said in a conversation, named by its id or external id."""
        with self._reading() as connection:
            return memory_queries.of_session(connection, self.owner, session)

    def tag_counts(self) -> list[tuple[str, int]]:
        """Return the tags of live memories with how many have each, the most frequent first."""
        with self._reading() as connection:
            return memory_queries.tag_counts(connection, self.owner)

    def aging(self, only: Sequence[int] | None = None) -> Iterator[Aging]:
        """Every live memory, or those of `only` that are, with what its life is decided from, by id."""
        with self._reading() as connection:
            yield from lifecycle_rows.live(connection, self.owner, only)

    def let_go_before(self, moment: int) -> list[tuple[int, int]]:
        """What is forgotten or expired since before a moment, with when that was; what was let go first comes first."""
        with self._reading() as connection:
            return lifecycle_rows.let_go_before(connection, self.owner, moment)

    def evidence(self, memory: int) -> list[Evidence]:
        """The quotes behind a memory, oldest first. Raises NotFound, Forbidden."""
        self.check_owned([memory])
        with self._reading() as connection:
            return memories.evidence(connection, memory)

    def evidence_counts(self, ids: Sequence[int]) -> dict[int, int]:
        """How many quotes there are behind each of these memories."""
        with self._reading() as connection:
            return memories.evidence_counts(connection, self.owner, ids)

    def sources(self, ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """External ids of the messages that the evidence of each memory cites."""
        with self._reading() as connection:
            return memories.sources(connection, self.owner, ids)

    def successors(self, memory: int) -> list[int]:
        """What took the place of a superseded memory, and of that; the last stands. Raises NotFound, Forbidden."""
        self.check_owned([memory])
        with self._reading() as connection:
            return [row["id"] for row in succession.chain(connection, memory)[1:]]

    def versions(self, memory: int) -> list[Version]:
        """The former texts of a memory, newest first. Raises NotFound, Forbidden."""
        self.check_owned([memory])
        with self._reading() as connection:
            return memories.versions(connection, memory)

    def content_keys(self, ids: Sequence[int]) -> dict[int, str]:
        """The content keys of the owner's among these memories: keyed hashes, equal for what says the same."""
        with self._reading() as connection:
            return memories.content_keys(connection, self.owner, ids)

    # Erasing for good

    def meant_by_purge(self, ids: Sequence[int], variants: bool = False) -> list[int]:
        """All memories that a purge of these would erase; with `variants` those that say it in another writing, too."""
        with self._reading() as connection:
            return purge.everyone_meant(connection, self.owner, ids, variants)

    def other_writings(self, ids: Sequence[int]) -> list[Place]:
        """Return the places where these memories' words are written differently; a purge erases them if told to."""
        with self._reading() as connection:
            return purge_places.other_writings(
                connection, self.owner, purge.everyone_meant(connection, self.owner, ids)
            )

    def copies_holding(self, ids: Sequence[int], variants: bool = False) -> list[str]:
        """Names of the copies in `backups/` that a purge of these deletes: they hold the words, or cannot be read."""
        with self._reading() as connection:
            meant = purge.everyone_meant(connection, self.owner, ids, variants)
            words = purge.words_of(connection, meant, variants)
        return [file.name for file in copies(self.folder) if not purge_places.is_clean(file, words)]

    def purge(self, ids: Sequence[int], variants: bool = False) -> purge.Purged:
        """Erase memories for good, and every one that says exactly the same. Not undoable.

        With `variants` their words go in every other writing, too (`other_writings`). Afterwards erase what else may
        hold them, then call `end_purge`. Raises NotFound, Forbidden, Conflict.
        """
        self.check_owned(ids)
        holding = self.copies_holding(ids, variants)
        clean = [file.name for file in copies(self.folder) if file.name not in holding]
        with self.command("purge", summary=purge.IN_EVERY_WRITING if variants else "") as writer:
            meta.note_purge(writer.connection, writer.id, clean)
            meant = purge.everyone_meant(writer.connection, self.owner, ids, variants)
            return purge.purge(writer, meant, variants)

    def erase_logs(self, conversations: Sequence[int], before: int) -> Erased:
        """Erase what was said in those of these conversations that `raw.logs_before` still finds. Not undoable.

        One to which words were added since it was listed stays whole. Memories and their quotes stay. Afterwards erase
        what else may hold them, then call `end_purge`.
        """
        with self.command("purge", summary="of logs") as writer:
            past = {found for found, _ in lifecycle_rows.logs_before(writer.connection, self.owner, before)}
            erased = purge.erase_logs(writer, sorted(past.intersection(conversations)))
            if erased.conversations:
                meta.note_purge(writer.connection, writer.id)
            return erased

    def unfinished_purge(self) -> UnfinishedPurge | None:
        """The purge whose words may still be in freed pages, copies or projections; None if there is none."""
        with self._reading() as connection:
            return meta.unfinished_purge(connection)

    def end_purge(self, done: UnfinishedPurge) -> None:
        """Note that all is erased that this purge left."""
        with self._reading() as connection:
            meta.clear_purge(connection, done)

    def texts(self) -> Iterator[tuple[str, int, str]]:
        """All words that a secret may stand in: what holds them (message, conversation, memory), its id, the words."""
        with self._reading() as connection:
            yield from redact.texts(connection, self.owner)

    def redact(self, ways: redact.Redactors) -> redact.Redacted:
        """Clean every text, the journal's too, of what the detectors find. Not undoable; other commands still are.

        Afterwards erase what else may hold them, then call `end_purge`.
        """
        with self.command("redact") as writer:
            meta.note_purge(writer.connection, writer.id)
            done = redact.redact(writer, ways)
            writer.summarise(f"{done.messages:,} messages, {len(done.memories):,} memories")
            return done

    def compact(self, wait: float = database.WAIT) -> bool:
        """Rewrite the record without what was deleted; False if another process's reading kept it from finishing."""
        with self._reading() as connection:
            return purge.compact(connection, wait)

    # Care

    def state_hash(self) -> str:
        """One hash over all that the journal answers for."""
        with self._reading() as connection, database.snapshot(connection):
            return integrity.state_hash(connection)

    def differences(self) -> list[str]:
        """What is wrong with the record; empty when journal and rows agree and every page is sound."""
        with self._reading() as connection, database.snapshot(connection):
            return integrity.differences(connection)

    def backup(self, file: Path) -> int:
        """Write a consistent copy of the record that `restore` takes to a file; returns its size in bytes.

        A damaged record is copied beside `file`, never over it. Raises ValueError, Unwritable, Damaged.
        """
        check_target(file, self.folder)
        with self._reading() as connection:
            return backup.copy_verified(connection, file, restore_stage.faults)


def copies(folder: Path) -> list[Path]:
    """The copies of the record that the program made by itself in a store's folder."""
    kept = folder / "backups"
    return sorted(file for file in kept.iterdir() if file.is_file()) if kept.is_dir() else []
