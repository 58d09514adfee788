"""Tables of the comparison rules: clause markers, slots, values, and the weights of conflict signs."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import exp

from curator.text import read_toml, stem, wordlists

_TAKEN = (
    "ended", "past", "hypothetical", "wish", "doubt", "plan", "must", "lasting", "begun",
    "seldom", "always", "often", "sometimes", "filler",
)  # fmt: skip
_WHOLE_WORDS = ("turned", "sweeping", "passing", "briefly", "partly", "leaving", "pending", "outcome", "total", "among")
_KINDS = {"begins": (True, True), "ends": (False, True), "no": (False, False), "is": (True, False)}
_VALUE_KINDS = {"lacks": (False, False), "values": (True, False), "became": (True, True)}
"""Pattern kinds of a slot, in matching order: (affirms the slot, states a change)."""
_COMPILED: Callable[[str], re.Pattern[str]] = cache(re.compile)  # compiled on first use, since there are many
_OPTIONS = ("two", "one", "fixed", "lasts", "keyed", "number", "named", "placed", "asked", "rivals")


@dataclass(frozen=True, slots=True)
class MarkerPatterns:
    """Patterns of `marks.toml`: `split` finds clause boundaries, `taken` maps names to the markers that are removed.

    The others match reported speech, change, statements without exception, temporary states, statements true only on
    some days or part of the time, abandoned things, and verbs that show the tense. Patterns for whole texts match
    plans, past events, statements about all or none, and one thing among several.
    """

    split: re.Pattern[str]
    taken: re.Pattern[str]
    reported: re.Pattern[str]
    turned: re.Pattern[str]
    sweeping: re.Pattern[str]
    passing: re.Pattern[str]
    briefly: re.Pattern[str]
    partly: re.Pattern[str]
    leaving: re.Pattern[str]
    pending: re.Pattern[str]
    outcome: re.Pattern[str]
    total: re.Pattern[str]
    among: re.Pattern[str]
    lately: re.Pattern[str]
    past_verbs: frozenset[str]
    present_verbs: frozenset[str]


@cache
def marks() -> MarkerPatterns:
    """Return the English marks, read once."""
    read = read_toml(__name__, "marks.toml")
    data = {name: value.replace("\n", "").replace("_", " ") for name, value in read.items() if isinstance(value, str)}
    split = "|".join(read["split"]).replace("{who}", data["who"]).replace("{does}", data["does"])
    taken = "|".join(rf"(?P<{name}>{data[name]})" for name in _TAKEN)
    return MarkerPatterns(
        split=re.compile(split),
        taken=re.compile(rf"(?<!\S)(?:{taken})(?!\S)"),
        reported=re.compile(data["reported"]),
        **{name: re.compile(rf"(?<!\S)(?:{data[name]})(?!\S)") for name in _WHOLE_WORDS},
        lately=re.compile(data["lately"]),
        past_verbs=frozenset(read["past_verbs"].split()),
        present_verbs=frozenset(read["present_verbs"].split()),
    )


@dataclass(frozen=True, slots=True)
class Pattern:
    """A wording of a slot: whether it affirms the slot, whether it states a change, and its value if fixed."""

    source: str
    positive: bool = True
    changes: bool = False
    value: str | None = None

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a clause."""
        return _COMPILED(self.source).search(text)


@dataclass(frozen=True, slots=True)
class Slot:
    """A property of a person and the relations of its values; the fields are those of `slots.toml`."""

    name: str
    says: str
    patterns: tuple[Pattern, ...]
    cut: re.Pattern[str]
    two: str = ""
    one: bool = False
    fixed: bool = False
    lasts: int = 60
    keyed: bool = False
    number: bool = False
    rivals: bool = False
    named: bool = False
    placed: bool = False
    asked: bool = False
    only: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Slots:
    """All slots, by name and by cue words."""

    by_name: dict[str, Slot]
    by_cue: dict[str, tuple[Slot, ...]]
    order: dict[str, int]
    degree: frozenset[str]  # words of degree, not of content
    club: str  # pattern of clubs and other groups that one joins without working for them
    no_place: str  # pattern of what follows "moved to" and is no place: versions, tools, days, plans


