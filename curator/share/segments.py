"""Signed objects of a shared project: segments of `curator.sync.segments`, with the signature of a member inside.

The signature covers the space, the place, the object before and the content, so that no member can pass another's words
off as their own, or put them elsewhere.
"""

from dataclasses import dataclass
from typing import Any

import orjson

from curator.share.bounds import UNPACKED
from curator.share.project import Share
from curator.share.signatures import is_signed, sign
from curator.sync import segments
from curator.sync.segments import Broken, Place

_USE = b"curator-share/1\n"


@dataclass(frozen=True, slots=True)
class Signed:
    """The content of an object, who signed it, the epoch of the key it is encrypted with, and its size in bytes."""

    member: str
    epoch: int
    content: dict[str, Any]
    size: int = 0


def seal(share: Share, place: Place, former: str, content: dict[str, Any]) -> bytes:
    """Return an object of the person here, encrypted with the present key."""
    said = orjson.dumps(content).decode()
    signature = sign(share.seed, _signed(share.id, place, former, said))
    outer = {"by": share.member, "said": said, "signature": signature}
    return segments.seal(share.space(share.epoch), place, former, outer)


def unseal(share: Share, place: Place, former: str, data: bytes) -> Signed:
    """Return the content of an object, if its signature holds. Raises Broken."""
    epoch, outer = decrypted(share, place, former, data)
    try:
        member, said, signature = str(outer["by"]), str(outer["said"]), str(outer["signature"])
        if not is_signed(member, _signed(share.id, place, former, said), signature):
            raise Broken("has a signature that is not of the member it names")
        content: dict[str, Any] = orjson.loads(said)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise Broken("is no segment of this version") from error
    if not isinstance(content, dict):
        raise Broken("is no segment of this version")
    return Signed(member, epoch, content, len(said))


def decrypted(share: Share, place: Place, former: str, data: bytes) -> tuple[int, dict[str, Any]]:
    """Return the epoch of an object, and what is encrypted in it. Raises Broken."""
    failure = Broken("cannot be read")
    for epoch in sorted(share.keys, reverse=True):
        try:
            return epoch, segments.unseal(share.space(epoch), place, former, data, UNPACKED)
        except Broken as error:
            failure = error
    raise failure


def _signed(space: str, place: Place, former: str, said: str) -> bytes:
    return _USE + bytes.fromhex(space) + segments.header_of(place, former) + said.encode()
