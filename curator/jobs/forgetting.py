"""What the person asked in a chat to be forgotten: the memories that may be meant, for them to look at. None is let go.

The words decide: a memory is meant that has all of those that count, or most of them where none has all.
"""

from collections.abc import Sequence

from curator.compare import tokens
from curator.compare.words import plain_words
from store import Filter, Store
from store.model import Memory

_MOST = 10
_SHARE = 0.6  # of the words of a request that a memory must have where none has all
_BLOCK = 5_000
_ABOUT = frozenset("about all any every everything fact i me memory my our remember that the thing we what you".split())


def meant(store: Store, request: str) -> list[Memory]:
    """The live memories that a request to forget may mean, the likest first, at most ten."""
    return meant_by_each(store, [request])[0]


def meant_by_each(store: Store, requests: Sequence[str]) -> list[list[Memory]]:
    """The same of several requests, in one reading."""
    wanted = [tokens(" ".join(word for word in plain_words(one) if word not in _ABOUT)) for one in requests]
    found: list[list[tuple[float, int, Memory]]] = [[] for _ in requests]
    ids = _having_some(store, wanted)
    for start in range(0, len(ids), _BLOCK):
        for memory in store.get_many(ids[start : start + _BLOCK]):
            own = tokens(memory.text)
            for place, words in enumerate(wanted):
                share = len(words & own) / len(words) if words else 0.0
                if share >= _SHARE:
                    found[place].append((share, -memory.id, memory))
    return [_likest(rows) for rows in found]


def _having_some(store: Store, wanted: Sequence[frozenset[str]]) -> list[int]:
    """The memories that may have enough of the words of a request: SQLite finds them, in which other threads run.

    A stem is what its words begin with, but for a last y (`cities`). What is no plain word cannot be looked for so:
    where a request has mostly such, all are read.
    """
    beginnings: set[str] = set()
    for words in wanted:
        plain = {word.removesuffix("y") for word in words if word.isascii() and word.isalpha()}
        if words and len(words) - len(plain) >= _SHARE * len(words):
            return store.list_ids(Filter())
        beginnings |= plain
    return sorted({memory for part in beginnings for memory in store.list_ids(Filter(text=part))})


def _likest(found: list[tuple[float, int, Memory]]) -> list[Memory]:
    best = max((share for share, *_ in found), default=0.0)
    kept = [one for one in found if best < 1.0 or one[0] == 1.0]
    return [memory for *_, memory in sorted(kept, key=lambda one: one[:2], reverse=True)[:_MOST]]
