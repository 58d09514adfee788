"""Search for secrets: literals and shapes select a few places, where the patterns are then tried.

Detectors read normalized texts: digits and punctuation in ASCII, no invisible characters.
"""

import os
import re
import tomllib
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import orjson

from curator.errors import ConfigError
from curator.paths import config_file
from curator.secrets.commands import COMMANDS
from curator.secrets.detector import MARK, Detector, DetectorScope, Span, compiled
from curator.secrets.named import NAMED
from curator.secrets.numbers import NUMBERS, SEED_PHRASES, bip39, bip39_bytes
from curator.secrets.personal import PERSONAL
from curator.secrets.tokens import BLOCKS, TOKENS
from curator.secrets.triggers import LONG_RUN, NOTHING, Matches, any_literal, any_shape, matcher, twelve_words
from curator.text import lower
from store.sanitize import is_invisible

DETECTORS: tuple[Detector, ...] = (*BLOCKS, *TOKENS, *NAMED, *PERSONAL, *COMMANDS, *NUMBERS, *SEED_PHRASES)
_IN_PART = ("pass", "pwd", "key", "secret", "token", "://")
"""Literals that also count inside a word, as in `dbPassword`."""
_COMMON = ("number", "user", "use", "code", "pass", "by", "combination", "verification", "for", "to", "of", "on", "at")
"""Words too frequent to trigger a search for a literal that has another word."""
_VARIABLES = ("CURATOR_SECRETS__OFF", "CURATOR_SECRETS")
_ByLiteral = Mapping[str, tuple[Detector, ...]]


@dataclass(frozen=True, slots=True)
class Table:
    """The enabled detectors, by where they are tried.

    A text is scanned for tokens and numbers, for words or for seed phrases only if `has_run`, `has_word` or `has_seed`
    is true of it. One with a literal of `tokens` matches `any_token`. A literal of `by_word` is searched for if it is
    one of `parts`, if the text has a word that maps to it in `gates`, or, for `foreign` ones, if the text is not ASCII.
    """

    has_run: Matches
    has_word: Matches
    has_seed: Matches

    tokens: _ByLiteral
    any_token: re.Pattern[str]
    runs: tuple[Detector, ...]
    digits: Mapping[bytes, tuple[Detector, ...]]
    seeds: tuple[Detector, ...]
    by_word: _ByLiteral
    parts: tuple[str, ...]
    foreign: tuple[str, ...]
    gates: Mapping[bytes, tuple[str, ...]]
    gate_words: frozenset[bytes]


@cache
def table() -> Table:
    """Return the table of enabled detectors."""
    used = [one for one in DETECTORS if one.name not in switched_off()]

    def of(scan: DetectorScope) -> tuple[Detector, ...]:
        return tuple(one for one in used if one.scan is scan)

    def by_literal(scan: DetectorScope) -> _ByLiteral:
        found: dict[str, tuple[Detector, ...]] = {}
        for one in of(scan):
            for literal in one.literals:
                found[literal] = (*found.get(literal, ()), one)
        return found

    by_word, tokens, shapes = (
        by_literal(DetectorScope.WORD),
        by_literal(DetectorScope.TOKEN),
        by_literal(DetectorScope.DIGITS),
    )
    parts = tuple(literal for literal in _IN_PART if literal in by_word)
    seeds = of(DetectorScope.SEED)
    gates: dict[bytes, tuple[str, ...]] = {}
    for literal in by_word:
        if literal.isascii() and literal not in _IN_PART:
            word = max(re.findall("[a-z]+", literal), key=lambda word: (word not in _COMMON, len(word))).encode()
            gates[word] = (*gates.get(word, ()), literal)
    return Table(
        has_run=matcher(f"{LONG_RUN}|{any_shape(shapes)}"),
        has_word=matcher(any_literal(by_word, parts)),
        has_seed=matcher(twelve_words(bip39()) if seeds else NOTHING),
        tokens=tokens,
        any_token=re.compile(one_of(tokens) or r"(?!)"),
        runs=of(DetectorScope.RUN),
        digits={shape.encode(): found for shape, found in shapes.items()},
        seeds=seeds,
        by_word=by_word,
        parts=parts,
        foreign=tuple(literal for literal in by_word if not literal.isascii()),
        gates=gates,
        gate_words=frozenset(gates),
    )


def one_of(literals: Iterable[str]) -> str:
    """Return a pattern of any of these texts, as a tree of their characters: five times as fast as looking for each."""
    branches: dict[str, set[str]] = {}
    for literal in literals:
        if not literal:
            return ""  # ends here, whatever goes on
        branches.setdefault(literal[0], set()).add(literal[1:])
    found = [re.escape(sign) + one_of(rest) for sign, rest in sorted(branches.items())]
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})" if found else ""


