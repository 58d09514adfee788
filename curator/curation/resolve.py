"""Settling a conflict: what becomes of two memories that say the same, or that cannot both be true.

Each is one command and one undo step, which opens the conflict again. All take the pair as the person saw it, and raise
Conflict, changing nothing, where it was settled, let go of or put differently meanwhile. They return how many memories
were changed; what was decided is remembered with the alert, also where that is none.
"""

from dataclasses import replace
from enum import StrEnum

from curator.curation.commands import REJECTED, forget_within, moment
from curator.curation.create import checked
from curator.curation.forgotten_match import refuse_forgotten
from curator.curation.merge import draft, merge_into
from curator.curation.names import checked_scope
from curator.curation.pairs import Pair, Side, confirm
from curator.curation.supersede import supersede_within
from store import Conflict, Store, clock

NO_CONFLICT = "not a conflict"
TOLD_APART = "both hold"
"""How a pair was settled of which both stay: as they are, or by saying when or where each holds."""


class Choice(StrEnum):
    """Possible decisions on a pair."""

    A = "a"
    B = "b"
    BOTH = "both"
    MERGE = "merge"
    NONE = "none"
    LATER = "later"


def keep(store: Store, pair: Pair, side: Side) -> int:
    """One is true now, the other is superseded by it. A validated or pinned one may be, since the person says so."""
    winner, loser = pair.on(side), pair.across(side)
    with store.command("supersede", summary=f"by memory {winner.id} ({_named(pair)})") as writer:
        confirm(store, pair)
        count = supersede_within(store, writer, [loser.id], winner.id)
        store.alerts.resolve(writer, [pair.alert.id], "superseded")
        return count


def keep_both(
    store: Store,
    pair: Pair,
    *,
    text_a: str | None = None,
    text_b: str | None = None,
    scope_a: str | None = None,
    scope_b: str | None = None,
) -> int:
    """It is no conflict, and is not raised again. What makes both true may be said with it: other words, or a scope.

    `dated` proposes such words. Raises Refused for a text that cannot be a memory, ValueError for what is no scope,
    Forgotten or Conflict where another memory says so already.
    """
    from curator.text import content_key

    wanted = (
        (pair.a, None if text_a is None else checked(text_a), None if scope_a is None else checked_scope(scope_a)),
        (pair.b, None if text_b is None else checked(text_b), None if scope_b is None else checked_scope(scope_b)),
    )
    with store.command("keep both", summary=_named(pair)) as writer:
        confirm(store, pair)
        changed: set[int] = set()
        for memory, _, scope in wanted:
            if scope is not None:
                changed |= set(writer.update("memories", [memory.id], {"scope": scope}))
        for memory, text, scope in wanted:
            if text is not None and text != memory.text:
                refuse_forgotten(store, text)
                there = memory if scope is None else replace(memory, scope=scope)
                if store.reword(writer, there, text, content_key(text)):
                    changed.add(memory.id)
        twins = store.twins(sorted(changed))
        if twins is not None:
            raise Conflict(f"memories {twins[0]} and {twins[1]} would say the same: keep one, or merge them")
        store.alerts.resolve(writer, [pair.alert.id], TOLD_APART if changed else NO_CONFLICT)
        return len(changed)


def merge_pair(store: Store, pair: Pair, text: str, survivor: int | None = None) -> int:
    """One memory that says `text` takes the place of both (`merge`); which one survives is as `draft` proposes it."""
    words = checked(text)
    both = [pair.a.id, pair.b.id]
    if survivor not in (None, *both):
        raise ValueError(f"memory {survivor} is not in conflict {pair.alert.id}")
    with store.command("merge") as writer:
        confirm(store, pair)
        into = draft(store, both).survivor if survivor is None else survivor
        writer.summarise(f"into memory {into} ({_named(pair)})")
        return merge_into(store, writer, both, words, into)


def reject_both(store: Store, pair: Pair) -> int:
    """Both are wrong or junk: out of recall, and they do not come back."""
    both = [pair.a.id, pair.b.id]
    with store.command("reject", summary=_named(pair)) as writer:
        confirm(store, pair)
        count = forget_within(store, writer, both, REJECTED)
        store.alerts.resolve(writer, [pair.alert.id], "rejected")
        return count


def put_off(store: Store, pair: Pair, days: int = 7, now: int | None = None) -> int:
    """Ask again after some days; with 0, at once. Raises ValueError for more than ten years."""
    until = moment(days, now)
    with store.command("later", summary=_named(pair)) as writer:
        confirm(store, pair)
        store.alerts.postpone(writer, [pair.alert.id], until)
        return 0


def dated(pair: Pair) -> tuple[str, str]:
    """Both texts with the time they held, by when the newer was said: a proposal that the person puts right."""
    # where the newer one has no date, nobody knows of either
    day = "then" if pair.b.created_at is None else clock.to_iso(pair.b.created_at)[:10]
    return _with(pair.a.text, f"until {day}"), _with(pair.b.text, f"since {day}")


def _with(text: str, remark: str) -> str:
    plain = text.rstrip(".")
    return f"{plain} ({remark}){text[len(plain) :]}"


def _named(pair: Pair) -> str:
    return f"conflict {pair.alert.id}"
