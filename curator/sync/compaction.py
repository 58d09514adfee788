"""Compaction: pack many small segments of this device into few objects.

An object has the contents and hashes of its segments, so that a device that has read some of them continues after
those, and reads nothing again. The next pass deletes the small segments, when the large object may have reached the
other devices.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from curator.sync.key import Space
from curator.sync.reader import SegmentReader
from curator.sync.segments import BrokenSegment, SegmentPath, seal, unseal
from curator.targets import Target
from store.record.sync.repository import Chain

MOST = 200
"""Most small segments of a device before they are packed."""
FULL = 1 << 20
"""Size in bytes from which an object gets no further segments."""


@dataclass(slots=True)
class _PackedGroup:
    """Segments for one object; `former` is the hash of the segment before them."""

    first: int
    former: str
    size: int = 0
    segments: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


def delete_packed(space: Space, target: Target, paths: list[SegmentPath], chain: Chain) -> str:
    """Delete this device's objects whose segments are all in a larger one; return a problem as text, or ""."""
    tag = space.tag(chain.uid)
    own = [path for path in paths if (path.tag, path.generation) == (tag, chain.generation)]
    for large in [path for path in own if path.first]:
        within = {one for one in own if one != large and large.first <= one.numbers[0] and one.number <= large.number}
        if within and not is_complete(space, target, large):
            return f"the object {large.name} of this device is damaged, or not carried here completely"
        delete_objects(target, paths, within)
        own = [one for one in own if one not in within]
    return ""


def delete_objects(target: Target, paths: list[SegmentPath], chosen: Collection[SegmentPath]) -> None:
    """Delete objects in the target, and their paths from the list. Raises TargetUnreachable."""
    deleted = set[SegmentPath]()
    try:
        for path in chosen:
            target.delete(path.name)
            deleted.add(path)
    finally:  # what is deleted before an error is no longer listed either
        paths[:] = [path for path in paths if path not in deleted]


def is_complete(space: Space, target: Target, path: SegmentPath) -> bool:
    """Return True if an object really has the segments in its name."""
    try:
        content = unseal(space, path, None, target.get(path.name) or b"")
    except BrokenSegment:
        return False
    return content.get("first") == path.first and len(content.get("segments", ())) == len(path.numbers)


def compact(space: Space, target: Target, paths: list[SegmentPath], chain: Chain) -> str:
    """Pack the segments of this device into few objects, if there are many; return a problem as text, or ""."""
    tag = space.tag(chain.uid)
    own = [path for path in paths if (path.tag, path.generation) == (tag, chain.generation)]
    packed = [path for path in own if path.first]
    if len(own) - len(packed) <= MOST:
        return ""
    try:
        start, former = packing_start(space, target, packed)
    except BrokenSegment as error:
        return f"an object of this device with many segments {error}; `curator sync --rewrite` writes all of them again"
    reader = SegmentReader(space, target, tag, own, Chain(chain.uid, chain.name, chain.generation, start, former))
    group = _PackedGroup(start + 1, former)
    while (step := reader.next()) is not None:
        at, content = step
        if group.segments and group.size + reader.size > FULL:
            _write_packed(space, target, paths, chain, group)
            group = _PackedGroup(at.number, group.segments[-1][0])
        group.size += reader.size
        group.segments.append((at.digest, content))
    if not reader.problem:
        _write_packed(space, target, paths, chain, group)
    return reader.problem


def packing_start(space: Space, target: Target, packed: list[SegmentPath]) -> tuple[int, str]:
    """Return the number and hash of the segment to start after; the last object is packed again while not full.

    Raises BrokenSegment.
    """
    if not packed:
        return 0, ""
    path = max(packed, key=lambda one: (one.number, len(one.numbers)))
    data = target.get(path.name) or b""
    content = unseal(space, path, None, data)
    if len(data) < FULL:
        return path.first - 1, str(content["former"])
    return path.number, str(content["segments"][-1][0])


def _write_packed(space: Space, target: Target, paths: list[SegmentPath], chain: Chain, group: _PackedGroup) -> None:
    last = group.first + len(group.segments) - 1
    path = SegmentPath(space.tag(chain.uid), chain.generation, last, group.first)
    content = {"first": group.first, "former": group.former, "segments": group.segments}
    target.put(path.name, seal(space, path, group.former, content))  # from before a crash it may be there
    paths.append(path)
