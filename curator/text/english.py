"""English word lists, and conversion of the third person to the first."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, cast

from curator.stem import SIBILANTS, stem

_OF_USER = re.compile(r"\b(?:the )?user(?:'s|s')(?= \w)")
_VERB_OF_USER = re.compile(r"\b(?:the )?user(?: (also|always|never|really|often|usually|currently|only))? ([a-z]+)\b")
_IRREGULAR = {"is": "am", "isn": "am not", "has": "have", "does": "do", "was": "was", "goes": "go", "doesn": "don"}


def first_person(text: str) -> str:
    """Return lower-case `text` with "the user" as "I" and its verb to match; other subjects are unchanged.

    Only a text that begins with the user is rewritten: elsewhere "user" means somebody who uses something.
    """
    if not text.startswith(("user", "the user")):
        return text

    def conjugated(found: re.Match[str]) -> str:
        verb = found[2]
        if verb in _IRREGULAR:
            verb = _IRREGULAR[verb]
        elif verb.endswith("ies") and len(verb) > 4:
            verb = verb[:-3] + "y"
        elif verb.endswith(SIBILANTS):
            verb = verb[:-2]
        elif verb.endswith("s") and not verb.endswith("ss") and len(verb) > 2:
            verb = verb[:-1]
        return f"i {found[1]} {verb}" if found[1] else f"i {verb}"

    return _VERB_OF_USER.sub(conjugated, _OF_USER.sub("my", text), count=1)


@dataclass(frozen=True, slots=True)
class WordLists:
    """The lists of `en.toml`."""

    empty: frozenset[str]
    light: frozenset[str]  # stems
    small: frozenset[str]  # frequent words besides `empty` that indicate English
    no_sign: frozenset[str]  # those of them that other languages share
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
    weekly: frozenset[str]  # plural weekdays: every week
    verbs: dict[str, tuple[str, ...]]  # all forms, the two present ones first
    present: frozenset[str]


def read_toml(package: str, name: str) -> dict[str, Any]:
    """Return a table that is kept beside the code of a package."""
    return tomllib.loads((files(package) / name).read_text("utf-8"))


@cache
def wordlists() -> WordLists:
    """Return the English word lists, read once."""
    data = read_toml("curator.text", "en.toml")

    def listed(name: str) -> list[str]:
        return cast(str, data[name]).split()

    verbs = {name: tuple(forms.split()) for name, forms in cast(dict[str, str], data["verbs"]).items()}
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
        verbs=verbs,
        present=frozenset(form for forms in verbs.values() for form in forms[:2]),
    )
