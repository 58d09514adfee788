"""Tokens of a text: its words lightly stemmed, without empty words, CJK in pairs of characters."""

import re
from functools import lru_cache

from curator.text.english import first_person, stem, wordlists
from curator.text.normalize import words

TOKENS = "tokens/1"
"""Version of `tokens`, to be raised with every change of what it finds."""

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]+")


@lru_cache(maxsize=8192)
def plain_words(text: str) -> tuple[str, ...]:
    """Return the words of `text` in normal form and order, "the user" as "i"."""
    return tuple(first_person(" ".join(words(text))).split())


@lru_cache(maxsize=8192)
def tokens(text: str) -> frozenset[str]:
    """Return stems of the words that count, number words as digits; of all words where none of them counts."""
    found = plain_words(text)
    lists = wordlists()
    counted = [lists.numbers.get(word, word) for word in found if word not in lists.empty] or found
    result: set[str] = set()
    for word in counted:
        runs = _CJK.findall(word)
        if not runs:
            result.add(stem(word))
            continue
        result.update(part for part in _CJK.split(word) if part)
        for run in runs:
            result.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
    return frozenset(result)


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return shared tokens over all tokens, 0-1; two empty sets share nothing."""
    together = len(a | b)
    return len(a & b) / together if together else 0.0
