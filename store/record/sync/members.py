"""Devices of a sync space: the time of each one's last segment, and which are removed.

Another device republishes the events of a removed device from its own record, so that the removed device's segments can
be deleted.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import orjson

from store.record import meta
from store.record.repository import first_column, json_list
from store.record.sync.names import References, seen
from store.record.sync.outbox import Batch
from store.record.sync.requests import PUBLISH_AGAIN

_NAME = "sync_members"  # in meta
FORGET = f"DELETE FROM meta WHERE name = '{_NAME}'"
"""SQL statement that deletes the devices of a former space."""


@dataclass(slots=True)
class Gone:
    """A removed device, and the clock of its last event known to the device that removed it.

    `mine` is True if this device removed it; `told` is the generation of own segments that contains its recalls.
    """

    clock: int
    mine: bool = False
    told: int = 0


@dataclass(slots=True)
class Members:
    """Devices by their UUIDs: times of their last segments in microseconds, and those that are gone."""

    times: dict[str, int] = field(default_factory=dict)
    gone: dict[str, Gone] = field(default_factory=dict)


def read(connection: sqlite3.Connection) -> Members:
    """Return the stored state of the devices."""
    found = orjson.loads(meta.find(connection, _NAME) or b'{"times": {}, "gone": {}}')
    return Members(found["times"], {uid: Gone(**one) for uid, one in found["gone"].items()})


def put(connection: sqlite3.Connection, members: Members) -> None:
    """Store the state of the devices."""
    meta.put(connection, _NAME, orjson.dumps(asdict(members)))


def note_segment(connection: sqlite3.Connection, uid: str, at: int) -> None:
    """Store the time of the last segment of a device, in microseconds."""
    members = read(connection)
    members.times[uid] = max(at, members.times.get(uid, 0))
    put(connection, members)


def remove(connection: sqlite3.Connection, uid: str) -> None:
    """Mark a device as removed, and adopt its events."""
    members = read(connection)
    members.gone[uid] = Gone(seen(connection).get(References(connection).device(uid), 0))
    for one in members.gone.values():
        one.mine = True
    put(connection, members)
    adopt(connection, members)


def learn(connection: sqlite3.Connection, gone: Mapping[str, int]) -> bool:
    """Mark devices that another device removed; return True if this device adopted events that the other one lacks."""
    members = read(connection)
    new = {uid: clock for uid, clock in gone.items() if uid not in members.gone}
    if not new:
        return False
    names, known = References(connection), seen(connection)
    members.gone |= {uid: Gone(clock) for uid, clock in new.items()}
    put(connection, members)
    connection.execute(PUBLISH_AGAIN)
    if all(known.get(names.known(uid), 0) <= clock for uid, clock in new.items()):
        return False
    adopt(connection, members)
    return True


def adopt(connection: sqlite3.Connection, members: Members) -> None:
    """Include the commands of devices without segments in this device's segments."""
    uids = first_column(connection, "SELECT d.uid FROM sync_chains c JOIN devices d ON d.id = c.device")
    there = [uid for uid in uids if uid not in members.gone]
    connection.execute(
        "UPDATE sync_commands SET folded = 0 WHERE folded AND device NOT IN"
        " (SELECT id FROM devices WHERE uid IN (SELECT value FROM json_each(?)))",
        (json_list(there),),
    )


def uses_of_gone(connection: sqlite3.Connection, generation: int) -> Batch | None:
    """Return the recalls on removed devices that are in no segment of this generation, or None."""
    names = References(connection)
    for uid, one in read(connection).gone.items():
        rows = connection.execute(
            "SELECT p.memory, p.times, u.last_at FROM sync_uses p JOIN uses u ON u.memory = p.memory"
            " WHERE p.device = ? ORDER BY p.memory",
            (names.known(uid),),
        ).fetchall()
        if not one.mine or one.told == generation or not rows:
            continue
        devices: list[str] = []
        uses: list[list[object]] = []
        for memory, times, last_at in rows:
            ref = names.of_memory(memory)
            if ref is not None:
                if (of := names.uid(ref[0])) not in devices:
                    devices.append(of)
                uses.append([f"{devices.index(of)}:{ref[1]}", times, last_at])
        return {"uses": uses, "of": uid, "devices": devices, "commands": []}
    return None


def note_published(connection: sqlite3.Connection, uid: str, generation: int) -> None:
    """Record that own segments contain the recalls on a removed device."""
    members = read(connection)
    members.gone[uid].told = generation
    put(connection, members)