@cache
def switched_off() -> frozenset[str]:
    """Return the names in the setting `secrets.off`. Raises ConfigError if the settings cannot be read."""
    names: object
    environment = {name.upper(): value for name, value in os.environ.items()}
    variable = next((name for name in _VARIABLES if environment.get(name)), None)
    if variable:
        place = f"the variable {variable}"
        try:
            value = orjson.loads(environment[variable])
            names = value.get("off", []) if isinstance(value, dict) else value
        except ValueError:
            names = environment[variable] if variable == _VARIABLES[0] else None
    else:
        file = config_file()
        place = str(file)
        try:
            content = tomllib.loads(file.read_bytes().decode()) if file.is_file() else {}
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"{file} is not TOML: {error}; correct it") from error
        section = content.get("secrets", {})
        names = section.get("off", []) if isinstance(section, dict) else None
    names = names.split(",") if isinstance(names, str) else names
    if not isinstance(names, list):
        raise ConfigError(f'setting secrets.off: it takes a list of names, as ["iban"] (in {place})')
    try:
        return frozenset(known_kinds(map(str, names)))
    except ValueError as error:
        raise ConfigError(f"setting secrets.off: {error} (in {place})") from error


def known_kinds(names: Iterable[str]) -> list[str]:
    """Return the names as spelled in the table of detectors. Raises ValueError for an unknown one."""
    from difflib import get_close_matches

    known = {one.name for one in DETECTORS}
    wanted = [name.strip().lower() for name in names if name.strip()]
    for name in wanted:
        if name not in known:
            near = get_close_matches(name, known, 3)
            hint = f"did you mean {' or '.join(near)}?" if near else "docs/privacy.md lists all kinds"
            raise ValueError(f"unknown kind of secret {name!r}; {hint}")
    return wanted


def reread_settings() -> None:
    """Discard the cached settings after a change."""
    switched_off.cache_clear()
    table.cache_clear()


_FEW = 4  # up to this many distinct characters, sequential replacement is faster
_ASCII = bytes(range(128))
_HYPHENS = "\u2010\u2011\u2012\u2013\u2212\ufe63"
_WIDE_PUNCTUATION = "\uff0d\uff0e\uff0f\uff20\uff3f"
_RUN = 16  # minimum letters and digits in a row of a token
_NAME = re.compile(
    r"(?:[A-Z]?[a-z]{3,}+\d{0,3}+(?![a-z0-9])|[_-]\d{1,4}+(?![A-Za-z0-9])|[_-]++|[A-Z]?[a-z]{1,2}(?![a-z0-9]))++"
)
_LEAD = 32  # characters before such a run that may contain the token's prefix
_AFTER = 20_000  # maximum length of a match from its literal
_NEAR = 400  # the same if it may start before the literal


_RUNS = bytes(97 if chr(sign).isalnum() or sign in b"-_" else 32 for sign in range(128)) + b" " * 128
_LETTERS = bytes(ord(chr(sign).lower()) if chr(sign).isalpha() else 32 for sign in range(128)) + b" " * 128
_NUMBERS = bytes(48 if 48 <= sign <= 57 else 65 if 65 <= sign <= 90 else 32 for sign in range(256))
_DIGITS = b"0123456789"
_FEWEST = 11  # minimum digits of a number with check digits
_LONG_RUN = b"a" * _RUN
_SEED = b"\1" * 12
_TOKEN_SIGNS = re.compile(r"[A-Za-z0-9_\-+/=~]*")


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """A secret in a text: its span, and the names of the detectors that found it."""

    start: int
    end: int
    names: tuple[str, ...]


_Found = tuple[int, int, str]


def find_secrets(text: str) -> list[SecretSpan]:
    """Return the spans of secrets, in order, overlapping ones merged."""
    read, gaps = plain(text)
    joined: list[SecretSpan] = []
    if not (found := _find(read)):
        return joined
    for start, end, name in sorted(found):
        if gaps:
            start, end = start + bisect_right(gaps, start), end + bisect_right(gaps, end - 1)
        last = joined[-1] if joined else None
        if last and start <= last.end:
            names = last.names if name in last.names else (*last.names, name)
            joined[-1] = SecretSpan(last.start, max(end, last.end), names)
        else:
            joined.append(SecretSpan(start, end, (name,)))
    return joined


def suspects(texts: Sequence[str]) -> set[int]:
    """Return the places of the texts in which there may be a secret.

    Each pattern is searched in all of them before the next: after short texts it takes a third of the time, since the
    processor keeps what it needs at hand.
    """
    rules = table()
    read = [text if text.isascii() else plain(text)[0] for text in texts]
    searches = (rules.has_run, rules.has_word, rules.has_seed)
    return {place for search in searches for place, text in enumerate(read) if search(text)}


