"""Commands that change the status and properties of memories, not their text."""

from collections.abc import Mapping, Sequence

from curator import safety
from curator.curation.names import checked_scope, typed
from curator.safety.animals import AnimalNames, is_relative, subject_names
from curator.safety.concerns import is_of_household, name_in
from curator.safety.vocabulary import CLOSE_RELATIVE
from store import Conflict, Store, Value, Writer, clock
from store.model import ASKED, LIKE_FORGOTTEN, Given, Kind, Life, Memory, Rank, Review, Tier
from store.record.repository import json_list

MOST_DAYS = 3_650
_NAMED = 20  # memories that an error lists
REJECTED: Mapping[str, Value] = {"review": "rejected", "life": "forgotten"}


def validate(store: Store, memories: Sequence[int]) -> int:
    """Mark memories as right. Those on safety are always given from then on, unless a person said when they are.

    Raises Conflict for one that is not live.
    """
    store.check_owned(memories)
    with store.command("validate") as writer:
        return len(validate_within(store, writer, memories))


def validate_within(store: Store, writer: Writer, memories: Sequence[int]) -> list[int]:
    """Validate memories within a command (`validate`); return those that changed."""
    changed = _update_live(writer, memories, {"review": "validated"})
    give_safety_always(store, writer, changed)
    return changed


def give_safety_always(store: Store, writer: Writer, memories: Sequence[int]) -> None:
    """Make those always given, within a command, that are validated or reworded to state a safety fact."""
    known = [one for one in store.get_many(memories) if one.review is Review.VALIDATED]
    writer.update("memories", always_once_validated(store, known), {"given": Given.ALWAYS})


def always_once_validated(store: Store, memories: Sequence[Memory]) -> list[int]:
    """Return those that validating makes always given: on safety, unless a person said when they are given."""
    asked = [one for one in memories if one.given is Given.RELEVANT]
    given = given_once_validated(store, [one.text for one in asked])
    return unless_said(store, [one.id for one, when in zip(asked, given, strict=True) if when is Given.ALWAYS])


def unless_said(store: Store, memories: Sequence[int]) -> list[int]:
    """Return the memories of which no person said when they are given."""
    verbs = store.journal.person_verbs(memories) if memories else {}
    return [one for one in memories if "give" not in verbs.get(one, ())]


def given_once_validated(store: Store, texts: Sequence[str]) -> list[Given]:
    """Return ALWAYS for each text with an allergy, diet, illness or disability of the person or their close family.

    Those of aunts, nephews, in-laws and guests matter when they are there, so that they are given when relevant. Other
    memories tell whether somebody with a name is family ("my son Max") or an animal; they are read at most once.
    """
    stated = [safety.states(text) for text in texts]
    named = [text for text, states in zip(texts, stated, strict=True) if states]
    names = {name for text in named for name in (*subject_names(text), name_in(text)) if name}
    known = store.texts_with(names)
    animals = AnimalNames(lambda name: known.get(name, ()))

    def is_for_person(text: str) -> bool:
        if animals.has_fact(text, safety.LASTING):
            return False
        name = name_in(text) or ""
        return is_of_household(text) or any(is_relative(name, one, CLOSE_RELATIVE) for one in known.get(name, ()))

    return [
        Given.ALWAYS if states and is_for_person(text) else Given.RELEVANT
        for text, states in zip(texts, stated, strict=True)
    ]


def later(store: Store, memories: Sequence[int], days: int = 7, now: int | None = None) -> int:
    """Snooze memories for `days`; they stay open and in recall. 0 ends the snooze.

    Raises Conflict for one that is not live, ValueError for more than ten years.
    """
    return _set(store, "later", memories, {"later_until": moment(days, now)}, live=True)


def moment(days: int, now: int | None) -> int | None:
    """Return the end of a snooze, None for 0 days. Raises ValueError for more than ten years."""
    if not 0 <= days <= MOST_DAYS:
        raise ValueError(f"snooze for 0 to {MOST_DAYS:,} days, not {days}")
    return (clock.now() if now is None else now) + days * clock.DAY if days else None


