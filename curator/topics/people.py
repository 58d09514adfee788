"""Names of people and animals in texts, recognised by the words beside them, for the names of topics."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from curator.stem import stem
from curator.topics.lists import function_words, lists

_NAME = r"[^\W\d_a-z]\w+"
_OWN = re.compile(
    rf"(?:[Mm]y name is|[Cc]all me|I'm called) ({_NAME})(?: ({_NAME}))?"
    rf"|I(?:'m| am) ({_NAME})(?: ({_NAME}))?,|\A({_NAME}) ({_NAME}), \d\d\b"
)
"""The person's own name: `I'm Ada Byron, 36`."""
_BEFORE_PLACE = frozenset("in at near from around to on of into use using with via through".split())
_FORMER = frozenset({"ex", "former"})
"""Words before a partner who is none any more: `my ex wife Ada`."""
_PARTNERS = frozenset("boyfriend fiance fiancee fiancé fiancée girlfriend husband partner spouse wife".split())


@dataclass(frozen=True, slots=True)
class People:
    """Stemmed names in a text: the person's own, those of others, with relations, and those of places."""

    own: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    places: frozenset[str] = frozenset()


_NOBODY = People()


@dataclass(slots=True)
class Names:
    """Names of people in all texts of a store."""

    own: set[str] = field(default_factory=set)
    others: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, texts: Iterable[People]) -> "Names":
        """Collect the names of texts."""
        found = cls()
        for people in texts:
            found.own.update(people.own)
            found.others.update(people.others)
            found.places.update(people.places)
        return found

    def __contains__(self, word: str) -> bool:
        """Return True for a name that is said as of a person, and twice as often as of a place or a tool."""
        return word in self.own or self.others[word] >= max(2, 2 * self.places[word])


def people_of(parts: Sequence[tuple[str, bool]], text: str) -> People:
    """Return the names in a text, whose words and signs are `parts`, each with True for a word."""
    related, acts = lists()["relations"], lists()["acts"]
    own = [stem(name.casefold()) for found in _OWN.findall(text.replace("’", "'")) for name in found if name]
    others, relations, places = list[str](), list[tuple[str, str]](), set[str]()
    said = [part.casefold() if is_word else "" for part, is_word in parts]
    said = ["ex" if word.startswith("ex-") and word[3:] in _PARTNERS else word for word in said]

    def at(index: int) -> str:
        return said[index] if 0 <= index < len(said) else ""

    for index, (part, is_word) in enumerate(parts):
        if not is_word or not part[0].isupper() or part[1:] != part[1:].lower():
            continue
        whose, plain = part.endswith("'s"), said[index].removesuffix("'s")
        if "'" in plain or plain in function_words():
            continue
        name = stem(plain)
        after = at(index + 1)
        beside = index - 2 if at(index - 1) in ("is", "called", "named") else index - 1  # `dog Rex`
        relation = at(beside)
        if relation not in related and after in ("", "is"):
            behind = index + (3 if at(index + 2) in ("my", "our", "a", "the") else 2)  # `Rex, our dog`; `Rex (dog)`
            next_is_name = behind + 1 < len(parts) and parts[behind + 1][0][0].isupper()  # `Rex, my sister Ada`
            former = at(behind) in _FORMER and at(behind + 1) in _PARTNERS
            relation, beside = ("", 0) if next_is_name else (at(behind + former), behind + former)
        if at(beside - 1) in _FORMER and relation in _PARTNERS:
            relation = "ex"
        if relation in related:
            relations.append((name, relation))
            others += [name, name]  # as good as two mentions
        if after in acts or (whose and after in related):
            others.append(name)
        if at(index - 1) in _BEFORE_PLACE:
            places.add(name)
    if not (own or others or places):
        return _NOBODY
    return People(frozenset(own), tuple(others), tuple(relations), frozenset(places))
