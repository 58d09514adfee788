"""Segments: what a device wrote, compressed and encrypted, each bound to its path and to the previous segment.

A segment is `curator-segment/1`, a line feed, the device's tag (16 bytes), generation (4) and number (8, both
big-endian), the SHA-256 of the segment before (32; zeros for the first), a nonce (24) and the ciphertext of
XChaCha20-Poly1305 with everything before the nonce as associated data. So a segment that was changed, cut, renamed,
copied from another device, or does not follow the previous one, is refused.

Compaction packs many small segments into one object with their contents and hashes (`curator.sync.compaction`): its
name has the numbers of the first and the last, its header the number of the last, and the hash before the first.
"""

import hashlib
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from curator.sync.key import Space
from curator.targets import BadObject

MAGIC = b"curator-segment/1\n"
_HEADER = struct.Struct(">16sIQ32s")
_NONCE = 24
_LONGEST = 1 << 29  # most bytes of an unpacked segment
_GENERATIONS, _NUMBERS = 1 << 31, 1 << 62  # limits of the numbers in a name
_SPAN = 1_000_000  # most segments in one object
_NAME = 60  # characters of the numbers in a name
_USE = b"curator-segment"
SPACE = "space"
"""Name of the first object, which holds the key of the record's hashes and never changes."""


class BrokenSegment(BadObject):
    """An invalid or damaged segment; the text says why."""


@dataclass(frozen=True, slots=True, order=True)
class SegmentPath:
    """Path of a segment in the target: the tag of its device, the generation, and its number there, from 1.

    For an object with several segments, `number` is that of the last of them, and `first` that of the first.
    """

    tag: str
    generation: int
    number: int
    first: int = 0

    @property
    def name(self) -> str:
        """The name of the object."""
        first = f"{self.first:010d}-" if self.first else ""
        return f"{self.tag}/{self.generation:06d}/{first}{self.number:010d}"

    @property
    def numbers(self) -> range:
        """The numbers of the segments in the object."""
        return range(self.first or self.number, self.number + 1)


def parse_path(name: str) -> SegmentPath | None:
    """Parse an object name; return None for other files."""
    parts = name.split("/")
    if len(parts) != 3 or len(parts[0]) != 32:
        return None
    *first, number = parts[2].split("-")
    if (
        len(parts[1]) + len(parts[2]) > _NAME
        or len(first) > 1
        or not all(part.isdecimal() for part in (parts[1], *first, number))
    ):
        return None
    path = SegmentPath(parts[0], int(parts[1]), int(number), int(first[0]) if first else 0)
    if path.generation >= _GENERATIONS or path.number >= _NUMBERS or not 1 <= len(path.numbers) <= _SPAN:
        return None
    return path if path.name == name else None


def first_missing(paths: Iterable[SegmentPath]) -> int:
    """Return the lowest number, from 1, of a segment that is in none of these objects of one generation."""
    number = 1
    for numbers in sorted((path.numbers for path in paths), key=lambda one: one.start):
        if numbers.start > number:
            break
        number = max(number, numbers.stop)
    return number


def digest_of(data: bytes) -> str:
    """Return the hash of a segment, which the next one contains."""
    return hashlib.sha256(data).hexdigest()


def seal(space: Space, path: SegmentPath, former: str, content: dict[str, Any]) -> bytes:
    """Encrypt a segment. `former` is the hash of the previous one, "" for the first."""
    header = MAGIC + header_of(path, former)
    return header + _encrypt(space, header, zlib.compress(orjson.dumps(content), 6))


def unseal(space: Space, path: SegmentPath, former: str | None, data: bytes, longest: int = _LONGEST) -> dict[str, Any]:
    """Decrypt and verify a segment; `former` None accepts any previous segment. Raises BrokenSegment."""
    size = len(MAGIC) + _HEADER.size
    header = data[:size]
    if not header.startswith(MAGIC):
        cut = MAGIC.startswith(data[: len(MAGIC)])
        raise BrokenSegment("is cut off" if cut else "is not a segment of this version")
    if len(data) <= size + _NONCE:
        raise BrokenSegment("is cut off")
    plain = _decrypt(space, header, data[size:])
    tag, generation, number, before = _HEADER.unpack(header[len(MAGIC) :])
    named = SegmentPath(tag.hex(), generation, number, path.first)
    if named != path:
        raise BrokenSegment(f"is a copy of segment {named.number}" if named.tag == path.tag else "is of another device")
    if former is not None and before.hex() != (former or "0" * 64):
        raise BrokenSegment("does not follow the one before it: that one was written twice, or replaced")
    unpacking = zlib.decompressobj()
    try:
        unpacked = unpacking.decompress(plain, longest)
        if not unpacking.eof:
            raise BrokenSegment("is too long")
        content: dict[str, Any] = orjson.loads(unpacked)
    except (zlib.error, ValueError, RecursionError) as error:
        raise BrokenSegment("is not a segment of this version") from error
    if not isinstance(content, dict):
        raise BrokenSegment("is not a segment of this version")
    if content.get("first", 0) != path.first:
        raise BrokenSegment("has other segments than its name says")
    return content


def seal_space(space: Space, content: dict[str, Any]) -> bytes:
    """Encrypt the first object of a space."""
    header = MAGIC + SPACE.encode()
    return header + _encrypt(space, header, orjson.dumps(content))


def unseal_space(space: Space, data: bytes) -> dict[str, Any]:
    """Decrypt the first object of a space. Raises BrokenSegment if the key is wrong, or it was changed."""
    header = MAGIC + SPACE.encode()
    if not data.startswith(header):
        raise BrokenSegment("is not the first object of a space")
    content: dict[str, Any] = orjson.loads(_decrypt(space, header, data[len(header) :]))
    return content


def header_of(path: SegmentPath, former: str) -> bytes:
    before = bytes.fromhex(former) if former else bytes(32)
    return _HEADER.pack(bytes.fromhex(path.tag), path.generation, path.number, before)


def _encrypt(space: Space, header: bytes, plain: bytes) -> bytes:
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as encrypt
    from nacl.utils import random

    nonce = random(_NONCE)
    return nonce + bytes(encrypt(plain, header, nonce, space.subkey(_USE)))


def _decrypt(space: Space, header: bytes, sealed: bytes) -> bytes:
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
    from nacl.exceptions import CryptoError

    try:
        return bytes(decrypt(sealed[_NONCE:], header, sealed[:_NONCE], space.subkey(_USE)))
    except (CryptoError, ValueError) as error:
        raise BrokenSegment("was changed or cut off, or is encrypted with another key") from error
