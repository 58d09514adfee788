"""Two texts side by side: the words that each has for itself, also where the other says it in another order.

A diff answers how one text became the other; of two sentences that were said apart it makes confetti.
"""

from dataclasses import dataclass
from enum import StrEnum

from curator.tui.widgets.text_diff import TOKEN, Change, words

LIMIT = 4_000
"""Characters of a text up to which words are looked for elsewhere in the other."""


class Share(StrEnum):
    """What the other text has of a piece."""

    SAME = "same"  # in the same place
    MOVED = "moved"  # somewhere else, or in another form
    OWN = "own"  # nothing


@dataclass(frozen=True, slots=True)
class Part:
    """Some text and what the other one has of it."""

    share: Share
    text: str


@dataclass(frozen=True, slots=True)
class PairDiff:
    """Both texts in parts; joined they are the texts. `apart`: no word that counts is in both, so none is marked."""

    a: tuple[Part, ...]
    b: tuple[Part, ...]
    apart: bool = False


def beside(a: str, b: str) -> PairDiff:
    """The two texts with what each has for itself."""
    pieces = words(a, b)
    left = [(piece.text, piece.change is Change.KEPT) for piece in pieces if piece.change is not Change.ADDED]
    right = [(piece.text, piece.change is Change.KEPT) for piece in pieces if piece.change is not Change.REMOVED]
    plain = PairDiff(_by_diff(left), _by_diff(right))
    if a == b or max(len(a), len(b)) > LIMIT:
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


def _by_diff(pieces: list[tuple[str, bool]]) -> tuple[Part, ...]:
    return _joined([Part(Share.SAME if kept else Share.OWN, text) for text, kept in pieces])


def _parts(pieces: list[tuple[str, bool]], others: frozenset[str]) -> tuple[Part, ...]:
    """Of what the diff calls different, what the other text has elsewhere is so no more; empty words do not count."""
    parts: list[Part] = []
    for text, kept in pieces:
        if kept:
            parts.append(Part(Share.SAME, text))
            continue
        for token in TOKEN.findall(text):
            parts.append(Part(_share(token, others), token))
    return _joined(_bridged(parts))


def _share(token: str, others: frozenset[str]) -> Share:
    if not _counts(token):
        return Share.SAME
    if len(token) == 1 and not token.isascii():  # of a script without spaces: one character says nothing
        return Share.OWN
    return Share.MOVED if _stems(token) <= others else Share.OWN


def _counts(token: str) -> bool:
    """Whether it is a word, and no empty one."""
    from curator.text import wordlists

    return any(map(str.isalnum, token)) and token.casefold() not in wordlists().empty


def _bridged(parts: list[Part]) -> list[Part]:
    """Spaces and empty words between two words of a text's own count as its own."""
    out = list(parts)
    last: int | None = None
    for place, part in enumerate(parts):
        if part.share is Share.OWN:
            if last is not None and place - last <= _BRIDGE:
                out[last + 1 : place] = [Part(Share.OWN, between.text) for between in parts[last + 1 : place]]
            last = place
        elif part.share is Share.MOVED or any(map(_counts, TOKEN.findall(part.text))):
            last = None
    return out


_BRIDGE = 4  # pieces: a space, an empty word, a space


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    out: list[Part] = []
    for part in parts:
        if out and out[-1].share is part.share:
            out[-1] = Part(part.share, out[-1].text + part.text)
        elif part.text:
            out.append(part)
    return tuple(out)
