"""The patterns of a language, read from its file under `languages/`, and which language a text is in."""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

from store.model import Kind, Tier

_MACRO = re.compile(r"\{([a-z]\w*)\}")
_LETTERS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_FIRST = re.compile(r"\W*([^\W\d_]+)")
FEW_WORDS = 6
CLEARLY = 0.25
"""Share of stop words from which a text is in a language without looking at others."""
EMPTY = ("hypothetical", "question", "transient", "generic", "vague")


@dataclass(frozen=True, slots=True)
class Family:
    """One way of saying one sort of thing."""

    name: str
    kind: Kind
    tier: Tier
    confidence: float
    importance: int
    patterns: tuple[re.Pattern[str], ...]
    relation: str | None
    strong: bool  # says enough by itself: two telling words are plenty
    standing: bool  # an instruction for every later answer
    capital: bool  # what it captures must be written as a name
    number: bool  # needs a number or a date
    item: bool  # only as an entry of a list
    change: bool  # something became otherwise
    back: bool  # its subject is what was spoken of just before

    def match(self, low: str, start: int, end: int) -> re.Match[str] | None:
        """The first pattern that matches at the start of the clause `low[start:end]`."""
        return next((found for pattern in self.patterns if (found := pattern.match(low, start, end))), None)


@dataclass(frozen=True, slots=True)
class Language:
    """Compiled patterns and word lists of one language."""

    name: str
    stopwords: frozenset[str]
    common: frozenset[str]
    abbreviations: frozenset[str]
    date_words: frozenset[str]  # one of them, or a digit, is in every date
    families: tuple[Family, ...]
    naming: tuple[Family, ...]  # what they capture must be written as a name; tried first
    by_start: Mapping[str, re.Pattern[str]]  # first word of a clause -> all families to try, in order
    empty: re.Pattern[str]  # clauses that state nothing; the group that closes last is the reason
    cues: Mapping[str, re.Pattern[str]]  # boundary, opener, request, ..., remember, forget, dates, emphasis

    def family(self, low: str, start: int, end: int, text: str) -> Family | None:
        """The first family with a pattern that matches at the start of the clause `low[start:end]`.

        `text` is the same text as it was written, to see which words are names.
        """
        for family in self.naming:
            named = family.match(low, start, end)
            if named and text[named.start("object")].isupper() and not text[start:end].isupper():
                return family
        first = _FIRST.match(low, start, end)
        patterns = self.by_start.get(first[1] if first else "") or self.by_start["*"]
        found = patterns.match(low, start, end)
        return self.families[int(cast(str, found.lastgroup)[1:])] if found else None


def _read(name: str) -> Mapping[str, object]:
    return tomllib.loads((files("curator.distill") / "languages" / name).read_text("utf-8"))


def _expander(macros: Mapping[str, str]) -> Callable[[str], str]:
    def expand(pattern: str) -> str:
        while "{" in pattern and (wider := _MACRO.sub(lambda found: macros[found[1]], pattern)) != pattern:
            pattern = wider
        return pattern

    return expand


def _family(row: Mapping[str, object], expand: Callable[[str], str]) -> Family:
    return Family(
        name=cast(str, row["name"]),
        kind=Kind(cast(str, row["kind"])),
        tier=Tier(cast(str, row["tier"])),
        confidence=cast(float, row["confidence"]),
        importance=cast(int, row["importance"]),
        patterns=tuple(re.compile(expand(pattern)) for pattern in cast(Sequence[str], row["patterns"])),
        relation=cast("str | None", row.get("relation")),
        strong=bool(row.get("strong")),
        standing=bool(row.get("standing")),
        capital=bool(row.get("capital")),
        number=bool(row.get("number")),
        item=bool(row.get("item")),
        change=bool(row.get("change")),
        back=bool(row.get("back")),
    )


def _anonymous(pattern: str) -> str:
    return pattern.replace("(?P<object>", "(?:")


def _dispatch(rows: Sequence[Mapping[str, object]], families: Sequence[Family]) -> dict[str, re.Pattern[str]]:
    starts = {start for row in rows for start in cast(Sequence[str], row["starts"])}
    table: dict[str, re.Pattern[str]] = {}
    for start in starts:
        branches = [
            f"(?:{'|'.join(_anonymous(pattern.pattern) for pattern in family.patterns)})(?P<f{number}>)"
            for number, (row, family) in enumerate(zip(rows, families, strict=True))
            if not family.capital and {start, "*"} & set(cast(Sequence[str], row["starts"]))
        ]
        table[start] = re.compile("|".join(branches))
    return table


@cache
def languages() -> Mapping[str, Language]:
    """Every language there is a file for, by its code."""
    found: dict[str, Language] = {}
    for entry in (files("curator.distill") / "languages").iterdir():
        if not entry.name.endswith(".toml") or entry.name == "stopwords.toml":
            continue
        data = _read(entry.name)
        macros = cast(dict[str, str], data["macros"])
        expand = _expander(macros)
        rows = cast(Sequence[Mapping[str, object]], data["family"])
        families = tuple(_family(row, expand) for row in rows)
        cues = {
            name: re.compile(expand(pattern))
            for name, pattern in (
                cast(dict[str, str], data["clauses"])
                | cast(dict[str, str], data["commands"])
                | {name: cast(str, data[name]) for name in ("dates", "emphasis")}
            ).items()
        }
        code = cast(str, data["language"])
        found[code] = Language(
            name=code,
            stopwords=frozenset(cast(str, data["stopwords"]).split()),
            common=frozenset(cast(str, data["common"]).split()),
            abbreviations=frozenset(cast(str, data["abbreviations"]).split()),
            date_words=frozenset(cast(str, data["date_words"]).split()),
            families=families,
            naming=tuple(family for family in families if family.capital),
            by_start=_dispatch(rows, families),
            empty=re.compile("|".join(f"(?:{cues[name].pattern})(?P<{name}>)" for name in EMPTY)),
            cues=cues,
        )
    return found


@cache
def _other_stopwords() -> Mapping[str, frozenset[str]]:
    known = frozenset().union(*(language.stopwords for language in languages().values()))
    return {code: frozenset(cast(str, words).split()) - known for code, words in _read("stopwords.toml").items()}


def _share(words: Sequence[str], stops: frozenset[str]) -> float:
    return len([word for word in words if word in stops]) / len(words)


def letters(text: str) -> list[str]:
    """The words of a lower-case text, without numbers."""
    return _LETTERS.findall(text)


def language_of(text: str) -> Language | None:
    """The language of a lower-case text if there are patterns for it.

    A text counts as foreign when most of its letters are of another script, or when it has more of the frequent words
    of another language than of any that is known. Too little text to tell counts as the first language there is.
    """
    known = languages()
    default = known["en"]
    found = letters(text[:2000])
    if not found:
        return default
    if not text.isascii():
        total = foreign = 0
        for word in found:
            if not word.isascii():
                total += len(word)
                foreign += sum(1 for char in word if not unicodedata.name(char, "LATIN").startswith("LATIN"))
            else:
                total += len(word)
        if 2 * foreign > total:
            return None
    scores = {code: _share(found, language.stopwords) for code, language in known.items()}
    best = max(scores, key=lambda code: scores[code])
    if scores[best] >= CLEARLY:
        return known[best]
    others = max(_share(found, stops) for stops in _other_stopwords().values())
    if others > scores[best] and others * len(found) >= 2:
        return None
    if len(found) >= FEW_WORDS and not text.isascii() and scores[best] == 0:
        return None
    return known[best]
