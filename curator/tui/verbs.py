"""Verbs on memories in the app: run in a thread, with a message for the status bar."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from curator import curation, purge_everywhere
from curator.display import counted
from curator.history_text import shown_verb
from curator.tui.text_format import excerpt
from store import Filter, Store
from store.model import Command, Given, Kind, Life, Memory, Relation, Review, Tier

ASKS_ABOVE = 50  # memories; a verb on more needs confirmation
SLOW_ABOVE = 1_000  # memories; undo and redo of more are announced, since they take up to seconds


class Unfinished(ValueError):
    """Raised if a verb was only partly done; the text says what is left, and the remedy."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A change to memories. `life`, `review` and `snoozed` are their state afterwards, if that is certain.

    `done` is the past tense, and `already` a format string for a `memory` that the verb does not change. With
    `advances`, the cursor moves to the next row. With `repeats`, `.` runs the verb again, or `again` instead.
    """

    name: str
    done: str
    run: Callable[[Store, Sequence[int]], int]
    already: str = "already done"
    life: Life | None = None
    review: Review | None = None
    snoozed: bool = False
    advances: bool = False
    repeats: bool = True
    undoable: bool = True
    again: "Verb | None" = None

    def leaves(self, filter: Filter) -> bool:
        """Return True if the memories no longer match a filter afterwards."""
        return bool(
            (self.life and filter.lives and self.life not in filter.lives)
            or (self.review and filter.reviews and self.review not in filter.reviews)
            or (self.snoozed and filter.due_by is not None)
        )

    def is_done(self, memory: Memory | None) -> bool:
        """Return True if the memory already is in the state afterwards."""
        if memory is None or self.snoozed or not (self.life or self.review):
            return False
        return self.life in (None, memory.life) and self.review in (None, memory.review)


@dataclass(frozen=True, slots=True)
class OpenConflict:
    """The strongest open conflict of validated memories: one of them, and the opposing text."""

    memory_id: int
    relation: Relation
    other: str

    def text(self) -> str:
        """Return the text for the status bar, short enough for 80 columns with a key next to it."""
        return f"{_OPPOSES.get(self.relation, 'may conflict with')} “{excerpt(self.other, 28)}”"


_OPPOSES = {
    Relation.CONTRADICTION: "contradicts",
    Relation.UPDATE: "conflicts with",
    Relation.DUPLICATE: "may repeat",
}


@dataclass(frozen=True, slots=True)
class Done:
    """Outcome of a verb: the number of changed memories, the store's last event before and after, and a single memory.

    `alone` is False if other memories were changed meanwhile.
    """

    changed: int
    before: int
    after: int
    alone: bool
    memory: Memory | None = None
    conflict: OpenConflict | None = None


_SCORED = "already scored {memory.user_score}"
PIN = Verb(  # pins all, or unpins all if all are pinned
    "pin",
    "pinned or unpinned",
    lambda store, memories: curation.pin(
        store, memories, not all(memory.pinned for memory in store.get_many(memories))
    ),
)
VERBS_WITHOUT_DIALOG = {
    "validate": Verb(
        "validate", "validated", curation.validate, "already validated", review=Review.VALIDATED, advances=True
    ),
    "reject": Verb(
        "reject",
        "rejected",
        curation.reject,
        "already rejected",
        life=Life.FORGOTTEN,
        review=Review.REJECTED,
        advances=True,
    ),
    "forget": Verb("forget", "forgotten", curation.forget, "already forgotten", life=Life.FORGOTTEN, advances=True),
    "snooze": Verb("snooze", "snoozed for a week", curation.later, "already snoozed", snoozed=True, advances=True),
    "restore": Verb("restore", "restored", curation.restore, "already active", life=Life.LIVE, advances=True),
    "pin": PIN,
    "raise_score": Verb("score", "raised your score of", partial(curation.adjust_score, by=1), _SCORED),
    "lower_score": Verb("score", "lowered your score of", partial(curation.adjust_score, by=-1), _SCORED),
}
"""Verbs without a dialog, by the name in their action."""


def set_tier_verb(tier: Tier) -> Verb:
    """Return the verb that sets the tier."""
    return Verb("tier", f"set tier {tier}:", partial(curation.set_tier, tier=tier), "already tier {memory.tier}")


def set_given_verb(when: Given) -> Verb:
    """Return the verb that sets when memories are given to models."""
    text = "when relevant" if when is Given.RELEVANT else when.value
    return Verb("give", f"set to {text}:", partial(curation.set_given, given=when), f"already given {text}")


def set_kind_verb(kind: Kind) -> Verb:
    """Return the verb that sets the kind."""
    return Verb("kind", f"set kind {kind}:", partial(curation.set_kind, kind=kind), "already kind {memory.kind}")


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def set_scope_verb(scope: str) -> Verb:
    """Return the verb that sets the scope."""
    already = "already global" if scope == "global" else _literal(f"already scope {scope}")
    return Verb("scope", f"set scope {scope}:", partial(curation.set_scope, scope=scope), already)


def tag_verb(add: Sequence[str], remove: Sequence[str]) -> Verb:
    """Return the verb that adds and removes tags."""
    already = _literal(f"already tagged {', '.join(add)}") if add else "already untagged"
    return Verb("tag", "tagged", partial(curation.tag, add=add, remove=remove), already)


def edit_verb(text: str) -> Verb:
    """Return the verb that changes the text of one memory."""
    return Verb("edit", "edited", _on_one(curation.edit, text), "already the same text", repeats=False)


def validate_groups_verb(groups: Mapping[int, Sequence[int]]) -> Verb:
    """Return the verb that validates memories and merges the duplicates of their `groups` into them."""

    def run(store: Store, memories: Sequence[int]) -> int:
        others = {other for group in groups.values() for other in group}
        alone = [memory for memory in memories if memory not in groups and memory not in others]
        return curation.gather(store, groups, alone)

    done = "validated one wording of" if len(groups) == 1 else "validated one wording of each group:"
    return replace(VERBS_WITHOUT_DIALOG["validate"], done=done, run=run, again=VERBS_WITHOUT_DIALOG["validate"])


def accept_wording_verb(text: str) -> Verb:
    """Return the verb that gives one memory the wording proposed by a model."""
    return Verb("reword", "reworded", _on_one(curation.accept_wording, text), repeats=False)


def _on_one(run: Callable[..., int], *arguments: object) -> Callable[[Store, Sequence[int]], int]:
    return lambda store, memories: run(store, memories[0], *arguments)


KEEP_WORDING = Verb("drop", "kept your wording of", _on_one(curation.dismiss_wording), repeats=False, undoable=False)
"""The verb that drops a proposed wording."""


def merge_verb(text: str, survivor: int, quarantined: bool = False, by: str = "") -> Verb:
    """Return the verb that merges memories; if some are `quarantined`, the result is not validated."""
    run = partial(curation.merge, text=text, survivor=survivor, by=by)
    return Verb("merge", "merged", run, review=None if quarantined else Review.VALIDATED, repeats=False)


def supersede_verb(memory_id: int) -> Verb:
    """Return the verb that lets one memory supersede others."""
    return Verb(
        "supersede", "superseded", partial(curation.supersede, by=memory_id), life=Life.SUPERSEDED, repeats=False
    )


def _purge(store: Store, memories: Sequence[int], variants: bool = False) -> int:
    """Purge memories. Raises Unfinished if a copy could not be erased yet."""
    erased, left = purge_everywhere.purge(store, memories, variants)
    if left:
        raise Unfinished(f"purged {counted(len(erased.memories))}, but {'; '.join(left)}")
    return len(erased.memories)


PURGE = Verb("purge", "purged", _purge, life=Life.PURGED, repeats=False, undoable=False)
PURGE_ALL = replace(PURGE, run=partial(_purge, variants=True))
"""Purges all variants of the words too."""


def run_verb(store: Store, verb: Verb, memories: Sequence[int]) -> Done:
    """Run a verb. Call in a thread. Raises StoreError, ValueError."""
    before = store.journal.seq()
    changed = verb.run(store, memories)
    after = store.journal.seq()
    alone = set(store.journal.changed_since(before)) <= set(memories)
    single = store.get_many(memories) if len(memories) == 1 else []
    conflict = strongest_conflict(store, memories) if changed and verb.review is Review.VALIDATED else None
    return Done(changed, before, after, alone, single[0] if single else None, conflict)


def strongest_conflict(store: Store, memories: Sequence[int]) -> OpenConflict | None:
    """Return the strongest open conflict of the first `ASKS_ABOVE` memories; unsure ones count last."""
    conflicts = [(alert, memory_id) for memory_id in memories[:ASKS_ABOVE] for alert in store.alerts.open(memory_id)]
    if not conflicts:
        return None
    alert, memory_id = max(conflicts, key=lambda item: (item[0].relation is not Relation.UNSURE, item[0].score))
    other = store.get(alert.b if alert.a == memory_id else alert.a)
    return OpenConflict(memory_id, alert.relation, other.text)


def result_text(verb: Verb, done: Done, memory: Memory | None) -> str:
    """Return the message of a verb, with the text of a single memory, else with the number of memories."""
    if not done.changed:
        return "already done" if done.memory is None else verb.already.format(memory=done.memory)
    shown = memory is not None and done.changed == 1 and verb.life is not Life.PURGED  # purged text is never shown
    what = f"“{excerpt(memory.text)}”" if memory is not None and shown else counted(done.changed)
    if verb is PIN and done.memory is not None:
        return f"{'pinned' if done.memory.pinned else 'unpinned'} {what}"
    return f"{verb.done} {what}"


def undo_or_redo(store: Store, undoing: Callable[[Store], Command]) -> tuple[Command, list[int]]:
    """Undo or redo; return the command and the memories it touched. Raises StoreError."""
    before = store.journal.seq()
    command = undoing(store)
    return command, store.journal.changed_since(before)


def command_name(command: Command) -> str:
    """Return the name of a command: `forget, 3 memories`."""
    verb = shown_verb(command.verb)
    return f"{verb}, {counted(command.count)}" if command.count else verb
