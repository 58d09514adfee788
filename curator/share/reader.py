"""Read the segments of one device of a member, and verify their signers and their chain."""

from collections.abc import Iterator
from dataclasses import replace

from curator.share.bounds import NOBODY, Budget
from curator.share.fold import ReadSegment
from curator.share.members import SCHEMA, MemberList, RemovedMember
from curator.share.names import clean_name
from curator.share.project import Share
from curator.share.segment_content import parse_segment
from curator.share.segments import SignedSegment, unseal
from curator.sync.segments import MAGIC, BrokenSegment, SegmentPath, digest_of, header_of
from curator.targets import BadObject, Target
from store import TooNew
from store.record.shares import MemberChain

LEAP = 1_000
"""Most generations that a device may start between two passes; it starts one when words are withdrawn. A generation
beyond that is forged, to block the next ones, and is ignored."""

_TRIED = 5  # generations


class MemberSegmentReader:
    """Iterate over the new segments of a device, in order.

    Of several generations the latest counts, unless its first segment is invalid: anybody can write an object there.
    Afterwards, `problem` says why reading stopped, `applicant` names a signer who is not admitted yet, `newer_member`
    is the key of one with a newer Curator, `removed_member` names one who was removed, and `refused` holds the paths of
    what that one wrote later.
    """

    def __init__(
        self,
        share: Share,
        listed: MemberList,
        target: Target,
        chain: MemberChain,
        there: dict[int, set[int]],
        budget: Budget,
    ) -> None:
        self.problem = self.applicant = self.newer_member = self.removed_member = ""
        self.refused: list[SegmentPath] = []
        self._digests: dict[int, str] = {}
        near = {one: numbers for one, numbers in there.items() if one <= min(there) + LEAP}
        self.chain = (
            chain if chain.generation <= max(near, default=chain.generation) + LEAP else MemberChain(chain.tag, "")
        )
        self._share, self._listed, self._target, self._there = share, listed, target, near
        self._budget = budget

    def __iter__(self) -> Iterator[ReadSegment]:
        """Yield the new segments."""
        known = self.chain
        for generation in sorted((one for one in self._there if one > known.generation), reverse=True)[:_TRIED]:
            self.chain = replace(known, generation=generation, number=0, digest="")
            yield from self._generation()
            if self.chain.number or self.applicant or self.newer_member:
                return
        self.chain = known
        numbers = self._there.get(known.generation, set())
        if max(numbers, default=0) >= known.number:
            yield from self._generation()
        elif not self.problem:
            self.problem = (
                f"segment {max(numbers, default=0) + 1} of {self._name()} is gone, though it was read here before"
            )

    def _generation(self) -> Iterator[ReadSegment]:
        numbers = self._there.get(self.chain.generation, set())
        while (number := self.chain.number + 1) <= max(numbers, default=0):
            if self._budget.is_spent(self.chain.member):
                return
            path = SegmentPath(self.chain.tag, self.chain.generation, number)
            try:
                if (data := self._target.get(path.name)) is None:
                    self._note(
                        f"segment {number} of {self._name()} is not there, but a later one is: it is still to come"
                    )
                    return
                try:
                    found = unseal(self._share, path, self.chain.digest, data)
                except BrokenSegment:
                    self._budget.spend(NOBODY, len(data))
                    raise
                self._budget.spend(found.member if found.member in self._listed.names else NOBODY, found.size)
                self._check(path, found, data)
                if self.applicant:
                    return
                content = None if found.member == self._share.member else parse_segment(self._share, found)
                self._budget.spend(found.member, 0, content.items if content is not None else 0)
            except TooNew as error:
                self.problem, self.newer_member = str(error), found.member
                return
            except BadObject as error:
                self._note(f"segment {number} of {self._name()} ({path.name}) {error}")
                return
            self.chain = replace(
                self.chain,
                member=found.member,
                number=number,
                digest=digest_of(data),
                epoch=found.epoch,
                whole=bool(found.content.get("ends")),
            )
            yield ReadSegment(self.chain, found, content)

    def _note(self, problem: str) -> None:
        self.problem = self.problem or problem

    def _check(self, path: SegmentPath, found: SignedSegment, data: bytes) -> None:
        """Check that the signer may write this segment. Raises BrokenSegment, TooNew."""
        chain, device = self.chain, found.content.get("device")
        bound = device is not None and self._share.tag(str(device), found.member) == chain.tag
        if device is not None and not bound:
            raise BrokenSegment("is in the place of another device")
        if chain.member not in ("", found.member) and not bound:  # earlier versions do not name the device
            signer = self._listed.names.get(found.member, "somebody who is not a member")
            raise BrokenSegment(f"is signed by {signer}")
        if chain.member == found.member and found.epoch < chain.epoch:
            raise BrokenSegment("is encrypted with a key from before the last one of this device")
        if self._listed.member(found.member) is None and found.member != self._share.member:
            former = self._listed.former(found.member)
            if former is None:
                self.applicant = f"{clean_name(str(found.content.get('name', '')))} ({found.member[:8]})"
                return
            self._check_end(former, path, data)
        if found.content.get("schema") != SCHEMA:
            raise TooNew(f"{self._name()} has a newer Curator than this device; update this one")

    def _check_end(self, former: RemovedMember, path: SegmentPath, data: bytes) -> None:
        """Check that a removed member's segment leads to the end recorded in the list. Raises BrokenSegment."""
        self.removed_member = former.name
        generation, last, end = former.ends.get(path.tag, (0, 0, ""))
        if (path.generation, path.number) > (generation, last):
            self.refused = [
                SegmentPath(path.tag, one, number)
                for one, numbers in self._there.items()
                for number in numbers
                if (one, number) >= (path.generation, path.number)
            ]
            raise BrokenSegment(f"was written after {former.name} was removed: it is refused")
        if not self._digests:
            self._digests = self._digests_until(path, last)
        if path.generation != generation or [*self._digests.values()][-1:] != [end]:
            raise BrokenSegment(f"is not what {former.name} had said when they were removed: it is refused")
        if self._digests.get(path.number) != digest_of(data):
            raise BrokenSegment("was changed just now")

    def _digests_until(self, path: SegmentPath, last: int) -> dict[int, str]:
        """Return the hashes of the segments from a path to the last, as far as the chain is unbroken."""
        digests, digest = {}, self.chain.digest
        for number in range(path.number, last + 1):
            path = replace(path, number=number)
            data = self._target.get(path.name) or b""
            if not data.startswith(MAGIC + header_of(path, digest)):
                break
            digests[number] = digest = digest_of(data)
        return digests

    def _name(self) -> str:
        return self._listed.names.get(self.chain.member) or f"the device {self.chain.tag[:8]}"
