"""Score of a statement of a general chat: the higher, the likelier it says something that lasts for weeks.

The score is the log odds of a logistic regression on the words of the statement, pairs of neighbours, and marks of its
sentence. `tests/bench/fit_chats.py` fits the weights on sentences written for it, and says what did worse.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from curator.distill.surprise import signals
from curator.text import lower

LEAST = 3.0
"""A sentence in which no pattern found a statement is kept from this score on."""
DOUBTFUL = -1.0
"""A statement that a pattern found is passing below this score."""
DATED = 2.0
"""Points that a statement with a date, or of who the person is, may lack."""
SAYING = -4.0
"""What is to be remembered, and neither about the person nor above this score, is a saying."""

_NAMED = re.compile(r", [A-Z]\w+(?=[!.…]+(?:\s|$))|(?<=^Hey )[A-Z]\w+|^[A-Z]\w+, (?=[A-Z]|I\b|you)")
"""Whom a sentence addresses: "No worries, Ana!" says nothing of Ana."""
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[^\w\s]")
_YOURS = frozenset(("you", "your", "you're", "you've", "you'll", "you'd", "yours", "yourself"))
_OURS = frozenset(("i", "i'm", "i've", "i'll", "i'd", "my", "me", "mine", "we", "we're", "we've", "we'll", "our", "us"))


def features(text: str, family: str = "", sorts: Collection[str] = ()) -> frozenset[str]:
    """Return the features of a statement.

    `family` is the name of the family that found it, `sorts` are those of the other clauses of its sentence.
    """
    text = _NAMED.sub("", text)
    tokens = ["0" if token.isdigit() else token for token in _TOKEN.findall(lower(text))]
    ends = ["<", *tokens, ">"]
    found = {*tokens, *map(" ".join, pairwise(ends))}
    words = set(tokens)
    counts = signals(text)
    marks = {
        "NAME": counts.names,
        "NUMBER": counts.numbers,
        "DATE": counts.dates,
        "YOURS": words & _YOURS,
        "OURS": words & _OURS,
        "FEW": counts.words < 4,
        "MANY": counts.words > 18,
        "TELLING": counts.telling > 2,
        "VAGUE": counts.telling < 2,
    }
    found |= {name for name, holds in marks.items() if holds}
    found |= {f"FAMILY {family}", *(f"SORT {sort}" for sort in sorts)}
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights by feature; others weigh nothing."""

    bias: float
    by_feature: Mapping[str, float]

    def score(self, found: Collection[str]) -> float:
        """Return the log odds that a statement with these features lasts."""
        return self.bias + sum(self.by_feature.get(feature, 0.0) for feature in found)


@cache
def weights() -> Weights:
    """Return the weights of `languages/chats.tsv`, read once."""
    text = files("curator.distill").joinpath("languages/chats.tsv").read_text("utf-8")
    rows = [line.rsplit("\t", 1) for line in text.splitlines() if not line.startswith("# ")]
    by_feature = {feature: float(weight) for feature, weight in rows}
    return Weights(by_feature.pop("BIAS"), by_feature)
