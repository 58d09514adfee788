"""Global ids of memories, commands, alerts, conversations and messages.

Within a store, objects have integer ids, which people type. A global id is derived from stored data, so that it needs
no space and is not changed by undo, redo or restore:

- Memories and commands: a time-ordered UUID (version 7, RFC 9562). Its 48 bits of milliseconds are the time the row was
  written; the other 74 are 2 for the type, 32 for the number and 40 for the device that wrote it
  (`store.record.device`). A device never reuses a number. The id gives the row's primary key.
- Alerts: version 7 with the milliseconds of the younger memory; the rest is a hash of the ids of both memories. A pair
  of memories has at most one alert, so two devices that find the same pair give it the same id.
- Conversations and messages: version 8, the record's `ident` except for 6 bits. `ident` is a hash of the log's own id
  with the person's identity key: devices that share the key derive the same id for a log that both import, and without
  the key an id does not reveal its log.

Memories from files also have external ids; `curator:STORE:NUMBER` is a memory of a store. Since anybody can write such
an id, it is stored as `unproven:curator:STORE:NUMBER` unless it has a trusted signature, so that it does not prevent
the import of the real memory.
"""

import hashlib
from enum import IntEnum
from uuid import UUID

from store.errors import Damaged

_VERSION, _VARIANT = 76, 62  # bit positions of the UUID's version and variant, from the least significant bit
_OWN_BITS = ~(0xF << _VERSION | 0b11 << _VARIANT)
_OF_STORES = "curator:"
_UNPROVEN = "unproven:"
_IN_IDENT = 0b111111  # bits of `ident` lost in the id: the upper 4 of byte 6, and the upper 2 of byte 8


class ObjectType(IntEnum):
    """Types of objects with a time-ordered id."""

    MEMORY = 0
    COMMAND = 1
    ALERT = 2


def node(device: str) -> int:
    """Return the 40 bits that represent a device in ids, given its UUID."""
    return UUID(device).int >> 88


def of_row(sort: ObjectType, at: int, number: int, device: str | None) -> str:
    """Return the id of a memory or command from its time (microseconds), its number, and the device that wrote it.

    Raises Damaged if the device is missing from the record.
    """
    try:
        writer = node(device or "")
    except ValueError:
        raise Damaged(
            f"{sort.name.lower()} {number} is of a device that the record does not hold, so it has no global id;"
            " see `curator doctor`"
        ) from None
    return _time_ordered(at // 1000, sort << 72 | (number & 0xFFFFFFFF) << 40 | writer)


def of_alert(a: str, b: str) -> str:
    """Return the id of the alert between two memories, given their ids in either order."""
    older, younger = sorted((UUID(a).int, UUID(b).int))
    pair = older.to_bytes(16, "big") + younger.to_bytes(16, "big")
    hashed = int.from_bytes(hashlib.blake2b(pair, digest_size=9).digest(), "big")
    return _time_ordered(younger >> 80, ObjectType.ALERT << 72 | hashed)


def of_ident(ident: bytes) -> str:
    """Return the id of a conversation or message, given its stored `ident`."""
    return str(UUID(int=int.from_bytes(ident, "big") & _OWN_BITS | 8 << _VERSION | 0b10 << _VARIANT))


def idents(uid: str) -> list[bytes]:
    """Return the 64 possible values of `ident` for the id of a conversation or message. Raises ValueError."""
    found = UUID(uid)
    if found.version != 8:
        raise ValueError(f"{uid} is not the id of a conversation or message")
    return [
        (found.int & _OWN_BITS | (bits >> 2) << _VERSION | (bits & 0b11) << _VARIANT).to_bytes(16, "big")
        for bits in range(_IN_IDENT + 1)
    ]


def number_of(uid: str) -> int:
    """Return the number in the id of a memory. Raises ValueError if it is not the id of a memory."""
    found = UUID(uid)
    bits = (found.int >> 64 & 0xFFF) << 62 | found.int & (1 << 62) - 1
    if found.version != 7 or bits >> 72 != ObjectType.MEMORY:
        raise ValueError(f"{uid} is not the id of a memory")
    return bits >> 40 & 0xFFFFFFFF


def _time_ordered(milliseconds: int, bits: int) -> str:
    """Return a version 7 UUID with 74 custom bits. Times before 1970 count as 1970."""
    ordered = max(milliseconds, 0) & (1 << 48) - 1
    high, low = bits >> 62, bits & (1 << 62) - 1
    return str(UUID(int=ordered << 80 | 7 << _VERSION | high << 64 | 0b10 << _VARIANT | low))


def store_prefix(identity: str) -> str:
    """Return the prefix of the external ids of a store's memories."""
    return f"{_OF_STORES}{identity}:"


def mark_unproven(external_id: str) -> str:
    """Return an external id marked as unproven; ids of other programs are unchanged."""
    return f"{_UNPROVEN}{external_id}" if external_id.startswith(_OF_STORES) else external_id


def is_unproven(external_id: str) -> bool:
    """Return True if an external id is marked as unproven."""
    return external_id.startswith(_UNPROVEN + _OF_STORES)


def unmarked(external_id: str) -> str:
    """Return an external id without the "unproven" mark."""
    return external_id.removeprefix(_UNPROVEN) if is_unproven(external_id) else external_id


def counterpart(external_id: str) -> str | None:
    """Return an external id with the "unproven" mark toggled; None for ids of other programs."""
    if is_unproven(external_id):
        return unmarked(external_id)
    return mark_unproven(external_id) if external_id.startswith(_OF_STORES) else None


def exporter_prefix(external_id: str) -> str | None:
    """Return the prefix of the external ids of all memories from the same store; None for ids of other programs."""
    beginning, colon, _ = external_id.rpartition(":")
    return beginning + colon if counterpart(external_id) is not None else None
