"""Writing of memories: admission, rewording, evidence, merging."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass

import orjson

from store import clock, uids
from store.errors import Conflict, Forgotten
from store.model import Life, Memory, NewEvidence, NewMemory, NewVersion, Origin
from store.record import meta
from store.record.changes import Value
from store.record.journal import Writer
from store.record.memory_queries import MemoryQueries
from store.record.meta import hashed, purged_id, redacted_id
from store.record.repository import json_list, next_id
from store.record.tombstones import Tombstones
from store.sanitize import storable

_COLUMNS = (
    "id owner external_id text content_key kind tier origin review rank life pinned confidence user_score importance"
    " scope project source session ordinal subject relation object span flag surprise distiller created_at added_at"
    " expires_at device given"
).split()
VERSIONS = ("id", "memory", "text", "content_key", "at", "merged_from")
EVIDENCE = ("id", "memory", "message", "quote", "start", "end", "reference", "source", "title", "said_at")


@dataclass(frozen=True, slots=True)
class Admitted:
    """Result of admitting a memory; exactly one of the first three fields is set.

    `added` is the new memory. `known` is an existing one with the same statement: a live one, or one that had the
    statement before it was reworded or superseded; `grown` is True if it gained evidence. `forgotten` is a forgotten or
    purged memory with the same statement.
    """

    added: int | None = None
    known: int | None = None
    forgotten: int | None = None
    grown: bool = False


class Memories(MemoryQueries):
    """Reads and writes memories."""

    @property
    def identity(self) -> str:
        """Public, random id of the store, the same for every copy; read each time, since a restore may change it."""
        with self._connect() as connection:
            return meta.get(connection, "id").decode()

    @property
    def prefix(self) -> str:
        """Prefix of the ids that memories of this store have in exported files."""
        return uids.store_prefix(self.identity)

    def hashed_id(self, external_id: str) -> str:
        """Return the substitute of an external id that contains a secret."""
        first, *former = (redacted_id(key, external_id) for key in self._keys())
        query = "SELECT external_id FROM memories WHERE owner = ? AND external_id IN (SELECT value FROM json_each(?))"
        return next((str(row[0]) for row in self._rows(query, self.owner, json_list(former))), first)

    # Admission

    @staticmethod
    def admit(writer: Writer, memory: NewMemory) -> Admitted:
        """Add a memory unless it is known or forgotten. All memories are added here.

        A memory with an external id, from an import, is matched by that id. Any other is matched by its content key
        within its scope, and its evidence is added to the known memory, even to a superseded one: its successor makes
        another statement, and the superseded memory may be restored.
        """
        here = Memories.on(writer.connection, writer.owner)
        own = here._exported_from_here(memory)
        if own is not None:
            return own
        found = here._peek(meta.keys(writer.connection), memory)
        if found.forgotten is not None:
            return found
        if found.known is not None:
            grown = memory.external_id is None and here.add_evidence(writer, found.known, memory.evidence)
            return Admitted(known=found.known, grown=grown)
        return Admitted(added=here._write(writer, hashed(writer.key, memory.key), memory))

    def peek_memory(self, memory: NewMemory) -> Admitted:
        """Return the known or forgotten memory that `admit` would find; all None if it would add one."""
        return self._exported_from_here(memory) or self._peek(self._keys(), memory)

    def _exported_from_here(self, memory: NewMemory) -> Admitted | None:
        """Return a memory that was exported from this store and still exists, in any state of life.

        The number alone is not enough: after a restore it may have been reused.
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

    def _peek(self, keys: Sequence[bytes], memory: NewMemory) -> Admitted:
        """Look a memory up by its external id, then among tombstones, live memories and former statements.

        An external id admits a memory beside a live one that says the same, but not a former or forgotten statement.
        """
        hashed_key, external_id = hashed(keys[0], memory.key), memory.external_id
        known = None if external_id is None else self._of_external_id(keys, external_id, hashed_key)
        if known is not None:
            return Admitted(known=known)
        forgotten = Tombstones(self._connect, self.owner).matching(memory.key, memory.life is not Life.LIVE)
        if forgotten is not None:
            return Admitted(forgotten=forgotten)
        known = self._live_twin(hashed_key, memory.scope) if external_id is None else None
        news = memory.origin is Origin.PERSON if external_id is None else memory.life is not Life.LIVE
        if known is None and not news:
            exporter = None if external_id is None else uids.exporter_prefix(external_id)
            known, forgotten = self.said_before(hashed_key, memory.scope, memory.created_at, exporter)
        return Admitted(known=known, forgotten=forgotten)

    def _of_external_id(self, keys: Sequence[bytes], external_id: str, hashed_key: str) -> int | None:
        """Return the memory with this external id; an id that differs only in the unproven mark must also have the same
        text.

        A purged one is matched by an unproven id as well.
        """
        other = uids.counterpart(external_id)
        exact = [external_id, *(purged_id(key, external_id) for key in keys)]
        if other is not None and uids.is_unproven(external_id):
            exact += (purged_id(key, other) for key in keys)
        return self._id(
            "SELECT id FROM memories WHERE owner = ? AND external_id IN (SELECT value FROM json_each(?))",
            self.owner,
            json_list(exact),
        ) or self._id(
            "SELECT id FROM memories m WHERE owner = ?1 AND external_id = ?2 AND (content_key = ?3"
            " OR EXISTS (SELECT 1 FROM versions v WHERE v.memory = m.id AND v.content_key = ?3))",
            self.owner,
            other,
            hashed_key,
        )

    def _live_twin(self, hashed_key: str, scope: str) -> int | None:
        """Return the live memory with this content key in this scope, or None."""
        return self._id(
            "SELECT id FROM memories WHERE content_key = ? AND +owner = ? AND scope = ? AND +life = 'live'",
            hashed_key,
            self.owner,
            scope,
        )

    def _write(self, writer: Writer, hashed_key: str, memory: NewMemory) -> int:
        number = next_id(writer.connection, "memories")
        surprise = None if memory.surprise is None else orjson.dumps(astuple(memory.surprise)).decode()
        row: tuple[Value, ...] = (
            number,
            writer.owner,
            storable(memory.external_id),
            storable(memory.text),
            hashed_key,
            memory.kind.value,
            memory.tier.value,
            memory.origin.value,
            memory.review.value,
            memory.rank.value,
            memory.life.value,
            int(memory.pinned),
            memory.confidence,
            memory.user_score,
            memory.importance,
            storable(memory.scope),
            storable(memory.project),
            memory.source,
            storable(memory.session),
            memory.ordinal,
            storable(memory.subject),
            storable(memory.relation),
            storable(memory.object),
            memory.span,
            memory.flag,
            surprise,
            memory.distiller,
            memory.created_at,
            clock.now(),
            memory.expires_at,
            writer.device,
            memory.given.value,
        )
        writer.insert("memories", _COLUMNS, [row])
        self.add_evidence(writer, number, memory.evidence)
        for version in memory.versions:
            self._put_version(writer, number, version, None if version.key is None else hashed(writer.key, version.key))
        writer.insert("tags", ("memory", "tag"), [(number, storable(tag)) for tag in dict.fromkeys(memory.tags)])
        if memory.life is Life.FORGOTTEN:
            Tombstones.add(writer, [number])
        return number

    # Changes

    @staticmethod
    def reword(writer: Writer, memory: Memory, text: str, content_key: str) -> int:
        """Replace the text of a memory and keep the former one as a version; return the number changed, 0 or 1.

        The relation that a distiller read from the former text, with its subject and object, is dropped.

        Raises Forgotten if a forgotten memory has the same statement, Conflict if another live one has it.
        """
        here = Memories.on(writer.connection, writer.owner)
        hashed_key = hashed(writer.key, content_key)
        forgotten = Tombstones.on(writer.connection, writer.owner).matching(content_key)
        if forgotten is not None:
            raise Forgotten(forgotten, here.get(forgotten).life is Life.PURGED)
        twin = here._live_twin(hashed_key, memory.scope)
        if twin not in (None, memory.id):
            raise Conflict(f"memory {twin} says the same")
        former = here.content_keys([memory.id])[memory.id]
        here._put_version(writer, memory.id, NewVersion(memory.text, clock.now()), former)
        after: dict[str, Value] = {"text": storable(text), "content_key": hashed_key}
        if memory.relation or memory.object:  # they were read from the former text
            after |= dict.fromkeys(("subject", "relation", "object"))
        return len(writer.update("memories", [memory.id], after))

    @staticmethod
    def add_evidence(writer: Writer, memory: int, evidence: Iterable[NewEvidence]) -> bool:
        """Add quotes to a memory, skipping those it already has. Returns True if any was new."""
        rows: list[tuple[Value, ...]] = []
        first = next_id(writer.connection, "evidence")
        for item in evidence:
            here = item.message is not None
            citation = (memory, item.message, None if here else item.reference, item.start, item.quote)
            same = "memory = ? AND message IS ? AND reference IS ? AND start = ? AND quote = ?"
            if writer.connection.execute(f"SELECT 1 FROM evidence WHERE {same}", citation).fetchone() is None:
                elsewhere = (item.reference, item.source, storable(item.title), item.said_at)
                quoted = (item.message, storable(item.quote), item.start, item.end)
                rows.append((first + len(rows), memory, *quoted, *((None,) * 4 if here else elsewhere)))
        writer.insert("evidence", EVIDENCE, rows)
        return bool(rows)

    @staticmethod
    def absorb(writer: Writer, survivor: int, others: Sequence[int]) -> None:
        """Copy the quotes, tags and versions of other memories to a survivor, and their texts as versions.

        The other memories are unchanged, so that they can be restored completely. Each copied version keeps its time
        and names the memory that it came from.
        """
        columns = ", ".join(EVIDENCE[2:])
        quotes = (
            f"SELECT {columns} FROM (SELECT *, row_number() OVER"
            " (PARTITION BY message, reference, start, quote ORDER BY id) AS place FROM evidence"
            " WHERE memory IN (SELECT value FROM json_each(?1))) n WHERE place = 1 AND NOT EXISTS"
            " (SELECT 1 FROM evidence o WHERE o.memory = ?2 AND o.message IS n.message AND o.reference IS n.reference"
            " AND o.start = n.start AND o.quote = n.quote) ORDER BY id"
        )
        texts = (
            "SELECT text, content_key, at, origin FROM (SELECT *, row_number() OVER"
            " (PARTITION BY text, origin ORDER BY memory, id) AS place FROM ("
            "SELECT text, content_key, at, coalesce(merged_from, memory) AS origin, memory, id FROM versions"
            " WHERE memory IN (SELECT value FROM json_each(?1))"
            " UNION ALL SELECT text, content_key, ?3, id, id, 9e18 FROM memories"
            " WHERE id IN (SELECT value FROM json_each(?1)))) n WHERE place = 1 AND NOT EXISTS"
            " (SELECT 1 FROM versions o WHERE o.memory = ?2 AND o.text = n.text AND o.merged_from IS n.origin)"
            " ORDER BY memory, id"
        )
        tags = (
            "SELECT DISTINCT tag FROM tags WHERE memory IN (SELECT value FROM json_each(?1))"
            " AND tag NOT IN (SELECT tag FROM tags WHERE memory = ?2) ORDER BY tag"
        )
        chosen = (json_list(sorted(others)), survivor)
        for table, names, query, more in (
            ("evidence", EVIDENCE, quotes, ()),
            ("versions", VERSIONS, texts, (clock.now(),)),
        ):
            found = writer.connection.execute(query, (*chosen, *more)).fetchall()
            numbered = enumerate(found, next_id(writer.connection, table))
            writer.insert(table, names, [(number, survivor, *row) for number, row in numbered])
        new = writer.connection.execute(tags, chosen).fetchall()
        writer.insert("tags", ("memory", "tag"), [(survivor, *row) for row in new])

    @staticmethod
    def _put_version(writer: Writer, memory: int, version: NewVersion, hashed_key: str | None) -> None:
        number, text = next_id(writer.connection, "versions"), storable(version.text)
        writer.insert("versions", VERSIONS, [(number, memory, text, hashed_key, version.at, version.merged_from)])

    # Live memories with the same statement

    def twins(self, ids: Sequence[int], since: Collection[int] | None = None) -> tuple[int, int] | None:
        """Return the first pair of one of these memories and another with the same statement and scope, both live.

        With `since`, one of the pair must be in it. Memories with external ids are ignored: their statements may repeat
        others.
        """
        rows = self._rows(
            "SELECT m.id, o.id FROM memories m JOIN memories o ON o.content_key = m.content_key AND o.id <> m.id"
            " AND +o.owner = m.owner AND o.scope = m.scope AND +o.life = 'live'"
            " WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.life = 'live' AND m.external_id IS NULL"
            " AND o.external_id IS NULL",
            json_list(ids),
        )
        return self._first(rows, since)

    def refuse_twins(self, ids: Sequence[int], since: Collection[int] | None = None) -> None:
        """Raise Conflict if one of these memories is live although another or a tombstone has the same statement.

        With `since`, one of the pair must be in it, so that memories that were live together before are accepted.
        """
        if since is not None and not since:
            return
        rows = self._rows(
            "SELECT m.id, t.memory FROM memories m"
            " JOIN tombstones t ON t.owner = m.owner AND t.content_key = m.content_key"
            " WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.life = 'live'",
            json_list(ids),
        )
        for pair, reason in ((self._first(rows, since), "and was forgotten"), (self.twins(ids, since), "now")):
            if pair is not None:
                raise Conflict(f"memory {pair[0]} would be live again, but memory {pair[1]} says the same {reason}")

    @staticmethod
    def _first(rows: Iterable[sqlite3.Row], since: Collection[int] | None) -> tuple[int, int] | None:
        pairs = ((int(row[0]), int(row[1])) for row in rows)
        return next((pair for pair in pairs if since is None or not {*pair}.isdisjoint(since)), None)
