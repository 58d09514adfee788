"""The slots of `slots.toml`, with their patterns compiled."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_KINDS = {"is": (True, False), "no": (False, False), "begins": (True, True), "ends": (False, True)}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to say a slot: whether it affirms it and says that it became so, and its value if that is given."""

    source: str
    positive: bool = True
    changes: bool = False
    value: str | None = None

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where a clause says so."""
        return _compiled(self.source).search(text)


@dataclass(frozen=True, slots=True)
class Slot:
    """What can be said of a person, and how values of it stand to one another; fields as in `slots.toml`."""

    name: str
    says: str
    patterns: tuple[Pattern, ...]
    cut: re.Pattern[str]
    one: bool = False
    fixed: bool = False
    lasts: int = 60
    keyed: bool = False
    number: bool = False
    grows: bool = False
    rivals: bool = False
    named: bool = False
    asked: bool = False
    only: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Slots:
    """All slots by name, and the slots to try where a word stands."""

    by_name: dict[str, Slot]
    by_cue: dict[str, tuple[Slot, ...]]
    order: dict[str, int]
    present: frozenset[str]  # verbs as they stand in the present
    degree: frozenset[str]  # words that say how much, and not what


@cache
def slots() -> Slots:
    """The English slots, read once."""
    data = tomllib.loads((files("curator.compare.data") / "slots.toml").read_text("utf-8"))
    by_name: dict[str, Slot] = {}
    by_cue: dict[str, list[Slot]] = {}
    for row in data["slot"]:
        slot = _slot(row, data)
        by_name.setdefault(slot.name, slot)
        for cue in row["cues"].split():
            by_cue.setdefault(cue, []).append(slot)
    present = frozenset(form for forms in data["verbs"].values() for form in forms.split()[:2])
    return Slots(
        by_name,
        {cue: tuple(found) for cue, found in by_cue.items()},
        {name: at for at, name in enumerate(by_name)},
        present,
        frozenset(data["lists"]["degree"].split()),
    )


def _slot(row: dict[str, Any], data: dict[str, Any]) -> Slot:
    patterns = [
        Pattern(_expanded(pattern, data), *_KINDS[kind])
        for kind in ("begins", "ends", "no", "is")
        for pattern in row.get(kind, ())
    ]
    patterns += [Pattern(_expanded(pattern, data), False, value=value) for value, pattern in row.get("lacks", ())]
    patterns += [Pattern(_expanded(pattern, data), value=value) for value, pattern in row.get("values", ())]
    became = row.get("became", ())
    patterns += [Pattern(_expanded(pattern, data), changes=True, value=value) for value, pattern in became]
    return Slot(
        name=row["name"],
        says=row["says"],
        patterns=tuple(patterns),
        cut=_cut(row.get("cut", data["words"]["cut"])),
        one=row.get("one", False),
        fixed=row.get("fixed", False),
        lasts=row.get("lasts", 60),
        keyed=row.get("keyed", False),
        number=row.get("number", False),
        grows=row.get("grows", False),
        named=row.get("named", False),
        asked=row.get("asked", False),
        rivals=row.get("rivals", False),
        only=frozenset(row.get("only", "").split()),
    )


def _cut(listed: str) -> re.Pattern[str]:
    return re.compile(rf"\s(?:{'|'.join(word.replace('_', ' ') for word in listed.split())})\b.*$")


def _expanded(pattern: str, data: dict[str, Any]) -> str:
    def verb(found: re.Match[str]) -> str:
        return rf"\b(?:{'|'.join(data['verbs'][found[1]].split())})\b"

    for name, listed in data["lists"].items():
        if f"{{{name}}}" in pattern:
            plural = "s?" if name != "language" else ""
            pattern = pattern.replace(f"{{{name}}}", rf"(?:{'|'.join(listed.split())}){plural}")
    pattern = re.sub(r"(?<!\?P)<([a-z]+)>", verb, pattern)
    for name, meant in (("v", "(?P<v>.+)"), ("be", data["words"]["be"]), ("a", data["words"]["a"])):
        pattern = pattern.replace(f"{{{name}}}", meant)
    return pattern


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)
