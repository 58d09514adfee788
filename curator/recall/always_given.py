"""Memories that are recalled regardless of similarity: standing memories, safety facts, and requested attributes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from curator import attributes, safety
from curator.recall.open_conflicts import outdated_memories, replace_outdated, replaced_orders
from curator.recall.types import OmissionKind
from curator.safety import concerns
from curator.safety.animals import AnimalNames
from curator.safety.relevance import kinds_of, matters, with_animals
from store import Filter, Sort, Store
from store.model import ASKED, Given, Memory, Outline, Review, has_expired

if TYPE_CHECKING:
    from store.index import Index

MAX_STANDING = 100
"""Maximum standing memories read for a block."""
MAX_SAFETY_FACTS = 6
"""Maximum safety facts for a prompt."""
_WORDS = 150  # words per search; an index accepts 200
_READ = 100  # memories read per search


def hidden_reason(memory: Memory | Outline, now: int, for_model: bool) -> OmissionKind | None:
    """Return the reason for hiding a live memory, or None. Some memories are hidden only if a search is `for_model`."""
    if has_expired(memory, now):
        return OmissionKind.EXPIRED
    if for_model and memory.given is Given.NEVER:
        return OmissionKind.NEVER
    if for_model and memory.flag is not None and memory.review is not Review.VALIDATED:
        return OmissionKind.ASKED if memory.flag == ASKED else OmissionKind.FLAGGED
    return None


def standing_memories(store: Store, memory_filter: Filter, now: int) -> list[Memory]:
    """Return the standing memories within the scopes of a filter (by default the global one), most important first.

    A standing memory in an open conflict is replaced by the other memory if that was said later (`replace_outdated`).
    """
    scoped = replace(memory_filter, scopes=memory_filter.scopes or ("global",))
    found = {
        memory.id: memory
        for memory in store.get_many(store.list_ids(replace(scoped, given=(Given.ALWAYS,)), Sort.MATTERS, MAX_STANDING))
        if memory.review is not Review.REJECTED and hidden_reason(memory, now, True) is None
    }
    former = replaced_orders(store, found)
    allowed = replace(scoped, unexpired_at=now, quarantine=False, given=(Given.ALWAYS, Given.RELEVANT))
    return replace_outdated(store, [memory for memory in found.values() if memory.id not in former], allowed)


def ordered_standing_memories(
    store: Store, memory_filter: Filter, now: int, fitting: Sequence[int] = ()
) -> list[Memory]:
    """Return the standing memories in the order of a block: safety (`concerns.rank`), `fitting` ones, others."""
    ranks = {number: rank for rank, number in enumerate(fitting)}
    given = sorted(standing_memories(store, memory_filter, now), key=lambda memory: ranks.get(memory.id, len(ranks)))
    return sorted(given, key=lambda memory: concerns.rank(memory.text), reverse=True)


def safety_facts(
    store: Store, index: "Index", prompt: str, subjects: Sequence[str], memory_filter: Filter, now: int
) -> list[Outline]:
    """Return the safety facts relevant to a prompt about these subjects, such as allergies for a dinner.

    They need not share a word with the prompt. Life-threatening matters come first, then the person's own
    (`concerns.priority`). Of two facts in an open conflict, only the newer one is returned.
    """

    def texts_with(name: str) -> list[str]:
        found = index.search_text(name, memory_filter, _READ)
        return [one.text for one in index.record.outlines([number for number, _ in found]).values()]

    animals = AnimalNames(texts_with)
    subjects = with_animals(prompt, subjects, animals)
    if not subjects:
        return []
    kinds = kinds_of(subjects)
    roots = sorted(safety.roots_of(kinds))
    kept = _stating(store, index, roots, memory_filter, now, lambda text: matters(text, prompt, subjects, animals))
    kept.sort(
        key=lambda one: (one.review is Review.VALIDATED, safety.states(one.text), one.said_order, one.id),
        reverse=True,
    )
    texts = [one.text for one in kept]
    of_animals = {text for text in texts if animals.has_fact(text, kinds)}
    places = concerns.relevant_facts(texts, prompt, subjects, texts_with, MAX_SAFETY_FACTS, of_animals)
    return [kept[place] for place in places]


def memories_stating_attributes(
    store: Store, index: "Index", names: tuple[str, ...], memory_filter: Filter, now: int
) -> list[Outline]:
    """Return the memories that state one of these attributes of the person, such as the employer for a CV.

    They need not share a word with the prompt. Of two memories in an open conflict, only the newer one is returned.
    """
    if not names:
        return []
    roots = attributes.roots_of(names)
    return _stating(store, index, roots, memory_filter, now, lambda text: attributes.states(text, names))


def _stating(
    store: Store,
    index: "Index",
    roots: Sequence[str],
    memory_filter: Filter,
    now: int,
    stated: Callable[[str], bool],
) -> list[Outline]:
    """Return memories that contain any of these words and satisfy `stated`, without those outdated by another."""
    near = {
        number
        for part in range(0, len(roots), _WORDS)
        for number, _ in index.search_text(" ".join(roots[part : part + _WORDS]), memory_filter, _READ)
    }
    found = {
        number: outline
        for number, outline in index.record.outlines(sorted(near)).items()
        if hidden_reason(outline, now, True) is None and stated(outline.text)
    }
    former = outdated_memories(store, found)
    return [outline for outline in found.values() if outline.id not in former]
