"""Requests to forget made in a chat, with the memories they mean, for review. None is forgotten automatically.

Until the person decides, no model gets those that are surely meant (`hold_back`).

Meant is a memory that states all that was asked for, in these words or others (`request_words`), or in the words and
the title of its chat; and one that was said shortly before in the same chat, where that names the rest. What shares
some words, or is close in meaning, is in doubt: it is listed with the reason, and never marked.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from curator import safety
from curator.services.request_words import Certainty, Request, answer, count_stated, parse_request, states_subject
from curator.text import tokens
from store import Filter, Store, Writer
from store.model import ASKED, ForgetRequest, Life, Memory, Review, Role

if TYPE_CHECKING:
    from curator.services.search_session import SearchSession

AGENT = "agent"  # source of requests that an assistant made
_MOST = 50
_MOST_HELD_FOR = 10_000  # requests, the latest ones
_MOST_DOUBTFUL = 10
_CLOSE = 0.5  # cosine of a memory in doubt; .76 is not sure: "I like green tea with mint", of coffee with mint
_SHORTLY = 12  # messages before a request in its chat, of both sides, that it likely points at
_READ = 500  # memories with some of the words whose chats are looked at, the likeliest ones
_BLOCK = 5_000
_KEPT = frozenset({"supersede", "settle", "merge", "edit", "give"})
"""The person's commands that keep a memory, and end its quarantine."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A memory that a request may mean, and why that is in doubt."""

    memory: Memory
    why: str