def reject(store: Store, memories: Sequence[int]) -> int:
    """Mark memories as wrong or junk: out of recall, and not imported again."""
    return _forget(store, "reject", memories, REJECTED)


def forget(store: Store, memories: Sequence[int]) -> int:
    """Remove memories that may be true from recall; they are not imported again."""
    return _forget(store, "forget", memories, {"life": "forgotten"})


def restore(store: Store, memories: Sequence[int]) -> int:
    """Restore forgotten, rejected, superseded or expired memories, and remove their tombstones.

    A rejected memory is open again; one that was validated before it was forgotten stays validated, since the person
    never revoked that. Raises Conflict for a purged one, and if another live memory says the same.
    """
    store.check_owned(memories)
    with store.command("restore") as writer:
        _refuse_purged(writer, memories)
        changed = set(writer.update("memories", list(memories), {"life": "live", "superseded_by": None}))
        rejected = writer.where("review = 'rejected'", memories)
        changed |= set(writer.update("memories", rejected, {"review": "open"}))
        store.tombstones.lift(writer, memories)
        store.refuse_twins(memories)
        return len(changed)


def set_tier(store: Store, memories: Sequence[int], tier: Tier) -> int:
    """Set how central memories are."""
    return _set(store, "tier", memories, {"tier": tier.value})


def set_kind(store: Store, memories: Sequence[int], kind: Kind) -> int:
    """Set the kind of memories."""
    return _set(store, "kind", memories, {"kind": kind.value})


def set_given(store: Store, memories: Sequence[int], given: Given) -> int:
    """Set when memories are given to models: always, when relevant, or never. Validating does not change that."""
    store.check_owned(memories)
    with store.command("give") as writer:
        if given is Given.RELEVANT:  # by default they are, which is no decision: the journal is to have one
            unsaid = always_once_validated(store, store.get_many(memories))
            writer.update("memories", unsaid, {"given": Given.NEVER})
        return len(writer.update("memories", list(memories), {"given": given.value}))


def set_rank(store: Store, memories: Sequence[int], rank: Rank) -> int:
    """Set the rank of memories by hand; upkeep may change it later."""
    return _set(store, "rank", memories, {"rank": rank.value})


def set_importance(store: Store, memories: Sequence[int], value: int) -> int:
    """Set the importance of memories, 1-10. Raises ValueError."""
    return _set(store, "importance", memories, {"importance": checked_importance(value)})


def checked_importance(value: int) -> int:
    """Return an importance of 1-10. Raises ValueError for any other number."""
    if not 1 <= value <= 10:
        raise ValueError(f"importance is 1 to 10, not {value}")
    return value


def set_scope(store: Store, memories: Sequence[int], scope: str) -> int:
    """Set the scope: `global`, `project:NAME` or `session:ID`. Raises ValueError for anything else.

    Raises Conflict for a purged memory, and if another live one says the same in that scope.
    """
    scope = checked_scope(scope)
    store.check_owned(memories)
    with store.command("scope") as writer:
        _refuse_purged(writer, memories)
        changed = writer.update("memories", list(memories), {"scope": scope})
        pair = store.twins(changed)
        if pair is not None:
            raise Conflict(f"memories {pair[0]} and {pair[1]} would say the same there: forget one of them first")
        return len(changed)


def set_until(store: Store, memories: Sequence[int], moment: int | None) -> int:
    """Set the expiry date of memories; None is the default of their kind, `clock.LATEST` is never."""
    return _set(store, "until", memories, {"expires_at": moment}, live=True)


def pin(store: Store, memories: Sequence[int], pinned: bool = True) -> int:
    """Pin or unpin memories. Pinned ones are never expired, demoted or merged automatically."""
    return _set(store, "pin" if pinned else "unpin", memories, {"pinned": int(pinned)})


def score(store: Store, memories: Sequence[int], value: int | None) -> int:
    """Set the person's score, 0-10, which overrides the machine's confidence; None removes it. Raises ValueError."""
    if value is not None and not 0 <= value <= 10:
        raise ValueError(f"a score is 0 to 10, not {value}")
    return _set(store, "score", memories, {"user_score": value})


