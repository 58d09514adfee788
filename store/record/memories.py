"""Memories in the record: admitting them, reading them, and the vectors that belong to their texts."""

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

import orjson

from store import clock, uids
from store.errors import Conflict, Forbidden, Forgotten, NotFound
from store.model import (
    Evidence,
    Kind,
    Life,
    Memory,
    NewEvidence,
    NewMemory,
    NewVersion,
    Origin,
    Rank,
    Review,
    Surprise,
    Tier,
    Uses,
    Version,
)
from store.record import tombstones
from store.record.changes import Value
from store.record.journal import Writer
from store.record.succession import said_before
from store.sanitize import storable

_COLUMNS = re.findall(
    r"\w+",
    "id owner external_id text content_key kind tier origin review rank life pinned confidence user_score importance"
    " scope project source session ordinal subject relation object span flag surprise distiller created_at added_at"
    " expires_at device",
)
EVIDENCE = ("id", "memory", "message", "quote", "start", "end", "reference", "source", "title", "said_at")
_DEVICE = "(SELECT uid FROM devices WHERE devices.id = memories.device) AS device_uid"


def hashed(key: bytes, content_key: str) -> str:
    """A content key as the record keeps it: a keyed hash, so that a purged text leaves nothing to guess at."""
    return hashlib.blake2b(content_key.encode(errors="replace"), key=key, digest_size=16).hexdigest()


def purged_id(key: bytes, external_id: str) -> str:
    """What stands in for the external id of a purged memory, so that an import knows it without the id saying it."""
    return f"purged:{hashed(key, external_id)}"


def redacted_id(key: bytes, external_id: str) -> str:
    """Return the substitute of an external id that holds a secret: still distinct, and it says nothing."""
    return f"redacted:{hashed(key, external_id)}"


@dataclass(frozen=True, slots=True)
class Admitted:
    """What became of a memory that was to be written; exactly one of the first three is set.

    `known` says the same (its evidence may have grown) and is live, or said so before it was put better, or was
    superseded by one that is live. `forgotten` said it and was let go.
    """

    added: int | None = None
    known: int | None = None
    forgotten: int | None = None
    grown: bool = False


def admit(writer: Writer, memory: NewMemory) -> Admitted:
    """The one way a new memory is written. In the same transaction it looks for what was forgotten and what is known.

    One that brings an external id (from an import) is known by that; any other by its content key within its scope,
    and then gives its evidence to the one that is there. What a superseded memory says gives it to that memory, not to
    the one that took its place: that one says something else, and what was superseded may be restored.
    """
    found = peek(writer.connection, writer.key, writer.owner, memory)
    if found.forgotten is not None:
        return found
    if found.known is not None:
        grown = memory.external_id is None and add_evidence(writer, found.known, memory.evidence)
        return Admitted(known=found.known, grown=grown)
    return Admitted(added=_write(writer, hashed(writer.key, memory.key), memory))


def peek(connection: sqlite3.Connection, key: bytes, owner: str, memory: NewMemory) -> Admitted:
    """Return what is known or forgotten of a memory that is to be written; all None for one that is new.

    An external id tells apart what says the same now. It lets nothing in that was said before or forgotten.
    """
    hashed_key = hashed(key, memory.key)
    if memory.external_id is not None:
        known = _of_external_id(connection, key, owner, memory.external_id, hashed_key)
        if known is not None:
            return Admitted(known=known)
    forgotten = tombstones.blocking(connection, owner, hashed_key, purged_only=memory.life is not Life.LIVE)
    if forgotten is not None:
        return Admitted(forgotten=forgotten)
    if memory.external_id is not None:
        if memory.life is not Life.LIVE:
            return Admitted()
        exporter = uids.exporter_prefix(memory.external_id)
        known, forgotten = said_before(connection, owner, hashed_key, memory.scope, memory.created_at, exporter)
        return Admitted(known=known, forgotten=forgotten)
    known = live_twin(connection, owner, hashed_key, memory.scope)
    if known is None and memory.origin is not Origin.PERSON:
        known, forgotten = said_before(connection, owner, hashed_key, memory.scope, memory.created_at)
    return Admitted(known=known, forgotten=forgotten)


def _of_external_id(
    connection: sqlite3.Connection, key: bytes, owner: str, external_id: str, hashed_key: str
) -> int | None:
    """Return the memory with this external id; one whose id is the same but for the mark must have said this, too.

    A purged one is known by an unproven id as well.
    """
    other = uids.counterpart(external_id)
    exact = [external_id, purged_id(key, external_id)]
    if other is not None and uids.is_unproven(external_id):
        exact.append(purged_id(key, other))
    row = connection.execute(
        "SELECT id FROM memories WHERE owner = ? AND external_id IN (SELECT value FROM json_each(?))",
        (owner, orjson.dumps(exact).decode()),
    ).fetchone()
    if row is None and other is not None:
        row = connection.execute(
            "SELECT id FROM memories m WHERE owner = ?1 AND external_id = ?2 AND (content_key = ?3"
            " OR EXISTS (SELECT 1 FROM versions v WHERE v.memory = m.id AND v.content_key = ?3))",
            (owner, other, hashed_key),
        ).fetchone()
    return None if row is None else int(row[0])