def plain(text: str) -> tuple[str, list[int]]:
    """Return the normalized text, and the offsets in it before which an invisible character was removed."""
    if text.isascii():
        return text, []
    foreign = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    forms = {ord(sign): form for sign in set(foreign) if (form := _plain_form(sign)) != sign}
    gaps: list[int] = []
    if unseen := "".join(chr(sign) for sign, form in forms.items() if not form):
        found = re.finditer(f"[{re.escape(unseen)}]", text)
        gaps = [match.start() - number for number, match in enumerate(found)]
    if len(forms) > _FEW:
        return text.translate(forms), gaps
    for sign, form in forms.items():
        text = text.replace(chr(sign), form)
    return text, gaps


@cache
def _plain_form(sign: str) -> str:
    """Return the normalized form of a character: one character, or none for an invisible one."""
    if is_invisible(sign):
        return ""
    if sign in _HYPHENS:
        return "-"
    kind = unicodedata.category(sign)
    if kind == "Nd":
        return str(unicodedata.decimal(sign))
    if kind == "Zs":
        return " "
    if sign in _WIDE_PUNCTUATION or "\uff21" <= sign <= "\uff5a":
        form = unicodedata.normalize("NFKC", sign)
        return form if len(form) == 1 else sign
    return sign


def _find(text: str) -> list[_Found]:
    """Return the secrets in a normalized text, in any order."""
    rules = table()
    found: list[_Found] = []
    if rules.has_run(text):
        data = text.encode("ascii", "replace")
        runs = data.translate(_RUNS)
        if _LONG_RUN in runs:
            found += _find_tokens(text, runs)
        if len(data) - len(data.translate(None, _DIGITS)) >= _FEWEST:
            numbers = data.translate(_NUMBERS, b" .-/")
            for shape, detectors in rules.digits.items():
                if shape in numbers:
                    found += _find_by_function(detectors, text)
    if rules.has_seed(text):
        known = bip39_bytes().__contains__
        if _SEED in bytes(map(known, text.encode("ascii", "replace").translate(_LETTERS).split())):
            found += _find_by_function(rules.seeds, text)
    if rules.has_word(text):
        is_ascii = text.isascii()
        folded = text.lower() if is_ascii else lower(text)
        gates = [literal for literal in rules.parts if literal in folded]
        for word in rules.gate_words.intersection(text.encode("ascii", "replace").translate(_LETTERS).split()):
            gates += rules.gates[word]
        if not is_ascii:
            gates += rules.foreign
        for literal in gates:
            for one in rules.by_word.get(literal, ()) if literal in folded else ():
                found += _find_by_function((one,), text) if one.find else _at_literal(one, text, folded, literal)
    return found


def _find_by_function(detectors: tuple[Detector, ...], text: str) -> Iterator[_Found]:
    for one in detectors:
        for start, end in one.find(text) if one.find else ():
            if text[start:end].replace(MARK, "").strip():
                yield start, end, one.name


def _find_tokens(text: str, flat: bytes) -> Iterator[_Found]:
    """Yield tokens around the long runs of letters and digits that are not words or names."""
    rules = table()
    runs: list[Span] = []
    at = flat.find(_LONG_RUN)
    while at >= 0:
        end = flat.find(b" ", at)
        end = len(flat) if end < 0 else end
        if not _NAME.fullmatch(text, at, end):
            runs.append((at, end))
        at = flat.find(_LONG_RUN, end)
    if not runs:
        return
    for one in rules.runs:
        pattern = compiled(one.pattern)
        for start, _ in runs:
            first = max(start - one.before, 0)
            match = pattern.search(text, first, start + 200) if one.before else pattern.match(text, start)
            if match and (one.check is None or one.check(match, match[0])):
                yield match.start(), match.end(), one.name
    joined = "\n".join([text[max(start - _LEAD, 0) : end] for start, end in runs])
    if not rules.any_token.search(joined):
        return
    for literal, detectors in rules.tokens.items():
        for one in detectors if literal in joined else ():
            for start, end, name in _at_literal(one, text, text, literal):
                rest = _TOKEN_SIGNS.match(text, end)  # a token may be longer than its pattern
                yield start, rest.end() if rest else end, name


def _at_literal(one: Detector, text: str, where: str, literal: str) -> Iterator[_Found]:
    """Yield the secrets at each occurrence of a literal in `where`, which is `text` or its lower case."""
    pattern = compiled(one.pattern)
    at = where.find(literal)
    while at >= 0:
        after = at + 1
        if one.before:
            match = pattern.search(where, max(at - one.before, 0), at + _NEAR)
        else:
            match = pattern.match(where, at, at + _AFTER)
        if match:
            start, end = match.span(one.group)
            value = text[start:end]
            if value.replace(MARK, "").strip() and (one.check is None or one.check(match, value)):
                yield start, start + len(one.trim(match, value) if one.trim else value), one.name
                after = max(end, after)
        at = where.find(literal, after)