def adjust_score(store: Store, memories: Sequence[int], by: int) -> int:
    """Raise or lower the person's score, by default from the machine's confidence. Clamped to 0-10."""
    store.check_owned(memories)
    with store.command("score") as writer:
        rows = writer.connection.execute(
            "SELECT id, coalesce(user_score, CAST(round(10 * confidence) AS INTEGER)) FROM memories"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (json_list(memories),),
        )
        groups: dict[int, list[int]] = {}
        for memory, value in rows.fetchall():
            groups.setdefault(min(10, max(0, value + by)), []).append(memory)
        return sum(len(writer.update("memories", group, {"user_score": value})) for value, group in groups.items())


def tag(
    store: Store, memories: Sequence[int], add: Sequence[str] = (), remove: Sequence[str] = (), by: str = ""
) -> int:
    """Add and remove tags, stored in lower case without `#`; `by` names the model that proposed them in the journal."""
    store.check_owned(memories)
    with store.command("tag", summary=f"proposed by {by}" if by else "") as writer:
        return len(tag_within(writer, memories, add, remove))


def tag_within(writer: Writer, memories: Sequence[int], add: Sequence[str], remove: Sequence[str]) -> set[int]:
    """Add and remove tags within a command; return the memories that changed. Raises ValueError for an invalid tag."""
    changed: set[int] = set()
    added, removed = checked_tags(add, remove)
    for name in removed:
        having = _tagged(writer, memories, name)
        writer.delete("tags", "tag = ? AND memory IN (SELECT value FROM json_each(?))", (name, json_list(memories)))
        changed |= having
    for name in added:
        having = _tagged(writer, memories, name)
        new = [memory for memory in dict.fromkeys(memories) if memory not in having]
        writer.insert("tags", ("memory", "tag"), [(memory, name) for memory in new])
        changed |= set(new)
    return changed


def _set(store: Store, verb: str, memories: Sequence[int], after: dict[str, Value], live: bool = False) -> int:
    store.check_owned(memories)
    with store.command(verb) as writer:
        if live:
            return len(_update_live(writer, memories, after))
        return len(writer.update("memories", list(memories), after))


def _update_live(writer: Writer, memories: Sequence[int], after: dict[str, Value]) -> list[int]:
    gone = writer.where("life <> 'live'", memories)
    if gone:
        are, them = ("memory {} is", "it") if len(gone) == 1 else ("memories {} are", "them")
        named, more = gone[:_NAMED], f" and {len(gone) - _NAMED:,} more" if len(gone) > _NAMED else ""
        ids = " ".join(map(str, named))
        numbers = ", ".join(map(str, named)) + more
        raise Conflict(f"{are.format(numbers)} not live; `curator restore {ids}` brings {them} back")
    return writer.update("memories", list(memories), after)


def _forget(store: Store, verb: str, memories: Sequence[int], after: Mapping[str, Value]) -> int:
    store.check_owned(memories)
    with store.command(verb) as writer:
        return forget_within(store, writer, memories, after)


def forget_within(store: Store, writer: Writer, memories: Sequence[int], after: Mapping[str, Value]) -> int:
    """Change memories within a command, and leave a tombstone for each: they are not imported again."""
    changed = writer.update("memories", writer.where("life <> 'purged'", memories), dict(after))
    store.tombstones.add(writer, changed)
    return len(changed)


def _refuse_purged(writer: Writer, memories: Sequence[int]) -> None:
    purged = writer.where("life = 'purged'", memories)
    if purged:
        raise Conflict(f"memory {purged[0]} was purged: its words are erased")


def _tagged(writer: Writer, memories: Sequence[int], name: str) -> set[int]:
    wanted = "SELECT memory FROM tags WHERE tag = ? AND memory IN (SELECT value FROM json_each(?))"
    rows = writer.connection.execute(wanted, (name, json_list(memories)))
    return {row[0] for row in rows}


