"""Table of all enabled detectors, and the kinds switched off in the settings.

The settings are read without pydantic: redaction precedes every write, and loading pydantic takes longer than all of
the rest.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import orjson

from curator.errors import ConfigError
from curator.paths import config_file
from curator.secrets.commands import COMMANDS
from curator.secrets.detector import Detector, Scan
from curator.secrets.named import NAMED
from curator.secrets.numbers import NUMBERS, SEED_PHRASES
from curator.secrets.personal import PERSONAL
from curator.secrets.tokens import BLOCKS, TOKENS

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

    A literal of `by_word` is searched for if it is one of `parts`, if the text has a word that maps to it in `gates`,
    or, for `foreign` ones, if the text is not ASCII.
    """

    tokens: _ByLiteral
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

    def of(scan: Scan) -> tuple[Detector, ...]:
        return tuple(one for one in used if one.scan is scan)

    def by_literal(scan: Scan) -> _ByLiteral:
        found: dict[str, tuple[Detector, ...]] = {}
        for one in of(scan):
            for literal in one.literals:
                found[literal] = (*found.get(literal, ()), one)
        return found

    by_word = by_literal(Scan.WORD)
    gates: dict[bytes, tuple[str, ...]] = {}
    for literal in by_word:
        if literal.isascii() and literal not in _IN_PART:
            word = max(re.findall("[a-z]+", literal), key=lambda word: (word not in _COMMON, len(word))).encode()
            gates[word] = (*gates.get(word, ()), literal)
    return Table(
        tokens=by_literal(Scan.TOKEN),
        runs=of(Scan.RUN),
        digits={shape.encode(): found for shape, found in by_literal(Scan.DIGITS).items()},
        seeds=of(Scan.SEED),
        by_word=by_word,
        parts=tuple(literal for literal in _IN_PART if literal in by_word),
        foreign=tuple(literal for literal in by_word if not literal.isascii()),
        gates=gates,
        gate_words=frozenset(gates),
    )


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
            raise ValueError(f"there is no kind of secret {name!r}; {hint}")
    return wanted


def reread_settings() -> None:
    """Discard the cached settings after a change."""
    switched_off.cache_clear()
    table.cache_clear()
