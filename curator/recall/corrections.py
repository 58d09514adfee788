"""Correction of misspelt words of a query to words that occur in memories."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from curator.models import Embedder
from store import Filter
from store.model import Outline

if TYPE_CHECKING:
    from store.index import Index

LETTERS = re.compile(r"[^\W\d_]+")
_LONG_WORD = 7  # minimum letters of a word to be corrected without knowing that it is misspelt
_LOOKED_UP, _TYPED = 4, 12  # maximum words of a prompt, and of a search, that are corrected


def correct_spelling(
    index: "Index",
    embedder: Embedder | None,
    query: str,
    memory_filter: Filter,
    found: Iterable[Outline],
    for_model: bool,
) -> dict[str, tuple[str, ...]]:
    """Return corrections of misspelt words in a query, by word; corrections are words that occur in memories.

    Words that occur in the hits `found` so far, or that the embedder knows, are not corrected. If the embedder cannot
    tell, long words are corrected, and in a search by a person also short ones, to words with the same first letter.
    """
    from store.index.corrections import spelled, words_to_check

    seen = set(LETTERS.findall(spelled(" ".join(outline.text for outline in found))))
    unseen = [word for word in words_to_check(query) if not {word, f"{word}s", word.removesuffix("s")} & seen]
    known = {word: None if embedder is None else embedder.is_word(word) for word in unseen}
    unsure = [word for word in unseen if known[word] is False or (known[word] is None and len(word) >= _LONG_WORD)]
    if for_model:
        if 2 * len(unsure) >= len(LETTERS.findall(query)):  # probably another language, or code
            return {}
        return index.corrections(unsure[:_LOOKED_UP], memory_filter, same_letter=True)
    others = [word for word in unseen if known[word] is None and word not in unsure]
    meant = index.corrections(unsure[:_TYPED], memory_filter)
    return meant | index.corrections(others[:_TYPED], memory_filter, same_letter=True)


def corrected_query(query: str, also: Mapping[str, Sequence[str]]) -> str:
    """Return a query with each misspelt word replaced by the words that may be meant."""
    from store.index.corrections import spelled

    return LETTERS.sub(lambda word: " ".join(also.get(spelled(word[0]), (word[0],))), query)