def checked_tags(add: Sequence[str], remove: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return tags to add and to remove as stored. Raises ValueError for an invalid tag."""
    # those to remove as typed, so that an old tag with a secret can be removed
    return [tag_name(tag) for tag in add], [_plain_tag(tag) for tag in remove]


def tag_name(text: str) -> str:
    """Return a tag as stored: in lower case without `#`, secrets redacted. Raises ValueError unless it is one word."""
    return _plain_tag(typed(text))


def _plain_tag(text: str) -> str:
    name = text.strip().lstrip("#").casefold()
    if not name or any(character.isspace() for character in name):
        raise ValueError(f"a tag is one word, not {text!r}")
    return name


LEVELS = 10


def supersede(store: Store, old: Sequence[int], by: int) -> int:
    """Supersede memories by `by`: they leave recall, link to it, and keep their text and quotes. `by` is kept.

    Importing or distilling the same statements again does not bring them back; statements made later than `by` are new.
    Alerts between them are resolved. Raises Conflict, and changes nothing, unless all are live and no cycle would form.
    Chains may have any length, since a link is only added at the live end.
    """
    if not old:
        raise ValueError("name the outdated memories")
    store.check_owned([*old, by])
    with store.command("supersede", summary=f"by memory {by}") as writer:
        changed = supersede_within(store, writer, old, by)
        keep_within(writer, [by])
        store.alerts.resolve_between(writer, [*old, by], "superseded")
        return changed


def keep_within(writer: Writer, memories: Sequence[int]) -> list[int]:
    """End the quarantine of memories that may be forgotten, since the person keeps them; return those it ends for.

    Other quarantine ends by validating alone.
    """
    free = writer.where(
        f"review <> 'validated' AND (flag = '{ASKED}' OR substr(flag, 1, {len(LIKE_FORGOTTEN)}) = '{LIKE_FORGOTTEN}')",
        memories,
    )
    return list(writer.update("memories", free, {"flag": None}))


def supersede_within(store: Store, writer: Writer, old: Sequence[int], by: int) -> int:
    """Supersede memories within a command; return their number. Raises Conflict.

    What supersedes one that is always given is always given, too (`inherits_always`).
    """
    if by in old:
        raise Conflict(f"memory {by} cannot supersede itself: name another memory")
    (successor,) = store.get_many([by])
    if successor.life is not Life.LIVE:
        raise Conflict(
            f"memory {by} is {successor.life}: only a live one can supersede others{restore_hint(successor)}"
        )
    superseded = store.get_many(old)
    for memory in superseded:
        if memory.life is Life.SUPERSEDED:
            former = f" by {memory.superseded_by}" if memory.superseded_by else ""
            raise Conflict(f"memory {memory.id} is already superseded{former}{restore_hint(memory)}")
        if memory.life is not Life.LIVE:
            raise Conflict(
                f"memory {memory.id} is {memory.life}: only a live one can be superseded{restore_hint(memory)}"
            )
    following = successor.superseded_by  # set even though it is live: possible in a record imported from elsewhere
    for _ in range(LEVELS):
        if following in old:
            raise Conflict(f"memory {following} already superseded {by}: they cannot supersede each other")
        links = [] if following is None else store.get_many([following])
        following = links[0].superseded_by if links else None
    if following is not None:
        raise Conflict(f"memory {by} was superseded through more than {LEVELS} others: restore one of them first")
    writer.update("memories", [by] if inherits_always(store, successor, superseded) else [], {"given": Given.ALWAYS})
    return len(writer.update("memories", list(old), {"life": "superseded", "superseded_by": by}))


def inherits_always(store: Store, successor: Memory, superseded: Sequence[Memory]) -> bool:
    """Return True if a memory becomes always given, as one was that it supersedes.

    Not if a person decided when it is given, nor if it replaces a safety fact without stating one itself.
    """
    always = [one.text for one in superseded if one.given is Given.ALWAYS]
    if not always or successor.given is not Given.RELEVANT:
        return False
    if all(map(safety.states, always)) and not safety.states(successor.text):
        return False
    return "give" not in store.journal.person_verbs([successor.id]).get(successor.id, ())


def restore_hint(memory: Memory) -> str:
    """Return the hint at the end of an error about a memory that is not live; empty for purged ones."""
    return "" if memory.life is Life.PURGED else f"; `curator restore {memory.id}` brings it back"
