"""Names of topics, from the words that best distinguish their memories from others."""

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import log

from curator.text import tokens
from curator.text.english import stem, wordlists
from store.sanitize import replace_invisible

OTHER = "other"
"""Name of what belongs to no topic."""
SAMPLE = 80
"""Memories of a topic that are read for its name: the first ones, so that the name stays."""
_WORD = re.compile(r"[^\W\d_][\w'’.+#-]*[\w+#]")
_TWO = 0.5  # share of the best word's score from which a second one is named
_ONCE = 0.5  # weight of a word that one memory says
_PHRASE = 0.5  # share of the rarer of two words beside the other, from which they are a phrase
_ALWAYS = 0.7  # share of a word's texts in which another stands beside it, from which they are one phrase
_LONGEST = 60  # characters of a name that is given
_UNNAMED = """
he she they his her hers their theirs him them who whom everyone everybody everywhere nobody somebody someone anything
something nothing using based try ensure decide decided plan planned planning prefer work working going trying wanted
due last next near also after before over under per via etc both each few same such only because while until since
where when what which why how however else once again away instead rather almost else maybe perhaps please thanks okay
"""


def names(members: Sequence[Sequence[str]], sayable: Sequence[Iterable[str]], given: Sequence[str | None]) -> list[str]:
    """Return a name for each topic, all different. `members` are the texts of each topic, the largest topic first.

    Only words of the topic's `sayable` texts are named. A topic with a `given` name has that.
    """
    counts = [Counter(word for text in texts for word in words_of(text).tokens) for texts in members]
    everywhere = Counter[str]()
    for count in counts:
        everywhere.update(count)
    total = sum(map(len, members))
    taken = {OTHER} | {plain_name(name).casefold() for name in given if name is not None}
    found: list[str] = []
    for texts, count, said, own in zip(members, counts, sayable, given, strict=True):
        if own is not None:
            found.append(plain_name(own))
            continue
        allowed = frozenset[str]().union(*(words_of(text).tokens for text in said)) - unnamed()
        scores = {
            word: n * log((total + 1) / everywhere[word]) * (n / everywhere[word]) ** 0.5 * (1 if n > 1 else _ONCE)
            for word, n in count.items()
            if word in allowed and nameable(word)
        }
        best = sorted(scores, key=lambda word: (-scores[word], -len(word), word))
        name = named(best, scores, texts, taken)
        taken.add(name.casefold())
        found.append(name)
    return found


def named(best: Sequence[str], scores: dict[str, float], texts: Sequence[str], taken: Collection[str]) -> str:
    """Return a name that is not `taken`, of the best words, as they are mostly spelled in the texts."""
    forms: dict[str, Counter[str]] = {}
    pairs, found = Counter[tuple[str, str]](), Counter[str]()
    for text in texts:
        said = words_of(text)
        for word, form in zip(said.stems, said.forms, strict=True):
            forms.setdefault(word, Counter())[form] += 1
        found.update(set(said.stems))
        pairs.update(set(pairwise(said.stems)))

    def shown(*words: str) -> str:
        spellings = (forms.get(word) or Counter([word]) for word in words)
        return " ".join(max(known, key=lambda form: (known[form], form.islower(), form)) for known in spellings)

    for first, word in enumerate(best):
        sure = [p for p in pairs if word in p and pairs[p] >= max(2, _ALWAYS * found[word]) and is_phrase(p)]
        others = [other for other in best[first + 1 :] if scores[other] >= _TWO * scores[word] and found[other] > 1]
        named_so = [shown(*max(sure, key=lambda pair: (pairs[pair], pair)))] if sure else []
        for other in others[:3]:
            rarer = max(2, _PHRASE * min(found[word], found[other]))
            joined = next((pair for pair in ((word, other), (other, word)) if pairs[pair] >= rarer), None)
            named_so.append(shown(*joined) if joined else f"{shown(word)}, {shown(other)}")
        for name in (*named_so, shown(word)):
            if name.casefold() not in taken:
                return name
    number = 1
    while (name := f"topic {number}") in taken:
        number += 1
    return name


def is_phrase(pair: tuple[str, str]) -> bool:
    """Return True if no word of a pair is an article or the like."""
    return all(nameable(word) and word not in wordlists().empty | wordlists().light for word in pair)


def plain_name(text: str) -> str:
    """Return a label as a name: on one line, without what hides, acts on a terminal or ends a quoted filter term."""
    visible = replace_invisible(text, lambda char: " ")
    return " ".join(visible.replace('"', "'").split())[:_LONGEST].strip() or "unnamed"


def nameable(word: str) -> bool:
    """Return True for a word with letters; a single letter only of a script that writes words with one."""
    letters = [char for char in word if char.isalpha()]
    return bool(letters) and (len(word) > 2 or not letters[0].isascii()) and not any(map(str.isdigit, word))


@dataclass(frozen=True, slots=True)
class Words:
    """The tokens of a text; its words as they are spelled, in small letters at its beginning, and their stems."""

    tokens: frozenset[str]
    forms: tuple[str, ...]
    stems: tuple[str, ...]


@lru_cache(maxsize=20_000)
def words_of(text: str) -> Words:
    """Return the words of a text. Kept for the samples of 250 topics: they are counted again after each decision."""
    forms = [sys.intern(form) for form in _WORD.findall(text)]
    stems = tuple(sys.intern(stem(unicodedata.normalize("NFKC", form).casefold())) for form in forms)
    if forms and forms[0][1:] == forms[0][1:].lower():
        forms[0] = forms[0].lower()
    return Words(tokens(text), tuple(forms), stems)


@cache
def unnamed() -> frozenset[str]:
    """Return the stems that name no topic: those of frequent words, of numbers, dates and people in general."""
    lists = wordlists()
    listed = lists.empty | lists.small | lists.no_sign | lists.other | lists.units | lists.days | lists.weekly
    return frozenset(map(stem, (*listed, *lists.numbers, *lists.months, *_UNNAMED.split()))) | lists.light
