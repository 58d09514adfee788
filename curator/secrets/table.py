"""All detectors in one table, and the kinds that a person switched off."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from curator.secrets.commands import COMMANDS
from curator.secrets.detector import Detector, Scan
from curator.secrets.named import NAMED
from curator.secrets.numbers import NUMBERS
from curator.secrets.off import switched_off
from curator.secrets.personal import PERSONAL
from curator.secrets.seed_phrase import SEED_PHRASES
from curator.secrets.tokens import BLOCKS, TOKENS

DETECTORS: tuple[Detector, ...] = (*BLOCKS, *TOKENS, *NAMED, *PERSONAL, *COMMANDS, *NUMBERS, *SEED_PHRASES)
_IN_PART = ("pass", "pwd", "key", "secret", "token", "://")
"""Literals that count in the middle of a word too, as in `dbPassword`."""
_COMMON = ("number", "user", "use", "code", "pass", "by", "combination", "verification", "for", "to", "of", "on", "at")
"""Words too frequent to look for a literal where they stand, if it has another."""
_ByLiteral = Mapping[str, tuple[Detector, ...]]


@dataclass(frozen=True, slots=True)
class Table:
    """The detectors in force, by where they are tried.

    A literal of `by_word` is looked for if it is one of `parts`, if a word that `gates` names is in the text, or, for
    `foreign` ones, if the text is not ASCII.
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
    """Return the detectors that are not switched off."""
    off = switched_off()
    used = [one for one in DETECTORS if one.name not in off]

    def of(scan: Scan) -> tuple[Detector, ...]:
        return tuple(one for one in used if one.scan is scan)

    by_word = _by_literal(of(Scan.WORD))
    gates: dict[bytes, tuple[str, ...]] = {}
    for literal in by_word:
        if literal.isascii() and literal not in _IN_PART:
            word = max(re.findall("[a-z]+", literal), key=lambda word: (word not in _COMMON, len(word))).encode()
            gates[word] = (*gates.get(word, ()), literal)
    return Table(
        tokens=_by_literal(of(Scan.TOKEN)),
        runs=of(Scan.RUN),
        digits={shape.encode(): found for shape, found in _by_literal(of(Scan.DIGITS)).items()},
        seeds=of(Scan.SEED),
        by_word=by_word,
        parts=tuple(literal for literal in _IN_PART if literal in by_word),
        foreign=tuple(literal for literal in by_word if not literal.isascii()),
        gates=gates,
        gate_words=frozenset(gates),
    )


def _by_literal(detectors: Iterable[Detector]) -> _ByLiteral:
    found: dict[str, tuple[Detector, ...]] = {}
    for one in detectors:
        for literal in one.literals:
            found[literal] = (*found.get(literal, ()), one)
    return found
