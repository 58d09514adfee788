"""What `values.toml` says: words for one thing, kinds, rivals, and what a value says besides."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from curator.compare.stemmer import stem


@dataclass(frozen=True, slots=True)
class Values:
    """The lists of `values.toml`; single words are stems."""

    same: re.Pattern[str]
    plain: dict[str, str]  # any wording -> the one that stands for all
    kinds: dict[str, frozenset[str]]  # a thing -> every kind it belongs to
    named: frozenset[str]  # every word that is a kind or belongs to one
    rivals: dict[str, frozenset[int]]  # a word -> the groups it stands in
    says: dict[tuple[str, str], tuple[tuple[str, str, bool], ...]]
    near: frozenset[tuple[str, str]]
    also: dict[str, str]  # a slot -> another that has the same value then
    equal: frozenset[tuple[str, str, str, str, bool]]
    possessed: frozenset[str]
    regions: frozenset[str]  # kinds: what holds other things
    vague: frozenset[str]
    anywhere: frozenset[str]


@cache
def values() -> Values:
    """The English values, read once."""
    data = tomllib.loads((files("curator.compare.data") / "values.toml").read_text("utf-8"))
    plain: dict[str, str] = {}
    for line in data["same"]:
        meant, _, wordings = line.partition(": ")
        plain.update(dict.fromkeys(wordings.split("|"), meant))
    kinds: dict[str, set[str]] = {}
    for kind, listed in data["kinds"].items():
        for word in listed.split():
            kinds.setdefault(stem(word), set()).add(stem(kind))
    for word in list(kinds):  # two steps are as far as the lists go
        for kind in list(kinds[word]):
            kinds[word] |= kinds.get(kind, set()) | {
                above for k in kinds.get(kind, set()) for above in kinds.get(k, set())
            }
        kinds[word].discard(word)
    rivals: dict[str, set[int]] = {}
    for number, group in enumerate(data["rivals"]["groups"]):
        for word in group.split():
            rivals.setdefault(stem(word), set()).add(number)
            rivals.setdefault(stem(word)[:6], set()).add(number)  # as evidence.py cuts them
    says: dict[tuple[str, str], list[tuple[str, str, bool]]] = {}
    for slot, value, other, what, so in data["says"]:
        says.setdefault((slot, stem(value)), []).append((other, stem(what), so))
    for kind in data["foods"].split():
        for word in {stem(kind)} | {word for word, found in kinds.items() if stem(kind) in found}:
            said = says.setdefault(("allergic", word), [])
            if ("eat", word, False) not in said:
                said.append(("eat", word, False))
    longest = sorted(plain, key=len, reverse=True)
    return Values(
        same=re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, longest))})(?!\S)"),
        plain=plain,
        kinds={word: frozenset(found) for word, found in kinds.items()},
        named=frozenset(kinds) | {stem(kind) for kind in data["kinds"]},
        rivals={word: frozenset(groups) for word, groups in rivals.items()},
        says={key: tuple(found) for key, found in says.items()},
        also=dict(data["also"]),
        near=frozenset((one, other) for one, other in data["near"]),
        equal=frozenset((slot, stem(v), other, stem(w), so) for slot, v, other, w, so in data["equal"]),
        regions=frozenset(map(stem, data["kinds"])),
        anywhere=frozenset(map(stem, data["anywhere"].split())),
        vague=frozenset(map(stem, data["vague"].split())),
        possessed=frozenset(map(stem, data["possessed"].split())),
    )
