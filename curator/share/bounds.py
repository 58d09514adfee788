"""Limits on what one pass reads of other members, so that nobody can block it or fill the disk."""

from collections import Counter
from collections.abc import Collection, Mapping

OBJECT = 1 << 24
"""Most bytes of an object in the target."""
UNPACKED = 1 << 26
"""Most bytes of its unpacked content."""
ITEMS = 1_000
"""Most statements, withdrawals and verdicts in a segment; a device writes 500."""
NEW_DEVICES = 500
"""Most devices in a pass that were never read before."""
REQUESTS = 100
"""Most requests to join that the owner checks in a pass."""
MEMBERS = 200
"""Most members of a project."""
_PASS_BYTES, _PASS_ITEMS = 1 << 26, 50_000  # of a member
_KEPT = 200_000  # statements and verdicts of a member
_PROBLEMS = 20
NOBODY = ""
"""Stands for the unknown writer of an unreadable object."""


class Budget:
    """Read budget of each member in a pass.

    Nothing is read of members who are `paused` (they exceeded a pass) or over the total limit, by the number of items
    `kept` of each. The person's `own` devices have no limit.
    """

    def __init__(self, own: str, kept: Mapping[str, int], paused: Collection[str]) -> None:
        self._own = own
        self.full = {member for member, count in kept.items() if count >= _KEPT and member != own}
        self.reached: set[str] = {*paused}
        self._bytes: Counter[str] = Counter()
        self._items: Counter[str] = Counter()

    def is_spent(self, member: str) -> bool:
        """Return True if nothing more may be read of a member in this pass."""
        return member in self.full or member in self.reached

    def spend(self, member: str, size: int, items: int = 0) -> None:
        """Count bytes and items read of a member."""
        if member == self._own:
            return
        self._bytes[member] += size
        self._items[member] += items
        if self._bytes[member] >= _PASS_BYTES or self._items[member] >= _PASS_ITEMS:
            self.reached.add(member)


def shortened(problems: list[str]) -> list[str]:
    """Return the first problems, and the number of further ones."""
    more = len(problems) - _PROBLEMS
    return [*problems[:_PROBLEMS], f"and {more:,} more"] if more > 0 else problems
