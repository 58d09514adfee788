"""What makes a text specific: names, numbers, dates, telling words."""

import re
from dataclasses import dataclass

from curator.distill.language import Language

_TOKEN = re.compile(r"[^\W_](?:[\w'’.:/@#+%-]*[\w#+%])?")
_NUMBER = re.compile(r"\d")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?:]\s+)[\"'“(*]*$")
RARE = 9
"""Letters from which an uncommon word counts as rare; a frequency list would be better and is not worth its size."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Counts over the words of a text."""

    words: int
    telling: int  # neither stop words nor words that go with anything
    names: int
    numbers: int
    dates: int
    rare: int

    @property
    def specifics(self) -> int:
        """Names, numbers and dates."""
        return self.names + self.numbers + self.dates


def signals(text: str, language: Language) -> Signals:
    """Count what makes `text` (as written) specific.

    A name is a word with a capital inside a sentence, with capitals or digits inside the word (`SQLite`, `GPT4`), or
    set as code.
    """
    words = telling = names = numbers = rare = 0
    dated = False
    shouting = text.isupper()
    for found in _TOKEN.finditer(text):
        token = found[0]
        low = token.lower()
        if "’" in low:
            low = low.replace("’", "'")
        words += 1
        if token[0].isdigit():
            numbers += 1
            telling += 1
            dated = True
            continue
        dated = dated or low in language.date_words
        if low in language.stopwords:
            continue
        if low not in language.common:
            telling += 1
            rare += len(low) >= RARE
        if shouting:
            continue
        if text[found.start() - 1] == "`" and found.start():
            names += 1
            continue
        inner = token[1:]
        if inner and (not inner.islower() or (not inner.isalpha() and _NUMBER.search(inner))):
            names += any(char.isupper() or char.isdigit() for char in inner)
        elif token[0].isupper() and not _STARTS_SENTENCE.search(text, max(0, found.start() - 6), found.start()):
            names += 1
    dates = len(language.cues["dates"].findall(text.lower())) if dated else 0
    return Signals(words, telling, names, numbers, dates, rare)
