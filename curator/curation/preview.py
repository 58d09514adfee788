"""Previews of choices, each on one line."""

from collections import Counter

from curator.curation.bulk import Plan, wins
from curator.curation.merge import Draft
from curator.curation.pairs import Pair, Side, changed
from curator.curation.resolve import Choice
from curator.curation.unique_statements import beyond
from store.model import Memory, Review

_SHOWN = 60  # characters of a text
_LOST = 90  # and of what would be lost
UNDOABLE = " · undoable"
"""How a line ends about what can be taken back."""


def outcome(pair: Pair, choice: Choice, draft: Draft | None = None) -> str:
    """Describe the effect of a choice on the pair, on one line; read nothing. `draft` is what would be merged.

    Texts of memories stand in it as they are: whoever prints it makes them safe.
    """
    gone = changed(pair, pair)
    if gone:
        return gone
    if choice is Choice.A or choice is Choice.B:
        side: Side = "a" if choice is Choice.A else "b"
        kept, other = pair.on(side), pair.across(side)
        lost = beyond(kept.text, other.text)  # of matters that the kept one does not mention
        keeps = " (merging can keep it)" if pair.a.scope == pair.b.scope else ""
        leaves = f" · leaves with it: {_quoted('; '.join(lost), _LOST)}{keeps}" if lost else ""
        name, said = "B" if side == "a" else "A", _said(other)
        return (
            f"keeps {side.upper()}: {_quoted(kept.text)} stays · {name}{f', {said},' if said else ''}"
            f" is superseded by it and leaves recall{leaves}{UNDOABLE}"
        )
    if choice is Choice.BOTH:
        return f"keeps both: no conflict, and not asked about again while they say what they say{UNDOABLE}"
    if choice is Choice.MERGE:
        if pair.a.scope != pair.b.scope:
            return f"cannot be merged: A holds in {pair.a.scope}, B in {pair.b.scope}; give them one scope first"
        if draft is None:
            return f"makes one memory of both, in words that you see first{UNDOABLE}"
        vouched = "in quarantine until you validate it" if draft.quarantined else "validated"
        return (
            f"makes one of both: {'A' if draft.survivor == pair.a.id else 'B'} says {_quoted(draft.text)}, {vouched};"
            f" the other is superseded by it, and no words or quotes are lost{UNDOABLE}"
        )
    if choice is Choice.NONE:
        decided = [f"{name} is {said}" for name, one in (("A", pair.a), ("B", pair.b)) if (said := _said(one))]
        among = f" ({', '.join(decided)})" if decided else ""
        return f"rejects both{among}: they leave recall and do not come back{UNDOABLE}"
    return f"asks again in a week; both stay in recall until then{UNDOABLE}"


def bulk_outcome(plan: Plan) -> str:
    """Describe the effect of a plan in numbers, on one line."""
    left = sum(count for _, count in plan.left)
    why = ", ".join(f"{count:,} {reason}" for reason, count in plan.left)
    rest = f" · leaves {left:,}: {why}" if left else ""
    if not plan.decided:
        return f"{wins(plan)}: settles nothing{rest}"
    relations = Counter(pair.alert.relation for pair, _ in plan.decided)
    classes = ", ".join(f"{count:,} {relation}" for relation, count in relations.most_common())
    special = [f"{count:,} {word}" for count, word in ((plan.validated, "validated"), (plan.pinned, "pinned")) if count]
    among = f", {' and '.join(special)} among them" if special else ""
    return (
        f"{wins(plan)}: settles {_counted(len(plan.decided), 'conflict', 'conflicts')} ({classes}),"
        f" supersedes {_counted(plan.losers, 'memory', 'memories')}{among}{rest}{UNDOABLE}"
    )


def _said(memory: Memory) -> str:
    """Describe what the person has decided on a memory before; empty if nothing."""
    words = (("validated", memory.review is Review.VALIDATED), ("pinned", memory.pinned))
    return " and ".join(word for word, so in words if so)


def _quoted(text: str, most: int = _SHOWN) -> str:
    return f"“{text}”" if len(text) <= most else f"“{text[: most - 1].rstrip()}…”"


def _counted(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
