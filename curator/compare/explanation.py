"""Words for the signs of a conflict, and the words that two texts do not share."""

from collections.abc import Mapping, Sequence, Set

from curator.compare.data import weights
from curator.text import stem

_WORDS = {
    "change": "a change is mentioned",
    "lately": "one says it is recent",
    "denied": "one denies what the other says",
    "felt": "one likes what the other dislikes",
    "opposites": "opposite words",
    "left behind": "one has been given up",
    "turned round": "the other way round",
    "numbers": "different numbers",
    "dates": "different dates",
    "measure": "different amounts of one thing",
    "no exception": "one allows no exception",
    "slot by meaning": "one follows from the other's opposite",
    "rivals": "one replaces the other",
    "over": "one is about the past",
    "past by now": "a date that has passed",
}
"""Signs in words for people."""


def strongest_signs(signs: Mapping[str, float]) -> list[str]:
    """Return the words of the two signs that speak most for a conflict."""
    table = weights()["conflict"]
    weighty = sorted((-table.get(name, 0.0) * signs[name], words) for name, words in _WORDS.items())
    return [words for weight, words in weighty if weight < 0][:2] or ["both are about the same thing"]


def weighty_signs(signs: Mapping[str, float]) -> list[str]:
    """Return the signs with what each adds to the log odds of a conflict, the weightiest first."""
    table = weights()["conflict"]
    weighty = ((name, table.get(name, 0.0) * value) for name, value in signs.items() if value)
    ordered = sorted(weighty, key=lambda sign: -abs(sign[1]))
    return [f"{name} {weight:+.2f}" for name, weight in ordered if abs(weight) >= 0.05]


def as_said(stems: Set[str], words: Sequence[str]) -> str:
    """Return the words that have these stems, where there are such words, sorted."""
    said = {stem(word): word for word in words}
    return ", ".join(sorted(said.get(one, one) for one in stems))
