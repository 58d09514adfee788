"""Patterns of a language, loaded from `languages/`, and language detection."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, cast

from curator.text import is_latin, read_toml
from store.model import Kind, Tier

_MACRO = re.compile(r"\{([a-z]\w*)\}")
_LETTERS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_FIRST = re.compile(r"\W*([^\W\d_]+)")
FEW_WORDS = 6
CLEARLY = 0.25
"""Share of stop words from which a language is accepted without comparing others."""
_FLAGS = ("strong", "standing", "capital", "number", "item", "change", "back")
EMPTY = ("hypothetical", "question", "transient", "generic", "vague")


@dataclass(frozen=True, slots=True)
class Family:
    """One way of stating one kind of fact."""

    name: str
    kind: Kind
    tier: Tier
    confidence: float
    importance: int
    patterns: tuple[re.Pattern[str], ...]
    relation: str | None
    strong: bool  # specific enough with two telling words
    standing: bool  # an instruction for every later answer
    capital: bool  # the captured text must be written as a name
    number: bool  # needs a number or a date
    item: bool  # only as a list item
    change: bool  # states a change
    back: bool  # its subject is the previous clause's

    def match(self, low: str, start: int, end: int) -> re.Match[str] | None:
        """Return the first pattern that matches at the start of the clause `low[start:end]`."""
        return next((found for pattern in self.patterns if (found := pattern.match(low, start, end))), None)


@dataclass(frozen=True, slots=True)
class Language:
    """Compiled patterns and word lists of one language."""

    name: str
    stopwords: frozenset[str]
    common: frozenset[str]
    abbreviations: frozenset[str]
    date_words: frozenset[str]  # every date contains one of them, or a digit
    families: tuple[Family, ...]
    naming: tuple[Family, ...]  # the captured text must be written as a name; tried first
    by_start: Mapping[str, re.Pattern[str]]  # first word of a clause -> all families to try, in order
    empty: re.Pattern[str]  # clauses that state nothing; the group that closes last is the reason
    cues: Mapping[str, re.Pattern[str]]  # boundary, opener, request, ..., remember, forget, dates, emphasis

    def family(self, low: str, start: int, end: int, text: str) -> Family | None:
        """Return the first family with a pattern that matches at the start of the clause `low[start:end]`.

        `text` is the same text in its original case, to recognise names.
        """
        for family in self.naming:
            named = family.match(low, start, end)
            if named and text[named.start("object")].isupper() and not text[start:end].isupper():
                return family
        first = _FIRST.match(low, start, end)
        patterns = self.by_start.get(first[1] if first else "") or self.by_start["*"]
        found = patterns.match(low, start, end)
        return self.families[int(cast(str, found.lastgroup)[1:])] if found else None


def _load(data: Mapping[str, Any]) -> Language:
    def expanded(pattern: str) -> str:
        while "{" in pattern and (wider := _MACRO.sub(lambda found: data["macros"][found[1]], pattern)) != pattern:
            pattern = wider
        return pattern

    families = tuple(
        Family(
            name=row["name"],
            kind=Kind(row["kind"]),
            tier=Tier(row["tier"]),
            confidence=row["confidence"],
            importance=row["importance"],
            patterns=tuple(re.compile(expanded(pattern)) for pattern in row["patterns"]),
            relation=row.get("relation"),
            **{flag: bool(row.get(flag)) for flag in _FLAGS},
        )
        for row in data["family"]
    )
    patterns = data["clauses"] | data["commands"] | {name: data[name] for name in ("dates", "emphasis")}
    cues = {name: re.compile(expanded(pattern)) for name, pattern in patterns.items()}
    # one group per family, replacing its own groups
    branches = [
        (
            f"(?:{'|'.join(one.pattern for one in family.patterns)})(?P<f{number}>)".replace("(?P<object>", "(?:"),
            set(row["starts"]),
        )
        for number, (family, row) in enumerate(zip(families, data["family"], strict=True))
        if not family.capital
    ]
    return Language(
        name=data["language"],
        stopwords=frozenset(data["stopwords"].split()),
        common=frozenset(data["common"].split()),
        abbreviations=frozenset(data["abbreviations"].split()),
        date_words=frozenset(data["date_words"].split()),
        families=families,
        naming=tuple(family for family in families if family.capital),
        by_start={
            first: re.compile("|".join(branch for branch, starts in branches if {first, "*"} & starts))
            for first in frozenset().union(*(row["starts"] for row in data["family"]))
        },
        empty=re.compile("|".join(f"(?:{cues[name].pattern})(?P<{name}>)" for name in EMPTY)),
        cues=cues,
    )


@cache
def languages() -> Mapping[str, Language]:
    """Return every supported language by its code."""
    names = (entry.name for entry in (files("curator.distill") / "languages").iterdir())
    loaded = [
        _load(read_toml("curator.distill", f"languages/{name}"))
        for name in names
        if name.endswith(".toml") and name != "stopwords.toml"
    ]
    return {language.name: language for language in loaded}


@cache
def _other_stopwords() -> Mapping[str, frozenset[str]]:
    known = frozenset().union(*(language.stopwords for language in languages().values()))
    return {
        code: frozenset(words.split()) - known
        for code, words in read_toml("curator.distill", "languages/stopwords.toml").items()
    }


def letters(text: str) -> list[str]:
    """Return the words of a lower-case text, without numbers."""
    return _LETTERS.findall(text)


def language_of(text: str) -> Language | None:
    """Return the language of a lower-case text if there are patterns for it.

    A text is foreign if most of its letters are of another script, or if it has more frequent words of another language
    than of any supported one. A text too short to tell counts as the first language.
    """
    known = languages()
    found = letters(text[:2000])
    if not found:
        return known["en"]
    if not text.isascii():
        foreign = sum(not is_latin(char) for word in found if not word.isascii() for char in word)
        if 2 * foreign > sum(map(len, found)):
            return None

    def share(stops: frozenset[str]) -> float:
        return sum(map(stops.__contains__, found)) / len(found)

    scores = {code: share(language.stopwords) for code, language in known.items()}
    best = max(scores, key=lambda code: scores[code])
    if scores[best] >= CLEARLY:
        return known[best]
    others = max(share(stops) for stops in _other_stopwords().values())
    if others > scores[best] and others * len(found) >= 2:
        return None
    if len(found) >= FEW_WORDS and not text.isascii() and scores[best] == 0:
        return None
    return known[best]
