"""Requests to forget made in a chat, with the memories that may be meant, for review. None is forgotten.

A memory may be meant that has all of the words that count, or most of them where none has all; and one that recall
finds to be nearly as much about it as the best, since a request rarely has the words of the memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from curator.text import plain_words, tokens
from store import Filter, Store
from store.model import Life, Memory

if TYPE_CHECKING:
    from curator.services.search_session import Searching

_MOST = 10
_BY_MEANING = 3
_NEARLY = 1.0  # how far below the best a score of recall may be
_SHARE = 0.6  # of the words of a request that a memory must have where none has all
_BLOCK = 5_000
_ABOUT = frozenset(
    "about all any every everything fact from i me memories memory my our remember that the thing we what you"
    " your".split()
)


@dataclass(frozen=True, slots=True)
class ForgottenBefore:
    """A memory that a request means and that was let go already, and when (microseconds; None if nobody knows)."""

    memory: Memory
    at: int | None


def meant(store: Store, request: str) -> list[Memory]:
    """The live memories that a request to forget may mean, the likest first, at most ten."""
    return meant_by_each(store, [request])[0]


def meant_by_each(store: Store, requests: Sequence[str], searching: "Searching | None" = None) -> list[list[Memory]]:
    """The same of several requests, in one reading; what has the words comes first, then what has the meaning.

    The search is opened here if none is given. Without a model that understands meaning the words decide.
    """
    if not requests:
        return []
    by_words = _by_words(store, store.journal.seq(), tuple(requests), Filter())
    by_meaning = _by_meaning(store, requests, searching)
    return [
        list({one.id: one for one in (*some, *more)}.values()) for some, more in zip(by_words, by_meaning, strict=True)
    ]


def forgotten_by_each(store: Store, requests: Sequence[str]) -> list[list[ForgottenBefore]]:
    """Of each request the memories with its words that were let go already, the likest first, and when that was."""
    found = _by_words(store, store.journal.seq(), tuple(requests), Filter(lives=(Life.FORGOTTEN,)))
    return [
        [
            ForgottenBefore(
                memory,
                next((one.at for one in store.journal.log(_BLOCK, memory.id) if one.verb == "forget"), None),
            )
            for memory in some
        ]
        for some in found
    ]


def _by_meaning(store: Store, requests: Sequence[str], searching: "Searching | None") -> list[list[Memory]]:
    from curator.errors import ModelError
    from curator.recall import SearchOptions, find_many
    from curator.services.search_session import open_search

    opened = open_search(store) if searching is None else searching
    if opened.embedder is None or opened.embedder.fingerprint.provider == "hashing":
        return [[] for _ in requests]
    wanted = SearchOptions(limit=_BY_MEANING, gap=_NEARLY)
    queries = [(request, Filter()) for request in requests]
    try:
        found = list(find_many(store, opened.index, opened.embedder, queries, wanted))
    except ModelError:  # the server of the model went meanwhile; the words are left
        return [[] for _ in requests]
    return [
        [hit.memory for hit in one.hits] if _counting(request) else []
        for request, one in zip(requests, found, strict=True)
    ]


def _counting(request: str) -> frozenset[str]:
    """The words of a request that say what it is about."""
    return tokens(" ".join(word for word in plain_words(request) if word not in _ABOUT))


@lru_cache(maxsize=2)
def _by_words(store: Store, _seq: int, requests: tuple[str, ...], which: Filter) -> list[list[Memory]]:
    """As of an event; kept, since it reads much, and finds the same until something is changed."""
    wanted = [_counting(one) for one in requests]
    found: list[list[tuple[float, int, Memory]]] = [[] for _ in requests]
    ids = _having_some(store, wanted, which)
    for start in range(0, len(ids), _BLOCK):
        for memory in store.get_many(ids[start : start + _BLOCK]):
            own = tokens(memory.text)
            for place, words in enumerate(wanted):
                share = len(words & own) / len(words) if words else 0.0
                if share >= _SHARE:
                    found[place].append((share, -memory.id, memory))
    return [_likest(rows) for rows in found]


def _having_some(store: Store, wanted: Sequence[frozenset[str]], which: Filter) -> list[int]:
    """The memories that may have enough of the words of a request: SQLite finds them, in which other threads run.

    A stem is what its words begin with, but for a last y (`cities`) and from an ss on (`Straße`). Of the words of a
    request as many are looked for, the longest, as no memory that is meant can lack all of. What is no plain word
    cannot be looked for so: where a request has mostly such, all are read.
    """
    beginnings: set[str] = set()
    for words in filter(None, wanted):
        begun = (word.removesuffix("y").partition("ss")[0] for word in words if word.isascii() and word.isalpha())
        plain = sorted(filter(None, begun), key=lambda word: (-len(word), word))
        enough = next(number for number in range(1, len(words) + 1) if (len(words) - number) / len(words) < _SHARE)
        if len(plain) < enough:
            return store.list_ids(which)
        beginnings.update(plain[:enough])
    return sorted({memory for part in beginnings for memory in store.list_ids(replace(which, text=part))})


def _likest(found: list[tuple[float, int, Memory]]) -> list[Memory]:
    best = max((share for share, *_ in found), default=0.0)
    kept = [one for one in found if best < 1.0 or one[0] == 1.0]
    return [memory for *_, memory in sorted(kept, key=lambda one: one[:2], reverse=True)[:_MOST]]
