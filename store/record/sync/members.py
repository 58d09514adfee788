"""Devices of a space: when each wrote last, and which are gone for good.

What a gone device had written is told by another one from its own record, as if it were its own, so that the segments
of the gone one can go.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import orjson

from store.record import meta
from store.record.repository import first_column, json_list
from store.record.sync.names import References, seen
from store.record.sync.outbox import Batch

_NAME = "sync_members"  # in meta
FORGET = f"DELETE FROM meta WHERE name = '{_NAME}'"
"""Statement that forgets the devices of a former space."""


@dataclass(slots=True)
class Gone:
    """A device that is gone: the clock up to which whoever removed it has its events.

    `mine` is True if this device removed it, `told` the generation of own segments that has its recalls.
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
    """Return what is known of the devices."""
    found = orjson.loads(meta.find(connection, _NAME) or b'{"times": {}, "gone": {}}')
    return Members(found["times"], {uid: Gone(**one) for uid, one in found["gone"].items()})


def put(connection: sqlite3.Connection, members: Members) -> None:
    """Store what is known of the devices."""
    meta.put(connection, _NAME, orjson.dumps(asdict(members)))


def note_segment(connection: sqlite3.Connection, uid: str, at: int) -> None:
    """Note when the last segment of a device was written."""
    members = read(connection)
    members.times[uid] = max(at, members.times.get(uid, 0))
    put(connection, members)


def remove(connection: sqlite3.Connection, uid: str) -> None:
    """Note that a device is gone, and adopt what it wrote."""
    members = read(connection)
    members.gone[uid] = Gone(seen(connection).get(References(connection).device(uid), 0))
    for one in members.gone.values():
        one.mine = True
    put(connection, members)
    adopt(connection, members)


def learn(connection: sqlite3.Connection, gone: Mapping[str, int]) -> bool:
    """Note the devices that another one removed; return True if that lacks events which are here, now adopted."""
    members = read(connection)
    new = {uid: clock for uid, clock in gone.items() if uid not in members.gone}
    if not new:
        return False
    names, known = References(connection), seen(connection)
    members.gone |= {uid: Gone(clock) for uid, clock in new.items()}
    put(connection, members)
    if all(known.get(names.known(uid), 0) <= clock for uid, clock in new.items()):
        return False
    adopt(connection, members)
    return True


def adopt(connection: sqlite3.Connection, members: Members) -> None:
    """Let this device's segments tell the commands of all devices that have no segments of their own any more."""
    uids = first_column(connection, "SELECT d.uid FROM sync_chains c JOIN devices d ON d.id = c.device")
    there = [uid for uid in uids if uid not in members.gone]
    connection.execute(
        "UPDATE sync_commands SET folded = 0 WHERE folded AND device NOT IN"
        " (SELECT id FROM devices WHERE uid IN (SELECT value FROM json_each(?)))",
        (json_list(there),),
    )


def uses_of_gone(connection: sqlite3.Connection, generation: int) -> Batch | None:
    """Return the recalls on a gone device that no segment of this generation has, or None."""
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


def told(connection: sqlite3.Connection, uid: str, generation: int) -> None:
    """Note that own segments have the recalls on a gone device."""
    members = read(connection)
    members.gone[uid].told = generation
    put(connection, members)
