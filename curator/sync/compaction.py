"""Compaction: many small segments of this device become few objects.

An object has the contents and hashes of the segments in it, so that whoever has read some of them goes on behind those,
and reads nothing again. The small ones are deleted by the next pass, when whatever carries the target may have brought
the large one to the other devices.
"""

from dataclasses import dataclass, field
from typing import Any

from curator.sync.key import Space
from curator.sync.reader import Reader
from curator.sync.segments import Broken, Place, seal, unseal
from curator.targets import Target
from store.record.sync.repository import Chain

MOST = 200
"""Small segments of a device; when there are more, they become few."""
FULL = 1 << 20
"""Bytes from which on an object is not rewritten with further segments."""


@dataclass(slots=True)
class _Group:
    """Segments that become one object; `former` is the hash of the one before them."""

    first: int
    former: str
    size: int = 0
    segments: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


def clean(space: Space, target: Target, places: list[Place], chain: Chain) -> str:
    """Delete the objects of this device of which another one has all segments; return a problem in words, or ""."""
    tag = space.tag(chain.uid)
    own = [place for place in places if (place.tag, place.generation) == (tag, chain.generation)]
    for large in [place for place in own if place.first]:
        within = [one for one in own if one != large and large.first <= one.numbers[0] and one.number <= large.number]
        if within and not is_whole(space, target, large):
            return f"the object {large.name} of this device is damaged, or not carried here completely"
        for place in within:
            target.delete(place.name)
            places.remove(place)
            own.remove(place)
    return ""


def is_whole(space: Space, target: Target, place: Place) -> bool:
    """Return True if an object has the segments that its name tells; a name alone proves nothing."""
    try:
        content = unseal(space, place, None, target.get(place.name) or b"")
    except Broken:
        return False
    return content.get("first") == place.first and len(content.get("segments", ())) == len(place.numbers)


def compact(space: Space, target: Target, places: list[Place], chain: Chain) -> str:
    """Write few objects with the segments of this device, if there are many; return a problem in words, or ""."""
    tag = space.tag(chain.uid)
    own = [place for place in places if (place.tag, place.generation) == (tag, chain.generation)]
    shared = [place for place in own if place.first]
    if len(own) - len(shared) <= MOST:
        return ""
    try:
        start, former = start_of(space, target, shared)
    except Broken as error:
        return f"an object of this device with many segments {error}; `curator sync --rewrite` writes all of them again"
    reader = Reader(space, target, tag, own, Chain(chain.uid, chain.name, chain.generation, start, former))
    group = _Group(start + 1, former)
    while (step := reader.next()) is not None:
        at, content = step
        if group.segments and group.size + reader.size > FULL:
            write(space, target, places, chain, group)
            group = _Group(at.number, group.segments[-1][0])
        group.size += reader.size
        group.segments.append((at.digest, content))
    if not reader.problem:
        write(space, target, places, chain, group)
    return reader.problem


def start_of(space: Space, target: Target, shared: list[Place]) -> tuple[int, str]:
    """Return after which segment to begin, with its hash: the last object goes along while it is not full.

    Raises Broken.
    """
    if not shared:
        return 0, ""
    place = max(shared, key=lambda one: (one.number, len(one.numbers)))
    data = target.get(place.name) or b""
    content = unseal(space, place, None, data)
    if len(data) < FULL:
        return place.first - 1, str(content["former"])
    return place.number, str(content["segments"][-1][0])


def write(space: Space, target: Target, places: list[Place], chain: Chain, group: _Group) -> None:
    last = group.first + len(group.segments) - 1
    place = Place(space.tag(chain.uid), chain.generation, last, group.first)
    content = {"first": group.first, "former": group.former, "segments": group.segments}
    target.put(place.name, seal(space, place, group.former, content))  # from before a crash it may be there
    places.append(place)
