"""The segments of one device, read in order, whether each has an object of its own or shares one with others."""

from collections.abc import Sequence
from dataclasses import replace

from curator.sync.key import Space
from curator.sync.segments import Broken, Place, digest_of, unseal
from curator.targets import Target
from store import TooNew
from store.record.sync.outbox import Batch
from store.record.sync.repository import Chain

SCHEMA = 1
Step = tuple[Chain, Batch]
"""A segment, after the chain up to it."""
_MOST = 100  # segments that are folded at once
_SIZE = 1 << 20  # bytes of their objects, about
_REWRITE = "`curator sync --rewrite` there writes all of them again"


class Reader:
    """The segments of one device after those of a chain, in order.

    `problem` says in words why no further one can be read, `lacks` of which devices others must be read first.
    """

    def __init__(self, space: Space, target: Target, tag: str, places: Sequence[Place], chain: Chain) -> None:
        self._space, self._target, self.tag = space, target, tag
        self.lacks: list[str] = []
        self.problem = ""
        self.size = 0
        """Bytes that were read for the last segment; 0 if those of its object were read before."""
        self.ready: list[Step] = []
        """Segments that were read, to be folded."""
        newest = max((place.generation for place in places), default=0)
        if newest > chain.generation:
            chain = replace(chain, generation=newest, number=0, digest="")
        self._chain = chain
        there = [place for place in places if place.generation == chain.generation]
        self._objects: dict[int, Place] = {}
        for place in sorted(there, key=lambda one: len(one.numbers)):  # the largest has precedence
            self._objects |= dict.fromkeys(place.numbers, place)
        self._shared: dict[int, tuple[str, Batch]] = {}  # hash and content of segments of one object
        last = max(self._objects, default=0)
        self.count = max(last - chain.number, 0)
        """The number of segments."""
        if newest < chain.generation or last < chain.number:
            self._stop(f"segment {last + 1} of {self._name} is gone, though it was read here before")

    @property
    def uid(self) -> str:
        """The UUID of the device, "" if it is not known yet."""
        return self._chain.uid

    @property
    def _name(self) -> str:
        return self._chain.name or f"the device {self.tag[:8]}"

    def fill(self) -> bool:
        """Read so many segments that folding them at once pays; return False if none is ready."""
        size = 0
        while len(self.ready) < _MOST and size < _SIZE and (step := self.next(not self.ready)) is not None:
            self.ready.append(step)
            size += self.size
        return bool(self.ready)

    def next(self, first: bool = True) -> Step | None:
        """Return the next segment, and the chain with it; None if there is none, or it cannot be read.

        Raises TooNew for one of a newer version, if it is the `first` that the caller reads; else returns None.
        """
        number = self._chain.number + 1
        if self.problem:
            return None
        if number not in self._objects:
            if (later := min((one for one in self._objects if one > number), default=None)) is not None:
                self._stop(
                    f"segment {number} of {self._name} is not there, but {later} is: it is still to come, or lost"
                )
            return None
        place = self._objects[number]
        try:
            digest, content = self._open(number, place)
        except Broken as error:
            self._stop(f"segment {number} of {self._name} ({place.name}) {error}")
            return None
        if content["schema"] != SCHEMA:
            if not first:
                return None
            raise TooNew(f"{self._name} has a newer Curator than this device; update this one, then sync again")
        uid, name = str(content["device"]), str(content["name"])
        self._chain = replace(self._chain, uid=uid, name=name, number=number, digest=digest)
        self._shared.pop(number, None)
        return self._chain, content

    def _open(self, number: int, place: Place) -> tuple[str, Batch]:
        """Return the hash and the content of a segment. Raises Broken."""
        self.size = 0
        if number not in self._shared:
            data = self._target.get(place.name) or b""
            self.size = len(data)
            if not place.first:
                return digest_of(data), unseal(self._space, place, self._chain.digest, data)
            shared = unseal(self._space, place, None, data)
            found = [(str(digest), content) for digest, content in shared["segments"]]
            before = [str(shared["former"]), *(digest for digest, _ in found)]
            if before[number - place.first] != self._chain.digest:
                raise Broken("does not follow the one before it: that one was written twice, or replaced")
            self._shared = dict(zip(place.numbers, found, strict=True))
        return self._shared[number]

    def _stop(self, why: str) -> None:
        self.problem = f"{why}; {_REWRITE}"


def holds(space: Space, target: Target, places: Sequence[Place], chain: Chain) -> bool:
    """Return True if the last segment of a chain is in a target."""
    tag = space.tag(chain.uid)
    for place in places:
        if (place.tag, place.generation) != (tag, chain.generation) or chain.number not in place.numbers:
            continue
        data = target.get(place.name) or b""
        if not place.first:
            return digest_of(data) == chain.digest
        try:
            shared = unseal(space, place, None, data)
        except Broken:
            return False
        return bool(shared["segments"][chain.number - place.first][0] == chain.digest)
    return False
