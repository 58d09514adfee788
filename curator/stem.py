"""Light stemming of English words. Hooks use it, so it imports no word lists."""

import re
from functools import lru_cache

SIBILANTS = ("sses", "shes", "ches", "xes", "zes")
"""Endings of words whose plural or third person ends in `es`."""
_VOWEL = re.compile(r"[aeiouy]")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return `word` without its English ending: `hiking`, `hiked`, `hike` become `hik`."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word.removesuffix("'s")
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(SIBILANTS):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and _VOWEL.search(rest):
            if rest[-1] == rest[-2] and rest[-1] not in "lsz":
                rest = rest[:-1]
            return rest.removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word
