"""Two texts compared word by word: what stayed, what went, what came."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

LIMIT = 30_000
"""Pairs of words that are compared one by one, all gaps together; beyond it a gap counts as rewritten.

It keeps the worst case of 10 kB at some 10 ms; two texts that are alike come nowhere near it.
"""

_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana and Han: a character is a word
_MARKS = r"""!"#$%&()*+,\-./:;<=>?@\[\\\]^`{|}~\u00a1-\u00bf\u2010-\u2018\u201a-\u205e\u3001-\u303f\uff01-\uff0f"""
TOKEN = re.compile(rf"\s+|\d+(?:[.,:]\d+)+|[{_SPACELESS}{_MARKS}]|[^\s{_SPACELESS}{_MARKS}]+")


class Change(StrEnum):
    """What became of a piece of text."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text and what became of it."""

    change: Change
    text: str


@dataclass(slots=True)
class _Run:
    """Words that stayed, then those that went and those that came in their place."""

    kept: list[str]
    removed: list[str]
    added: list[str]


def words(old: str, new: str) -> list[Piece]:
    """How `old` became `new`. Kept and removed pieces joined are `old`, kept and added ones `new`, to the character.

    What was replaced stands before what replaced it. Takes about as long as the texts are.
    """
    runs: list[_Run] = [_Run([], [], [])]
    for kept, removed, added in _steps(TOKEN.findall(old), TOKEN.findall(new)):
        last = runs[-1]
        if kept and (last.removed or last.added):
            runs.append(last := _Run([], [], []))
        last.kept += kept
        last.removed += removed
        last.added += added
    return list(_pieces(_joined(runs)))


_Step = tuple[Sequence[str], Sequence[str], Sequence[str]]  # kept, removed, added


def _steps(old: list[str], new: list[str]) -> Iterator[_Step]:
    """Cut both texts at the words that each has once, and compare what lies between."""
    before, after, budget = 0, 0, LIMIT
    for i, j in (*_anchors(old, new), (len(old), len(new))):
        left, right = old[before:i], new[after:j]
        cost = len(left) * len(right)
        yield from _gap(left, right, thorough=cost <= budget)
        budget -= cost if cost <= budget else 0
        yield old[i : i + 1], (), ()
        before, after = i + 1, j + 1


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Where words stand that each text has once, as many as stand in the same order in both."""
    once, counts = Counter(old), Counter(new)
    places = {word: j for j, word in enumerate(new) if counts[word] == 1}
    pairs = [(i, places[word]) for i, word in enumerate(old) if once[word] == 1 and word in places]
    ends: list[int] = []  # the longest rising row, by patience sorting
    tops: list[int] = []
    back: list[int] = []
    for number, (_, j) in enumerate(pairs):
        pile = bisect_left(ends, j)
        back.append(tops[pile - 1] if pile else -1)
        ends[pile : pile + 1] = [j]
        tops[pile : pile + 1] = [number]
    chosen: list[tuple[int, int]] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = back[at]
    return chosen[::-1]


def _gap(old: list[str], new: list[str], thorough: bool) -> Iterator[_Step]:
    """What lies between two anchors; not looked into beyond its ends unless `thorough`."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    yield old[:head], (), ()
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if left and right and thorough:
        for tag, i, end, j, stop in SequenceMatcher(str.isspace, left, right, autojunk=False).get_opcodes():
            yield (left[i:end], (), ()) if tag == "equal" else ((), left[i:end], right[j:stop])
    else:
        yield (), left, right
    yield old[len(old) - tail :], (), ()


def _joined(runs: list[_Run]) -> list[_Run]:
    """Words that were replaced one after the other count as replaced together, the space between them too."""
    out = runs[:1]
    for run in runs[1:]:
        last = out[-1]
        if all((last.removed, last.added, run.removed, run.added)) and "".join(run.kept).isspace():
            last.removed += run.kept + run.removed
            last.added += run.kept + run.added
        else:
            out.append(run)
    return out


def _pieces(runs: list[_Run]) -> Iterator[Piece]:
    for run in runs:
        for change, tokens in ((Change.KEPT, run.kept), (Change.REMOVED, run.removed), (Change.ADDED, run.added)):
            if tokens:
                yield Piece(change, "".join(tokens))
