"""The verbs as the app carries them out: in a thread, with what the person is told afterwards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from curator import curation
from curator.tui.formatting import counted, one_line
from store import Filter, Place, Store
from store.model import Command, Kind, Life, Memory, Review, Tier

ASKS_ABOVE = 50  # memories; deciding on more at once is asked about first


class Unfinished(ValueError):
    """It was done, but something is left; the text says what, and the remedy."""


@dataclass(frozen=True, slots=True)
class Verb:
    """What is done to memories. `life`, `review` and `put_off` say what they are afterwards, where that is certain.

    `advances`: the cursor goes on to the next. `repeats`: it can be done again to others; what is done then is `again`,
    if there is such.
    """

    name: str
    done: str
    run: Callable[[Store, Sequence[int]], int]
    life: Life | None = None
    review: Review | None = None
    put_off: bool = False
    advances: bool = False
    repeats: bool = True
    undoable: bool = True
    again: "Verb | None" = None

    def leaves(self, filter: Filter) -> bool:
        """Whether what it was done to is no longer meant by a filter."""
        return bool(
            (self.life and filter.lives and self.life not in filter.lives)
            or (self.review and filter.reviews and self.review not in filter.reviews)
            or (self.put_off and filter.due_by is not None)
        )


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it: memories changed, the store's last event before and after, and the memory if it was one.

    `alone` is False if something else was written to memories meanwhile; `step` is what an undo takes back then.
    """

    changed: int
    before: int
    after: int
    alone: bool
    now: Memory | None = None
    step: int | None = None


def _toggle_pin(store: Store, memories: Sequence[int]) -> int:
    """Pin them all, or take the pin off if all have one."""
    pinned = all(memory.pinned for memory in store.get_many(memories))
    return curation.pin(store, memories, not pinned)


PIN = Verb("pin", "pinned or unpinned", _toggle_pin)
PLAIN = {
    "validate": Verb("validate", "validated", curation.validate, review=Review.VALIDATED, advances=True),
    "reject": Verb("reject", "rejected", curation.reject, life=Life.FORGOTTEN, review=Review.REJECTED, advances=True),
    "forget": Verb("forget", "forgotten", curation.forget, life=Life.FORGOTTEN, advances=True),
    "later": Verb("snooze", "snoozed for a week", curation.later, put_off=True, advances=True),
    "restore": Verb("restore", "restored", curation.restore, life=Life.LIVE, advances=True),
    "pin": PIN,
    "surer": Verb("score", "raised your score of", lambda store, ids: curation.adjust_score(store, ids, 1)),
    "less_sure": Verb("score", "lowered your score of", lambda store, ids: curation.adjust_score(store, ids, -1)),
}
"""The verbs that ask nothing, by the name their key has."""


def tiered(tier: Tier) -> Verb:
    """The verb that gives memories a tier."""
    return Verb("tier", f"set tier {tier}:", lambda store, memories: curation.set_tier(store, memories, tier))


def of_kind(kind: Kind) -> Verb:
    """The verb that gives memories a kind."""
    return Verb("kind", f"set kind {kind}:", lambda store, memories: curation.set_kind(store, memories, kind))


def scoped(scope: str) -> Verb:
    """The verb that says where memories hold."""
    where = "global" if scope == "global" else scope
    return Verb("scope", f"set scope {where}:", lambda store, memories: curation.set_scope(store, memories, scope))


def tagged(add: Sequence[str], remove: Sequence[str]) -> Verb:
    """The verb that adds and removes tags."""
    return Verb("tag", "tagged", lambda store, memories: curation.tag(store, memories, add, remove))


def worded(text: str) -> Verb:
    """The verb that gives one memory another text."""
    return Verb("edit", "edited", lambda store, ids: curation.edit(store, ids[0], text), repeats=False)


def gathered(groups: Mapping[int, Sequence[int]]) -> Verb:
    """Validate, where memories stand for others that say the same: those go behind them."""

    def run(store: Store, memories: Sequence[int]) -> int:
        others = {other for group in groups.values() for other in group}
        alone = [memory for memory in memories if memory not in groups and memory not in others]
        return curation.gather(store, groups, alone)

    again = PLAIN["validate"]
    name = "validated one wording of" if len(groups) == 1 else "validated one wording of each group:"
    return Verb("validate", name, run, review=Review.VALIDATED, advances=True, again=again)


def reworded(text: str) -> Verb:
    """The verb that gives one memory the words that a model proposed."""
    return Verb("reword", "reworded", lambda store, ids: curation.take_wording(store, ids[0], text), repeats=False)


def _drop_wording(store: Store, memories: Sequence[int]) -> int:
    return curation.drop_wording(store, memories[0])


