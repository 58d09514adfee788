"""Word-level diffs: how one text became another, and what each of two texts has for itself."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

LIMIT = 30_000
"""Pairs of words that are compared one by one, over all gaps; beyond it a gap counts as rewritten.

It keeps the worst case of 10 kB at some 10 ms; two texts that are alike come nowhere near it.
"""

_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana and Han: a character is a word
_MARKS = r"""!"#$%&()*+,\-./:;<=>?@\[\\\]^`{|}~\u00a1-\u00bf\u2010-\u2018\u201a-\u205e\u3001-\u303f\uff01-\uff0f"""
TOKEN = re.compile(rf"\s+|\d+(?:[.,:]\d+)+|[{_SPACELESS}{_MARKS}]|[^\s{_SPACELESS}{_MARKS}]+")


class Change(StrEnum):
    """The fate of a piece of text."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text and its fate."""

    change: Change
    text: str


@dataclass(slots=True)
class _Run:
    """Words that stayed, then those removed and those added in their place."""

    kept: list[str]
    removed: list[str]
    added: list[str]


def diff(old: str, new: str) -> list[Piece]:
    """Return how `old` became `new`: kept and removed pieces joined are `old`, kept and added ones `new`, exactly.

    Removed pieces come before those that replace them. Takes time proportional to the texts.
    """
    runs: list[_Run] = [_Run([], [], [])]
    for kept, removed, added in _steps(TOKEN.findall(old), TOKEN.findall(new)):
        last = runs[-1]
        if kept and (last.removed or last.added):
            runs.append(last := _Run([], [], []))
        last.kept += kept
        last.removed += removed
        last.added += added
    return [
        Piece(change, "".join(tokens))
        for run in _joined_runs(runs)
        for change, tokens in ((Change.KEPT, run.kept), (Change.REMOVED, run.removed), (Change.ADDED, run.added))
        if tokens
    ]


_Step = tuple[Sequence[str], Sequence[str], Sequence[str]]  # kept, removed, added


def _steps(old: list[str], new: list[str]) -> Iterator[_Step]:
    """Cut both texts at the words that each has once, and compare the gaps between."""
    before, after, budget = 0, 0, LIMIT
    for i, j in (*_anchors(old, new), (len(old), len(new))):
        left, right = old[before:i], new[after:j]
        cost = len(left) * len(right)
        yield from _gap(left, right, thorough=cost <= budget)
        budget -= cost if cost <= budget else 0
        yield old[i : i + 1], (), ()
        before, after = i + 1, j + 1


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Return the places of words that each text has once, as many as are in the same order in both."""
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
    """Compare a gap between two anchors, only at its ends unless `thorough`."""
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


def _joined_runs(runs: list[_Run]) -> list[_Run]:
    """Join replaced words that only a space separates."""
    out = runs[:1]
    for run in runs[1:]:
        last = out[-1]
        if all((last.removed, last.added, run.removed, run.added)) and "".join(run.kept).isspace():
            last.removed += run.kept + run.removed
            last.added += run.kept + run.added
        else:
            out.append(run)
    return out


# Two texts side by side

PAIR_LIMIT = 4_000
"""Characters of a text up to which its words are searched elsewhere in the other."""

_BRIDGE = 4  # pieces: a space, an empty word, a space


class Share(StrEnum):
    """The share of a piece that the other text has."""

    SAME = "same"  # in the same place
    MOVED = "moved"  # somewhere else, or in another form
    OWN = "own"  # nothing


_BY_DIFF = {True: Share.SAME, False: Share.OWN}


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of text and its share."""

    share: Share
    text: str


@dataclass(frozen=True, slots=True)
class PairDiff:
    """Both texts in parts, joined the texts again. `apart`: no content word is in both, so none is marked."""

    a: tuple[Part, ...]
    b: tuple[Part, ...]
    apart: bool = False


def diff_pair(a: str, b: str) -> PairDiff:
    """Return what each of two texts has for itself, also where the other says it in another order.

    A diff of two sentences that were said apart would be confetti.
    """
    pieces = diff(a, b)
    left = [(piece.text, piece.change is Change.KEPT) for piece in pieces if piece.change is not Change.ADDED]
    right = [(piece.text, piece.change is Change.KEPT) for piece in pieces if piece.change is not Change.REMOVED]
    by_diff = [_joined([Part(_BY_DIFF[kept], text) for text, kept in side]) for side in (left, right)]
    plain = PairDiff(by_diff[0], by_diff[1])
    if a == b or max(len(a), len(b)) > PAIR_LIMIT:
        return plain
    ours, theirs = _stems(a), _stems(b)
    if not ours & theirs:
        return PairDiff((Part(Share.OWN, a),), (Part(Share.OWN, b),), apart=True)
    found = PairDiff(_parts(left, theirs), _parts(right, ours))
    own = any(part.share is Share.OWN for part in (*found.a, *found.b))
    return found if own else plain  # all is in both: then the order is what differs


def _stems(text: str) -> frozenset[str]:
    from curator.text import tokens  # here, since its patterns take 40 ms to compile

    return tokens(text)


def _parts(pieces: list[tuple[str, bool]], others: frozenset[str]) -> tuple[Part, ...]:
    """Find different pieces elsewhere in the other text; empty words do not count."""
    parts: list[Part] = []
    for text, kept in pieces:
        if kept:
            parts.append(Part(Share.SAME, text))
            continue
        for token in TOKEN.findall(text):
            parts.append(Part(_share(token, others), token))
    return _joined(_bridged(parts))


def _share(token: str, others: frozenset[str]) -> Share:
    if not _is_content(token):
        return Share.SAME
    if len(token) == 1 and not token.isascii():  # of a script without spaces: one character says nothing
        return Share.OWN
    return Share.MOVED if _stems(token) <= others else Share.OWN


def _is_content(token: str) -> bool:
    """Return whether a token is a word, and not an empty one."""
    from curator.text import wordlists

    return any(map(str.isalnum, token)) and token.casefold() not in wordlists().empty


def _bridged(parts: list[Part]) -> list[Part]:
    """Count spaces and empty words between two words of a text's own as its own."""
    out = list(parts)
    last: int | None = None
    for place, part in enumerate(parts):
        if part.share is Share.OWN:
            if last is not None and place - last <= _BRIDGE:
                out[last + 1 : place] = [Part(Share.OWN, between.text) for between in parts[last + 1 : place]]
            last = place
        elif part.share is Share.MOVED or any(map(_is_content, TOKEN.findall(part.text))):
            last = None
    return out


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    out: list[Part] = []
    for part in parts:
        if out and out[-1].share is part.share:
            out[-1] = Part(part.share, out[-1].text + part.text)
        elif part.text:
            out.append(part)
    return tuple(out)