@cache
def slots() -> Slots:
    """Return the English slots, read once."""
    data = read_toml(__name__, "slots.toml")
    by_name: dict[str, Slot] = {}
    by_cue: dict[str, list[Slot]] = {}

    def expanded(pattern: str) -> str:
        for name, listed in data["lists"].items():
            plural = "s?" if name != "language" else ""
            pattern = pattern.replace(f"{{{name}}}", rf"(?:{'|'.join(listed.split())}){plural}")
        verbs = wordlists().verbs
        pattern = re.sub(r"(?<!\?P)<([a-z]+)>", lambda found: rf"\b(?:{'|'.join(verbs[found[1]])})\b", pattern)
        for name, meant in (
            ("v", "(?P<v>.+)"),
            *((name, data["words"][name]) for name in ("be", "a", "jobless", "no_place", "club")),
        ):
            pattern = pattern.replace(f"{{{name}}}", meant)
        return pattern

    for row in data["slot"]:
        said = [(kind, None, pattern) for kind in _KINDS for pattern in row.get(kind, ())]
        said += [(kind, value, pattern) for kind in _VALUE_KINDS for value, pattern in row.get(kind, ())]
        cut = "|".join(word.replace("_", " ") for word in row.get("cut", data["words"]["cut"]).split())
        slot = Slot(
            name=row["name"],
            says=row["says"],
            patterns=tuple(
                Pattern(expanded(pattern), *(_KINDS | _VALUE_KINDS)[kind], value) for kind, value, pattern in said
            ),
            cut=re.compile(rf"\s(?:{cut})\b.*$"),
            only=frozenset(row.get("only", "").split()),
            **{option: row[option] for option in _OPTIONS if option in row},
        )
        by_name.setdefault(slot.name, slot)
        for cue in row["cues"].split():
            by_cue.setdefault(cue, []).append(slot)
    return Slots(
        by_name,
        {cue: tuple(found) for cue, found in by_cue.items()},
        {name: at for at, name in enumerate(by_name)},
        frozenset(data["lists"]["degree"].split()),
        data["words"]["club"],
        data["words"]["no_place"],
    )


@dataclass(frozen=True, slots=True)
class Values:
    """The lists of `values.toml`; single words are stems."""

    same: re.Pattern[str]
    plain: dict[str, str]  # wording -> canonical wording
    kinds: dict[str, frozenset[str]]  # thing -> all kinds it belongs to
    named: frozenset[str]  # all words that are a kind or belong to one
    rivals: dict[str, frozenset[int]]  # word -> its groups
    says: dict[tuple[str, str], tuple[tuple[str, str, bool], ...]]
    near: frozenset[tuple[str, str]]
    also: dict[str, str]  # slot -> another slot that has the same value
    equal: frozenset[tuple[str, str, str, str, bool]]
    possessed: frozenset[str]
    regions: frozenset[str]  # kinds that contain other things
    vague: frozenset[str]
    anywhere: frozenset[str]


@cache
def values() -> Values:
    """Return the English values, read once."""
    data = read_toml(__name__, "values.toml")
    plain: dict[str, str] = {}
    for line in data["same"]:
        meant, _, wordings = line.partition(": ")
        plain.update(dict.fromkeys(wordings.split("|"), meant))
    kinds: dict[str, set[str]] = {}
    for kind, listed in data["kinds"].items():
        for word in listed.split():
            kinds.setdefault(stem(word), set()).add(stem(kind))
    for word in list(kinds):  # the lists are at most two levels deep
        for kind in list(kinds[word]):
            kinds[word] |= kinds.get(kind, set()) | {
                above for k in kinds.get(kind, set()) for above in kinds.get(k, set())
            }
        kinds[word].discard(word)
    rivals: dict[str, set[int]] = {}
    for number, group in enumerate(data["rivals"]["groups"]):
        for word in group.split():
            rivals.setdefault(stem(word), set()).add(number)
            rivals.setdefault(stem(word)[:6], set()).add(number)  # truncated as in conflict_features.py
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


@cache
def weights() -> dict[str, dict[str, float]]:
    """Return the tables of `weights.toml`, read once: `conflict`, `repeat`, `thresholds`."""
    return read_toml(__name__, "weights.toml")


def weighed(signs: dict[str, float], table: dict[str, float]) -> float:
    """Return the probability from the weighted sum of signs."""
    total = table.get("bias", 0.0)
    for name, value in signs.items():
        if value and name in table:
            total += table[name] * value
    return 1.0 / (1.0 + exp(-max(-50.0, min(50.0, total))))
