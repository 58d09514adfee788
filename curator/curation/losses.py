"""Consequences of superseding a side of a conflict, and the reasons for leaving some of many conflicts open."""

from curator.curation.pairs import Pair, Side
from curator.curation.personal_facts import FACTS_LOST, ORDER_LOST, facts_lost, loses_facts, order_lost
from curator.curation.safety_loss import loses_safety, safety_lost
from curator.curation.text_parts import more_parts
from curator.curation.unique_statements import loses_grave, lost_with
from store.model import Relation

GRAVE_LOST = "where a life-threatening fact would give way"
SAFETY_LOST = "where a fact about health would be lost"
MORE_LOST = "where the {side} says more"
"""Reasons to leave a conflict open."""


def lost(pair: Pair, side: Side) -> tuple[str, ...]:
    """Return what the other side says, verbatim, that keeping this one alone would lose."""
    kept, other = pair.on(side), pair.across(side)
    named = (
        *safety_lost(kept.text, other.text, pair.alert.relation is Relation.DUPLICATE),
        *facts_lost(kept.text, other.text),
        *lost_with(kept.text, other.text),
        *order_lost(pair, side),
        *more_parts(kept.text, other.text),
    )
    plain = {one: one.casefold().strip(" .,;!") for one in dict.fromkeys(named)}
    seen: list[str] = []
    for one, words in plain.items():
        within = any(words in more and words != more for more in plain.values())
        if not within and words not in (plain[other] for other in seen):
            seen.append(one)
    return tuple(seen)


def loss_reason(pair: Pair, side: Side) -> str:
    """Return why keeping a side would lose some of the other, as a reason to leave the conflict open; else empty."""
    if loses_grave(pair.on(side).text, pair.across(side).text):
        return GRAVE_LOST
    if loses_safety(pair, side):
        return SAFETY_LOST
    if loses_facts(pair, side):
        return FACTS_LOST
    if order_lost(pair, side):
        return ORDER_LOST
    older = "older" if side == "b" else "newer"
    kept, other = pair.on(side).text, pair.across(side).text
    more = more_parts(kept, other) or lost_with(kept, other)  # the latter takes three times as long
    return MORE_LOST.format(side=older if pair.ordered else "other") if more else ""
