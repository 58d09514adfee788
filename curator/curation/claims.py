"""Decisions claimed by a signed file for memories imported from it before its key was trusted."""

from collections.abc import Mapping

from curator.curation.commands import forget_within
from curator.display import counted
from store import Store, Value, uids
from store.model import Actor, Life, NewMemory, Origin, Rank, Review

NO_DECISION = ("import", "distil", "undo", "redo")
"""The person's commands that decide nothing about a memory; an undo only ends the decision that it undoes."""
_UNDECIDED = (Review.OPEN, Life.LIVE, False, None, Origin.IMPORT)


def provable(store: Store, claims: Mapping[int, NewMemory]) -> dict[int, dict[str, Value]]:
    """Return the columns to change in known memories according to signed rows, by memory.

    Skips memories that do not come from such a row, or about which anything was decided since.
    """
    changes: dict[int, dict[str, Value]] = {}
    for memory in store.get_many(list(claims)):
        claimed = claims[memory.id]
        decision = (memory.review, memory.life, memory.pinned, memory.user_score, memory.origin)
        if decision != _UNDECIDED or memory.external_id is None or claimed.external_id is None:
            continue
        if uids.unmarked(memory.external_id) != uids.unmarked(claimed.external_id):
            continue
        held = memory.flag is not None and claimed.review is Review.VALIDATED  # a quarantined memory is not validated
        after: dict[str, Value] = {
            "review": Review.OPEN if held else claimed.review,
            "rank": memory.rank if claimed.rank is Rank.NEW else claimed.rank,
            "life": claimed.life,
            "tier": claimed.tier,
            "pinned": int(claimed.pinned),
            "given": claimed.given,
            "user_score": claimed.user_score,
            "origin": claimed.origin,
            "external_id": claimed.external_id,
        }
        changes[memory.id] = {name: value for name, value in after.items() if value != getattr(memory, name)}
    decided = store.journal.person_verbs(list(changes), NO_DECISION)
    return {memory: columns for memory, columns in changes.items() if columns and memory not in decided}


def apply_claims(store: Store, claims: Mapping[int, NewMemory], actor: Actor) -> tuple[int, int | None]:
    """Apply the decisions of signed rows as one command. Return the number of memories changed, and the command."""
    if not provable(store, claims):
        return 0, None
    with store.command("import", actor) as writer:
        changes = provable(store, claims)  # computed again, since no other process can write from here on
        for memory, columns in changes.items():
            if columns.get("life") == Life.FORGOTTEN:
                forget_within(store, writer, [memory], columns)
            else:
                writer.update("memories", [memory], columns)
        writer.summarise(f"decisions on {counted(len(changes), 'known memory')}")
    return len(changes), writer.id if writer.wrote else None
