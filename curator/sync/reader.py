"""The segments of one device, read in order, whether each has an object of its own or shares one with others."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from curator.sync.key import Space
from curator.sync.segments import Broken, Place, digest_of, unseal
from curator.sync.targets import Target
from store import TooNew
from store.record.sync.repository import Chain

SCHEMA = 1
_REWRITE = "`curator sync --rewrite` there writes all of them again"


class Reader:
    """The segments of one device that are not read yet, in order.

    `problem` says in words why no further one can be read, `lacks` of which devices others must be read first.
    """

    def __init__(self, space: Space, target: Target, tag: str, places: Sequence[Place], chain: Chain) -> None:
        self._space, self._target, self.tag = space, target, tag
        self.lacks: list[str] = []
        self.problem = ""
        self.size = 0
        """Bytes that were read for the last segment; 0 if those of its object were read before."""
        self._read: dict[str, Any] | None = None
        self._digest = ""
        newest = max((place.generation for place in places), default=0)
        if newest > chain.generation:
            chain = replace(chain, generation=newest, number=0, digest="")
        self.chain = chain
        there = [place for place in places if place.generation == chain.generation]
        self._objects: dict[int, Place] = {}
        for place in sorted(there, key=lambda one: len(one.numbers)):  # the largest has precedence
            self._objects |= dict.fromkeys(place.numbers, place)
        self._shared: dict[int, tuple[str, dict[str, Any]]] = {}  # hash and content of segments of one object
        self._last = max(self._objects, default=0)
        if newest < chain.generation or self._last < chain.number:
            self._stop(f"segment {self._last + 1} of {self._name} is gone, though it was read here before")

    def __len__(self) -> int:
        """Return how many are to be read."""
        return max(self._last - self.chain.number, 0)

    @property
    def _name(self) -> str:
        return self.chain.name or f"the device {self.tag[:8]}"

    def next(self) -> dict[str, Any] | None:
        """Return the content of the next segment; None if there is none, or it cannot be read."""
        number = self.chain.number + 1
        if self.problem or self._read is not None:
            return self._read
        if number not in self._objects:
            if (later := min((one for one in self._objects if one > number), default=None)) is not None:
                self._stop(
                    f"segment {number} of {self._name} is not there, but {later} is: it is still to come, or lost"
                )
            return None
        place = self._objects[number]
        try:
            self._read = self._open(number, place)
        except Broken as error:
            self._stop(f"segment {number} of {self._name} ({place.name}) {error}")
        if self._read is not None and self._read["schema"] != SCHEMA:
            raise TooNew(f"{self._name} has a newer Curator than this device; update this one, then sync again")
        return self._read

    def _open(self, number: int, place: Place) -> dict[str, Any]:
        """Return the content of a segment, and note its hash. Raises Broken."""
        self.size = 0
        if number not in self._shared:
            data = self._target.get(place.name) or b""
            self.size = len(data)
            if not place.first:
                self._digest = digest_of(data)
                return unseal(self._space, place, self.chain.digest, data)
            shared = unseal(self._space, place, None, data)
            found = [(str(digest), content) for digest, content in shared["segments"]]
            before = [str(shared["former"]), *(digest for digest, _ in found)]
            if before[number - place.first] != self.chain.digest:
                raise Broken("does not follow the one before it: that one was written twice, or replaced")
            self._shared = dict(zip(place.numbers, found, strict=True))
        self._digest, content = self._shared.pop(number)
        return content

    def passed(self, content: dict[str, Any]) -> Chain:
        """Return the chain after the segment that was read last."""
        self.chain = replace(
            self.chain,
            uid=str(content["device"]),
            name=str(content["name"]),
            number=self.chain.number + 1,
            digest=self._digest,
        )
        self._read = None
        return self.chain

    def _stop(self, why: str) -> None:
        self._read = None
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
