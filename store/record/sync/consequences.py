"""Derive follow-up commands (purges, merges, conflicts) after folding remote batches.

All devices derive the same commands from the same records, so that their records converge.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from store import clock
from store.errors import KeptElsewhere
from store.model import Actor, Relation
from store.record import meta, purge
from store.record.alerts import Alerts
from store.record.changes import CHILDREN, Value
from store.record.database import writing
from store.record.journal import Writer, command
from store.record.memories import VERSIONS
from store.record.repository import first_column, grouped, json_list, next_id
from store.record.sync import raw
from store.record.sync.absorb import absorb
from store.record.sync.context import ELSEWHERE, FREED, KEPT, PURGED, PURGED_ALL, take_out
from store.record.sync.memory_changes import apply_unseen
from store.record.sync.merges import restore_merged
from store.record.sync.names import READ, References
from store.record.sync.twins import JUDGE, keep_conflicts, merge_twins, recognise
from store.record.sync.values import Values
from store.record.text_redaction import MASK
from store.record.tombstones import Tombstones

APART = 10 * 60 * clock.SECOND
"""Maximum time between two concurrent rewordings, in microseconds, for which the later one wins without a conflict."""
_DECIDED = "removed on another device, but decided on here"
_LISTED = "(SELECT value FROM json_each(?1))"
_LONGEST = 1_000  # maximum links of a chain
_COPIES = 1 << 31  # numbers from here on identify copies of texts that lost; devices never assign so many

Clean = Callable[[Sequence[int], bool], Sequence[str]]
"""Returns the names of the backups that do not contain the words of these memories."""


def reconcile(connection: sqlite3.Connection, clean: Clean) -> bool:
    """Write the follow-up commands for folded memories; return True if words were erased. Safe to repeat.

    What is queued meanwhile, also by another process, stays queued for the next call.
    """
    with writing(connection):
        absorb(connection)
        query = "UPDATE sync_pending SET kept = kept | ? RETURNING memory, kept"
        pending = dict(connection.execute(query, (READ,)).fetchall())
    owners = owners_of(connection, [one for one in pending if one > 0])
    erased = False
    for owner, own in sorted(owners.items()):
        kept = [one for one in own if pending.get(one, 0) & KEPT]
        write_again(connection, owner, kept)
        with _command(connection, owner, "restore", "changed on another device while it was removed here") as writer:
            apply_unseen(connection, writer, own)
        with _command(connection, owner, "restore", "merged into what was forgotten on another device") as writer:
            freed = [one for one in own if pending.get(one, 0) & (FREED | PURGED) == FREED]
            restore_merged(connection, writer, freed)
        for code in (PURGED, PURGED_ALL):
            erased |= purge_too(
                connection, owner, own, [one for one in own if pending.get(one, 0) & PURGED_ALL == code], code, clean
            )
        gone = first_column(
            connection, f"SELECT id FROM memories WHERE life = 'purged' AND id IN {_LISTED}", json_list(own)
        )
        if gone:
            with writing(connection):
                raw.cover_texts(connection, owner, gone)
            with _command(connection, owner, "forget", "merged from what was purged on another device") as writer:
                raw.drop_merged(writer, frozenset(gone))
        lift(connection, owner, own)
        forget(connection, owner, own)
        mend_circles(connection, owner, own)
        split(connection, owner, own)
        recognise(connection, owner, own)
        merge_twins(connection, owner, own)
        keep_conflicts(connection, owner, own)
    show_again(connection, [-one for one in pending if one < 0])
    erased |= write_anew(connection)
    with writing(connection):
        absorb(connection)
        connection.execute("DELETE FROM sync_pending WHERE kept & ?", (READ,))
    return erased


def owners_of(connection: sqlite3.Connection, memories: Sequence[int]) -> dict[str, list[int]]:
    """Return memories by owner, with removed memories replaced by those that they had superseded."""
    there = f"SELECT owner, id FROM memories WHERE id IN {_LISTED}"
    former = f"SELECT owner, id FROM memories WHERE superseded_by IN {_LISTED}"
    rows = connection.execute(there, (json_list(memories),)).fetchall()
    if removed := {*memories}.difference(row[1] for row in rows):
        rows += connection.execute(former, (json_list(removed),)).fetchall()
    return {owner: sorted({*own}) for owner, own in grouped((row[0], row[1]) for row in rows).items()}


def show_again(connection: sqlite3.Connection, conversations: Sequence[int]) -> None:
    """Show messages that this device imported too, although an earlier import on another device was undone."""
    owners = grouped(
        (row[0], row[1:])
        for row in connection.execute(
            "SELECT DISTINCT c.owner, m.conversation, m.batch FROM json_each(?) w"
            " CROSS JOIN messages m ON m.conversation = w.value JOIN sync_claims k ON k.message = m.id"
            " JOIN conversations c ON c.id = m.conversation"
            " JOIN segments s ON s.conversation = m.conversation AND s.batch = k.batch"
            " WHERE NOT EXISTS (SELECT 1 FROM segments o WHERE o.conversation = m.conversation AND o.batch = m.batch)",
            (json_list(conversations),),
        )
    )
    for owner, hidden in sorted(owners.items()):
        with _command(connection, owner, "restore", "undone on another device, but imported here") as writer:
            writer.insert("segments", ("conversation", "batch"), sorted(hidden))


def write_anew(connection: sqlite3.Connection) -> bool:
    """Record a purge if words of other memories were erased, so that this device rewrites its segments."""
    owner = meta.find(connection, raw.ERASED)
    if owner is None:
        return False
    with command(nullcontext(connection), owner.decode(), "purge", Actor.PERSON, ELSEWHERE) as writer:
        writer.note()
        meta.note_purge(connection, writer.id)
        purge.end_undo(connection, {writer.id})
        connection.execute("DELETE FROM meta WHERE name = ?", (raw.ERASED,))
    return True


def _command(connection: sqlite3.Connection, owner: str, verb: str, summary: str) -> AbstractContextManager[Writer]:
    return command(nullcontext(connection), owner, verb, Actor.SWEEP, summary)


def write_again(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> None:
    """Add memories again that were removed on another device but decided on here, so that all devices restore them.

    Each is a separate command, so that it is not split over segments.
    """
    for memory in memories:
        with _command(connection, owner, "restore", _DECIDED) as writer:
            rows = [take_out(writer, table, "memory = ?", memory) for table in CHILDREN]
            row = take_out(writer, "memories", "id = ?", memory)
            if row is None:
                continue
            for change in filter(None, (row, *rows)):
                writer.apply(change)


def purge_too(
    connection: sqlite3.Connection, owner: str, own: Sequence[int], chosen: Sequence[int], code: int, clean: Clean
) -> bool:
    """Purge memories that were purged on another device, and all with the same words."""
    same = first_column(
        connection,
        "SELECT m.id FROM tombstones t JOIN memories p ON p.id = t.memory AND p.life = 'purged'"
        " JOIN memories m ON m.content_key = t.content_key AND +m.owner = t.owner"
        f" WHERE m.life <> 'purged' AND t.owner = ?2 AND (p.id IN {_LISTED} OR m.id IN {_LISTED})",
        json_list(own),
        owner,
    )
    wanted = {*chosen, *(same if code == PURGED else ())}
    if not wanted:
        return False
    summary = f"{ELSEWHERE}, {purge.IN_EVERY_WRITING}" if code == PURGED_ALL else ELSEWHERE
    with command(nullcontext(connection), owner, "purge", Actor.PERSON, summary) as writer:
        left = set(writer.where("life <> 'purged'", sorted(wanted)))
        while left:
            targets = purge.purge_targets(connection, owner, sorted(left), code == PURGED_ALL)
            copies = clean(targets, code == PURGED_ALL)
            try:
                purge.purge(writer, targets, code == PURGED_ALL)
            except KeptElsewhere as error:  # this memory has the words, and was written concurrently with the purge
                left.add(error.memory)
                continue
            meta.note_purge(connection, writer.id, copies)
            return True
    return False


def lift(connection: sqlite3.Connection, owner: str, own: Sequence[int]) -> None:
    """Remove this device's tombstones of memories that the person restored."""
    with _command(connection, owner, "restore", "restored on another device") as writer:
        live = writer.where("life = 'live'", own)
        writer.delete("tombstones", "memory IN (SELECT value FROM json_each(?))", (json_list(live),))