def _write(writer: Writer, hashed_key: str, memory: NewMemory) -> int:
    number = next_id(writer.connection, "memories")
    present = clock.now()
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
        present,
        memory.expires_at,
        writer.device,
    )
    writer.insert("memories", _COLUMNS, [row])
    add_evidence(writer, number, memory.evidence)
    for version in memory.versions:
        _put_version(writer, number, version, None if version.key is None else hashed(writer.key, version.key))
    writer.insert("tags", ("memory", "tag"), [(number, storable(tag)) for tag in dict.fromkeys(memory.tags)])
    if memory.life is Life.FORGOTTEN:
        tombstones.bury(writer, [number])
    return number


def live_twin(connection: sqlite3.Connection, owner: str, hashed_key: str, scope: str) -> int | None:
    """The live memory that says exactly this in this scope, if there is one."""
    row = connection.execute(
        "SELECT id FROM memories WHERE content_key = ? AND +owner = ? AND scope = ? AND +life = 'live'",
        (hashed_key, owner, scope),
    ).fetchone()
    return None if row is None else int(row[0])


def reword(writer: Writer, memory: Memory, text: str, content_key: str) -> list[int]:
    """Give a memory another text and keep the former as a version.

    Raises Forgotten if a memory that says so was let go, Conflict if another live one says it.
    """
    hashed_key = hashed(writer.key, content_key)
    forgotten = tombstones.blocking(writer.connection, writer.owner, hashed_key)
    if forgotten is not None:
        raise Forgotten(forgotten)
    twin = live_twin(writer.connection, writer.owner, hashed_key, memory.scope)
    if twin not in (None, memory.id):
        raise Conflict(f"memory {twin} says the same")
    (former,) = writer.connection.execute("SELECT content_key FROM memories WHERE id = ?", (memory.id,)).fetchone()
    _put_version(writer, memory.id, NewVersion(memory.text, clock.now()), former)
    return writer.update("memories", [memory.id], {"text": storable(text), "content_key": hashed_key})


def add_evidence(writer: Writer, memory: int, evidence: Iterable[NewEvidence]) -> bool:
    """Add quotes to a memory; one that is there already is left. Returns whether any was new."""
    rows: list[tuple[Value, ...]] = []
    first = next_id(writer.connection, "evidence")
    for item in evidence:
        message = item.message
        there = writer.connection.execute(
            "SELECT 1 FROM evidence WHERE memory = ? AND message IS ? AND reference IS ? AND start = ? AND quote = ?",
            (memory, message, None if message else item.reference, item.start, item.quote),
        ).fetchone()
        if there is None:
            elsewhere: tuple[Value, ...] = (None, None, None, None)
            if message is None:
                elsewhere = (item.reference, item.source, storable(item.title), item.said_at)
            rows.append((first + len(rows), memory, message, storable(item.quote), item.start, item.end, *elsewhere))
    writer.insert("evidence", EVIDENCE, rows)
    return bool(rows)


def _put_version(writer: Writer, memory: int, version: NewVersion, hashed_key: str | None) -> None:
    """Keep a former text of a memory."""
    row = (
        next_id(writer.connection, "versions"),
        memory,
        storable(version.text),
        hashed_key,
        version.at,
        version.merged_from,
    )
    writer.insert("versions", ("id", "memory", "text", "content_key", "at", "merged_from"), [row])


def next_id(connection: sqlite3.Connection, table: str) -> int:
    """An id that was never used, not even by a row that an undo took away."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return 1 if row is None else int(row[0]) + 1


def check_owned(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> None:
    """Raise NotFound or Forbidden unless every memory exists and is the owner's."""
    found = dict(
        connection.execute(
            "SELECT id, owner FROM memories WHERE id IN (SELECT value FROM json_each(?))", (_json(memories),)
        ).fetchall()
    )
    for memory in memories:
        if memory not in found:
            raise NotFound(f"there is no memory {memory}; `curator list` shows those there are")
        if found[memory] != owner:
            raise Forbidden(f"memory {memory} belongs to another owner")


