"""Relate candidates to the nearest stored memories, live or forgotten, and to memories that quote the same passage.

This is slow, and takes no lock.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.compare import HARD_GUARDS, Verdict, differences, relate
from curator.conflicts import adds_nothing, may_merge_texts, pair_classifier
from curator.curation.forgotten_match import RETOLD, MatchCertainty, keys_around, match_texts, tells_retellings
from curator.curation.names import scope_of
from curator.distill.candidate import Candidate
from curator.models import Embedder
from curator.services.search_session import open_index
from curator.text import plain_words, tokens
from curator.text.dates import comparable
from store import Filter, Store, Unusable
from store.model import Channel, Conversation, Evidence, Life, Memory, Origin, Review
from store.record.repository import grouped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NEAREST = 5
_VECTORS_PER_SEARCH = 2_000  # reading this many vectors takes as long as one search of the index
_WORTH_RELATING = 0.5  # cosine; measured: paraphrases start near 0.49
_MIN_OVERLAP = 2 / 3  # of the longer of two quotes that count as the same passage


@dataclass(frozen=True, slots=True)
class Distiller:
    """Source of candidates. `name` includes version and model, and is stored with the results."""

    name: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class SourcedCandidate:
    """A candidate with the conversation it comes from."""

    candidate: Candidate
    conversation: Conversation
    channel: Channel

    @property
    def scope(self) -> str:
        """The scope in which the candidate holds."""
        candidate = self.candidate
        return scope_of(self.conversation, candidate.kind, candidate.text, candidate.everywhere, candidate.in_project)

    @property
    def said_at(self) -> int | None:
        """When it was said, if known."""
        return self.candidate.said_at or self.conversation.created_at

    def cites(self, quote: Evidence) -> bool:
        """Return True if the candidate's quote and another quote of the same message largely overlap."""
        own = self.candidate
        common = min(quote.end, own.end) - max(quote.start, own.start)
        return common >= _MIN_OVERLAP * max(quote.end - quote.start, own.end - own.start, 1)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A known text near a candidate, and the candidate's relation to it.

    The text is that of a stored memory (`memory_id`), or of an earlier candidate of the batch (`index`). `equal`: both
    have the same words. `holds`: the text says everything that the candidate says, in its words. `covers`: the
    candidate adds nothing, possibly in other words. `match` is the certainty that the candidate repeats this forgotten
    memory.
    """

    verdict: Verdict
    cosine: float
    scope: str
    holds: bool
    equal: bool
    covers: bool
    match: MatchCertainty | None
    memory_id: int | None = None
    index: int | None = None


@dataclass(frozen=True, slots=True)
class CandidateComparison:
    """Result of a comparison; all lists and `same_passage` are indexed by candidate.

    `switches` are the cosines with the preceding candidates, `same_passage` the memories that quote the same passage.
    `around` are the content keys of the text around each candidate (`keys_around`); empty if nothing is forgotten.
    """

    store: Store
    embedder: Embedder
    distiller: Distiller
    candidates: Sequence[SourcedCandidate]
    vectors: "NDArray[np.float32]"
    neighbours: list[list[Neighbour]]
    switches: list[float | None]
    same_passage: dict[int, int]
    around: Sequence[set[str]]


def compare(
    store: Store,
    embedder: Embedder,
    candidates: Sequence[SourcedCandidate],
    distiller: Distiller,
    progress: Callable[[float], None] = lambda share: None,
) -> CandidateComparison:
    """Embed candidates and relate them to each other and to live and forgotten memories. Takes no lock.

    `progress` is called with the share of the work done, from 0 to 1.
    """
    embedding = 0.55  # share of the time, with the built-in model
    vectors = embedder.embed(
        [sourced.candidate.text for sourced in candidates],
        lambda made: progress(embedding * made / max(len(candidates), 1)),
    )
    neighbours = _relate_all(
        store,
        embedder,
        candidates,
        vectors,
        lambda related: progress(embedding + (1 - embedding) * related / len(candidates)),
    )
    passages = _same_passages(store, candidates, neighbours) if distiller.origin is Origin.MODEL else {}
    quotes = [sourced.candidate for sourced in candidates]
    messages = store.raw.visible_messages(sorted({own.message for own in quotes})) if store.tombstones.any() else {}
    texts = [messages[own.message].text if own.message in messages else "" for own in quotes]
    around = [
        keys_around(text, own.start, own.end) if text[own.start : own.end] == own.quote else set[str]()
        for text, own in zip(texts, quotes, strict=True)
    ]
    switches = list(_topic_switch_cosines(candidates, vectors))
    return CandidateComparison(store, embedder, distiller, candidates, vectors, neighbours, switches, passages, around)


def nearest_stored(
    store: Store, embedder: Embedder, vectors: "NDArray[np.float32]", life: Life
) -> list[list[tuple[int, float]]]:
    """Return the nearest stored memories of each vector as (id, cosine), nearest first.

    Vectors are read in blocks, which bounds memory use. For few vectors and live memories the index is searched
    instead, since reading a million vectors takes 5 s.
    """
    import numpy as np

    if life is Life.LIVE and len(vectors) * _VECTORS_PER_SEARCH < store.count(Filter()):
        with suppress(Unusable):  # without an index, all vectors are read below
            index = open_index(store, embedder.fingerprint)
            near = [index.search_vector(row, Filter(), _NEAREST) for row in vectors]
            return [[hit for hit in hits if hit[1] >= _WORTH_RELATING] for hits in near]
    best: list[list[tuple[int, float]]] = [[] for _ in vectors]
    for ids, data in store.vectors.blocks(embedder.fingerprint, life=life):
        block = np.frombuffer(data, np.float32).reshape(len(ids), -1)
        cosines = vectors @ block.T
        few = min(_NEAREST, len(ids))
        top = np.argpartition(-cosines, few - 1, axis=1)[:, :few]
        for row, columns in enumerate(top):
            hits = [(ids[column], float(cosines[row, column])) for column in columns]
            close = [hit for hit in hits if hit[1] >= (RETOLD if life is Life.FORGOTTEN else _WORTH_RELATING)]
            if close:
                best[row] = sorted(best[row] + close, key=lambda hit: -hit[1])[:_NEAREST]
    return best


def _relate_all(
    store: Store,
    embedder: Embedder,
    candidates: Sequence[SourcedCandidate],
    vectors: "NDArray[np.float32]",
    progress: Callable[[int], None],
) -> list[list[Neighbour]]:
    """Relate each candidate to the nearest live and forgotten memories and to the nearest earlier candidates."""
    live, forgotten = (nearest_stored(store, embedder, vectors, life) for life in (Life.LIVE, Life.FORGOTTEN))
    stored = [[*some, *more] for some, more in zip(live, forgotten, strict=True)]
    memories = {
        memory.id: memory for memory in store.get_many(sorted({memory_id for near in stored for memory_id, _ in near}))
    }
    similar, retold = vectors @ vectors.T, tells_retellings(embedder)
    neighbours: list[list[Neighbour]] = []
    for index, sourced in enumerate(candidates):
        near = [
            _relate(
                memory.text,
                memory.created_at,
                memory.scope,
                sourced,
                cosine,
                memory=memory,
                retold=retold,
            )
            for memory_id, cosine in stored[index]
            if (memory := memories.get(memory_id)) is not None
        ]
        earlier = similar[index, :index]
        for other in sorted((-earlier).argsort()[:_NEAREST].tolist()):
            if earlier[other] >= _WORTH_RELATING:
                before, cosine = candidates[other], float(earlier[other])
                near.append(_relate(before.candidate.text, before.said_at, before.scope, sourced, cosine, index=other))
        neighbours.append(near)
        progress(len(neighbours))
    return neighbours


def _relate(
    text: str,
    said_at: int | None,
    scope: str,
    sourced: SourcedCandidate,
    cosine: float,
    *,
    memory: Memory | None = None,
    index: int | None = None,
    retold: bool = False,
) -> Neighbour:
    """Relate a candidate to a known text. If either time is unknown, their order is unknown.

    `retold` is True if the embedder's cosine can detect free retellings of forgotten memories.
    """
    text, own = comparable(text, sourced.candidate.text)
    order = None if said_at is None or sourced.said_at is None else (said_at, sourced.said_at)
    verdict = relate(text, own, cosine, order)
    equal = plain_words(text) == plain_words(own)
    holds = equal or (may_merge_texts(text, own, verdict, cosine) and tokens(own) <= tokens(text))
    match = None
    if memory is not None and memory.life is Life.FORGOTTEN:
        uses_cosine = retold and memory.review is not Review.REJECTED
        match = match_texts(text, own, verdict, cosine if uses_cosine else 0.0, pair_classifier)
    return Neighbour(
        verdict,
        cosine,
        scope,
        holds,
        equal,
        equal or adds_nothing(text, own, verdict),
        match,
        None if memory is None else memory.id,
        index,
    )


def _topic_switch_cosines(
    candidates: Sequence[SourcedCandidate], vectors: "NDArray[np.float32]"
) -> Iterator[float | None]:
    """Yield the cosine of each candidate with the mean of up to three preceding candidates of its conversation.

    Yield None for the first candidate of a conversation. Candidates represent their messages: embedding all messages
    would cost ten times as much.
    """
    for index, sourced in enumerate(candidates):
        before = [
            other
            for other in range(max(0, index - 3), index)
            if candidates[other].conversation.id == sourced.conversation.id
        ]
        if not before:
            yield None
        else:
            mean = vectors[before].mean(axis=0)
            norm = float((mean @ mean) ** 0.5)
            yield float(vectors[index] @ mean) / norm if norm else None


def _same_passages(
    store: Store, candidates: Sequence[SourcedCandidate], neighbours: Sequence[Sequence[Neighbour]]
) -> dict[int, int]:
    """Return by candidate the memory that cites the same passage, unless a hard guard tells them apart.

    A passage may contain several statements: of the candidates that match a memory, only the most similar one is taken.
    A forgotten memory matches all candidates of its passage.
    """
    conversations = {sourced.conversation.id for sourced in candidates}
    quotes = grouped((quote.message, quote) for each in conversations for quote in store.raw.quotes(each))
    ids = sorted({quote.memory for same_message in quotes.values() for quote in same_message})
    memories = {memory.id: memory for memory in store.get_many(ids)}
    forgotten = store.tombstones.among(list(memories))
    texts = {  # expired or evicted memories may be distilled again
        memory_id: memory.text
        for memory_id, memory in memories.items()
        if memory_id in forgotten or memory.life in (Life.LIVE, Life.SUPERSEDED)
    }
    pairs: list[tuple[float, int, int]] = []
    for index, sourced in enumerate(candidates):
        own = sourced.candidate
        if any(near.holds for near in neighbours[index]):
            continue
        cited = {quote.memory for quote in quotes.get(own.message, ()) if sourced.cites(quote)}
        for memory_id in cited & texts.keys():
            guards = {difference.guard for difference in differences(texts[memory_id], own.text)}
            if memory_id in forgotten or guards.isdisjoint(HARD_GUARDS):
                pairs.append((relate(texts[memory_id], own.text).duplicate_score, index, memory_id))
    chosen: dict[int, int] = {}
    for _, index, memory_id in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        if index not in chosen and (memory_id in forgotten or memory_id not in chosen.values()):
            chosen[index] = memory_id
    return chosen
