"""Whether a text is in the language that the rules know."""

from enum import StrEnum
from functools import lru_cache
from unicodedata import name

from curator.compare.data import wordlists
from curator.compare.data.slots import slots
from curator.compare.words import plain_words

MOST = 60
"""Words of a text that are looked at."""


class Language(StrEnum):
    """English, surely another, or not to be told: too short, or without any small word that is known."""

    ENGLISH = "English"
    OTHER = "another language"
    UNKNOWN = "unknown"


@lru_cache(maxsize=8192)
def language(text: str) -> Language:
    """By the small words that each language is full of, and by the script."""
    lists, verbs = wordlists(), slots().present
    found = [word for word in plain_words(text)[:MOST] if word not in lists.no_sign]
    english = sum(word in lists.empty or word in lists.small or word in verbs for word in found)
    other = sum(word in lists.other or _foreign(word) for word in found)
    if other and other >= english:
        return Language.OTHER
    return Language.ENGLISH if english else Language.UNKNOWN


def _foreign(word: str) -> bool:
    """Whether a word is written in letters that are not Latin."""
    return not word.isascii() and any(
        char.isalpha() and not name(char, "LATIN").startswith("LATIN") for char in word[:4]
    )