def forget(connection: sqlite3.Connection, owner: str, own: Sequence[int]) -> None:
    """Forget live memories whose statement was forgotten on another device in the same scope.

    The words of memories that were forgotten on one device and edited on another are kept out too.
    """
    with _command(connection, owner, "forget", "says what was forgotten on another device") as writer:
        found = first_column(
            connection,
            "SELECT m.id FROM tombstones t JOIN memories f ON f.id = t.memory AND f.life IN ('forgotten', 'purged')"
            " JOIN memories m ON m.content_key = t.content_key AND +m.owner = t.owner AND m.life = 'live'"
            " AND m.scope = f.scope AND m.id <> f.id"
            f" WHERE t.owner = ?2 AND (f.id IN {_LISTED} OR m.id IN {_LISTED})",
            json_list(own),
            owner,
        )
        writer.update("memories", sorted(set(found)), {"life": "forgotten"})
        Tombstones.add(writer, sorted(set(found)))
    summary = "forgotten on one device and edited on another: both wordings are kept out"
    with _command(connection, owner, "forget", summary) as writer:
        edited = writer.where(  # edited concurrently, except to the text of a memory that was merged into it
            "life = 'forgotten' AND id IN (SELECT memory FROM tombstones) AND NOT EXISTS (SELECT 1 FROM versions v"
            " JOIN memories o ON o.id = v.merged_from AND o.life = 'live'"
            " WHERE v.memory = memories.id AND v.content_key = memories.content_key)",
            own,
        )
        Tombstones.add(writer, sorted(edited))


