"""Word lists that comparing needs, one file a language."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

from curator.compare.stemmer import stem


@dataclass(frozen=True, slots=True)
class WordLists:
    """The lists of `en.toml`."""

    empty: frozenset[str]
    light: frozenset[str]  # stems
    small: frozenset[str]  # frequent beside `empty`: signs that a text is English
    no_sign: frozenset[str]  # of those the ones that other languages have as well
    other: frozenset[str]  # frequent in other languages
    negations: frozenset[str]
    antonyms: dict[str, frozenset[str]]  # of stems, both ways
    liked: frozenset[str]  # stems
    disliked: frozenset[str]
    modality: frozenset[str]
    quantity: frozenset[str]
    comparing: frozenset[str]
    people: frozenset[str]
    numbers: dict[str, str]  # word -> digits
    units: frozenset[str]
    months: dict[str, int]  # names and three-letter forms -> 1-12
    days: frozenset[str]  # weekdays and words like tomorrow
    weekly: frozenset[str]  # mondays: every one of them


@cache
def wordlists() -> WordLists:
    """The English word lists, read once."""
    data = tomllib.loads((files(__name__) / "en.toml").read_text("utf-8"))

    def listed(name: str) -> list[str]:
        return cast(str, data[name]).split()

    antonyms: dict[str, set[str]] = {}
    for left, right in cast(Sequence[Sequence[str]], data["antonyms"]):
        for one in left.split():
            for other in right.split():
                antonyms.setdefault(stem(one), set()).add(stem(other))
                antonyms.setdefault(stem(other), set()).add(stem(one))
    months = {name: number for number, name in enumerate(listed("months"), 1)}
    return WordLists(
        empty=frozenset(listed("empty")),
        light=frozenset(map(stem, listed("light"))),
        small=frozenset(
            listed("negations") + listed("modality") + listed("quantity") + listed("comparing") + listed("light")
        ),
        no_sign=frozenset(listed("no_sign")),
        other=frozenset(listed("other")),
        negations=frozenset(listed("negations")),
        antonyms={word: frozenset(others) for word, others in antonyms.items()},
        liked=frozenset(map(stem, listed("liked"))),
        disliked=frozenset(map(stem, listed("disliked"))),
        modality=frozenset(listed("modality")),
        quantity=frozenset(listed("quantity")),
        comparing=frozenset(listed("comparing")),
        people=frozenset(listed("people")),
        numbers={word: str(number) for number, word in enumerate(listed("numbers"))},
        units=frozenset(listed("units")),
        months=months | {name[:3]: number for name, number in months.items() if name != "may"},
        days=frozenset(listed("weekdays") + listed("days")),
        weekly=frozenset(f"{day}s" for day in listed("weekdays")),
    )
