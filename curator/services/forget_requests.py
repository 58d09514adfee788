"""Match requests to forget, made in a chat, with the memories they refer to. Nothing is forgotten automatically.

A memory matches for sure if its text states every word of the request or a synonym (`curator.distill.forget.match`),
if its text and the title of its chat together do, or if it was said shortly before the request in the same chat and the
chat names the missing words. Memories that share only some of the words or are close in meaning are doubtful: they are
listed with the reason. Until the person decides, sure matches are in quarantine (`quarantine_matches`).
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from curator import safety
from curator.distill.forget.match import Certainty, Request, count_stated, match_text, parse_request, states_subject
from curator.distill.forget.subjects import is_order
from curator.text import tokens
from store import Filter, Store, Writer
from store.model import ASKED, Actor, Evidence, ForgetRequest, Life, Memory, Review, Role

AGENT = "agent"
"""Source of requests made by an assistant."""
_MAX_SURE = 50
MAX_REQUESTS = 10_000  # latest requests considered
MAX_DOUBTFUL = 10
_MIN_COSINE = 0.5  # of doubtful matches; a high cosine proves little: green tea with mint, coffee with mint: 0.76
_RECENT_MESSAGES = 12  # messages of either side before a request that it may refer to
_MAX_GRADED = 500  # best candidates by words whose evidence is read
_BLOCK = 5_000
KEEPING_COMMANDS = frozenset({"supersede", "settle", "merge", "edit", "give"})
"""Commands of the person that show that a memory should be kept; they also end its quarantine."""


@dataclass(frozen=True, slots=True)
class DoubtfulMatch:
    """A memory that a request may refer to, and the reason for doubt."""

    memory: Memory
    why: str


@dataclass(frozen=True, slots=True)
class RequestMatches:
    """The memories that a request refers to, surely or doubtfully; most likely first."""

    sure: tuple[Memory, ...] = ()
    doubtful: tuple[DoubtfulMatch, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgottenMemory:
    """A forgotten memory that a request refers to; `at` is when it was forgotten (microseconds), if known."""

    memory: Memory
    at: int | None


def clear_cache() -> None:
    """Drop the latest matches, because a store is closed or words were purged."""
    _match_by_words.cache_clear()


def match_requests(store: Store, requests: Sequence[str]) -> list[RequestMatches]:
    """Return the matches of each request among live memories, reading the memories once.

    Without a semantic embedding model, only words are compared.
    """
    if not requests:
        return []
    by_words = _match_by_words(store, store.journal.seq(), tuple(requests), Filter())
    by_meaning = _match_by_meaning(store, requests)
    found = []
    for words, near in zip(by_words, by_meaning, strict=True):
        matched = {memory.id for memory in words.sure}.union(match.memory.id for match in words.doubtful)
        more = (DoubtfulMatch(memory, "similar in meaning") for memory in near if memory.id not in matched)
        found.append(RequestMatches(words.sure, (*words.doubtful, *more)[:MAX_DOUBTFUL]))
    return found


def quarantine_matches(store: Store, writer: Writer, since: int, new: Collection[tuple[int, int, int]] = ()) -> int:
    """Quarantine the sure matches of the person's unseen requests; return their number.

    The `new` requests are matched with all memories, older ones only with memories that changed after event `since`:
    this bounds the work, and memories released by an undo are not quarantined again. Memories that the person decided
    on, edited or repeated after the request are excluded, as are safety matters, which must not be missing until the
    person has reviewed the request. The writer must be paused, and is paused again at the end: matching takes seconds.
    """
    held = _memories_to_quarantine(store, since, new, KEEPING_COMMANDS)
    if not held:
        return 0
    writer.resume()
    done = _quarantine_undecided(writer, held)
    writer.pause()
    return done


def quarantine_arrivals(store: Store) -> None:
    """Quarantine memories, as `quarantine_matches` does, if they or requests have arrived from other devices.

    The record tells what arrived, so that this also covers earlier passes that were interrupted. Memories that an undo
    of the person changed are excluded: it may have released them, on any device.
    """
    arrivals = store.sync.arrivals()
    if arrivals is None:
        return
    new = {request.place for request in store.forget_requests.page(MAX_REQUESTS)} - arrivals.known
    held = _memories_to_quarantine(store, arrivals.since, new, KEEPING_COMMANDS | {"undo"})
    with store.command("quarantine", Actor.SWEEP) as writer:
        _quarantine_undecided(writer, held)
        store.sync.forget_arrivals(writer)


def _quarantine_undecided(writer: Writer, memories: Collection[int]) -> int:
    """Quarantine those of these memories that the person has not decided on; return their number."""
    free = writer.where(
        "flag IS NULL AND life = 'live' AND review = 'open' AND NOT pinned AND given <> 'never'", sorted(memories)
    )
    return len(writer.update("memories", free, {"flag": ASKED}))


def _memories_to_quarantine(
    store: Store, since: int, new: Collection[tuple[int, int, int]], keeping: frozenset[str]
) -> set[int]:
    """Return the sure matches of the person's unseen requests, as `quarantine_matches` describes them.

    Memories with a command of the person in `keeping` are excluded.
    """
    unseen = [
        request for request in store.forget_requests.page(MAX_REQUESTS) if not request.seen and request.source != AGENT
    ]
    first = [request for request in unseen if request.place in new]
    others = [request for request in unseen if request.place not in new]
    changed = store.journal.changed_since(since) if others else []
    return _undecided_matches(store, first, None, keeping) | (
        _undecided_matches(store, others, tuple(changed), keeping) if changed else set()
    )


def _undecided_matches(
    store: Store, requests: Sequence[ForgetRequest], among: tuple[int, ...] | None, keeping: frozenset[str]
) -> set[int]:
    """Return the sure matches that the person has not decided to keep, of all memories or those in `among`."""
    if not requests:
        return set()
    undecided = Filter(reviews=(Review.OPEN,), flagged=False, pinned=False, among=among)
    found = _match_by_words(store, store.journal.seq(), tuple(request.words for request in requests), undecided)
    sure = sorted({memory.id for matches in found for memory in matches.sure})
    evidence, verbs = store.evidence_of(sure), store.journal.person_verbs(sure)
    held: set[int] = set()
    for request, matches in zip(requests, found, strict=True):
        for memory in matches.sure:
            quotes = evidence.get(memory.id, ())
            after = [
                quote
                for quote in quotes
                if quote.conversation != request.conversation or (quote.message or 0) > request.message
            ]
            last_said = (
                max((memory.created_at or 0, *(quote.said_at or 0 for quote in after))) if after or not quotes else 0
            )
            later = request.said_at is not None and last_said > request.said_at
            kept = not keeping.isdisjoint(verbs.get(memory.id, ()))
            if not (later or kept or memory.pinned or memory.quarantined or safety.states(memory.text)):
                held.add(memory.id)
    return held


def match_memory(store: Store, memory: Memory) -> list[ForgetRequest]:
    """Return the requests of the person that surely refer to a memory."""
    requests = [request for request in store.forget_requests.page(MAX_REQUESTS) if request.source != AGENT]
    words = tuple(sorted({request.words for request in requests}))
    found = _match_by_words(store, store.journal.seq(), words, Filter(among=(memory.id,))) if words else []
    sure = {said for said, matches in zip(words, found, strict=True) if matches.sure}
    return [request for request in requests if request.words in sure]


def match_forgotten(store: Store, requests: Sequence[str]) -> list[list[ForgottenMemory]]:
    """Return the sure matches of each request among forgotten memories, most likely first."""
    return [
        [
            ForgottenMemory(memory, None if (last := store.journal.last_life_change(memory.id)) is None else last.at)
            for memory in matches.sure
        ]
        for matches in _match_by_words(store, store.journal.seq(), tuple(requests), Filter(lives=(Life.FORGOTTEN,)))
    ]


def _match_by_meaning(store: Store, requests: Sequence[str]) -> list[list[Memory]]:
    """Return the memories close in meaning to each request, closest first."""
    from curator.errors import ModelError
    from curator.services.neighbours import nearest_stored
    from curator.services.search_session import open_search

    opened = open_search(store)
    if opened.embedder is None or not opened.embedder.fingerprint.by_meaning:
        return [[] for _ in requests]
    try:
        near = nearest_stored(store, opened.embedder, opened.embedder.embed(requests), Life.LIVE)
    except ModelError:  # the model's server went offline meanwhile; matches by words remain
        return [[] for _ in requests]
    ids = sorted({memory for row in near for memory, _ in row})
    memories = {memory.id: memory for memory in store.get_many(ids) if memory.life is Life.LIVE}
    nearest: list[list[Memory]] = []
    for request, row in zip(requests, near, strict=True):
        close = sorted((hit for hit in row if hit[1] >= _MIN_COSINE), key=lambda hit: (-hit[1], -hit[0]))
        asked = parse_request(request).words
        nearest.append([memories[memory] for memory, _ in close if asked and memory in memories])
    return nearest


@lru_cache(maxsize=2)
def _match_by_words(store: Store, _seq: int, requests: tuple[str, ...], memory_filter: Filter) -> list[RequestMatches]:
    """Match requests by words. Cached until the next journal event (`_seq`), since it reads many memories."""
    asked = [parse_request(words) for words in requests]
    titles = [" ".join(map(_searchable_prefix, request.words)) for request in asked]
    chats = [  # memories of chats whose title contains all words
        {quote.memory for chat in store.raw.conversation_ids(words=title) for quote in store.raw.quotes(chat)}
        if title
        else set()
        for title in titles
    ]
    titled = set[int]().union(*chats)
    if memory_filter.among is not None:
        titled.intersection_update(memory_filter.among)
    in_chats = memories_of_chats(store, requests)
    spanned = frozenset[int]().union(*(chat.spanned for chat in in_chats.values()))
    if memory_filter.among is not None:
        spanned &= set(memory_filter.among)
    titled |= spanned
    fitting = store.list_ids(replace(memory_filter, among=tuple(sorted(titled)))) if titled else []
    matched: list[list[tuple[int, Memory]]] = [[] for _ in asked]
    ids = sorted({*_candidate_ids(store, asked, memory_filter), *fitting})
    for start in range(0, len(ids), _BLOCK):
        for memory in store.get_many(ids[start : start + _BLOCK]):
            for words, request, some, matches in zip(requests, asked, chats, matched, strict=True):
                stated = count_stated(request, memory.text)
                if (
                    stated
                    or memory.id in some
                    or (memory.id in spanned and words in in_chats and memory.id in in_chats[words].spanned)
                ):
                    matches.append((stated, memory))
    return [
        _grade_matches(store, request, matches, in_chats.get(words, _InChats()))
        for words, request, matches in zip(requests, asked, matched, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _InChats:
    """Memories that the chats of a request say: in its very span, and shortly before it.

    `near` is empty unless the chat up to the request contains all of its words. `asked_at` is when it was last made.
    """

    spanned: frozenset[int] = frozenset()
    near: frozenset[int] = frozenset()
    asked_at: int | None = None


def memories_of_chats(store: Store, requests: Collection[str]) -> dict[str, _InChats]:
    """Return, by request, the memories that its chats say. Each chat is read once, however many requests it has."""
    wanted = set(requests)
    by_chat: dict[int, list[ForgetRequest]] = {}
    for request in store.forget_requests.page(MAX_REQUESTS) if wanted else ():
        if request.words in wanted:
            by_chat.setdefault(request.conversation, []).append(request)
    by_request: dict[str, _InChats] = {}
    for chat, asked in by_chat.items():
        messages = store.raw.messages(chat)
        quoted: dict[int | None, list[Evidence]] = {}
        for quote in store.raw.quotes(chat):
            quoted.setdefault(quote.message, []).append(quote)
        said_words, place = set(tokens(asked[0].title or "")), 0
        for request in sorted(asked, key=lambda request: request.message):
            while place < len(messages) and messages[place].id < request.message:
                said_words |= tokens(messages[place].text) if messages[place].role is Role.USER else set()
                place += 1
            here = quoted.get(request.message, ())
            spanned = [quote.memory for quote in here if quote.start < request.end and request.start < quote.end]
            last = messages[max(place - _RECENT_MESSAGES, 0) : place]
            is_said = said_words.issuperset(parse_request(request.words).words)
            near = [quote.memory for message in last for quote in quoted.get(message.id, ())] if is_said else []
            former = by_request.get(request.words, _InChats())
            dated = messages[place].created_at if place < len(messages) else None  # not the day of the chat
            asked_at = max(filter(None, (former.asked_at, dated)), default=None)
            by_request[request.words] = _InChats(former.spanned.union(spanned), former.near.union(near), asked_at)
    return by_request


def _grade_matches(
    store: Store, request: Request, matches: Iterable[tuple[int, Memory]], chats: _InChats
) -> RequestMatches:
    likely = sorted(matches, key=lambda match: (-match[0], -match[1].id))[:_MAX_GRADED]
    evidence = store.evidence_of([memory.id for _, memory in likely])
    sure: list[Memory] = []
    doubtful: list[DoubtfulMatch] = []
    for _, memory in likely:
        quotes = evidence.get(memory.id, [])
        titles = list(dict.fromkeys(quote.title or "" for quote in quotes))
        certainty, why = match_text(request, memory.text, titles)
        asked_at = chats.asked_at
        is_later = asked_at is not None and all(quote.said_at and quote.said_at > asked_at for quote in quotes)
        if certainty is Certainty.SURE and quotes and is_later:
            certainty, why = Certainty.DOUBTFUL, "said after you asked"
        is_said = memory.id in chats.spanned and not is_order(memory.text)  # "never keep anything about patients"
        if certainty is Certainty.SURE or is_said:
            sure.append(memory)
        elif certainty is Certainty.DOUBTFUL:
            doubtful.append(DoubtfulMatch(memory, why))
    if not sure:
        near = [memory for _, memory in likely if memory.id in chats.near]
        sure = [memory for memory in near if states_subject(request, memory.text)]
        doubtful = [match for match in doubtful if match.memory not in sure]
    return RequestMatches(tuple(sure[:_MAX_SURE]), tuple(doubtful[:MAX_DOUBTFUL]))


def _searchable_prefix(word: str) -> str:
    """Return the prefix common to all forms of a stem: without a final y ("cities") or any "ss" ("Straße")."""
    return word.removesuffix("y").partition("ss")[0]


def _candidate_ids(store: Store, asked: Sequence[Request], memory_filter: Filter) -> list[int]:
    """Return the memories that may state a word of a request, found by SQLite, which releases the GIL.

    SQLite can only search for words of ASCII letters: if a request has any other word, all memories are returned.
    """
    words = frozenset[str]().union(*(request.accepted for request in asked))
    if any(
        not (word.isascii() and word.isalpha() and _searchable_prefix(word))
        for request in asked
        for word in request.words
    ):
        return store.list_ids(memory_filter)
    begun = sorted(
        {_searchable_prefix(word) for word in words if word.isascii()}.union(*(request.signs for request in asked))
    )
    return sorted({memory for part in begun for memory in store.list_ids(replace(memory_filter, words=(part,)))})
