"""Invitation words for those who join: the key of a project and a hash of its owner's public key.

The first 24 words are the key, as for `curator sync`. Eight more are the hash, so that nobody else can pass for the
owner in the target. Words of earlier versions lack it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from curator.secrets.numbers import bip39
from curator.sync.key import key_of, words_of

KEY, ALL = 24, 32
"""Numbers of words: of the key, and in total."""
_BITS = 11  # of a word
_SIZE = 10  # bytes of the hash; one more is a checksum


@dataclass(frozen=True, slots=True)
class Invitation:
    """The key of a project, and the hash of its owner's public key; empty if the words do not contain it."""

    key: bytes
    owner: bytes = b""

    def is_by(self, member: str) -> bool:
        """Return False if the words name another owner than this member."""
        return not self.owner or owner_hash(member) == self.owner


def invitation(key: bytes, owner: str) -> list[str]:
    """Return the words for a key and the public key of the owner."""
    digest = owner_hash(owner)
    number, listed = int.from_bytes(digest + _checksum(key, digest)), list(bip39())
    more = [listed[number >> _BITS * index & (1 << _BITS) - 1] for index in reversed(range(ALL - KEY))]
    return [*words_of(key), *more]


def read_invitation(words: Sequence[str]) -> Invitation:
    """Parse invitation words. Raises ValueError for any that are no invitation."""
    if len(words) not in (KEY, ALL):
        raise ValueError(f"{len(words)} words were given, but {ALL} are needed: one is missing, or there twice")
    key, more = key_of(words[:KEY]), [word.strip().lower() for word in words[KEY:]]
    if not more:
        return Invitation(key)
    known, number = bip39(), 0
    if wrong := [word for word in more if word not in known]:
        raise ValueError(f"{wrong[0][:20]!r} is not a word of a key: check its spelling")
    for word in more:
        number = number << _BITS | known[word]
    digest = number.to_bytes(len(more) * 2)[-_SIZE - 1 :]
    if digest[_SIZE:] != _checksum(key, digest[:_SIZE]):
        raise ValueError(f"these are not the {ALL} words of a project: one is wrong, or two are swapped")
    return Invitation(key, digest[:_SIZE])


def owner_hash(owner: str) -> bytes:
    """Return the hash of an owner's public key, as in the words."""
    return hashlib.blake2b(owner.encode(), person=b"curator-owner", digest_size=_SIZE).digest()


def _checksum(key: bytes, digest: bytes) -> bytes:
    return hashlib.sha256(key + digest).digest()[:1]
