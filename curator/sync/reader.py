"""Read the segments of one device in order, each from its own object or from one that packs several."""

from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush

from curator.sync.key import Space
from curator.sync.segments import BrokenSegment, SegmentPath, digest_of, unseal
from curator.targets import Target
from store import TooNew
from store.record.sync.outbox import Batch
from store.record.sync.repository import Chain

SCHEMA = 1
ReadSegment = tuple[Chain, Batch]
"""The chain up to a segment, and its content."""
_MOST = 100  # segments folded at once
_SIZE = 1 << 20  # approximate bytes of their objects
_REWRITE = "`curator sync --rewrite` there writes all of them again"


class SegmentReader:
    """Reader of the segments of one device after a chain, in order.

    `problem` says why no further segment can be read, `missing` are those whose segments must be read first.
    """

    def __init__(self, space: Space, target: Target, tag: str, paths: Sequence[SegmentPath], chain: Chain) -> None:
        self._space, self._target, self.tag = space, target, tag
        self.missing: list[str] = []
        self.problem = ""
        self.size = 0
        """Bytes read for the last segment; 0 if its object had been read before."""
        self.ready: list[ReadSegment] = []
        """Segments read but not yet folded."""
        newest = max((path.generation for path in paths), default=0)
        if newest > chain.generation:
            chain = replace(chain, generation=newest, number=0, digest="")
        self._chain = chain
        there = [path for path in paths if path.generation == chain.generation]
        self._later = sorted(there, key=lambda one: one.numbers.start, reverse=True)  # objects that begin later
        self._begun: list[tuple[int, SegmentPath]] = []  # heap of the others, the largest first
        self._packed: dict[int, tuple[str, Batch]] = {}  # hash and content of segments of one object
        last = max((path.number for path in there), default=0)
        self.count = max(last - chain.number, 0)
        """The number of segments to read."""
        if newest < chain.generation or last < chain.number:
            self._fail(f"segment {last + 1} of {self._name} is gone, though it was read here before")

    @property
    def uid(self) -> str:
        """The UUID of the device; "" until it is known."""
        return self._chain.uid

    @property
    def _name(self) -> str:
        return self._chain.name or f"the device {self.tag[:8]}"

    def read_ahead(self) -> bool:
        """Read a batch of segments to fold at once; return False if none is ready."""
        size = 0
        while len(self.ready) < _MOST and size < _SIZE and (step := self.next(not self.ready)) is not None:
            self.ready.append(step)
            size += self.size
        return bool(self.ready)

    def next(self, first: bool = True) -> ReadSegment | None:
        """Return the chain with the next segment, and its content; None if there is none, or it cannot be read.

        Raises TooNew for a segment of a newer version, but returns None if it is not the `first` that the caller reads.
        """
        number = self._chain.number + 1
        if self.problem:
            return None
        while self._later and self._later[-1].numbers.start <= number:
            path = self._later.pop()
            heappush(self._begun, (-len(path.numbers), path))
        while self._begun and self._begun[0][1].number < number:
            heappop(self._begun)
        if not self._begun:
            if self._later:
                later = self._later[-1].numbers.start
                self._fail(
                    f"segment {number} of {self._name} is not there, but {later} is: it is still to come, or lost"
                )
            return None
        path = self._begun[0][1]
        try:
            digest, content = self._open(number, path)
        except BrokenSegment as error:
            self._fail(f"segment {number} of {self._name} ({path.name}) {error}")
            return None
        if content["schema"] != SCHEMA:
            if not first:
                return None
            raise TooNew(f"{self._name} has a newer Curator than this device; update this one, then sync again")
        uid, name = str(content["device"]), str(content["name"])
        self._chain = replace(self._chain, uid=uid, name=name, number=number, digest=digest)
        self._packed.pop(number, None)
        return self._chain, content

    def _open(self, number: int, path: SegmentPath) -> tuple[str, Batch]:
        """Return the hash and the content of a segment. Raises BrokenSegment."""
        self.size = 0
        if number not in self._packed:
            data = self._target.get(path.name) or b""
            self.size = len(data)
            if not path.first:
                return digest_of(data), unseal(self._space, path, self._chain.digest, data)
            packed = unseal(self._space, path, None, data)
            found = [(str(digest), content) for digest, content in packed["segments"]]
            before = [str(packed["former"]), *(digest for digest, _ in found)]
            if before[number - path.first] != self._chain.digest:
                raise BrokenSegment("does not follow the one before it: that one was written twice, or replaced")
            self._packed = dict(zip(path.numbers, found, strict=True))
        return self._packed[number]

    def _fail(self, why: str) -> None:
        self.problem = f"{why}; {_REWRITE}"


def contains_last(space: Space, target: Target, paths: Sequence[SegmentPath], chain: Chain) -> bool:
    """Return True if a target has the last segment of a chain."""
    tag = space.tag(chain.uid)
    for path in paths:
        if (path.tag, path.generation) != (tag, chain.generation) or chain.number not in path.numbers:
            continue
        data = target.get(path.name) or b""
        if not path.first:
            return digest_of(data) == chain.digest
        try:
            packed = unseal(space, path, None, data)
        except BrokenSegment:
            return False
        return bool(packed["segments"][chain.number - path.first][0] == chain.digest)
    return False
