"""Detection of English among other languages, by frequent words and script."""

from enum import StrEnum
from functools import lru_cache
from unicodedata import name

from curator.text.english import wordlists
from curator.text.normalize import plain_words

MOST = 60
"""Maximum words of a text to check."""


class Language(StrEnum):
    """English, another language, or unknown: too short, or without a known frequent word."""

    ENGLISH = "English"
    OTHER = "another language"
    UNKNOWN = "unknown"


@lru_cache(maxsize=8192)
def language(text: str) -> Language:
    """Return the language according to frequent words and script."""
    lists = wordlists()
    found = [word for word in plain_words(text)[:MOST] if word not in lists.no_sign]
    english = sum(word in lists.empty or word in lists.small or word in lists.present for word in found)
    other = sum(
        word in lists.other or (not word.isascii() and any(char.isalpha() and not is_latin(char) for char in word[:4]))
        for word in found
    )
    if other and other >= english:
        return Language.OTHER
    return Language.ENGLISH if english else Language.UNKNOWN


def is_latin(char: str) -> bool:
    """Return whether a character is a Latin letter by its Unicode name, or has no name."""
    return name(char, "LATIN").startswith("LATIN")
