"""Words of texts for the names of topics: spellings, neighbours, and what a word is by the words around it."""

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from curator.stem import stem
from curator.text import tokens
from curator.topics.lists import function_words
from curator.topics.people import People, people_of

_WORD = r"[^\W\d_][\w'+#.-]*[\w+#]|[^\W\d_]"
_PART = re.compile(rf"(?P<word>{_WORD})|(?P<number>\d+)|(?P<stop>[.!?:\n])|[;,()\"“”/'‘`—–]")
_QUALITY = re.compile(r".{3,}(?:ous|ful|ible|less|ish|ly)")
_BEFORE_NOUN = frozenset(
    "a an the my our your his her its their this that these those no any some each every of for with about".split()
)
_BEFORE_VERB = frozenset(
    "to i we you they he she will would can can't cannot don't doesn't should must not never always didn't want wants"
    " let let's i'm we're i've we've i'll we'll could might may please just also".split()
)


class Use(StrEnum):
    """Use of a word in a text, by the words around it and its spelling."""

    NOUN = "noun"  # after an article and the like, at the end of a phrase
    END = "end"  # at the end of a phrase, after another word
    MODIFIER = "modifier"  # before another word
    VERB = "verb"  # after a pronoun and the like
    CAPITAL = "capital"  # capitalised inside of a sentence
    SMALL = "small"


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: tokens; stems and spellings in their order, empty where a phrase ends; uses of stems."""

    tokens: frozenset[str]
    stems: tuple[str, ...]
    forms: tuple[str, ...]  # without the capital letter that a sentence begins with
    uses: tuple[tuple[Use, str], ...]
    people: People

    @property
    def pairs(self) -> set[tuple[str, str]]:
        """The pairs of stems that stand side by side."""
        return {pair for pair in pairwise(self.stems) if all(pair)}


class Usage:
    """Number of texts of a store with each use of a word, by stem."""

    def __init__(self, texts: Iterable[Words]) -> None:
        self._uses = Counter(use for words in texts for use in words.uses)

    def is_proper(self, word: str) -> bool:
        """Return True for a word that is mostly capitalised inside of sentences: a name, or a noun of German."""
        return self._uses[Use.CAPITAL, word] > self._uses[Use.SMALL, word]

    def weight(self, word: str) -> float:
        """Return the likelihood of a word to be a noun, 0.25 to 1, by the words around it; 1 if unknown."""
        if self.is_proper(word):
            return 1.0
        nouns = self._uses[Use.NOUN, word] + 0.5 * self._uses[Use.END, word] + 1.5
        others = self._uses[Use.VERB, word] + 0.3 * self._uses[Use.MODIFIER, word]
        return max(nouns / (nouns + others) * (0.4 if _QUALITY.fullmatch(word) else 1), 0.25)

    def is_verb(self, word: str) -> bool:
        """Return True for a word that is mostly a verb."""
        return self._uses[Use.VERB, word] > sum(self._uses[use, word] for use in (Use.NOUN, Use.END, Use.MODIFIER))


@lru_cache(maxsize=20_000)
def words_of(text: str) -> Words:
    """Return the words of a text. Kept for the samples of 250 topics: they are counted again after each decision."""
    parts = list(_PART.finditer(text.replace("’", "'")))
    said = [sys.intern(part[0].casefold()) if part["word"] else "" for part in parts]
    stems, forms, uses, begins = list[str](), list[str](), dict[tuple[Use, str], None](), True
    for at, part in enumerate(parts):
        stems.append("")
        forms.append("")
        if not part["word"]:
            begins = begins or bool(part["stop"])
            continue
        spelled = part[0].removesuffix("'s")
        opens = begins and spelled[1:] == spelled[1:].lower()
        stems[-1] = sys.intern(stem(unicodedata.normalize("NFKC", spelled).casefold()))
        forms[-1] = sys.intern(spelled.lower() if opens else spelled)
        if spelled[0].isupper() and not opens:
            uses[_use(Use.CAPITAL, stems[-1])] = None
        else:
            if not spelled[0].isupper():
                uses[_use(Use.SMALL, stems[-1])] = None
            use = _use_between(said[at - 1] if at else "", said[at + 1] if at + 1 < len(said) else "")
            if use is not None:
                uses[_use(use, stems[-1])] = None
        begins = False
    people = people_of([(part[0], bool(part["word"])) for part in parts], text)
    return Words(tokens(text), tuple(stems), tuple(forms), tuple(uses), people)


@lru_cache(maxsize=100_000)
def _use(use: Use, word: str) -> tuple[Use, str]:
    """Return a use that texts share: without, 20,000 texts took three times the memory."""
    return use, word


def _use_between(before: str, after: str) -> Use | None:
    """Return the use of a word between two others; one of them is empty where a phrase ends."""
    if before in _BEFORE_VERB:
        return Use.VERB
    if after and after not in function_words():
        return Use.MODIFIER
    if before in _BEFORE_NOUN:
        return Use.NOUN
    return Use.END if before and before not in function_words() else None
