"""Detection of text that gives instructions to a model."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from curator.injection.disguise import hides_text, readings

FLAG = "injection"
"""The flag of a memory that gives instructions to a model."""
CHECKED = 2_000_000
"""Maximum characters checked. A memory has at most 500, a message was typed or pasted by a person."""

_WINDOW, _STEP = 400, 300
_PIECE = re.compile(r"(?:[^.!?;。！？\n]|[.!?;](?!\s|$)|\n(?!\s{0,8}(?:[-*•>#|]|\d{1,3}[.)]|\n)))+[.!?;。！？]*")
_BLOB = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{100,4000}={0,2}")
_CAPITAL = re.compile(r"(?<!\\)[A-Z]")
_WORD = re.compile(r"[^\W\d_]{2,16}")
_SHORTEST_STEM = 3
_MACRO = re.compile(r"\{([a-z_]\w*)\}")


@dataclass(frozen=True, slots=True)
class _Rule:
    """Concepts that together in one sentence form an instruction, unless a concept of `none` is present."""

    family: str
    all: tuple[str, ...]
    none: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Signs:
    """The tables of `signs.toml`, compiled."""

    reasons: dict[str, str]
    concepts: dict[str, re.Pattern[str]]
    in_lower_case: dict[str, re.Pattern[str]]  # those without capitals, for a text in lower case: in half the time
    words: dict[str, frozenset[str]]  # word, or word prefix with `*` -> its concepts
    marks: tuple[tuple[str, re.Pattern[str]], ...]  # families recognised by form, anywhere in a text
    rules: tuple[_Rule, ...]
    by_word: dict[str, tuple[int, ...]]  # concept that only words tell -> places in `rules` of those that need it
    other_rules: tuple[int, ...]  # places of the others


@cache
def _signs() -> _Signs:
    data = tomllib.loads((files("curator.injection") / "signs.toml").read_text("utf-8"))

    def compiled(pattern: str) -> re.Pattern[str]:
        while (wider := _MACRO.sub(lambda found: data["macros"][found[1]], pattern)) != pattern:
            pattern = wider
        return re.compile(pattern, re.IGNORECASE)

    def by_language(table: dict[str, dict[str, str]]) -> dict[str, str]:
        """Return the concepts of all languages, keyed by `language.concept`."""
        return {f"{code}.{name}": value for code, found in table.items() for name, value in found.items()}

    words: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for concept, listed in by_language(data["words"]).items():
        for word in listed.split():
            words[word] |= {concept}
    languages = [*data["words"], *data["unspaced"]]
    rules = tuple(  # one per row, or one per language if a concept has a wildcard (`*.drop`)
        _Rule(row["family"], tuple(concept.replace("*", code) for concept in row["all"]), tuple(row.get("none", ())))
        for row in data["rule"]
        for code in (languages if any("*" in concept for concept in row["all"]) else [""])
    )
    concepts = {name: compiled(pattern) for name, pattern in (data["concepts"] | by_language(data["unspaced"])).items()}
    by_word: defaultdict[str | None, list[int]] = defaultdict(list)
    for number, rule in enumerate(rules):
        by_word[next((concept for concept in rule.all if concept not in concepts), None)].append(number)
    return _Signs(
        reasons=data["reasons"],
        concepts=concepts,
        in_lower_case={
            name: re.compile(pattern.pattern)
            for name, pattern in concepts.items()
            if not _CAPITAL.search(pattern.pattern)
        },
        words=dict(words),
        marks=tuple((name, compiled("|".join(found))) for name, found in data["marks"].items()),
        rules=rules,
        by_word={concept: tuple(numbers) for concept, numbers in by_word.items() if concept is not None},
        other_rules=tuple(by_word[None]),
    )


def flag_injection(text: str) -> str | None:
    """Return "injection" if `text` gives instructions to a model, imitates its protocol or hides a payload.

    A person's standing wishes ("always answer in British English", "never use emoji") are not injections.
    """
    return FLAG if injection_family(text) else None


def flag_memory(text: str, project: str | None, tags: Iterable[str]) -> str | None:
    """Return the flag of a memory whose text, project or tags give instructions to a model, or None."""
    return FLAG if flag_injection(text) or any(_is_flagged_name(name) for name in (project, *tags) if name) else None


@lru_cache(maxsize=1024)
def _is_flagged_name(name: str) -> bool:
    return bool(flag_injection(name) or flag_injection(name.replace("_", " ")))


def explain_injection(text: str) -> str | None:
    """Return the reason why `text` is flagged, in words for a person, or None."""
    family = injection_family(text)
    return _signs().reasons[family] if family else None


def describe_flag(flag: str, text: str) -> str:
    """Return the reason why a memory with this text is in quarantine, in words for a person."""
    if flag != FLAG:
        return flag
    return f"{flag}, {explain_injection(text) or 'found beside these words where they were said'}"


def injection_family(text: str) -> str | None:
    """Return the family of instructions found in any reading of a text, or None."""
    part, signs = text[:CHECKED], _signs()
    if hides_text(part):
        return "hidden"
    for number, reading in enumerate(readings(part)):
        by_form = (family for family, pattern in signs.marks if pattern.search(reading))
        by_order = (family for piece in _pieces(reading) if (family := _order_in(piece, signs)))
        if family := next(by_form, None) or next(by_order, None):
            return "encoded" if number and family != "hidden" else family
    for found in _BLOB.finditer(part):
        run = found[0]  # an encoding, not a repeated key or a word
        if len(set(run)) >= 20 and not (run.isalpha() or run.islower() or run.isupper()):
            return "encoded"
    return None


def _pieces(text: str) -> Iterator[str]:
    """Yield sentences with line breaks replaced by spaces; long ones in overlapping windows."""
    for found in _PIECE.finditer(text):
        sentence = " ".join(found[0].split())
        if len(sentence) < 6:
            continue
        for start in range(0, max(len(sentence) - (_WINDOW - _STEP), 1), _STEP):
            yield sentence[start : start + _WINDOW]


def _order_in(piece: str, signs: _Signs) -> str | None:
    known: dict[str, bool] = {}
    low = piece.lower()
    plain = signs.in_lower_case if piece.isascii() else {}  # elsewhere other letters may stand for these
    for token in set(_WORD.findall(low)):  # words of other languages
        for key in (token, *(f"{token[:size]}*" for size in range(_SHORTEST_STEM, len(token) + 1))):
            known |= dict.fromkeys(signs.words.get(key, ()), True)

    numbers = [*signs.other_rules, *(number for concept in known for number in signs.by_word.get(concept, ()))]

    def has(concept: str) -> bool:
        if concept not in known:
            if (pattern := plain.get(concept)) is not None:
                known[concept] = pattern.search(low) is not None
            else:
                pattern = signs.concepts.get(concept)
                known[concept] = pattern is not None and pattern.search(piece) is not None
        return known[concept]

    rules = (signs.rules[number] for number in sorted(numbers))
    return next((one.family for one in rules if all(map(has, one.all)) and not any(map(has, one.none))), None)