def mend_circles(connection: sqlite3.Connection, owner: str, own: Sequence[int]) -> None:
    """Restore one memory of each cycle of memories that superseded each other on different devices.

    Memories whose successor was removed by an undo on another device are restored too.
    """
    names = References(connection)
    with _command(connection, owner, "restore", "what superseded it was undone on another device") as writer:
        left = writer.where("life = 'superseded' AND superseded_by NOT IN (SELECT id FROM memories)", own)
        writer.update("memories", left, {"life": "live", "superseded_by": None})
    with _command(connection, owner, "restore", "superseded each other on two devices") as writer:
        for memory in own:
            circle = circle_of(connection, memory)
            if circle:
                first = min(circle, key=names.order)
                writer.update("memories", [first], {"life": "live", "superseded_by": None})


def circle_of(connection: sqlite3.Connection, memory: int) -> list[int]:
    """Return the cycle of superseded memories that contains a memory; empty if there is none."""
    found: list[int] = []
    query = "SELECT superseded_by FROM memories WHERE id = ? AND life = 'superseded'"
    at: int | None = memory
    while at is not None and len(found) < _LONGEST:
        found.append(at)
        row = connection.execute(query, (at,)).fetchone()
        at = None if row is None else row[0]
        if at == memory:
            return found
    return []


