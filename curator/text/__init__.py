"""English text normalization: content keys, tokens, word lists, language."""

from curator.stem import stem
from curator.text.english import first_person, read_toml, wordlists
from curator.text.normalize import (
    TOKENS,
    Language,
    content_key,
    content_keys,
    fold,
    is_latin,
    jaccard,
    joined_thousands,
    language,
    lower,
    plain_words,
    tokens,
    unmarked,
    worded,
    words,
)

__all__ = [
    "TOKENS",
    "Language",
    "content_key",
    "content_keys",
    "first_person",
    "fold",
    "is_latin",
    "jaccard",
    "joined_thousands",
    "language",
    "lower",
    "plain_words",
    "read_toml",
    "stem",
    "tokens",
    "unmarked",
    "worded",
    "wordlists",
    "words",
]
