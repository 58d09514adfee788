"""Identify the device that writes a record, and advance the clock of its events.

A device never reuses a number, and its clock only rises. A copied store would continue with the same numbers, so it
must become a separate device. For this, `meta` stores the place of the record, a hash of the machine's id and the
file's inode. The first command in another place (the folder was copied, moved to another machine, or a backup was put
elsewhere) creates a new random device; so does the first command after a restore, which does not copy the place. A
folder that is moved on the same disk stays the same device. A device costs one row, so one too many does no harm. One
case is not detected here: another program overwrites the file with the bytes of a copy. `curator sync` refuses such a
record once the sync target holds what was written since.

Device 1 stands for everything written before devices were introduced. Its UUID is derived from the store's public id,
so that it is the same in all copies of an older store.

The clock is a hybrid logical one: milliseconds of the wall clock, shifted by 16 bits, plus a counter. An event's clock
is the machine's, or one more than the last event's if the machine's is not ahead of it. Setting back the machine's
clock therefore never sets back the journal's; the counter carries into the milliseconds, so the journal runs ahead of
the wall clock by no more than the wall clock once did, plus a millisecond in 65,536 events. `curator doctor` reports a
journal that is ahead by a day or more.
"""

import functools
import hashlib
import sqlite3
import sys
from pathlib import Path
from uuid import uuid4

from store import clock
from store.record import meta
from store.record.database import file_of

_COUNTER = 16  # bits of the counter in a clock


def current(connection: sqlite3.Connection) -> int:
    """Return the number of the device that writes to this record; the caller must be in a write transaction."""
    file = file_of(connection)
    inode = 0 if file is None else file.stat().st_ino
    here = hashlib.blake2b(f"{_machine()} {inode}".encode(), digest_size=16).digest()
    if meta.find(connection, "place") == here:
        return int(meta.get(connection, "device"))
    made = connection.execute("INSERT INTO devices (uid, at) VALUES (?, ?)", (str(uuid4()), clock.now()))
    number = int(made.lastrowid or 0)
    meta.put(connection, "place", here)
    meta.put(connection, "device", str(number).encode())
    return number


def current_uid(connection: sqlite3.Connection) -> str:
    """Return the UUID of the device that writes to this record; the caller must be in a write transaction."""
    query = "SELECT uid FROM devices WHERE id = ?"
    return str(connection.execute(query, (current(connection),)).fetchone()[0])


def renew(connection: sqlite3.Connection) -> None:
    """Create a new device that writes this record from now on; the caller must be in a write transaction."""
    connection.execute("DELETE FROM meta WHERE name = 'place'")
    current(connection)


def advance(last: int) -> int:
    """Return the clock of the event after one with the clock `last`."""
    return max(clock.now() // 1000 << _COUNTER, last + 1)


def ahead(last: int) -> int:
    """Return the microseconds by which an event's clock is ahead of the machine's; negative if it is behind."""
    return (last >> _COUNTER) * 1000 - clock.now()


@functools.cache
def _machine() -> str:
    """Return the system's id of this machine; empty if there is no cheap one, as on macOS.

    There the inode alone suffices: APFS uses each only once.
    """
    if sys.platform == "win32":
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography") as key:
                return str(winreg.QueryValueEx(key, "MachineGuid")[0])
        except OSError:
            return ""
    for path in (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id")):
        try:
            return path.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            pass
    return ""