def split(connection: sqlite3.Connection, owner: str, own: Sequence[int]) -> None:
    """Keep the losing texts of concurrent edits by the person: as a version, or as a memory if they are `APART`."""
    names = References(connection)
    values = Values(connection, names)
    with _command(connection, owner, "conflict", "two devices changed one memory") as writer:
        for memory in own:
            keys = {(one, when): key for one, when, key in values.rivals(memory, "content_key")}
            rivals = values.rivals(memory, "text")
            if len({keys.get((one, when)) or text for one, when, text in rivals}) < 2:  # covered texts may be equal
                continue
            row = connection.execute("SELECT * FROM memories WHERE id = ?", (memory,)).fetchone()
            if row["life"] == "purged":
                continue
            *losers, (device, at, text) = rivals
            for loser, when, former in losers:
                key = keys.get((loser, when))
                if (key or former) == (keys.get((device, at)) or text):
                    continue
                keep_version(writer, memory, former, key, time_of(when))
                if row["life"] == "live" and abs(time_of(when) - time_of(at)) >= APART and key is not None:
                    copy = copy_of(writer, names, row, (loser, when), former, key)
                    if copy is not None:
                        reasons = [reason_of(connection, (loser, when), (device, at))]
                        Alerts.put(writer, memory, copy, Relation.CONTRADICTION, 1.0, reasons, judge=JUDGE)


def time_of(at: int) -> int:
    """Return the microseconds of an event's clock."""
    return (at >> 16) * 1000


def keep_version(writer: Writer, memory: int, text: str, key: Value, at: int) -> None:
    there = writer.connection.execute(
        "SELECT 1 FROM versions WHERE memory = ? AND merged_from IS NULL"
        " AND (content_key = ? OR (content_key IS NULL AND text = ?))",
        (memory, key, text),
    ).fetchone()
    if there is None:
        if Tombstones.on(writer.connection, writer.owner).blocking(str(key), purged_only=True) is not None:
            text = MASK * len(text)
        row = (next_id(writer.connection, "versions"), memory, text, key, at, None)
        writer.insert("versions", VERSIONS, [row])


def copy_of(
    writer: Writer, names: References, row: sqlite3.Row, lost: tuple[int, int], text: str, key: Value
) -> int | None:
    """Return a new memory with the losing text; None if it exists on all devices already, or was forgotten.

    The memory has the same global id on all devices.
    """
    connection, (device, when) = writer.connection, lost
    twin = connection.execute(
        "SELECT id FROM memories WHERE content_key = ? AND owner = ? AND scope = ? AND life = 'live'",
        (key, row["owner"], row["scope"]),
    ).fetchone()
    if twin is not None:
        return None if twin[0] == row["id"] else int(twin[0])
    if Tombstones.on(connection, row["owner"]).blocking(str(key)) is not None:
        return None
    identity = f"{names.order(row['id'])} {names.uid(device)} {when}".encode()
    number = _COPIES | int.from_bytes(hashlib.blake2b(identity, digest_size=4).digest(), "big") >> 1
    if names.memory((device, number)) is not None:
        return None
    own = int(next_id(connection, "memories"))
    fresh: dict[str, Value] = {"id": own, "text": text, "content_key": key, "external_id": None, "device": device}
    fresh |= {"added_at": time_of(when), "pinned": 0, "superseded_by": None, "life": "live"}
    fresh["origin"] = "shared" if row["origin"] == "shared" else "person"
    if row["created_at"] is not None:
        fresh["created_at"] = row["created_at"] - 1  # so that it is older than the winning text
    columns = {name: row[name] for name in row.keys() if name != "seq"} | fresh  # noqa: SIM118
    connection.execute("INSERT INTO sync_memories VALUES (?, ?, ?, 0, 0)", (own, device, number))
    writer.insert("memories", [*columns], [tuple(columns.values())])
    return own


def reason_of(connection: sqlite3.Connection, *writes: tuple[int, int]) -> str:
    """Return a reason in words for a conflict of concurrent writes: the devices and times."""
    named: list[str] = []
    for device, at in sorted(writes, key=lambda one: one[1]):
        (uid, name) = connection.execute("SELECT uid, name FROM devices WHERE id = ?", (device,)).fetchone()
        named.append(f"on {name or uid[:8]} ({clock.to_iso(time_of(at))[:16].replace('T', ' ')})")
    return f"changed {' and '.join(named)}, without knowing of each other"
