"""What the members of shared projects said of a memory, in words."""

from store import Store
from store.model import Memory
from store.record.shares import Told


def told_by_members(store: Store, memory: Memory) -> list[str]:
    """Return who said, validated, rejected and withdrew a memory; nothing if it is of no shared project.

    Another device of the person may only know who said it.
    """
    author = memory.author
    told = store.shares.told(memory.id) or Told((author,) if author else ())
    named = (
        ("said by", told.by),
        ("validated by", told.validated),
        ("rejected by", told.rejected),
        ("withdrawn by", told.withdrawn),
    )
    return [f"{what} {', '.join(names)}" for what, names in named if names]
