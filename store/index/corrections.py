"""Spelling correction by edit distance over indexed words.

Stems are compared, as in the index, so that "alergy" finds "allergies".
"""

import contextlib
import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from store.index.tables import STOP_WORDS
from store.index.unspaced import UNSPACED

SHORTEST = 4
"""Minimum letters of a word that is corrected."""
_LONG = 8  # minimum letters of a word for which two edits are allowed
_MOST = 3  # maximum corrections of a word
_BEGINNING = 5  # minimum letters of a stem that is a prefix of a misspelt word
ENDINGS = (3, 4)
"""Lengths of endings that may be misspelt: the part before the ending is searched too."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NO_ENGLISH = re.compile(rf"{UNSPACED}|[\u0370-\u0dff\u10a0-\u10ff\u1200-\u137f]")
_STOP = frozenset(STOP_WORDS) | frozenset(
    "also aint arent cant couldnt didnt doesnt dont hadnt hasnt havent heres isnt lets shouldnt thats theres theyre"
    " theyve this wasnt weve werent whats wheres whos wont wouldnt youre youve".split()
)
"""Function words, with contractions as they are typed without an apostrophe: no misspelt words, and no corrections."""


def spelled(text: str) -> str:
    """Return a text in lower case without diacritics."""
    if text.isascii():
        return text.lower()
    return "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(one))


def words_to_check(query: str) -> list[str]:
    """Return the words of a query that may be misspelt, in order: those of at least four Latin letters.

    Letters after an apostrophe are ignored, so that "what's" is not corrected.
    """
    words = dict.fromkeys(word.partition("'")[0] for word in _WORD.findall(spelled(query)))
    return [one for one in words if len(one) >= SHORTEST and one not in _STOP and not _NO_ENGLISH.search(one)]


def edits_allowed(word: str) -> int:
    """Return the maximum edit distance of a correction: one, or two for a long word."""
    return 2 if len(word) >= _LONG else 1


def stem_edits_allowed(word: str, stem: str) -> int:
    """Return the maximum edit distance of a stem: 0 if it is a short part of its word, as "latt" of "latte".

    Two for a long stem only: that of "medication" is two edits from that of "music".
    """
    return 0 if len(stem) < _BEGINNING and len(word) > len(stem) else edits_allowed(stem)


def edit_distance(one: str, other: str, most: int) -> int:
    """Return the edit distance of two words: letters added, removed or replaced, or two neighbours swapped.

    Distances above `most` are returned as `most + 1`.
    """
    if abs(len(one) - len(other)) > most or len(set(one) ^ set(other)) > 2 * most:
        return most + 1
    before, row = list[int](), list(range(len(other) + 1))
    for position, letter in enumerate(one, 1):
        former, before, row = before, row, [position]
        for at, against in enumerate(other, 1):
            cost = min(before[at] + 1, row[-1] + 1, before[at - 1] + (letter != against))
            if position > 1 and at > 1 and letter == other[at - 2] and one[position - 2] == against:
                cost = min(cost, former[at - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def nearest_stems(word: str, stem: str, terms: Iterable[tuple[str, int]]) -> list[str]:
    """Return the stems nearest to that of a typed word: equal first letter first, then nearest, then most frequent.

    A misspelt ending gives a longer stem: stems with which that begins are included.
    """
    most = edits_allowed(word)
    found: list[tuple[int, int, str]] = []
    for term, many in terms:
        begins = len(term) >= _BEGINNING and word.startswith(term[:-1])
        if len(term) >= SHORTEST - 1 and ((away := edit_distance(stem, term, most)) <= most or begins):
            found.append((away, -many, term))
    found.sort(key=lambda one: (one[2][0] != stem[0], *one))
    return [term for *_, term in found[:_MOST]]


def suggest_words(word: str, texts: Sequence[str]) -> list[str]:
    """Return the words of texts that are likely corrections of a typed word, nearest first."""
    counts = Counter(one for text in texts for one in dict.fromkeys(_WORD.findall(spelled(text))))
    most = edits_allowed(word)
    stems = stems_of([word, *counts])
    of_stem = stem_edits_allowed(word, stems[word])
    found = []
    for one, many in counts.items():
        away, by_stem = edit_distance(word, one, most), edit_distance(stems[word], stems[one], of_stem)
        if len(one) >= SHORTEST and one not in _STOP and (away <= most or by_stem <= of_stem):
            found.append((one[0] != word[0], min(away, by_stem), -many, one))
    best: dict[str, str] = {}
    for *_, one in sorted(found):
        best.setdefault(stems[one], one)  # another form of a word is found with it
    return list(best.values())[:_MOST]


def stems_of(words: Sequence[str]) -> Mapping[str, str]:
    """Return words with their stems as FTS5 makes them."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE one USING fts5(words, tokenize='porter unicode61')")
        connection.execute("CREATE VIRTUAL TABLE term USING fts5vocab(one, instance)")
        listed = list(dict.fromkeys(words))
        connection.executemany("INSERT INTO one (rowid, words) VALUES (?, ?)", enumerate(listed, 1))
        stems = dict(connection.execute("SELECT doc, term FROM term WHERE offset = 0"))
    return {word: str(stems.get(number, word)) for number, word in enumerate(listed, 1)}
