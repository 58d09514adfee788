"""Several changes of one memory as one undoable step."""

from collections.abc import Sequence
from dataclasses import dataclass

from curator.curation.commands import checked_importance, tag_within
from curator.curation.create import checked
from curator.curation.forgotten_match import index_forgotten, refuse_forgotten
from store import Conflict, Store, Value
from store.model import Given, Kind, Life, Tier


@dataclass(frozen=True, slots=True)
class Revision:
    """Changes of a memory; what is None stays."""

    text: str | None = None
    kind: Kind | None = None
    tier: Tier | None = None
    importance: int | None = None
    pinned: bool | None = None
    add_tags: Sequence[str] = ()
    remove_tags: Sequence[str] = ()
    given: Given | None = None


def revise(store: Store, memory: int, wanted: Revision) -> int:
    """Change a memory; return 1, or 0 if all is so already.

    Raises Refused, ValueError, Conflict if it is not live or another live memory says the same, Forgotten if a
    forgotten one does.
    """
    from curator.text import content_key

    words = None if wanted.text is None else checked(wanted.text)
    values: dict[str, Value] = {}
    if wanted.kind is not None:
        values["kind"] = wanted.kind.value
    if wanted.tier is not None:
        values["tier"] = wanted.tier.value
    if wanted.importance is not None:
        values["importance"] = checked_importance(wanted.importance)
    if wanted.given is not None:
        values["given"] = wanted.given.value
    if wanted.pinned is not None:
        values["pinned"] = int(wanted.pinned)
    store.check_owned([memory])
    if words is not None:
        index_forgotten(store)
    with store.command("edit") as writer:
        former = store.get(memory)
        if former.life is not Life.LIVE:
            raise Conflict(f"memory {memory} is {former.life}; only a live one can be edited")
        changed = False
        if words is not None and words != former.text:
            refuse_forgotten(store, words)
            changed = bool(store.reword(writer, former, words, content_key(words)))
        if values:
            changed |= bool(writer.update("memories", [memory], values))
        changed |= bool(tag_within(writer, [memory], wanted.add_tags, wanted.remove_tags))
        return int(changed)
