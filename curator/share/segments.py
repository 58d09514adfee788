"""Signed segments of a shared project: segments of `curator.sync.segments` that contain a member's signature.

The signature covers the space, the path, the hash of the previous segment and the content, so that no member can claim
another's words or move them.
"""

from dataclasses import dataclass
from typing import Any

import orjson

from curator.share.bounds import UNPACKED
from curator.share.project import Share
from curator.share.signatures import is_signed, sign
from curator.sync import segments
from curator.sync.segments import BrokenSegment, SegmentPath

_USE = b"curator-share/1\n"


@dataclass(frozen=True, slots=True)
class SignedSegment:
    """The content of a segment, its signer, the epoch of its encryption key, and its size in bytes."""

    member: str
    epoch: int
    content: dict[str, Any]
    size: int = 0


def seal(share: Share, path: SegmentPath, former: str, content: dict[str, Any]) -> bytes:
    """Return a segment signed by the person here, encrypted with the current key."""
    payload = orjson.dumps(content).decode()
    signature = sign(share.seed, _signed(share.id, path, former, payload))
    outer = {"by": share.member, "said": payload, "signature": signature}
    return segments.seal(share.space(share.epoch), path, former, outer)


def unseal(share: Share, path: SegmentPath, former: str, data: bytes) -> SignedSegment:
    """Decrypt a segment and verify its signature. Raises BrokenSegment."""
    epoch, outer = decrypt(share, path, former, data)
    try:
        member, payload, signature = str(outer["by"]), str(outer["said"]), str(outer["signature"])
        if not is_signed(member, _signed(share.id, path, former, payload), signature):
            raise BrokenSegment("has a signature that is not of the member it names")
        content: dict[str, Any] = orjson.loads(payload)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise BrokenSegment("is not a segment of this version") from error
    if not isinstance(content, dict):
        raise BrokenSegment("is not a segment of this version")
    return SignedSegment(member, epoch, content, len(payload))


def decrypt(share: Share, path: SegmentPath, former: str, data: bytes) -> tuple[int, dict[str, Any]]:
    """Decrypt a segment; return the epoch of its key and the plain content. Raises BrokenSegment."""
    failure = BrokenSegment("cannot be read")
    for epoch in sorted(share.keys, reverse=True):
        try:
            return epoch, segments.unseal(share.space(epoch), path, former, data, UNPACKED)
        except BrokenSegment as error:
            failure = error
    raise failure


def _signed(space: str, path: SegmentPath, former: str, payload: str) -> bytes:
    return _USE + bytes.fromhex(space) + segments.header_of(path, former) + payload.encode()
