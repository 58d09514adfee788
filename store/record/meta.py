"""Named values about the record itself: its id, hash keys, epoch and unfinished purge.

A committed purge is unfinished while backups, freed pages or projections may still contain its words. It is recorded
in the purge's transaction and cleared when all words are erased, so that another process can finish it after a crash.
"""

import hashlib
import secrets
import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass

import orjson

from store import clock

_EPOCH = "restored"
_PURGE = "unfinished_purge"
_LAST_PURGE = "last_purge"
_KEY = 32  # bytes of a key
FORMER_KEYS = "former_keys"
"""Name of the former hash keys of this record and of the others in its sync space."""
FIRST_KEY = "first_key"
"""Name of the hash key that this record was created with, if it has changed since."""


def find(connection: sqlite3.Connection, name: str) -> bytes | None:
    """Return a value, or None."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return None if row is None else bytes(row[0])


def first_key(connection: sqlite3.Connection) -> bytes:
    """Return the hash key that the record was created with, which joining a sync space does not change."""
    return find(connection, FIRST_KEY) or get(connection, "key")


def get(connection: sqlite3.Connection, name: str) -> bytes:
    """Return a value that every record has: its id (`id`), the key of its hashes (`key`)."""
    return bytes(connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()[0])


def keys(connection: sqlite3.Connection) -> list[bytes]:
    """Return the current hash key, followed by the former ones (`store.record.sync.rekey`).

    Hashes of purged words and of identities in logs may be of any of these keys.
    """
    former = find(connection, FORMER_KEYS) or b""
    return [get(connection, "key"), *(former[start : start + _KEY] for start in range(0, len(former), _KEY))]


def put(connection: sqlite3.Connection, name: str, value: bytes) -> None:
    """Write a value, replacing a former one."""
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))


def epoch(connection: sqlite3.Connection) -> str:
    """Return the record's id and its last restore; data derived in another epoch does not match it."""
    own, restored = get(connection, "id").decode(), find(connection, _EPOCH)
    return own if restored is None else f"{own}:{restored.decode(errors='replace')}"


def begin_epoch(connection: sqlite3.Connection) -> None:
    """Begin a new epoch of the record."""
    put(connection, _EPOCH, secrets.token_hex(8).encode())


@dataclass(frozen=True, slots=True)
class UnfinishedPurge:
    """The last command that erased words, its time, and the names of the backups that did not contain the words."""

    command: int
    at: int
    clean: tuple[str, ...] = ()


def unfinished_purge(connection: sqlite3.Connection) -> UnfinishedPurge | None:
    """Return the unfinished purge, or None."""
    value = find(connection, _PURGE)
    if value is None:
        return None
    found = orjson.loads(value)
    return UnfinishedPurge(int(found["command"]), int(found["at"]), tuple(found["clean"]))


def note_purge(connection: sqlite3.Connection, command: int, clean: Collection[str] = ()) -> None:
    """Record in a command's transaction that it erases words; `clean` names the backups without these words.

    If another purge is unfinished, only the backups without the words of both count as clean.
    """
    former = unfinished_purge(connection)
    kept = set(clean) if former is None else set(clean).intersection(former.clean)
    put(connection, _PURGE, orjson.dumps(asdict(UnfinishedPurge(command, clock.now(), tuple(sorted(kept))))))
    put(connection, _LAST_PURGE, str(command).encode())


def last_purge(connection: sqlite3.Connection) -> int:
    """Return the last command that erased words, finished or not; 0 if there is none."""
    return int(find(connection, _LAST_PURGE) or 0)


def clear_purge(connection: sqlite3.Connection, done: UnfinishedPurge) -> None:
    """Record that a purge is finished, unless another one was recorded since."""
    connection.execute("DELETE FROM meta WHERE name = ? AND value = ?", (_PURGE, orjson.dumps(asdict(done))))


def hashed(key: bytes, content_key: str) -> str:
    """Return the keyed hash of a content key, as stored; it does not reveal the text without the key."""
    return hashlib.blake2b(content_key.encode(errors="replace"), key=key, digest_size=16).hexdigest()


def purged_id(key: bytes, external_id: str) -> str:
    """Return the substitute of a purged memory's external id: a keyed hash that imports recognise."""
    return f"purged:{hashed(key, external_id)}"


def redacted_id(key: bytes, external_id: str) -> str:
    """Return the substitute of an external id that contains a secret: a keyed hash."""
    return f"redacted:{hashed(key, external_id)}"


def idents(key: bytes, owner: str, identities: Iterable[str]) -> list[bytes]:
    """Return the hashes that recognize imported conversations or messages."""
    begun = hashlib.blake2b(f"{owner}\0".encode("utf-8", "surrogatepass"), key=key, digest_size=16)
    found: list[bytes] = []
    for identity in identities:
        hash_ = begun.copy()
        hash_.update(identity.encode("utf-8", "surrogatepass"))
        found.append(hash_.digest())
    return found
