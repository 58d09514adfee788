"""Decisions that a signed file claims for memories which were imported from it before its key was trusted."""

from collections.abc import Mapping

from curator.curation.commands import forget_within
from store import Store, Value, uids
from store.model import Actor, Life, Memory, NewMemory, Origin, Rank, Review

_NO_DECISION = ("import", "distil", "undo", "redo")  # verbs of the person that decide nothing on a memory


def provable(store: Store, claims: Mapping[int, NewMemory]) -> dict[int, dict[str, Value]]:
    """Return the columns that proven rows of files change in memories that are known already, by memory.

    A memory is left as it is unless it came from such a row and nobody has decided anything on it since.
    """
    found = [one for one in store.get_many(list(claims)) if _is_unproven(one, claims[one.id])]
    decided = store.journal.person_verbs([one.id for one in found], _NO_DECISION)
    changes = {one.id: _changes(one, claims[one.id]) for one in found if one.id not in decided}
    return {memory: columns for memory, columns in changes.items() if columns}


def apply_claims(store: Store, claims: Mapping[int, NewMemory], actor: Actor = Actor.PERSON) -> tuple[int, int | None]:
    """Give memories the decisions that proven rows claim, as one command. Returns how many changed, and the command."""
    if not provable(store, claims):
        return 0, None
    with store.command("import", actor) as writer:
        changes = provable(store, claims)  # again, since nobody else can write from here on
        for memory, columns in changes.items():
            if columns.get("life") == Life.FORGOTTEN:
                forget_within(store, writer, [memory], columns)
            else:
                writer.update("memories", [memory], columns)
        writer.summarise(f"what {len(changes)} known {'memory claims' if len(changes) == 1 else 'memories claim'}")
    return len(changes), writer.id if writer.wrote else None


def _is_unproven(memory: Memory, claimed: NewMemory) -> bool:
    """Return whether a memory came from a row of this id and has no decision that a row without proof would not."""
    if memory.external_id is None or claimed.external_id is None:
        return False
    decision = (memory.review, memory.life, memory.pinned, memory.user_score, memory.origin)
    return decision == (Review.OPEN, Life.LIVE, False, None, Origin.IMPORT) and (
        uids.unmarked(memory.external_id) == uids.unmarked(claimed.external_id)
    )


def _changes(memory: Memory, claimed: NewMemory) -> dict[str, Value]:
    """Return the columns in which a memory differs from what is claimed; one in quarantine is not validated."""
    held = memory.flag is not None and claimed.review is Review.VALIDATED
    before: dict[str, Value] = {
        "review": memory.review,
        "rank": memory.rank,
        "life": memory.life,
        "tier": memory.tier,
        "pinned": int(memory.pinned),
        "user_score": memory.user_score,
        "origin": memory.origin,
        "external_id": memory.external_id,
    }
    after: dict[str, Value] = {
        "review": Review.OPEN if held else claimed.review,
        "rank": memory.rank if claimed.rank is Rank.NEW else claimed.rank,
        "life": claimed.life,
        "tier": claimed.tier,
        "pinned": int(claimed.pinned),
        "user_score": claimed.user_score,
        "origin": claimed.origin,
        "external_id": claimed.external_id,
    }
    return {name: value for name, value in after.items() if value != before[name]}
