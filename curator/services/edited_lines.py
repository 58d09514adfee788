"""Supersede the memory of an instruction line by that of its edited version."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from curator.curation.claims import NO_DECISION
from curator.curation.commands import supersede_within
from curator.text import tokens
from store import Store, Writer
from store.model import Life, Memory, Review

LIKE = 0.6
"""Likeness of a line to what it was before, at least."""
MOST = 4_000_000
"""Pairs of lines of a file to compare: 2,000 rewritten lines take a few seconds."""
_NEAREST = 4  # lines with the most words in common, whose likeness is measured


@dataclass(frozen=True, slots=True)
class Cited:
    """Memories that were read from a file, by id: the lines of `gone` are no longer in it, those of `held` are."""

    gone: Mapping[int, Memory]
    held: Mapping[int, Memory]


def cited_memories(store: Store, file: str, quotes: Collection[str]) -> Cited:
    """Return the memories of a file that has these quotes now.

    Of those whose line is gone, only live ones that a person has not decided on, and that nothing else says.
    """
    cited = store.cited_from(file)
    memories = {memory.id: memory for memory in store.get_many(list(cited))}
    held = {number: one for number, one in memories.items() if not set(cited[number]).isdisjoint(quotes)}
    left = [number for number, one in memories.items() if number not in held and one.life is Life.LIVE]
    decided = {*store.journal.person_verbs(left, NO_DECISION), *store.versions_of(left)}
    counts = store.evidence_counts(left)
    return Cited(
        {
            number: memories[number]
            for number in left
            if number not in decided and counts[number] <= len(cited[number])
            if memories[number].review is Review.OPEN and not memories[number].pinned
        },
        held,
    )


def likest(former: Mapping[int, str], fresh: Mapping[int, str]) -> dict[int, int]:
    """Match each former line to the most similar new one, by their numbers; no new line is used twice."""
    having: dict[str, list[int]] = defaultdict(list)
    for number, text in fresh.items():
        for word in tokens(text):
            having[word].append(number)
    found: dict[int, int] = {}
    taken: set[int] = set()
    for number, text in former.items():
        common = Counter(other for word in tokens(text) for other in having.get(word, ()) if other not in taken)
        ratios = [
            (SequenceMatcher(None, text, fresh[other], autojunk=False).ratio(), -other)
            for other, _ in common.most_common(_NEAREST)
        ]
        ratio, other = max(ratios, default=(0.0, 0))
        if ratio >= LIKE:
            found[number] = -other
            taken.add(-other)
    return found


def find_edits(cited: Cited, added: Collection[int]) -> dict[int, int] | None:
    """Return the added memory that each former one of a file became; None if there are too many to compare.

    It may take seconds: not to be called with the write lock held.
    """
    fresh = {number: one.text for number, one in cited.held.items() if number in added and one.flag is None}
    if len(fresh) * len(cited.gone) > MOST:
        return None
    return likest({number: one.text for number, one in cited.gone.items()}, fresh)


def supersede_edited(store: Store, writer: Writer, cited: Cited, edits: Mapping[int, int]) -> None:
    """Supersede edited lines by their new versions, and restore what an import superseded if its line is back."""
    keys = store.content_keys(list(cited.held))
    live = {keys[number] for number, one in cited.held.items() if one.life is Life.LIVE}
    back = {
        one.superseded_by: number
        for number, one in cited.held.items()
        if one.life is Life.SUPERSEDED and one.superseded_by in cited.gone and keys[number] not in live
        if (last := store.journal.last_life_change(number)) is not None and last.verb == "import"
    }
    for old in cited.gone:
        new = back.get(old, edits.get(old))
        if old in back:
            writer.update("memories", [back[old]], {"life": Life.LIVE, "superseded_by": None})
        elif new is None or new not in cited.held or cited.held[new].life is not Life.LIVE:
            continue
        if new is not None:
            supersede_within(store, writer, [old], new)
