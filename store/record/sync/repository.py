"""Repository of `curator sync`: batches of this device, folding of batches of other devices, and progress."""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import orjson

from store import clock
from store.errors import Conflict
from store.record import database, device, meta
from store.record.archive_words import FOR_AN_EXPORT
from store.record.journal import Writer
from store.record.repository import Repository, first_column
from store.record.sync import inbox, members, outbox
from store.record.sync.absorb import absorb
from store.record.sync.consequences import Clean, reconcile
from store.record.sync.context import ELSEWHERE
from store.record.sync.digest import digest
from store.record.sync.members import Gone
from store.record.sync.names import References, seen
from store.record.sync.outbox import START, Batch, Cursor
from store.record.sync.overlap import Matches, Overlap, adopt_hashes
from store.record.sync.recognition import recognize
from store.record.sync.rekey import KeyOf, keep_former_keys, rekey
from store.record.sync.requests import (
    FORGET_ARRIVALS,
    PUBLISH_AGAIN,
    Arrivals,
    fold_requests,
    lacks_message,
    note_arrivals,
    read_arrivals,
    unpublished,
)
from store.record.sync.uses import note_published

_CHAIN = "d.uid, d.name, c.generation, c.number, c.digest, c.seq, c.message, c.vector, c.erasure, c.seen"
_LAST = (  # selects the last command of this record that fulfils a condition
    "SELECT coalesce(max(id), 0) FROM commands c"
    " WHERE NOT EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = c.id AND s.folded) AND"
)
_OWN = "SELECT uid FROM devices WHERE id = (SELECT CAST(value AS TEXT) FROM meta WHERE name = 'device')"
_ERASING = f"{_LAST} verb IN ('purge', 'redact')"
_PROBLEMS = "sync_problems"
_ACCEPTED = "sync_reduced"  # in meta: the command of the export without forgotten words that started the space
_WITHOUT_WORDS = (
    "this store comes from an export without forgotten words: syncing it would purge those words on your other devices."
    " Set CURATOR_HOME to a new folder, and join with that"
)
_WOULD_ERASE = (
    "this sync space was started from an export without forgotten words: joining it would purge the words of {:,} of"
    " your memories here. Set CURATOR_HOME to a new folder, and join with that"
)
_STILL_HERE = (  # counts a memory, given as (uid of a device, number there), if this record has its words
    "SELECT count(*) FROM memories m JOIN devices d ON d.uid = ?1 WHERE m.life <> 'purged' AND"
    " (EXISTS (SELECT 1 FROM sync_memories s WHERE s.id = m.id AND s.device = d.id AND s.number = ?2)"
    " OR (m.device = d.id AND m.id = ?2))"
)


@dataclass(frozen=True, slots=True)
class Chain:
    """Progress in the segments of a device: the last one that was read, or written if it is this device.

    `digest` is the hash of that segment; `erasure` is the last command that erased words before the generation began.
    """

    uid: str
    name: str = ""
    generation: int = 0
    number: int = 0
    digest: str = ""
    cursor: Cursor = START
    erasure: int = 0


@dataclass(frozen=True, slots=True)
class Past:
    """Content of a record: True if it has any command, and the numbers of memories and conversations."""

    written: bool
    memories: int
    conversations: int


def _start_anew(connection: sqlite3.Connection) -> None:
    for table in ("alerts", "values", "decided", "seen", "marks", "chains", "claims", "uses", "pending"):
        connection.execute(f"DELETE FROM sync_{table}")
    connection.execute("UPDATE sync_commands SET folded = 0")
    connection.execute(PUBLISH_AGAIN)
    connection.execute("DELETE FROM meta WHERE name = 'sync_absorbed'")
    connection.execute(members.FORGET)


def _reduced(connection: sqlite3.Connection) -> int:
    """Return the purge command of the export without forgotten words that this record was restored from, or 0.

    Folded commands of other devices do not count.
    """
    query = f"{_LAST} verb = 'purge' AND summary = ?"
    return int(connection.execute(query, (FOR_AN_EXPORT,)).fetchone()[0])


