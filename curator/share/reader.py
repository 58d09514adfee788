"""Segments of one device of a member, checked: who may write them, and that they follow each other."""

from collections.abc import Iterator
from dataclasses import replace

from curator.share.bounds import NOBODY, Budget
from curator.share.fold import Read
from curator.share.heard import hear
from curator.share.members import SCHEMA, Members, Removed
from curator.share.names import clean_name
from curator.share.project import Share
from curator.share.segments import Signed, unseal
from curator.sync.segments import MAGIC, Broken, Place, digest_of, header_of
from curator.targets import BadObject, Target
from store import TooNew
from store.record.shares import MemberChain

LEAP = 1_000
"""Generations that a device may begin between two passes: it begins one when words are withdrawn. One that lies far
beyond the others in its place is none, and is to leave no room for the next."""

_TRIED = 5  # generations


class Reader:
    """The segments of a device that were not read yet, in order.

    Of several generations the latest holds, unless its first segment is none: anybody can put an object there.
    `problem` says why not all was read, `asks` who has yet to be admitted, `newer` who has a newer Curator, `former`
    who was removed; `refused` is what they wrote after that.
    """

    def __init__(
        self,
        share: Share,
        listed: Members,
        target: Target,
        chain: MemberChain,
        there: dict[int, set[int]],
        budget: Budget,
    ) -> None:
        self.problem = self.asks = self.newer = self.former = ""
        self.refused: list[Place] = []
        self._digests: dict[int, str] = {}
        near = {one: numbers for one, numbers in there.items() if one <= min(there) + LEAP}
        self.chain = (
            chain if chain.generation <= max(near, default=chain.generation) + LEAP else MemberChain(chain.tag, "")
        )
        self._share, self._listed, self._target, self._there = share, listed, target, near
        self._budget = budget

    def __iter__(self) -> Iterator[Read]:
        """Yield the segments."""
        known = self.chain
        for generation in sorted((one for one in self._there if one > known.generation), reverse=True)[:_TRIED]:
            self.chain = replace(known, generation=generation, number=0, digest="")
            yield from self._generation()
            if self.chain.number or self.asks or self.newer:
                return
        self.chain = known
        numbers = self._there.get(known.generation, set())
        if max(numbers, default=0) >= known.number:
            yield from self._generation()
        elif not self.problem:
            self.problem = (
                f"segment {max(numbers, default=0) + 1} of {self._name()} is gone, though it was read here before"
            )

    def _generation(self) -> Iterator[Read]:
        numbers = self._there.get(self.chain.generation, set())
        while (number := self.chain.number + 1) <= max(numbers, default=0):
            if self._budget.is_spent(self.chain.member):
                return
            place = Place(self.chain.tag, self.chain.generation, number)
            try:
                if (data := self._target.get(place.name)) is None:
                    self._note(
                        f"segment {number} of {self._name()} is not there, but a later one is: it is still to come"
                    )
                    return
                try:
                    found = unseal(self._share, place, self.chain.digest, data)
                except Broken:
                    self._budget.spend(NOBODY, len(data))
                    raise
                self._budget.spend(found.member if found.member in self._listed.names else NOBODY, found.size)
                self._check(place, found, data)
                if self.asks:
                    return
                heard = None if found.member == self._share.member else hear(self._share, found)
                self._budget.spend(found.member, 0, heard.items if heard is not None else 0)
            except TooNew as error:
                self.problem, self.newer = str(error), found.member
                return
            except BadObject as error:
                self._note(f"segment {number} of {self._name()} ({place.name}) {error}")
                return
            self.chain = replace(
                self.chain,
                member=found.member,
                number=number,
                digest=digest_of(data),
                epoch=found.epoch,
                whole=bool(found.content.get("ends")),
            )
            yield Read(self.chain, found, heard)

    def _note(self, problem: str) -> None:
        self.problem = self.problem or problem

    def _check(self, place: Place, found: Signed, data: bytes) -> None:
        """Refuse what its signer may not write. Raises Broken, TooNew."""
        chain, device = self.chain, found.content.get("device")
        bound = device is not None and self._share.tag(str(device), found.member) == chain.tag
        if device is not None and not bound:
            raise Broken("is in the place of another device")
        if chain.member not in ("", found.member) and not bound:  # earlier versions do not say whose place it is
            signer = self._listed.names.get(found.member, "somebody who is no member")
            raise Broken(f"is signed by {signer}")
        if chain.member == found.member and found.epoch < chain.epoch:
            raise Broken("is encrypted with a key from before the last one of this device")
        if self._listed.member(found.member) is None and found.member != self._share.member:
            former = self._listed.former(found.member)
            if former is None:
                self.asks = f"{clean_name(str(found.content.get('name', '')))} ({found.member[:8]})"
                return
            self._check_end(former, place, data)
        if found.content.get("schema") != SCHEMA:
            raise TooNew(f"{self._name()} has a newer Curator than this device; update this one")

    def _check_end(self, former: Removed, place: Place, data: bytes) -> None:
        """Refuse what does not lead to the end that the list tells of a removed member's segments. Raises Broken."""
        self.former = former.name
        generation, last, end = former.ends.get(place.tag, (0, 0, ""))
        if (place.generation, place.number) > (generation, last):
            self.refused = [
                Place(place.tag, one, number)
                for one, numbers in self._there.items()
                for number in numbers
                if (one, number) >= (place.generation, place.number)
            ]
            raise Broken(f"was written after {former.name} was removed: it is refused")
        if not self._digests:
            self._digests = self._until(place, last)
        if place.generation != generation or [*self._digests.values()][-1:] != [end]:
            raise Broken(f"is not what {former.name} had said when they were removed: it is refused")
        if self._digests.get(place.number) != digest_of(data):
            raise Broken("was changed just now")

    def _until(self, place: Place, last: int) -> dict[int, str]:
        """Return the hashes of the segments from a place to the last, as far as each follows the one before."""
        digests, digest = {}, self.chain.digest
        for number in range(place.number, last + 1):
            place = replace(place, number=number)
            data = self._target.get(place.name) or b""
            if not data.startswith(MAGIC + header_of(place, digest)):
                break
            digests[number] = digest = digest_of(data)
        return digests

    def _name(self) -> str:
        return self._listed.names.get(self.chain.member) or f"the device {self.chain.tag[:8]}"
