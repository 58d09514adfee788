"""Finding secrets: the few places that can hold one first, by literals and shape, then the patterns there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from curator.secrets.detector import Detector, Span, compiled
from curator.secrets.plain import place, plain
from curator.secrets.seed_phrase import bip39_bytes
from curator.secrets.table import table
from curator.secrets.values import MARK

_RUN = 16  # letters and digits together that can be a token
_NAME = re.compile(
    r"(?:[A-Z]?[a-z]{3,}+\d{0,3}+(?![a-z0-9])|[_-]\d{1,4}+(?![A-Za-z0-9])|[_-]++|[A-Z]?[a-z]{1,2}(?![a-z0-9]))++"
)
_LEAD = 32  # characters before such a run that may hold the prefix of the token
_AFTER = 20_000  # the farthest a match goes from its literal
_NEAR = 400  # the same where it may start before the literal


_RUNS = bytes(97 if chr(sign).isalnum() or sign in b"-_" else 32 for sign in range(128)) + b" " * 128
_LETTERS = bytes(ord(chr(sign).lower()) if chr(sign).isalpha() else 32 for sign in range(128)) + b" " * 128
_NUMBERS = bytes(48 if 48 <= sign <= 57 else 65 if 65 <= sign <= 90 else 32 for sign in range(256))
_DIGITS = b"0123456789"
_FEWEST = 11  # digits in a number that is looked for by its check digits
_LONG_RUN = b"a" * _RUN
_SEED = b"\1" * 12


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret in a text: from `start` to `end`, and the names of the detectors that found it."""

    start: int
    end: int
    names: tuple[str, ...]


_Found = list[tuple[int, int, str]]


def find_secrets(text: str) -> list[Finding]:
    """Return where the secrets are, in order, overlapping ones joined."""
    read, gaps = plain(text)
    found = _find(read)
    if gaps:
        found = [(place(start, gaps), place(end - 1, gaps) + 1, name) for start, end, name in found]
    return _joined(found) if found else []


def _find(text: str) -> _Found:
    """Return the secrets in a text of plain signs, in any order."""
    found: _Found = []
    rules = table()
    is_ascii = text.isascii()
    data = text.encode() if is_ascii else text.encode("ascii", "replace")
    runs = data.translate(_RUNS)
    if _LONG_RUN in runs:
        _find_tokens(text, runs, found)
    if len(data) - len(data.translate(None, _DIGITS)) >= _FEWEST and rules.digits:
        numbers = data.translate(_NUMBERS, b" .-/")
        for shape, detectors in rules.digits.items():
            if shape in numbers:
                _find_by_function(detectors, text, found)
    words = data.translate(_LETTERS).split()
    if rules.seeds and len(words) >= 12 and _has_seed(words):
        _find_by_function(rules.seeds, text, found)
    folded = _fold(text)
    gates = [literal for literal in rules.parts if literal in folded]
    for word in rules.gate_words.intersection(words):
        gates += rules.gates[word]
    if not is_ascii:
        gates += rules.foreign
    for literal in gates:
        for one in rules.by_word.get(literal, ()) if literal in folded else ():
            if one.find:
                _find_by_function((one,), text, found)
            else:
                found += _at_literal(one, text, folded, literal)
    return found


def _has_seed(words: list[bytes]) -> bool:
    """Return whether twelve words in a row are of the BIP-39 list; every third is looked up first."""
    known = bip39_bytes().__contains__
    return _SEED[:4] in bytes(map(known, words[2::3])) and _SEED in bytes(map(known, words))


def _fold(text: str) -> str:
    """Return the text in lower case at the same length, so that positions agree."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _find_by_function(detectors: tuple[Detector, ...], text: str, found: _Found) -> None:
    for one in detectors:
        if one.find:
            found += [
                (start, end, one.name) for start, end in one.find(text) if text[start:end].replace(MARK, "").strip()
            ]


def _find_tokens(text: str, flat: bytes, found: _Found) -> None:
    """Find tokens around the long runs of letters and digits that are no words or names."""
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
            place = max(start - one.before, 0)
            match = pattern.search(text, place, start + 200) if one.before else pattern.match(text, start)
            if match and (one.check is None or one.check(match, match[0])):
                found.append((match.start(), match.end(), one.name))
    joined = "\n".join([text[max(start - _LEAD, 0) : end] for start, end in runs])
    for literal, detectors in rules.tokens.items():
        if literal in joined:
            for one in detectors:
                found += [(start, _rest(text, end), name) for start, end, name in _at_literal(one, text, text, literal)]


def _at_literal(one: Detector, text: str, where: str, literal: str) -> Iterator[tuple[int, int, str]]:
    """Yield the secrets at each place of a literal; `where` is the text itself or in lower case."""
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


def _rest(text: str, at: int) -> int:
    """Return the end of the token that goes on at a place: it may be longer than its pattern."""
    while at < len(text) and ((text[at].isascii() and text[at].isalnum()) or text[at] in "_-+/=~"):
        at += 1
    return at


def _joined(found: _Found) -> list[Finding]:
    joined: list[Finding] = []
    for start, end, name in sorted(found):
        if joined and start <= joined[-1].end:
            last = joined[-1]
            names = last.names if name in last.names else (*last.names, name)
            joined[-1] = Finding(last.start, max(end, last.end), names)
        else:
            joined.append(Finding(start, end, (name,)))
    return joined
