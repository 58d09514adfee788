"""Patterns of English, loaded from `languages/`, and detection of English."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from curator.text import is_latin, read_toml
from store.model import Kind, Tier

_MACRO = re.compile(r"\{([a-z]\w*)\}")
_LETTERS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_FIRST = re.compile(r"\W*([^\W\d_]+)")
FEW_WORDS = 6
CLEARLY = 0.25
"""Minimum share of stop words of a text that is English without a comparison with other languages."""
_FLAGS = ("strong", "standing", "capital", "number", "item", "change", "back", "asking", "sure")
EMPTY = ("hypothetical", "question", "transient", "generic", "vague")


@dataclass(frozen=True, slots=True)
class Family:
    """Patterns of one type of statement, with its kind and weights."""

    name: str
    kind: Kind
    tier: Tier
    confidence: float
    importance: int
    patterns: tuple[str, ...]
    any_pattern: str  # all of them, without groups
    relation: str | None
    strong: bool  # specific enough with two content words
    standing: bool  # an instruction for every later answer
    capital: bool  # the captured text must be written as a name
    number: bool  # needs a number or a date
    item: bool  # only as a list item
    change: bool  # states a change
    back: bool  # shares the subject of the previous clause
    asking: bool  # may be phrased as a question
    sure: bool  # so specific that scores are ignored

    def match(self, low: str, start: int, end: int) -> re.Match[str] | None:
        """Return the first pattern that matches at the start of the clause `low[start:end]`."""
        matches = (_compiled(pattern).match(low, start, end) for pattern in self.patterns)
        return next(filter(None, matches), None)


@dataclass(frozen=True, slots=True)
class Language:
    """Compiled patterns and word lists of English; with `strict`, only sentences that a family matches are kept."""

    stopwords: frozenset[str]
    common: frozenset[str]
    abbreviations: frozenset[str]
    date_words: frozenset[str]  # every date contains one of them, or a digit
    families: tuple[Family, ...]
    naming: tuple[Family, ...]  # the captured text must be written as a name; tried first
    by_start: Mapping[str, tuple[Family, ...]]  # first word of a clause -> all families to try, in order
    empty: re.Pattern[str]  # clauses without a statement; the last closed group names the reason
    strict: bool
    cues: Mapping[str, re.Pattern[str]]  # boundary, opener, request, ..., remember, forget, dates, emphasis

    def named(self, name: str) -> Family:
        """Return the family of a name."""
        return next(family for family in self.families if family.name == name)

    def family(self, low: str, start: int, end: int, text: str) -> Family | None:
        """Return the first family with a pattern that matches at the start of the clause `low[start:end]`.

        `text` is the same text in its original case, to recognise names.
        """
        for family in self.naming:
            named = family.match(low, start, end)
            if named and text[named.start("object")].isupper() and not text[start:end].isupper():
                return family
        first = _FIRST.match(low, start, end)
        for family in self.by_start.get(first[1] if first else "") or self.by_start["*"]:
            if _compiled(family.any_pattern).match(low, start, end):
                return family
        return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern on first use: compiling all of them takes a second."""
    return re.compile(pattern)


@cache
def english() -> Language:
    """Return the patterns and word lists of English, read once."""
    return compiled(read_toml("curator.distill", "languages/en.toml"))


@cache
def score_only_chat_types() -> Language:
    """Return the types of chat sentences that are accepted by their score alone."""
    data = read_toml("curator.distill", "languages/en.toml")
    return compiled(data | {"family": data["told"]})


@cache
def orders() -> Language:
    """Return the family of orders that are accepted by their score alone."""
    data = read_toml("curator.distill", "languages/en.toml")
    return compiled(data | {"family": data["ordered"]})


@cache
def session_patterns() -> Language:
    """Return the patterns for sessions of coding agents, where only what outlasts the session is kept."""
    return _of_sessions("family")


@cache
def score_only_session_types() -> Language:
    """Return the types of session sentences that are accepted by their score alone."""
    return _of_sessions("scored")


def _of_sessions(families: str) -> Language:
    data, own = (read_toml("curator.distill", f"languages/{name}.toml") for name in ("en", "sessions"))
    general = [row for row in data["family"] if families == "family" and row["name"] in own["general"]]
    return compiled(
        data
        | {"family": [*own[families], *general]}
        | {part: data[part] | own[part] for part in ("macros", "clauses")},
        strict=True,
    )


def compiled(data: Mapping[str, Any], strict: bool = False) -> Language:
    """Return the patterns and word lists of a language's table."""

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
            patterns=(wordings := tuple(map(expanded, row["patterns"]))),
            any_pattern="|".join(wordings).replace("(?P<object>", "(?:"),
            relation=row.get("relation"),
            **{flag: bool(row.get(flag)) for flag in _FLAGS},
        )
        for row in data["family"]
    )
    patterns = data["clauses"] | data["commands"] | {name: data[name] for name in ("dates", "emphasis")}
    cues = {name: re.compile(expanded(pattern)) for name, pattern in patterns.items()}
    return Language(
        stopwords=frozenset(data["stopwords"].split()),
        common=frozenset(data["common"].split()),
        abbreviations=frozenset(data["abbreviations"].split()),
        date_words=frozenset(data["date_words"].split()),
        families=families,
        naming=tuple(family for family in families if family.capital),
        by_start={
            first: tuple(
                family
                for family, row in zip(families, data["family"], strict=True)
                if not family.capital and {first, "*"} & set(row["starts"])
            )
            for first in frozenset().union(*(row["starts"] for row in data["family"]))
        },
        empty=re.compile("|".join(f"(?:{cues[name].pattern})(?P<{name}>)" for name in EMPTY)),
        strict=strict,
        cues=cues,
    )


@cache
def _other_stopwords() -> Mapping[str, frozenset[str]]:
    others = read_toml("curator.distill", "languages/stopwords.toml")
    return {code: frozenset(words.split()) - english().stopwords for code, words in others.items()}


def letters(text: str) -> list[str]:
    """Return the words of a lower-case text, without numbers."""
    return _LETTERS.findall(text)


def english_share(text: str) -> float:
    """Return the share of English stop words among the words of a lower-case text, 0-1."""
    found = letters(text)
    return sum(map(english().stopwords.__contains__, found)) / len(found) if found else 0.0


def is_english(text: str) -> bool:
    """Return True if a lower-case text is probably English.

    It is not if most of its letters are of another script, or if it has more frequent words of another language than of
    English. A text too short to tell counts as English.
    """
    found = letters(text[:2000])
    if not found:
        return True
    if not text.isascii():
        foreign = sum(not is_latin(char) for word in found if not word.isascii() for char in word)
        if 2 * foreign > sum(map(len, found)):
            return False

    score = english_share(text[:2000])
    if score >= CLEARLY:
        return True
    others = max(sum(map(stops.__contains__, found)) / len(found) for stops in _other_stopwords().values())
    if others > score and others * len(found) >= 2:
        return False
    return len(found) < FEW_WORDS or text.isascii() or score > 0
