"""Surprise of a candidate, given the existing memories; and counts of names, numbers, dates and rare words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from curator.compare import Verdict, clamp
from curator.distill.language import english
from store.model import Surprise

_TOKEN = re.compile(r"[^\W_](?:[\w'’.:/@#+%-]*[\w#+%])?")
_NUMBER = re.compile(r"\d")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?:]\s+)[\"'“(*]*$")
RARE = 9
"""Minimum letters of an uncommon word that counts as rare; a frequency list would be more exact but too large."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Word counts of a text."""

    words: int
    telling: int  # neither stop words nor generic words
    names: int
    numbers: int
    dates: int
    rare: int

    @property
    def specifics(self) -> int:
        """Number of names, numbers and dates."""
        return self.names + self.numbers + self.dates


def signals(text: str) -> Signals:
    """Count the specific words of `text`, in its original case.

    A name is a word with a capital letter that does not begin a sentence, with capitals or digits inside (`SQLite`,
    `GPT4`), or formatted as code.
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
        dated = dated or low in english().date_words
        if low in english().stopwords:
            continue
        if low not in english().common:
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
    dates = len(english().cues["dates"].findall(text.lower())) if dated else 0
    return Signals(words, telling, names, numbers, dates, rare)


def surprise(text: str, nearest: Iterable[Verdict], previous_cosine: float | None = None) -> Surprise:
    """Return the five parts of the surprise of `text`, each 0-1; `Surprise.total` weighs them.

    `nearest` are the verdicts on the candidate and its nearest live memories; `previous_cosine` is the cosine of its
    embedding with the mean of the preceding messages, None at the start of a conversation.

    - novelty: 1 - the highest duplicate score
    - contradiction: the highest conflict score
    - specificity: see `specificity`
    - emphasis: see `emphasis`
    - switch: 1 - `previous_cosine`; 0 at the start
    """
    verdicts = tuple(nearest)
    return Surprise(
        novelty=clamp(1.0 - max((verdict.duplicate_score for verdict in verdicts), default=0.0)),
        contradiction=clamp(max((verdict.conflict_score for verdict in verdicts), default=0.0)),
        specificity=specificity(text),
        emphasis=emphasis(text),
        switch=0.0 if previous_cosine is None else clamp(1.0 - previous_cosine),
    )


def specificity(text: str) -> float:
    """Return the share of names, numbers, dates and rare words among the words that are not stop words, at most 1."""
    found = signals(text)
    weighty = max(1, sum(1 for word in text.lower().split() if word.strip(".,;:!?\"'()") not in english().stopwords))
    return clamp((found.specifics + found.rare) / weighty)


def emphasis(text: str) -> float:
    """Return a third per emphatic cue of the language file (`always`, `never`, `important`, `!`), at most 1.

    A repeated content word counts as a cue.
    """
    low = text.lower()
    words = [word for word in low.replace(",", " ").replace(".", " ").split() if word not in english().stopwords]
    cues = len(english().cues["emphasis"].findall(low)) + (len(words) - len(set(words)) if len(words) < 60 else 0)
    return clamp(cues / 3)