def get_many(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> list[Memory]:
    """The owner's among these memories, in the order asked."""
    tags = _tags(connection, memories)
    rows = connection.execute(  # + keeps SQLite from reading all of the owner's rows by the index over owner
        f"SELECT *, {_DEVICE} FROM memories WHERE +owner = ? AND id IN (SELECT value FROM json_each(?))",
        (owner, _json(memories)),
    )
    found = {row["id"]: memory_of(row, tags.get(row["id"], ())) for row in rows}
    return [found[memory] for memory in memories if memory in found]


def by_uid(connection: sqlite3.Connection, owner: str, uid: str) -> int:
    """Return the number of the owner's memory with this global id. Raises NotFound, ValueError for another id."""
    parts = uids.parse(uid)
    if parts.sort is not uids.Sort.MEMORY:
        raise ValueError(f"{uid} is not the id of a memory")
    found = get_many(connection, owner, [parts.number])
    if not found or uids.parse(found[0].uid) != parts:
        raise NotFound(f"there is no memory {uid}; `curator list --json` shows the ids there are")
    return found[0].id


def content_keys(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> dict[int, str]:
    """What the owner's among these memories say, as the record keeps it to recognise it."""
    rows = connection.execute(
        "SELECT id, content_key FROM memories WHERE +owner = ? AND id IN (SELECT value FROM json_each(?))",
        (owner, _json(memories)),
    )
    return {row[0]: row[1] for row in rows}


def _tags(connection: sqlite3.Connection, memories: Sequence[int]) -> dict[int, tuple[str, ...]]:
    tags: dict[int, tuple[str, ...]] = {}
    for row in connection.execute(
        "SELECT memory, tag FROM tags WHERE memory IN (SELECT value FROM json_each(?)) ORDER BY memory, tag",
        (_json(memories),),
    ):
        tags[row["memory"]] = (*tags.get(row["memory"], ()), row["tag"])
    return tags


def memory_of(row: sqlite3.Row, tags: tuple[str, ...]) -> Memory:
    """A row of the table as a Memory."""
    surprise = None if row["surprise"] is None else Surprise(*orjson.loads(row["surprise"]))
    return Memory(
        id=row["id"],
        external_id=row["external_id"],
        text=row["text"],
        kind=Kind(row["kind"]),
        tier=Tier(row["tier"]),
        origin=Origin(row["origin"]),
        review=Review(row["review"]),
        rank=Rank(row["rank"]),
        life=Life(row["life"]),
        pinned=bool(row["pinned"]),
        confidence=row["confidence"],
        user_score=row["user_score"],
        importance=row["importance"],
        scope=row["scope"],
        project=row["project"],
        source=row["source"],
        session=row["session"],
        ordinal=row["ordinal"],
        subject=row["subject"],
        relation=row["relation"],
        object=row["object"],
        span=row["span"],
        flag=row["flag"],
        surprise=surprise,
        distiller=row["distiller"],
        created_at=row["created_at"],
        added_at=row["added_at"],
        expires_at=row["expires_at"],
        later_until=row["later_until"],
        superseded_by=row["superseded_by"],
        seq=row["seq"],
        device=row["device_uid"],
        tags=tags,
    )


def evidence(connection: sqlite3.Connection, memory: int) -> list[Evidence]:
    """The quotes behind a memory, oldest first."""
    rows = connection.execute(
        "SELECT v.id, v.memory, v.quote, v.start, v.end, m.id AS message, m.conversation,"
        " coalesce(m.external_id, v.reference) AS reference, coalesce(c.source, v.source) AS source,"
        " coalesce(c.title, v.title) AS title,"
        " coalesce(m.created_at, c.created_at, v.said_at) AS said_at"
        " FROM evidence v LEFT JOIN messages m ON m.id = v.message LEFT JOIN conversations c ON c.id = m.conversation"
        " WHERE v.memory = ? ORDER BY said_at, v.id",
        (memory,),
    )
    return [Evidence(**dict(row)) for row in rows]


def evidence_counts(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> dict[int, int]:
    """How many quotes there are behind each of the owner's among these memories."""
    rows = connection.execute(
        "SELECT id, (SELECT count(*) FROM evidence v WHERE v.memory = memories.id) FROM memories"
        " WHERE +owner = ? AND id IN (SELECT value FROM json_each(?))",
        (owner, _json(memories)),
    )
    return {row[0]: row[1] for row in rows}


def sources(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """External ids of the messages that each memory's evidence cites."""
    found: dict[int, tuple[str, ...]] = {}
    for row in connection.execute(
        "SELECT v.memory, coalesce(m.external_id, v.reference) AS reference FROM evidence v"
        " LEFT JOIN messages m ON m.id = v.message JOIN memories o ON o.id = v.memory AND +o.owner = ?"
        " WHERE v.memory IN (SELECT value FROM json_each(?)) ORDER BY v.id",
        (owner, _json(memories)),
    ):
        if row["reference"] is not None:
            found[row["memory"]] = (*found.get(row["memory"], ()), row["reference"])
    return found


def versions(connection: sqlite3.Connection, memory: int) -> list[Version]:
    """The former texts of a memory, newest first."""
    rows = connection.execute(
        "SELECT text, at, merged_from FROM versions WHERE memory = ? ORDER BY at DESC, id DESC", (memory,)
    )
    return [Version(row["text"], row["at"], row["merged_from"]) for row in rows]


def uses(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> dict[int, Uses]:
    """How often the owner's among these memories were recalled; those that never were are left out."""
    rows = connection.execute(
        "SELECT u.memory, u.times, u.last_at FROM uses u JOIN memories m ON m.id = u.memory AND +m.owner = ?"
        " WHERE u.memory IN (SELECT value FROM json_each(?))",
        (owner, _json(memories)),
    )
    return {row["memory"]: Uses(row["times"], row["last_at"]) for row in rows}


def _json(memories: Sequence[int]) -> str:
    return orjson.dumps(list(memories)).decode()