class Sync(Repository):
    """Batches of this device, folding of batches of other devices, and progress (`Store.sync`).

    It covers all owners of the record, because its devices belong to one person.
    """

    def begin(self, name: str) -> Chain:
        """Return the chain of this device, created if there is none.

        Raises Conflict if the store was replaced by an archive without forgotten words, because syncing it would purge
        these words on the other devices.
        """
        self.check_words()
        with self._writing() as connection:
            uid, number = device.current_uid(connection), device.current(connection)
            connection.execute("UPDATE devices SET name = ? WHERE id = ?", (name, number))
            absorb(connection)
            if (found := self._chain(connection, uid)) is not None:
                return found
            (erasing,) = connection.execute(_ERASING).fetchone()
            found = replace(Chain(uid, name, 1), cursor=self._published(connection), erasure=erasing)
            self._put(connection, found)
            return found

    def check_words(self) -> None:
        """Raise Conflict if this record comes from an archive without forgotten words that did not start the space."""
        with self._connect() as connection:
            if _reduced(connection) > int(meta.find(connection, _ACCEPTED) or b"0"):
                raise Conflict(_WITHOUT_WORDS)

    def without_erased(self, chain: Chain) -> Chain:
        """Return the chain of this device; if words were erased since, a new generation that rewrites everything."""
        with self._writing() as connection:
            (erasing,) = connection.execute(_ERASING).fetchone()
            return self._rewrite(connection, chain.uid) if erasing > chain.erasure else chain

    @staticmethod
    def _published(connection: sqlite3.Connection) -> Cursor:
        """Return the furthest cursor of all chains: what was published before this record was restored or copied."""
        row = connection.execute("SELECT max(seq), max(message), max(vector) FROM sync_chains").fetchone()
        return Cursor() if row[0] is None else Cursor(*row)

    def record_key(self) -> bytes:
        """Return the key of the record's hashes, which all devices share."""
        return self._key()

    def past(self) -> Past:
        """Return the size of this record, over all owners."""
        with self._connect() as connection:
            (written,) = connection.execute("SELECT EXISTS (SELECT 1 FROM commands)").fetchone()
            (memories,) = connection.execute("SELECT count(*) FROM memories WHERE life <> 'purged'").fetchone()
            (conversations,) = connection.execute("SELECT count(*) FROM conversations").fetchone()
        return Past(bool(written), memories, conversations)

    def overlap(self, batches: Iterable[Batch]) -> Matches:
        """Return the messages of this record that batches of other devices contain too."""
        with self._connect() as connection:
            overlap = Overlap(connection)
            for batch in batches:
                overlap.add(batch)
            return overlap.found

    def join(self, key: bytes, found: Matches, key_of: KeyOf) -> None:
        """Prepare this record and its content for a sync space with a hash key; `found` is the result of `overlap`.

        Raises Conflict if this record comes from an archive without forgotten words, or if the space was started from
        one and this record has such words: either would purge them on another device.
        """
        with self._writing() as connection:
            if connection.execute("SELECT 1 FROM commands").fetchone() is None:
                meta.put(connection, "key", key)
                return
            if _reduced(connection):
                raise Conflict(_WITHOUT_WORDS)
            if count := sum(int(connection.execute(_STILL_HERE, one).fetchone()[0]) for one in found.erased):
                raise Conflict(_WOULD_ERASE.format(count))
            _start_anew(connection)
            adopt_hashes(connection, found)
            rekey(connection, key, key_of)

    def start_anew(self) -> None:
        """Discard all state of the former space, so that this device publishes the whole record to a new one."""
        with self._writing() as connection:
            _start_anew(connection)
            meta.put(connection, _ACCEPTED, str(_reduced(connection)).encode())

    def rewrite(self, last: int = 0) -> None:
        """Start a new generation of this device, later than `last`, so that all its segments are written again."""
        with self._writing() as connection:
            self._rewrite(connection, device.current_uid(connection), last)

    def _rewrite(self, connection: sqlite3.Connection, uid: str, last: int = 0) -> Chain:
        found = self._chain(connection, uid) or Chain(uid)
        (erasing,) = connection.execute(_ERASING).fetchone()
        connection.execute("DELETE FROM sync_uses WHERE device = ?", (References(connection).device(uid),))
        connection.execute(PUBLISH_AGAIN)
        anew = Chain(uid, found.name, max(found.generation, last) + 1, erasure=erasing)
        self._put(connection, anew)
        return anew

    def remove(self, uid: str) -> None:
        """Remove a device from the space; this device adopts its events and rewrites all its own segments."""
        with self._writing() as connection:
            absorb(connection)
            members.remove(connection, uid)
            self._rewrite(connection, device.current_uid(connection))

    def gone(self) -> dict[str, Gone]:
        """Return the removed devices, by UUID."""
        with self._connect() as connection:
            return members.read(connection).gone

    def is_removed(self) -> bool:
        """Return True if another device has removed this one from the space."""
        with self._connect() as connection:
            return not members.read(connection).gone.keys().isdisjoint(first_column(connection, _OWN))

    def rejoin(self) -> None:
        """Rejoin the space as a new device after this one was removed, and publish everything again."""
        with self._writing() as connection:
            own = References(connection).device(device.current_uid(connection))
            connection.execute("DELETE FROM sync_chains WHERE device = ?", (own,))
            device.renew(connection)

    def segment_fields(self) -> Batch:
        """Return the fields that each segment of this device repeats: former keys and removed devices."""
        with self._connect() as connection:
            keys = [key.hex() for key in meta.keys(connection)[1:]]
            gone = {uid: one.clock for uid, one in members.read(connection).gone.items()}
        return ({"keys": keys} if keys else {}) | ({"gone": gone} if gone else {})

    def times(self) -> dict[str, int]:
        """Return the time of the last segment of each device, in microseconds, by UUID."""
        with self._connect() as connection:
            return members.read(connection).times

    def next_batch(self, chain: Chain) -> tuple[Batch, Cursor] | None:
        """Return the next batch of this device after its chain, with the cursor after it, or None."""
        with self._connect() as connection, database.snapshot(connection):
            found = next(outbox.batches(connection, chain.cursor), None)
            if found is None:
                more = (
                    outbox.uses(connection, References(connection).device(chain.uid))
                    or members.uses_of_gone(connection, chain.generation)
                    or unpublished(connection)
                )
                return None if more is None else (more, chain.cursor)
            return found

    def has_written(self, batch: Batch) -> bool:
        """Return True if this record has all commands, and the messages of all requests, of a batch of this device."""
        with self._connect() as connection, database.snapshot(connection):
            if lacks_message(connection, batch):
                return False
            names = References(connection)
            devices = [names.known(uid) for uid in batch["devices"]]
            for head in batch["commands"]:
                place, _, number = head["ref"].partition(":")
                command = names.command((devices[int(place)], int(number)))
                row = connection.execute("SELECT at FROM commands WHERE id = ?", (command,)).fetchone()
                if row is None or row[0] != head["at"]:
                    return False
        return True

    def acknowledgement(self, chain: Chain) -> Batch | None:
        """Return a batch that acknowledges what this device has read, or None if no device waits for it.

        It is needed if this device has not published anything yet, or has read a purge.
        """
        with self._connect() as connection, database.snapshot(connection):
            if chain.number and meta.find(connection, inbox.PURGE_READ) is None:
                return None
            known, names = seen(connection), References(connection)
        devices = [names.uid(number) for number in known]
        clocks = {str(place): at for place, at in enumerate(known.values())}
        return {"devices": devices, "commands": [], "events": [], "seen": clocks}

    def acknowledged(self) -> None:
        """Record that the acknowledgement was published."""
        with self._writing() as connection:
            connection.execute("DELETE FROM meta WHERE name = ?", (inbox.PURGE_READ,))

    def written(self, chain: Chain, batch: Batch) -> None:
        """Record that a batch was published as the last segment of this device, with the new state of its chain."""
        with self._writing() as connection:
            self._put(connection, chain)
            members.note_segment(connection, chain.uid, clock.now())
            if "of" in batch:
                members.note_published(connection, batch["of"], chain.generation)
                return
            fold_requests(connection, batch.get("requests", ()))
            names = References(connection)
            for ref, times, _ in batch.get("uses", ()):
                place, _, number = ref.partition(":")
                memory = names.memory((names.device(batch["devices"][int(place)]), int(number)))
                if memory is not None:
                    note_published(connection, names.device(chain.uid), memory, times)

    def chain(self, uid: str) -> Chain:
        """Return the progress in the segments of a device; a new chain if none was read."""
        with self._connect() as connection:
            return self._chain(connection, uid) or Chain(uid)

    def chains(self) -> list[Chain]:
        """Return all chains that were read or written."""
        with self._connect() as connection:
            return [
                one
                for uid in first_column(connection, "SELECT uid FROM devices ORDER BY id")
                if (one := self._chain(connection, uid)) is not None
            ]

    def missing(self, batch: Batch) -> list[str]:
        """Return the devices whose events the writer of a batch had read but this record has not."""
        with self._writing() as connection:
            return inbox.missing(connection, batch)

    def fold_ready(self, steps: Sequence[tuple[Chain, Batch]]) -> tuple[int, list[str]]:
        """Fold batches of another device in one transaction, up to the first with events `missing`.

        Return the number of folded batches, and the missing devices of the next one.
        """
        with self._writing() as connection:
            here = Sync.on(connection, self.owner)
            for number, (chain, batch) in enumerate(steps):
                if missing := here.missing(batch):
                    return number, missing
                here.fold(chain, batch)
        return len(steps), []

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Run a write transaction, or continue in the caller's."""
        with self._connect() as connection, contextlib.ExitStack() as stack:
            if not connection.in_transaction:
                stack.enter_context(database.writing(connection))
            yield connection

    def fold(self, chain: Chain, batch: Batch) -> None:
        """Fold a batch of another device and store the progress in its chain, in one transaction.

        What it brings is among the `arrivals` until `forget_arrivals`.
        """
        with self._writing() as connection:
            note_arrivals(connection, self.owner, inbox.last_event(connection))
            keep_former_keys(connection, [bytes.fromhex(key) for key in batch.get("keys", ())])
            inbox.fold(connection, batch, chain.uid)
            members.note_segment(connection, chain.uid, batch["at"])
            number = References(connection).device(chain.uid)
            connection.execute("UPDATE devices SET name = ? WHERE id = ?", (chain.name, number))
            self._put(connection, chain)
            if "seen" in batch:
                known = {batch["devices"][int(place)]: at for place, at in batch["seen"].items()}
                values = (orjson.dumps(known).decode(), number)
                connection.execute("UPDATE sync_chains SET seen = ? WHERE device = ?", values)
            if members.learn(connection, batch.get("gone", {})):
                self._rewrite(connection, device.current_uid(connection))

    def arrivals(self) -> Arrivals | None:
        """Return the state before folded batches not yet matched with requests to forget, or None."""
        with self._connect() as connection:
            return read_arrivals(connection)

    @staticmethod
    def forget_arrivals(writer: Writer) -> None:
        """Record that all that has arrived is matched, together with the command that quarantines the matches."""
        writer.connection.execute(FORGET_ARRIVALS)

    def reconcile(self, clean: Clean, key_of: KeyOf) -> bool:
        """Write the follow-up commands after folding batches (`consequences`); return True if words were erased."""
        with self._connect() as connection:
            recognize(connection, key_of)
            return reconcile(connection, clean)

    def digest(self) -> str:
        """Return a hash of the replicated state, equal on devices that have folded the same events."""
        with self._writing() as connection:
            absorb(connection)
        with self._connect() as connection, database.snapshot(connection):
            return digest(connection)

    def waiting(self) -> int:
        """Return the number of own events that are not in a segment yet."""
        with self._connect() as connection:
            return int(
                connection.execute(
                    "SELECT count(*) FROM events e WHERE seq > (SELECT coalesce(max(seq), 0) FROM sync_chains)"
                    " AND NOT EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = e.command AND s.folded)"
                ).fetchone()[0]
            )

    def note_problems(self, problems: Sequence[str]) -> None:
        """Store the problems of the last pass, for `problems`."""
        if self.problems() != [*problems]:
            with self._writing() as connection:
                meta.put(connection, _PROBLEMS, orjson.dumps([*problems]))

    def problems(self) -> list[str]:
        """Return the problems of the last pass."""
        with self._connect() as connection:
            return [str(one) for one in orjson.loads(meta.find(connection, _PROBLEMS) or b"[]")]

    def unconfirmed(self) -> set[str]:
        """Return the devices that have not acknowledged the last purge of this record."""
        with self._connect() as connection:
            row = connection.execute(
                "SELECT d.uid, max(e.clock) AS clock FROM commands c JOIN devices d ON d.id = c.device"
                " JOIN events e ON e.command = c.id WHERE c.id = (SELECT max(id) FROM commands c WHERE verb = 'purge'"
                " AND summary NOT LIKE ? || '%' AND NOT EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = c.id))",
                (ELSEWHERE,),
            ).fetchone()
            rows = connection.execute("SELECT d.uid, c.seen FROM sync_chains c JOIN devices d ON d.id = c.device")
            late = {uid for uid, known in rows if row[0] is not None and orjson.loads(known).get(row[0], 0) < row[1]}
            return late - self.gone().keys() - {row[0], *first_column(connection, _OWN)}

    @staticmethod
    def _chain(connection: sqlite3.Connection, uid: str) -> Chain | None:
        row = connection.execute(
            f"SELECT {_CHAIN} FROM sync_chains c JOIN devices d ON d.id = c.device WHERE d.uid = ?", (uid,)
        ).fetchone()
        if row is None:
            return None
        cursor = Cursor(row["seq"], row["message"], row["vector"])
        return Chain(row["uid"], row["name"], row["generation"], row["number"], row["digest"], cursor, row["erasure"])

    @staticmethod
    def _put(connection: sqlite3.Connection, chain: Chain) -> None:
        number = References(connection).device(chain.uid)
        at = chain.cursor
        connection.execute(
            "INSERT INTO sync_chains (device, generation, number, digest, seq, message, vector, erasure)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (device) DO UPDATE SET generation = excluded.generation,"
            " number = excluded.number, digest = excluded.digest, seq = excluded.seq, message = excluded.message,"
            " vector = excluded.vector, erasure = excluded.erasure",
            (number, chain.generation, chain.number, chain.digest, at.seq, at.message, at.vector, chain.erasure),
        )
