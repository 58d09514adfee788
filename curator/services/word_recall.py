"""Recall by words alone, straight from the record: for a hook that finds no resident process and must not wait.

It loads neither the index nor a model. A memory matches by the prompt's words, each worth the logarithm of its rarity
(inverse document frequency); those with less than half the best score are left out.
"""

import re
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

from store import Filter, Store

if TYPE_CHECKING:
    from curator.recall.search import Hit

MOST_WORDS = 12
"""Words of a prompt that are looked up, the longest ones."""
_SHARE = 0.5  # of the best score that a hit has at least
_LEAST = 2.0  # score of a hit at least: a word that one memory in six has says nothing
_WORD = re.compile(r"[^\W_]{3,}")
_COMMON = frozenset(
    "about after all also and any are because been before but can could did does don for from get give had has have her"
    " here him his how into its just like make may me more most much my need not now one only other our out over please"
    " she should show some such than that the their them then there these they this those too use very want was way we"
    " well were what when where which while who why will with would you your write help tell".split()
)


def find_by_words(store: Store, prompt: str, which: Filter, limit: int) -> "list[Hit]":
    """Return the memories that share the prompt's rarer words, best first."""
    from curator.recall.search import Hit

    words = _words(prompt)
    if not words:
        return []
    rows = store.having_words(words, which)
    found: list[tuple[int, list[str]]] = []
    held: Counter[str] = Counter()
    for number, text in rows:
        own = _WORD.findall(text.casefold())
        shared = [word for word in words if any(one.startswith(word) for one in own)]
        found.append((number, shared))
        held.update(shared)
    total = max(store.count(which), 1)
    worth = {word: log(1 + total / count) for word, count in held.items()}
    scores = sorted(((sum(worth[word] for word in shared), number) for number, shared in found), reverse=True)
    least = max(min(_LEAST, log(1 + total)), scores[0][0] * _SHARE) if scores else _LEAST
    best = [(score, number) for score, number in scores[:limit] if score >= least]
    memories = {memory.id: memory for memory in store.get_many([number for _, number in best])}
    return [Hit(memories[number], score, {"words": score}, ()) for score, number in best if number in memories]


def _words(prompt: str) -> Sequence[str]:
    """Return the beginnings of the prompt's longest words, without plural endings."""
    found = {word for word in _WORD.findall(prompt[:4_000].casefold()) if word not in _COMMON}
    plain = {word[:-1] if word.endswith("s") and len(word) > 4 else word for word in found}
    return sorted(plain, key=lambda word: (-len(word), word))[:MOST_WORDS]