@dataclass(frozen=True, slots=True)
class Meant:
    """The memories that a request means, and those in doubt; most likely first."""

    sure: tuple[Memory, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgottenBefore:
    """A forgotten memory that a request means, and when it was forgotten (microseconds; None if unknown)."""

    memory: Memory
    at: int | None


def meant(store: Store, request: str) -> list[Memory]:
    """Return the live memories that a request to forget means, most likely first; none that is in doubt."""
    return list(meant_by_each(store, [request])[0].sure)


def meant_by_each(store: Store, requests: Sequence[str], search_session: "SearchSession | None" = None) -> list[Meant]:
    """Return the live memories that each of several requests means, in one reading.

    Opens a search if none is given. Without a model that captures meaning, only words are matched.
    """
    if not requests:
        return []
    by_words = _by_words(store, store.journal.seq(), tuple(requests), Filter())
    by_meaning = _by_meaning(store, requests, search_session)
    found = []
    for words, near in zip(by_words, by_meaning, strict=True):
        known = {memory.id for memory in words.sure}.union(one.memory.id for one in words.doubtful)
        more = (Doubtful(memory, "similar in meaning") for memory in near if memory.id not in known)
        found.append(Meant(words.sure, (*words.doubtful, *more)[:_MOST_DOUBTFUL]))
    return found


def hold_back(store: Store, writer: Writer, since: int, new: Collection[tuple[int, int, int]] = ()) -> int:
    """Quarantine the memories that are surely meant by a request of the person's that they have not seen yet.

    The `new` requests are matched with all memories, the others with those that changed after event `since`, so that
    the work is that of what came in, and what an undo released stays free. Left out is what the person decided on,
    edited or said again later, and what is a matter of safety, which would be missed before anybody has looked.
    Returns the number held. The writer must be paused, and is paused again at the end: matching takes seconds.
    """
    unseen = [one for one in store.forget_requests.page(_MOST_HELD_FOR) if not one.seen and one.source != AGENT]
    first = [one for one in unseen if one.place in new]
    others = [one for one in unseen if one.place not in new]
    changed = store.journal.changed_since(since) if others else []
    held = _to_hold(store, first, None) | (_to_hold(store, others, tuple(changed)) if changed else set())
    if not held:
        return 0
    writer.resume()
    free = writer.where(
        "flag IS NULL AND life = 'live' AND review = 'open' AND NOT pinned AND given <> 'never'", sorted(held)
    )
    done = writer.update("memories", free, {"flag": ASKED})
    writer.pause()
    return len(done)


def _to_hold(store: Store, requests: Sequence[ForgetRequest], among: tuple[int, ...] | None) -> set[int]:
    """Return the memories, of these or all, that requests surely mean and the person has not decided to keep."""
    if not requests:
        return set()
    undecided = Filter(reviews=(Review.OPEN,), flagged=False, pinned=False, among=among)
    found = _by_words(store, store.journal.seq(), tuple(one.words for one in requests), undecided)
    evidence = store.evidence_of(sorted({memory.id for one in found for memory in one.sure}))
    verbs = store.journal.person_verbs(list(evidence))
    held: set[int] = set()
    for request, one in zip(requests, found, strict=True):
        for memory in one.sure:
            quotes = evidence.get(memory.id, ())
            after = [
                one
                for one in quotes
                if one.conversation != request.conversation or (one.message or 0) > request.message
            ]
            said = max((memory.created_at or 0, *(one.said_at or 0 for one in after))) if after or not quotes else 0
            later = request.said_at is not None and said > request.said_at
            kept = not _KEPT.isdisjoint(verbs.get(memory.id, ()))
            if not (later or kept or memory.pinned or memory.quarantined or safety.states(memory.text)):
                held.add(memory.id)
    return held


def forgotten_by_each(store: Store, requests: Sequence[str]) -> list[list[ForgottenBefore]]:
    """Return, per request, the forgotten memories that it means, most likely first, and when they were forgotten."""
    return [
        [
            ForgottenBefore(
                memory,
                next((one.at for one in store.journal.log(_BLOCK, memory.id) if one.verb == "forget"), None),
            )
            for memory in one.sure
        ]
        for one in _by_words(store, store.journal.seq(), tuple(requests), Filter(lives=(Life.FORGOTTEN,)))
    ]


def _by_meaning(store: Store, requests: Sequence[str], search_session: "SearchSession | None") -> list[list[Memory]]:
    """Return the memories close in meaning to each request, closest first."""
    from curator.errors import ModelError
    from curator.services.neighbours import nearest_stored
    from curator.services.search_session import open_search

    opened = open_search(store) if search_session is None else search_session
    if opened.embedder is None or not opened.embedder.fingerprint.by_meaning:
        return [[] for _ in requests]
    try:
        near = nearest_stored(store, opened.embedder, opened.embedder.embed(requests), Life.LIVE)
    except ModelError:  # the model's server went offline meanwhile; matches by words remain
        return [[] for _ in requests]
    ids = sorted({memory for row in near for memory, _ in row})
    memories = {one.id: one for one in store.get_many(ids) if one.life is Life.LIVE}
    found: list[list[Memory]] = []
    for request, row in zip(requests, near, strict=True):
        close = sorted((one for one in row if one[1] >= _CLOSE), key=lambda one: (-one[1], -one[0]))
        asked = parse_request(request).words
        found.append([memories[memory] for memory, _ in close if asked and memory in memories])
    return found


@lru_cache(maxsize=2)
def _by_words(store: Store, _seq: int, requests: tuple[str, ...], memory_filter: Filter) -> list[Meant]:
    """Match requests by words; cached per event, since it reads much and the result changes only with the store."""
    asked = [parse_request(one) for one in requests]
    titles = [" ".join(map(_beginning, one.words)) for one in asked]
    chats = [  # the memories of chats whose title has all words
        {quote.memory for chat in store.raw.conversation_ids(words=title) for quote in store.raw.quotes(chat)}
        if title
        else set()
        for title in titles
    ]
    before = said_before(store, requests)
    found: list[list[tuple[int, Memory]]] = [[] for _ in asked]
    ids = sorted({*_having_some(store, asked, memory_filter), *(memory for some in chats for memory in some)})
    for start in range(0, len(ids), _BLOCK):
        for memory in store.get_many(ids[start : start + _BLOCK]):
            if memory.life not in memory_filter.lives:
                continue
            for request, some, matches in zip(asked, chats, found, strict=True):
                stated = count_stated(request, memory.text)
                if stated or memory.id in some:
                    matches.append((stated, memory))
    return [
        _sorted(store, request, matches, before.get(words, frozenset()))
        for words, request, matches in zip(requests, asked, found, strict=True)
    ]


def said_before(store: Store, requests: Collection[str]) -> dict[str, frozenset[int]]:
    """Return by the words of requests the memories from shortly before them in their chats, which name all they say.

    A chat is read once, however many requests it has.
    """
    wanted = set(requests)
    by_chat: dict[int, list[ForgetRequest]] = {}
    for one in store.forget_requests.page(_MOST_HELD_FOR) if wanted else ():
        if one.words in wanted:
            by_chat.setdefault(one.conversation, []).append(one)
    found: dict[str, frozenset[int]] = {}
    for chat, asked in by_chat.items():
        messages = store.raw.messages(chat)
        quoted: dict[int | None, set[int]] = {}
        for quote in store.raw.quotes(chat):
            quoted.setdefault(quote.message, set()).add(quote.memory)
        said, place = set(tokens(asked[0].title or "")), 0
        for one in sorted(asked, key=lambda one: one.message):
            while place < len(messages) and messages[place].id < one.message:
                said |= tokens(messages[place].text) if messages[place].role is Role.USER else set()
                place += 1
            if said.issuperset(parse_request(one.words).words):
                near = (quoted.get(message.id, set()) for message in messages[max(place - _SHORTLY, 0) : place])
                found[one.words] = found.get(one.words, frozenset()).union(*near)
    return found


def _sorted(store: Store, request: Request, matches: Iterable[tuple[int, Memory]], before: Collection[int]) -> Meant:
    likely = sorted(matches, key=lambda one: (-one[0], -one[1].id))[:_READ]
    evidence = store.evidence_of([memory.id for _, memory in likely])
    sure: list[Memory] = []
    doubtful: list[Doubtful] = []
    for _, memory in likely:
        titles = list(dict.fromkeys(one.title or "" for one in evidence.get(memory.id, [])))
        certainty, why = answer(request, memory.text, titles)
        if certainty is Certainty.SURE:
            sure.append(memory)
        elif certainty is Certainty.DOUBTFUL:
            doubtful.append(Doubtful(memory, why))
    if not sure:
        near = [memory for _, memory in likely if memory.id in before]
        sure = [memory for memory in near if states_subject(request, memory.text)]
        doubtful = [one for one in doubtful if one.memory not in sure]
    return Meant(tuple(sure[:_MOST]), tuple(doubtful[:_MOST_DOUBTFUL]))


def _beginning(word: str) -> str:
    """Return what every form of a stemmed word begins with: not a last y (`cities`), nor from an ss on (`Straße`)."""
    return word.removesuffix("y").partition("ss")[0]


def _having_some(store: Store, asked: Sequence[Request], memory_filter: Filter) -> list[int]:
    """Return the memories that may state a word of a request, found by SQLite, which releases the GIL.

    Words that are not plain ASCII letters cannot be searched like this: if a request has one, all memories are read.
    """
    words = frozenset[str]().union(*(one.accepted for one in asked))
    if any(not (word.isascii() and word.isalpha() and _beginning(word)) for one in asked for word in one.words):
        return store.list_ids(memory_filter)
    begun = sorted({_beginning(word) for word in words if word.isascii()}.union(*(one.signs for one in asked)))
    return sorted({memory for part in begun for memory in store.list_ids(replace(memory_filter, text=part))})
