"""Verbs that change what is thought of memories, not what they say."""

from collections.abc import Sequence

import orjson

from store import Conflict, Store, Value, Writer
from store.model import Command, Kind, Tier


def validate(store: Store, memories: Sequence[int]) -> int:
    """The person vouches for them. Raises Conflict for one that is not live: restore it first."""
    return _set(store, "validate", memories, {"review": "validated"}, live=True)


def reject(store: Store, memories: Sequence[int]) -> int:
    """They are wrong or junk: out of recall, and they do not come back."""
    return _let_go(store, "reject", memories, {"review": "rejected", "life": "forgotten"})


def forget(store: Store, memories: Sequence[int]) -> int:
    """They may be true, but are let go: out of recall, and they do not come back."""
    return _let_go(store, "forget", memories, {"life": "forgotten"})


def restore(store: Store, memories: Sequence[int]) -> int:
    """Bring back what was let go, superseded or expired, and lift what kept it away.

    A rejected one is open again; one that was validated before it was forgotten stays validated, since the person
    never took that back. Raises Conflict for a purged one, and where another live one says the same by now.
    """
    store.check_owned(memories)
    purged = [memory.id for memory in store.get_many(memories) if memory.life == "purged"]
    if purged:
        raise Conflict(f"memory {purged[0]} was purged: its words are gone for good")
    with store.command("restore") as writer:
        changed = set(writer.update("memories", list(memories), {"life": "live", "superseded_by": None}))
        rejected = writer.where("review = 'rejected'", memories)
        changed |= set(writer.update("memories", rejected, {"review": "open"}))
        store.lift(writer, memories)
        store.refuse_twins(writer, memories)
        return len(changed)


def set_tier(store: Store, memories: Sequence[int], tier: Tier) -> int:
    """How central they are."""
    return _set(store, "tier", memories, {"tier": tier.value})


def set_kind(store: Store, memories: Sequence[int], kind: Kind) -> int:
    """What sort of statement they are."""
    return _set(store, "kind", memories, {"kind": kind.value})


def pin(store: Store, memories: Sequence[int], pinned: bool = True) -> int:
    """Pinned memories are never expired, demoted or merged by a machine."""
    return _set(store, "pin" if pinned else "unpin", memories, {"pinned": int(pinned)})


def score(store: Store, memories: Sequence[int], value: int | None) -> int:
    """How sure the person is, 0-10; overrides the machine's confidence. None takes it off. Raises ValueError."""
    if value is not None and not 0 <= value <= 10:
        raise ValueError(f"a score is 0 to 10, not {value}")
    return _set(store, "score", memories, {"user_score": value})


def tag(store: Store, memories: Sequence[int], add: Sequence[str] = (), remove: Sequence[str] = ()) -> int:
    """Add and remove tags; a tag is kept without its #, in lower case."""
    store.check_owned(memories)
    changed: set[int] = set()
    with store.command("tag") as writer:
        for name in map(tag_name, remove):
            having = _tagged(writer, memories, name)
            writer.delete("tags", "tag = ? AND memory IN (SELECT value FROM json_each(?))", (name, _json(memories)))
            changed |= having
        for name in map(tag_name, add):
            new = [memory for memory in dict.fromkeys(memories) if memory not in _tagged(writer, memories, name)]
            writer.insert("tags", ("memory", "tag"), [(memory, name) for memory in new])
            changed |= set(new)
    return len(changed)


def undo(store: Store, command: int | None = None) -> Command:
    """Take back the person's last command, or one by id; returns it. Raises NotFound, Conflict."""
    return store.undo(command)


def redo(store: Store) -> Command:
    """Do again what was undone last; returns the command that stands again. Raises NotFound."""
    return store.redo()


def _set(store: Store, verb: str, memories: Sequence[int], after: dict[str, Value], live: bool = False) -> int:
    store.check_owned(memories)
    with store.command(verb) as writer:
        gone = writer.where("life <> 'live'", memories) if live else []
        if gone:
            raise Conflict(f"memory {gone[0]} is not live; `curator restore {gone[0]}` brings it back")
        return len(writer.update("memories", list(memories), after))


def _let_go(store: Store, verb: str, memories: Sequence[int], after: dict[str, Value]) -> int:
    """Leave a tombstone for each, so that no write path brings it back."""
    store.check_owned(memories)
    with store.command(verb) as writer:
        changed = writer.update("memories", writer.where("life <> 'purged'", memories), after)
        store.bury(writer, changed)
        return len(changed)


def _tagged(writer: Writer, memories: Sequence[int], name: str) -> set[int]:
    rows = writer.connection.execute(
        "SELECT memory FROM tags WHERE tag = ? AND memory IN (SELECT value FROM json_each(?))", (name, _json(memories))
    )
    return {row[0] for row in rows}


def tag_name(text: str) -> str:
    """A tag as it is kept: without its #, in lower case. Raises ValueError unless it is one word."""
    name = text.strip().lstrip("#").casefold()
    if not name or any(character.isspace() for character in name):
        raise ValueError(f"a tag is one word, not {text!r}")
    return name


def _json(memories: Sequence[int]) -> str:
    return orjson.dumps(list(memories)).decode()
