"""Requests to forget made in a chat, with the memories they may mean, for review. None is forgotten automatically.

A match is a memory with all of the request's significant words, or with most of them if none has all; or one that
recall scores nearly as high as the best, since a request rarely repeats a memory's words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from curator.text import plain_words, tokens
from store import Filter, Store
from store.model import Life, Memory

if TYPE_CHECKING:
    from curator.services.search_session import SearchSession

_MOST = 10
_BY_MEANING = 3
_NEARLY = 1.0  # maximum distance of a recall score from the best
_ALIKE = 0.3  # least cosine of the texts: what was said beside it is not what is meant
_SHARE = 0.6  # of a request's words that a memory must have if none has all
_BLOCK = 5_000
_PAID = re.compile(r"\bsalary|\bincome\b|\bearn|\bpa(?:y|id)\b|\bwages?\b|\bmake \d", re.I)
_STATES = {
    "address": re.compile(
        r"\baddress|\b(?:street|road|avenue|lane|square|rua|calle|rue|postcode|zip code)\b|stra(?:ß|ss)e\b"
        r"|\b(?:st|ave|rd)\.|\blive[sd]? (?:at|on|in)\b",
        re.I,
    ),
    "number": re.compile(r"\d{3}|\bnumber\b", re.I),
    "email": re.compile(r"@|\be-?mail\b", re.I),
    "birthday": re.compile(r"\bbirthday|\bborn\b", re.I),
    "salary": _PAID,
    "income": _PAID,
}
"""Words that state a property which a request names: a move from a city is not the address there."""
_ABOUT = frozenset(
    "about all any every everything fact from i me memories memory my our remember that the thing we what you"
    " your".split()
)


@dataclass(frozen=True, slots=True)
class ForgottenBefore:
    """A forgotten memory that a request means, and when it was forgotten (microseconds; None if unknown)."""

    memory: Memory
    at: int | None


def meant(store: Store, request: str) -> list[Memory]:
    """Return the live memories that a request to forget may mean, most likely first, at most ten."""
    return meant_by_each(store, [request])[0]


def meant_by_each(
    store: Store, requests: Sequence[str], search_session: "SearchSession | None" = None
) -> list[list[Memory]]:
    """Return the same for several requests, in one reading; matches by words precede matches by meaning.

    Opens a search if none is given. Without a model that captures meaning, only words are matched.
    """
    if not requests:
        return []
    by_words = _by_words(store, store.journal.seq(), tuple(requests), Filter())
    by_meaning = _by_meaning(store, requests, search_session)
    return [
        list({one.id: one for one in (*some, *more)}.values()) for some, more in zip(by_words, by_meaning, strict=True)
    ]


def forgotten_by_each(store: Store, requests: Sequence[str]) -> list[list[ForgottenBefore]]:
    """Return, per request, the forgotten memories with its words, most likely first, and when they were forgotten."""
    return [
        [
            ForgottenBefore(
                memory,
                next((one.at for one in store.journal.log(_BLOCK, memory.id) if one.verb == "forget"), None),
            )
            for memory in some
        ]
        for some in _by_words(store, store.journal.seq(), tuple(requests), Filter(lives=(Life.FORGOTTEN,)))
    ]


def _by_meaning(store: Store, requests: Sequence[str], search_session: "SearchSession | None") -> list[list[Memory]]:
    from curator.errors import ModelError
    from curator.recall import SearchOptions, find_many
    from curator.services.search_session import open_search

    opened = open_search(store) if search_session is None else search_session
    if opened.embedder is None or opened.embedder.fingerprint.provider == "hashing":
        return [[] for _ in requests]
    wanted = SearchOptions(limit=_BY_MEANING, gap=_NEARLY, cosine=_ALIKE)
    queries = [(request, Filter()) for request in requests]
    try:
        found = list(find_many(store, opened.index, opened.embedder, queries, wanted))
    except ModelError:  # the model's server went offline meanwhile; matches by words remain
        return [[] for _ in requests]
    meant: list[list[Memory]] = []
    for request, one in zip(requests, found, strict=True):
        states = [pattern for word, pattern in _STATES.items() if word in plain_words(request)]
        hits = one.hits if _counting(request) else ()
        meant.append([hit.memory for hit in hits if all(pattern.search(hit.memory.text) for pattern in states)])
    return meant


def _counting(request: str) -> frozenset[str]:
    """Return the significant words of a request."""
    return tokens(" ".join(word for word in plain_words(request) if word not in _ABOUT))


@lru_cache(maxsize=2)
def _by_words(store: Store, _seq: int, requests: tuple[str, ...], memory_filter: Filter) -> list[list[Memory]]:
    """Match requests by words; cached per event, since it reads much and the result changes only with the store."""
    wanted = [_counting(one) for one in requests]
    found: list[list[tuple[float, int, Memory]]] = [[] for _ in requests]
    ids = _having_some(store, wanted, memory_filter)
    for start in range(0, len(ids), _BLOCK):
        for memory in store.get_many(ids[start : start + _BLOCK]):
            own = tokens(memory.text)
            for index, words in enumerate(wanted):
                share = len(words & own) / len(words) if words else 0.0
                if share >= _SHARE:
                    found[index].append((share, -memory.id, memory))
    best: list[list[Memory]] = []
    for rows in found:
        whole = [one for one in rows if one[0] == 1.0]
        likest = sorted(whole or rows, key=lambda one: one[:2], reverse=True)[:_MOST]
        best.append([memory for *_, memory in likest])
    return best


def _having_some(store: Store, wanted: Sequence[frozenset[str]], memory_filter: Filter) -> list[int]:
    """Return the memories that may have enough of a request's words, found by SQLite, which releases the GIL.

    A stem is a prefix of its words, except for a last y (`cities`) and from an ss on (`Straße`). Search for as many of
    a request's longest words as no matching memory can lack entirely. Words that are not plain ASCII letters cannot be
    searched like this: if a request has mostly such words, all memories are read.
    """
    beginnings: set[str] = set()
    for words in filter(None, wanted):
        begun = (word.removesuffix("y").partition("ss")[0] for word in words if word.isascii() and word.isalpha())
        plain = sorted(filter(None, begun), key=lambda word: (-len(word), word))
        enough = next(number for number in range(1, len(words) + 1) if (len(words) - number) / len(words) < _SHARE)
        if len(plain) < enough:
            return store.list_ids(memory_filter)
        beginnings.update(plain[:enough])
    return sorted({memory for part in beginnings for memory in store.list_ids(replace(memory_filter, text=part))})
