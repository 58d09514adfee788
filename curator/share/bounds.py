"""Bounds of what is read of the others in one pass, so that nobody can stop it, or fill the disk."""

from collections import Counter
from collections.abc import Collection, Mapping

OBJECT = 1 << 24
"""Bytes of an object in the target."""
UNPACKED = 1 << 26
"""Bytes of its content."""
ITEMS = 1_000
"""Statements, withdrawals and verdicts in a segment; a device writes 500."""
STRANGERS = 500
"""Devices of a pass of which nothing was read before."""
REQUESTS = 100
"""Requests to join that the owner looks at in a pass."""
MEMBERS = 200
"""Members of a project."""
_PASS_BYTES, _PASS_ITEMS = 1 << 26, 50_000  # of a member
_KEPT = 200_000  # statements and verdicts of a member
_PROBLEMS = 20
NOBODY = ""
"""Who wrote what cannot be read."""


class Budget:
    """Count what is read of each member in a pass, and tell when it is enough.

    Of who is `paused` nothing is, since they said too much before, nor of whom too much is kept. The `own` devices have
    no bounds.
    """

    def __init__(self, own: str, kept: Mapping[str, int], paused: Collection[str]) -> None:
        self._own = own
        self.full = {member for member, count in kept.items() if count >= _KEPT and member != own}
        self.reached: set[str] = {*paused}
        self._bytes: Counter[str] = Counter()
        self._items: Counter[str] = Counter()

    def is_spent(self, member: str) -> bool:
        """Return True if no more is read of a member."""
        return member in self.full or member in self.reached

    def spend(self, member: str, size: int, items: int = 0) -> None:
        """Count bytes and items of a member."""
        if member == self._own:
            return
        self._bytes[member] += size
        self._items[member] += items
        if self._bytes[member] >= _PASS_BYTES or self._items[member] >= _PASS_ITEMS:
            self.reached.add(member)


def shortened(problems: list[str]) -> list[str]:
    """Return the first problems, and how many more there are."""
    more = len(problems) - _PROBLEMS
    return [*problems[:_PROBLEMS], f"and {more:,} more"] if more > 0 else problems
