"""Display text for what the members of shared projects said about a memory."""

from store import Store
from store.model import Memory
from store.record.shares import MemberAttribution


def member_attributions(store: Store, memory: Memory) -> list[str]:
    """Return who said, validated, rejected and withdrew a memory; nothing outside shared projects.

    Another device of the person may only know who said it.
    """
    author = memory.author
    known = store.shares.attribution(memory.id) or MemberAttribution((author,) if author else ())
    if author is None and known.by:
        if {*known.by} <= {*known.withdrawn}:
            return []
        return ["shared", *_named(("validated by", known.validated), ("rejected by", known.rejected))]
    return _named(
        ("said by", known.by),
        ("validated by", known.validated),
        ("rejected by", known.rejected),
        ("withdrawn by", known.withdrawn),
    )


def _named(*parts: tuple[str, tuple[str, ...]]) -> list[str]:
    return [f"{what} {', '.join(names)}" for what, names in parts if names]
