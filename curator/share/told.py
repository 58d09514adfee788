"""Words for what the members of shared projects said of a memory."""

from store import Store
from store.model import Memory
from store.record.shares import Told


def told_by_members(store: Store, memory: Memory) -> list[str]:
    """Return who said, validated, rejected and withdrew a memory; nothing if it is of no shared project.

    Another device of the person may only know who said it.
    """
    author = memory.author
    told = store.shares.told(memory.id) or Told((author,) if author else ())
    if author is None and told.by:
        if {*told.by} <= {*told.withdrawn}:
            return []
        return ["shared", *_named(("validated by", told.validated), ("rejected by", told.rejected))]
    return _named(
        ("said by", told.by),
        ("validated by", told.validated),
        ("rejected by", told.rejected),
        ("withdrawn by", told.withdrawn),
    )


def _named(*parts: tuple[str, tuple[str, ...]]) -> list[str]:
    return [f"{what} {', '.join(names)}" for what, names in parts if names]
