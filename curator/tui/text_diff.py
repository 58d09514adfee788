"""Word-level diffs: the changes from one text to another, and the differences of two texts side by side."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import groupby
from operator import itemgetter

LIMIT = 30_000
"""Maximum word pairs compared one by one, over all gaps; beyond it, a gap counts as rewritten.

It limits the worst case of 10 kB texts to about 10 ms; similar texts stay far below it.
"""

_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana and Han: a character is a word
_MARKS = r"""!"#$%&()*+,\-./:;<=>?@\[\\\]^`{|}~\u00a1-\u00bf\u2010-\u2018\u201a-\u205e\u3001-\u303f\uff01-\uff0f"""
TOKEN = re.compile(rf"\s+|\d+(?:[.,:]\d+)+|[{_SPACELESS}{_MARKS}]|[^\s{_SPACELESS}{_MARKS}]+")


class DiffKind(StrEnum):
    """Kinds of change to a piece of text."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class DiffPiece:
    """A piece of text and its change."""

    change: DiffKind
    text: str


def diff(old: str, new: str) -> list[DiffPiece]:
    """Return the changes from `old` to `new`: kept and removed pieces join to `old`, kept and added ones to `new`.

    Removed pieces precede those that replace them. The time is linear in the length of the texts.
    """
    runs = list(_merged(_steps(TOKEN.findall(old), TOKEN.findall(new))))
    for index in range(1, len(runs) - 1):
        (_, *former), (kept, space, _), (_, *following) = runs[index - 1 : index + 2]
        if kept and space.isspace() and all((*former, *following)):  # a lone space between replaced words
            runs[index] = (False, space, space)
    pieces = []
    for kept, removed, added in _merged(runs):
        changes = [(DiffKind.KEPT, removed)] if kept else [(DiffKind.REMOVED, removed), (DiffKind.ADDED, added)]
        pieces += [DiffPiece(change, text) for change, text in changes if text]
    return pieces


_Step = tuple[bool, str, str]  # kept; old text, new text


def _merged(steps: Iterable[_Step]) -> Iterator[_Step]:
    """Join adjacent kept steps, and adjacent changed ones."""
    for kept, group in groupby((step for step in steps if any(step[1:])), itemgetter(0)):
        _, removed, added = zip(*group, strict=True)
        yield kept, "".join(removed), "".join(added)


def _steps(old: list[str], new: list[str]) -> Iterator[_Step]:
    """Split both texts at the words that occur once in each, and compare the gaps between them."""
    before, after, budget = 0, 0, LIMIT
    for i, j in (*_anchors(old, new), (len(old), len(new))):
        left, right = old[before:i], new[after:j]
        head = _common(left, right)
        tail = _common(left[head:][::-1], right[head:][::-1])
        a, b = left[head : len(left) - tail], right[head : len(right) - tail]
        yield True, "".join(left[:head]), "".join(left[:head])
        if len(a) * len(b) <= budget:
            budget -= len(a) * len(b)
            for tag, first, last, start, stop in SequenceMatcher(str.isspace, a, b, autojunk=False).get_opcodes():
                yield tag == "equal", "".join(a[first:last]), "".join(b[start:stop])
        else:
            yield False, "".join(a), "".join(b)
        common = "".join(old[i - tail : i + 1])  # with the anchor
        yield True, common, common
        before, after = i + 1, j + 1


def _common(first: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common prefix in words."""
    differ = (n for n, (left, right) in enumerate(zip(first, other, strict=False)) if left != right)
    return next(differ, min(len(first), len(other)))


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Return the indices of words that occur once in each text: the longest sequence in the same order in both."""
    once, counts = Counter(old), Counter(new)
    indices = {word: j for j, word in enumerate(new) if counts[word] == 1}
    pairs = [(i, indices[word]) for i, word in enumerate(old) if once[word] == 1 and word in indices]
    ends: list[int] = []  # longest increasing sequence, by patience sorting
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


# Two texts side by side

PAIR_LIMIT = 4_000
"""Maximum characters of a text whose words are searched elsewhere in the other text."""

_BRIDGE = 4  # pieces: a space, a stop word, a space


class Share(StrEnum):
    """Position of a piece in the other text."""

    SAME = "same"  # in the same place
    MOVED = "moved"  # elsewhere, or in another form
    OWN = "own"  # nowhere


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A piece of text and its share."""

    share: Share
    text: str


@dataclass(frozen=True, slots=True)
class PairDiff:
    """Both texts in parts. `apart` is True if they share no content word; then nothing is marked."""

    a: tuple[MarkedText, ...]
    b: tuple[MarkedText, ...]
    apart: bool = False


def diff_pair(a: str, b: str) -> PairDiff:
    """Return both texts with their unique words marked, ignoring word order.

    A plain diff of two independently written sentences would mark scattered fragments.
    """
    shares = {DiffKind.KEPT: Share.SAME, DiffKind.REMOVED: Share.OWN, DiffKind.ADDED: Share.OWN}
    pieces = [(piece.change, (shares[piece.change], piece.text)) for piece in diff(a, b)]
    left = [part for change, part in pieces if change is not DiffKind.ADDED]
    right = [part for change, part in pieces if change is not DiffKind.REMOVED]
    plain = PairDiff(_joined(left), _joined(right))
    if a == b or max(len(a), len(b)) > PAIR_LIMIT:
        return plain
    ours, theirs = _stems(a), _stems(b)
    if not ours & theirs:
        return PairDiff((MarkedText(Share.OWN, a),), (MarkedText(Share.OWN, b),), apart=True)
    found = PairDiff(_searched(left, theirs), _searched(right, ours))
    own = any(part.share is Share.OWN for part in (*found.a, *found.b))
    return found if own else plain  # only the order differs


def _stems(text: str) -> frozenset[str]:
    from curator.text import tokens  # lazy: its patterns take 40 ms to compile

    return tokens(text)


def _searched(pieces: Sequence[tuple[Share, str]], others: frozenset[str]) -> tuple[MarkedText, ...]:
    """Search the words of differing pieces among the other text's stems.

    Spaces and stop words count as shared, unless they are between two words that only this text has.
    """
    from curator.text import wordlists

    empty = wordlists().empty
    parts: list[tuple[Share, str]] = []
    last: int | None = None  # index of the last own word, if only spaces and stop words follow
    for share, text in pieces:
        for token in [text] if share is Share.SAME else TOKEN.findall(text):
            words = [word for word in TOKEN.findall(token) if any(map(str.isalnum, word))]
            if all(word.casefold() in empty for word in words):
                parts.append((Share.SAME, token))
                continue
            alone = len(token) == 1 and not token.isascii()  # script without spaces: one character means nothing
            if share is Share.OWN and (alone or not _stems(token) <= others):
                if last is not None and len(parts) - last <= _BRIDGE:
                    parts[last:] = [(Share.OWN, between) for _, between in parts[last:]]
                last = len(parts)
                parts.append((Share.OWN, token))
            else:
                last = None
                parts.append((Share.MOVED if share is Share.OWN else Share.SAME, token))
    return _joined(parts)


def _joined(parts: Iterable[tuple[Share, str]]) -> tuple[MarkedText, ...]:
    return tuple(
        MarkedText(share, "".join(text for _, text in group)) for share, group in groupby(parts, itemgetter(0))
    )
