"""Supersede: what was true once gives way to what is true now. Both stay readable."""

from collections.abc import Sequence

from store import Conflict, Store, Writer
from store.model import Life, Memory

LEVELS = 10


def supersede(store: Store, old: Sequence[int], by: int) -> int:
    """`by` takes the place of the old ones: they leave recall, point to it, and keep their words and quotes.

    What they say does not come back by importing or distilling the same again; said anew, later than `by`, it is news.
    Alerts between them are settled. Raises Conflict, and changes nothing, unless all of them are live, and where a
    chain would close. A chain may grow to any length, since a new link is only put at its live end.
    """
    if not old:
        raise ValueError("name the memories that are out of date")
    store.check_owned([*old, by])
    with store.command("supersede", summary=f"by memory {by}") as writer:
        changed = supersede_within(store, writer, old, by)
        store.alerts.resolve_between(writer, [*old, by], "superseded")
        return changed


def supersede_within(store: Store, writer: Writer, old: Sequence[int], by: int) -> int:
    """Supersede memories as a part of a command; return how many changed. Raises Conflict."""
    if by in old:
        raise Conflict(f"memory {by} cannot take its own place: name another that is true now")
    (successor,) = store.get_many([by])
    if successor.life is not Life.LIVE:
        raise Conflict(
            f"memory {by} is {successor.life}: only a live one can take others' place{restore_hint(successor)}"
        )
    for memory in store.get_many(old):
        if memory.life is Life.SUPERSEDED:
            former = f" by {memory.superseded_by}" if memory.superseded_by else ""
            raise Conflict(f"memory {memory.id} is superseded already{former}{restore_hint(memory)}")
        if memory.life is not Life.LIVE:
            raise Conflict(
                f"memory {memory.id} is {memory.life}: only a live one can be superseded{restore_hint(memory)}"
            )
    following = successor.superseded_by  # though it is live: a record led here from elsewhere may say so
    for _ in range(LEVELS):
        if following in old:
            raise Conflict(f"memory {following} took the place of {by} before: they cannot supersede each other")
        links = [] if following is None else store.get_many([following])
        following = links[0].superseded_by if links else None
    if following is not None:
        raise Conflict(f"memory {by} was superseded through more than {LEVELS} others: restore one of them first")
    return len(writer.update("memories", list(old), {"life": "superseded", "superseded_by": by}))


def restore_hint(memory: Memory) -> str:
    """Return the hint with which an error on a memory that is not live ends; empty for the purged."""
    return "" if memory.life is Life.PURGED else f"; `curator restore {memory.id}` brings it back"
