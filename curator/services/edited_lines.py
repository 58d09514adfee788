"""Supersede the memories of edited lines in instruction files by the memories of their new versions."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from curator.curation.claims import NO_DECISION
from curator.curation.commands import supersede_within
from curator.text import tokens
from store import Store, Writer
from store.model import Life, Memory, Review

MIN_SIMILARITY = 0.6
"""Minimum `SequenceMatcher` ratio of an edited line and its former version."""
MAX_PAIRS = 4_000_000
"""Maximum number of pairs of lines to compare in a file; 2,000 rewritten lines take a few seconds."""
_NEAREST = 4  # lines with the most words in common, whose ratio is computed


@dataclass(frozen=True, slots=True)
class FileMemories:
    """Memories that cite an instruction file, by id.

    The lines of `removed` are no longer in the file; those of `present` are.
    """

    removed: Mapping[int, Memory]
    present: Mapping[int, Memory]


def memories_of_file(store: Store, file: str, quotes: Collection[str]) -> FileMemories:
    """Return the memories that cite a file, whose current lines are `quotes`.

    `removed` contains only live memories that the person did not decide on and that have no other evidence.
    """
    cited = store.cited_from(file)
    memories = {memory.id: memory for memory in store.get_many(list(cited))}
    present = {
        memory_id: memory for memory_id, memory in memories.items() if not set(cited[memory_id]).isdisjoint(quotes)
    }
    left = [
        memory_id for memory_id, memory in memories.items() if memory_id not in present and memory.life is Life.LIVE
    ]
    decided = {*store.journal.person_verbs(left, NO_DECISION), *store.versions_of(left)}
    counts = store.evidence_counts(left)
    return FileMemories(
        {
            memory_id: memories[memory_id]
            for memory_id in left
            if memory_id not in decided and counts[memory_id] <= len(cited[memory_id])
            if memories[memory_id].review is Review.OPEN and not memories[memory_id].pinned
        },
        present,
    )


def match_similar_lines(former: Mapping[int, str], fresh: Mapping[int, str]) -> dict[int, int]:
    """Match each former line to the most similar new line, by id. Each new line is matched at most once."""
    having: dict[str, list[int]] = defaultdict(list)
    for memory_id, text in fresh.items():
        for word in tokens(text):
            having[word].append(memory_id)
    matched: dict[int, int] = {}
    taken: set[int] = set()
    for memory_id, text in former.items():
        common = Counter(other for word in tokens(text) for other in having.get(word, ()) if other not in taken)
        ratios = [
            (SequenceMatcher(None, text, fresh[other], autojunk=False).ratio(), -other)
            for other, _ in common.most_common(_NEAREST)
        ]
        ratio, other = max(ratios, default=(0.0, 0))
        if ratio >= MIN_SIMILARITY:
            matched[memory_id] = -other
            taken.add(-other)
    return matched


def find_edits(cited: FileMemories, added: Collection[int]) -> dict[int, int] | None:
    """Map each removed memory of a file to the added memory that it was edited into; None if there are too many.

    May take seconds: do not call while holding the write lock.
    """
    fresh = {
        memory_id: memory.text
        for memory_id, memory in cited.present.items()
        if memory_id in added and memory.flag is None
    }
    if len(fresh) * len(cited.removed) > MAX_PAIRS:
        return None
    return match_similar_lines({memory_id: memory.text for memory_id, memory in cited.removed.items()}, fresh)


def supersede_edited(store: Store, writer: Writer, cited: FileMemories, edits: Mapping[int, int]) -> None:
    """Supersede edited lines by their new versions.

    If an edit was reverted, restore the memory that an import superseded, and supersede the edited version instead.
    """
    keys = store.content_keys(list(cited.present))
    live = {keys[memory_id] for memory_id, memory in cited.present.items() if memory.life is Life.LIVE}
    back = {
        memory.superseded_by: memory_id
        for memory_id, memory in cited.present.items()
        if memory.life is Life.SUPERSEDED and memory.superseded_by in cited.removed and keys[memory_id] not in live
        if (last := store.journal.last_life_change(memory_id)) is not None and last.verb == "import"
    }
    for old in cited.removed:
        new = back.get(old, edits.get(old))
        if old in back:
            writer.update("memories", [back[old]], {"life": Life.LIVE, "superseded_by": None})
        elif new is None or new not in cited.present or cited.present[new].life is not Life.LIVE:
            continue
        if new is not None:
            supersede_within(store, writer, [old], new)