DROP_WORDING = Verb("drop", "kept your wording of", _drop_wording, repeats=False, undoable=False)
"""The verb that lets a proposed wording go."""


def merged(text: str, survivor: int, quarantined: bool = False) -> Verb:
    """The verb that makes one memory of several; one of which some are `quarantined` is not validated by it."""
    return Verb(
        "merge",
        "merged",
        lambda store, memories: curation.merge(store, memories, text, survivor),
        review=None if quarantined else Review.VALIDATED,
        repeats=False,
    )


def superseded_by(memory: int) -> Verb:
    """The verb that lets one memory take the place of others."""
    return Verb(
        "supersede",
        "superseded",
        lambda store, old: curation.supersede(store, old, memory),
        life=Life.SUPERSEDED,
        repeats=False,
    )


@dataclass(frozen=True, slots=True)
class PurgePreview:
    """The memories a purge erases, where their words also stand in another writing, and which copies go with them."""

    meant: Sequence[int]
    places: Sequence[Place]
    copies: Sequence[str]


def purge_preview(store: Store, memories: Sequence[int]) -> PurgePreview:
    """Read what a purge of memories would erase; for a thread, since it reads the whole record."""
    return PurgePreview(store.meant_by_purge(memories), store.other_writings(memories), store.copies_holding(memories))


def _purge(store: Store, memories: Sequence[int], variants: bool = False) -> int:
    """Erase for good. Raises Unfinished where a copy could not be erased yet."""
    erased, left = curation.purge(store, memories, variants)
    if left:
        raise Unfinished(f"purged {counted(len(erased.memories))}, but {'; '.join(left)}")
    return len(erased.memories)


PURGE = Verb("purge", "purged", _purge, life=Life.PURGED, repeats=False, undoable=False)
PURGE_ALL = replace(PURGE, run=partial(_purge, variants=True))
"""Purges the words in every other writing, too."""


def carry_out(store: Store, verb: Verb, memories: Sequence[int]) -> Done:
    """Do it; for a thread. Raises StoreError, ValueError."""
    before = store.journal.seq()
    changed = verb.run(store, memories)
    after = store.journal.seq()
    alone = set(store.journal.changed_since(before)) <= set(memories)
    now = store.get_many(memories) if len(memories) == 1 else []
    step = store.journal.next_to_undo() if changed and verb.undoable else None
    return Done(changed, before, after, alone, now[0] if now else None, None if step is None else step.id)


def told(verb: Verb, done: Done, memory: Memory | None) -> str:
    """What was done, in one line: by its words if it is one memory, else by number."""
    if not done.changed:
        return f"already {_standing(verb, done.now)}"
    shown = verb.life is not Life.PURGED  # purged words are to be seen nowhere any more
    one = memory is not None and done.changed == 1 and shown
    what = f"“{short(memory.text)}”" if memory is not None and one else counted(done.changed)
    if verb is PIN and done.now is not None:
        return f"{'pinned' if done.now.pinned else 'unpinned'} {what}"
    return f"{verb.done} {what}"


def _standing(verb: Verb, memory: Memory | None) -> str:
    """What is so of a memory that a verb did nothing to; of several, that it is so."""
    if memory is None:
        return "done"
    told = _STANDING.get(verb.name)
    return "done" if told is None else told(memory)


_STANDING: Mapping[str, Callable[[Memory], str]] = {
    "validate": lambda memory: "validated",
    "reject": lambda memory: "rejected",
    "forget": lambda memory: "forgotten",
    "snooze": lambda memory: "snoozed",
    "restore": lambda memory: "active",
    "score": lambda memory: f"score {memory.user_score}",
    "tier": lambda memory: f"tier {memory.tier}",
    "kind": lambda memory: f"kind {memory.kind}",
    "scope": lambda memory: "global" if memory.scope == "global" else f"scope {memory.scope}",
    "tag": lambda memory: f"tagged {', '.join(memory.tags)}" if memory.tags else "untagged",
    "edit": lambda memory: "the same text",
}


def take_back(store: Store, undoing: Callable[[Store], Command]) -> tuple[Command, list[int]]:
    """Undo or redo; returns the command and the memories it touched. Raises StoreError."""
    before = store.journal.seq()
    command = undoing(store)
    return command, store.journal.changed_since(before)


def named(command: Command) -> str:
    """A command as a person remembers it: `forget, 3 memories`."""
    return f"{command.verb}, {counted(command.count)}" if command.count else command.verb


def short(text: str) -> str:
    """The beginning of a text, for a message."""
    line = one_line(text)
    return line if len(line) <= 48 else line[:47].rstrip() + "…"
