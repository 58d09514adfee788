"""Candidates of a query: memories found by words, by surrounding words and by vectors, with their ranking features."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from curator import attributes
from curator.models import Embedder
from curator.recall.always_given import hidden_reason, memories_stating_attributes, safety_facts
from curator.recall.corrections import correct_spelling, corrected_query
from curator.recall.named_people import names_of_mentioned, with_names
from curator.recall.prompt_subjects import PromptSubjects, has_examples, prompt_subjects
from curator.recall.types import OmissionKind
from store import Filter, Store
from store.model import Given, Outline

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from curator.recall.features import Sheet
    from store.index import Index, Scored

    Vector = NDArray[np.float32]

QUERY_CHARACTERS = 1_000  # characters of a query that are used
_HIDDEN = 20  # maximum hidden candidates, which are reported as omitted and affect the z-scores of the others
_THREADS = ThreadPoolExecutor(2, "recall")  # of word searches; two help, since SQLite and LanceDB release the GIL


@dataclass(frozen=True, slots=True)
class CandidateOptions:
    """Options of a search for candidates: the maximum of each of the three searches, and the time in microseconds.

    `for_model` hides quarantined memories. If `is_prompt`, the query is embedded as a prompt to a model.
    """

    reach: int
    now: int
    for_model: bool
    is_prompt: bool


def sheets_of(
    store: Store,
    index: "Index",
    embedder: Embedder | None,
    queries: Sequence[tuple[str, Filter]],
    options: CandidateOptions,
) -> "Iterator[tuple[Sheet, dict[int, Vector]]]":
    """Yield, for each query, the ranking features of its candidates and their vectors.

    The queries are embedded in one batch. The word search of the next query runs while a query is embedded or ranked.
    """
    if embedder is not None and embedder.fingerprint != index.fingerprint:
        raise ValueError(f"the index is for {index.fingerprint.label}, not {embedder.fingerprint.label}")
    cut = [(query.strip()[:QUERY_CHARACTERS], memory_filter) for query, memory_filter in queries]
    searches = (CandidateSearch(store, index, embedder, query, memory_filter, options) for query, memory_filter in cut)
    started = deque(islice(searches, 1))
    vectors = queries_as_searches = None
    if embedder is not None:
        texts = [query for query, _ in cut]
        vectors = embedder.embed_prompt(texts) if options.is_prompt else embedder.embed_query(texts)
        if has_examples(embedder):
            queries_as_searches = embedder.embed_query(texts) if options.is_prompt else vectors
    for place, (query, memory_filter) in enumerate(cut):
        started.extend(islice(searches, 1))
        candidates = started.popleft().run(
            vectors[place] if vectors is not None and query else None,
            queries_as_searches[place] if queries_as_searches is not None and query else None,
        )
        yield sheet_from(store, index, candidates, memory_filter.scopes, options.now)


class Ways(NamedTuple):
    """The (id, score) of the memories that each search found, best first."""

    text: "Scored"
    context: "Scored"
    vector: "Scored"

    def ids(self) -> list[int]:
        """Return the ids of all memories found."""
        return list(dict.fromkeys(memory_id for way in self for memory_id, _ in way))

    def each(self, change: "Callable[[Scored], Scored]") -> "Ways":
        """Return the results of each search, changed."""
        return Ways(change(self.text), change(self.context), change(self.vector))


@dataclass(frozen=True, slots=True)
class Candidates:
    """Memories found for a query. `live` has the outlines of all of them; other fields are those of `Sheet`."""

    query: str  # with the words meant by misspelt ones
    vector: "Vector | None"
    ways: Ways
    live: Mapping[int, Outline]
    hidden: Mapping[int, OmissionKind]
    urgent: Sequence[Outline]
    stating: Sequence[Outline]
    stated_ranks: Sequence[int]
    also: Mapping[str, Sequence[str]]
    called: Mapping[str, Sequence[str]]
    unrelated: bool


class CandidateSearch:
    """Searches candidates of one query; the word searches run in threads from the start.

    Hidden memories do not displace candidates: searches return some more, and are repeated without hidden memories if
    they find many of them.
    """

    def __init__(
        self,
        store: Store,
        index: "Index",
        embedder: Embedder | None,
        query: str,
        memory_filter: Filter,
        options: CandidateOptions,
    ) -> None:
        self._store, self._index, self._embedder = store, index, embedder
        self._query, self._filter, self._options = query, memory_filter, options
        self._wide = options.reach + _HIDDEN
        self._live = dict[int, Outline]()
        self._started = self._start_word_searches(query, memory_filter)

    def run(self, vector: "Vector | None", as_search: "Vector | None") -> Candidates:
        """Return the candidates.

        `vector` is that of the query; `as_search` is its vector as a search, to compare with examples of subjects.
        """
        store, index, now, for_model = self._store, self._index, self._options.now, self._options.for_model
        near = [] if vector is None else index.search_vector(vector, self._filter, self._wide)
        ways = self._ways(self._started, near)
        query, memory_filter = self._query, self._filter
        also = correct_spelling(index, self._embedder, query, memory_filter, self._live.values(), for_model)
        visible = (memory.text for memory in self._live.values() if hidden_reason(memory, now, for_model) is None)
        called = names_of_mentioned(query, visible) if for_model else {}
        if also or called:
            query, vector, ways = self._search_again(vector, ways, also, called)
        about = prompt_subjects(query, as_search) if for_model else PromptSubjects(())
        urgent = safety_facts(store, index, query, about.subjects, memory_filter, now)
        names = attributes.asked(query) if for_model else attributes.asked_of_self(query)
        of_person = memory_filter if for_model or memory_filter.scopes else memory_filter.within(("global",))
        stating = memories_stating_attributes(store, index, names, of_person, now)
        ranks = attributes.ranks_of_stated([(memory.text, memory.said_order) for memory in stating], names)
        ways, hidden = self._replace_hidden(query, vector, ways)
        self._live |= {outline.id: outline for outline in (*urgent, *stating)}
        return Candidates(
            query, vector, ways, self._live, hidden, urgent, stating, ranks, also, called, about.unrelated
        )

    def _search_again(
        self,
        vector: "Vector | None",
        ways: Ways,
        also: Mapping[str, Sequence[str]],
        called: Mapping[str, Sequence[str]],
    ) -> "tuple[str, Vector | None, Ways]":
        """Search with the words meant by misspelt ones, and the names of people that the query mentions."""
        query, near, for_model = with_names(self._query, called), ways.vector, self._options.for_model
        if vector is not None and self._embedder is not None and (called or not for_model):
            meant = query if for_model else corrected_query(query, also)  # "alergic" is similar to anything
            embed = self._embedder.embed_prompt if self._options.is_prompt else self._embedder.embed_query
            (vector,) = embed([meant])
            near = self._index.search_vector(vector, self._filter, self._wide)
        query = " ".join((query, *(word for words in also.values() for word in words)))
        return query, vector, self._ways(self._start_word_searches(query, self._filter), near)

    def _replace_hidden(
        self, query: str, vector: "Vector | None", ways: Ways
    ) -> "tuple[Ways, dict[int, OmissionKind]]":
        """Return the best results, with others in the place of hidden ones, and some hidden ones with the reason."""
        options, wide = self._options, self._wide
        reasons = {
            memory_id: reason
            for memory_id, memory in self._live.items()
            if (reason := hidden_reason(memory, options.now, options.for_model)) is not None
        }
        best = ways.each(lambda way: way[: options.reach])
        hidden = dict(islice(((each, reasons[each]) for each in best.ids() if each in reasons), _HIDDEN))
        if not hidden:
            return best, {}
        visible = ways.each(lambda way: [hit for hit in way if hit[0] not in reasons][: options.reach])
        if any(len(way) == wide and len(rest) < options.reach for way, rest in zip(ways, visible, strict=True)):
            allowed = replace(self._filter, unexpired_at=options.now)
            if options.for_model:
                given = self._filter.given or (Given.ALWAYS, Given.RELEVANT)
                allowed = replace(allowed, quarantine=False, given=given)
            started = self._start_word_searches(query, allowed)
            near = [] if vector is None else self._index.search_vector(vector, allowed, options.reach)
            visible = self._ways(started, near, options.reach)
        both = (
            sorted([*rest, *(hit for hit in former if hit[0] in hidden)], key=lambda hit: -hit[1])
            for rest, former in zip(visible, best, strict=True)
        )
        return Ways._make(both), hidden

    def _start_word_searches(self, query: str, memory_filter: Filter) -> "tuple[Future[Scored], Future[Scored]]":
        def start(column: str) -> "Future[Scored]":
            return _THREADS.submit(self._index.search_text, query, memory_filter, self._wide, column)

        return start("text"), start("context")

    def _ways(self, started: "tuple[Future[Scored], Future[Scored]]", near: "Scored", most: int | None = None) -> Ways:
        """Return at most `most` memories of each search, having read those that are live."""
        text, context = started
        ways = Ways(text.result(), context.result(), near).each(lambda way: way[:most])
        self._live |= self._index.record.outlines(ways.ids())
        return ways


def sheet_from(
    store: Store, index: "Index", candidates: Candidates, scopes: Sequence[str], now: int
) -> "tuple[Sheet, dict[int, Vector]]":
    """Return the ranking features of candidates, and their vectors."""
    import numpy as np

    from curator.config import settings
    from curator.recall.features import Sheet, parse_query

    urgent, stating = ([memory.id for memory in outlines] for outlines in (candidates.urgent, candidates.stating))
    every = dict.fromkeys([*candidates.ways.ids(), *urgent, *stating])
    ids = [memory_id for memory_id in every if memory_id in candidates.live]
    rows = _unit_rows(index.record.vectors(ids))
    cosine = None
    if candidates.vector is not None and rows:
        (query_row,) = _unit_rows({0: candidates.vector.astype(np.float32).tobytes()}).values()
        known = dict(zip(rows, np.vecdot(np.stack(list(rows.values())), query_row).tolist(), strict=True))
        lowest = min(known.values())
        cosine = np.array([known.get(memory_id, lowest) for memory_id in ids], np.float64)
    ranks = [{memory_id: rank for rank, (memory_id, _) in enumerate(way, 1)} for way in candidates.ways]
    text_rank, context_rank, vector_rank = ranks

    def column(values: dict[int, float] | dict[int, int]) -> "NDArray[np.float64]":
        return np.array([values.get(memory_id, 0) for memory_id in ids], np.float64)

    sheet = Sheet(
        memories=[candidates.live[memory_id] for memory_id in ids],
        text=column(dict(candidates.ways.text)),
        context=column(dict(candidates.ways.context)),
        text_rank=column(text_rank),
        context_rank=column(context_rank),
        vector_rank=column(vector_rank),
        cosine=cosine,
        warmth=column(store.recalls.warmth(ids)),
        question=parse_query(candidates.query, now, scopes),
        now=now,
        lexical=not index.fingerprint.by_meaning,
        used_at=column({memory_id: used.last_at or 0 for memory_id, used in store.recalls.uses(ids).items()}),
        decay=settings().recall.decay,
        hidden=candidates.hidden,
        urgent=frozenset(urgent),
        stating=dict(zip(stating, candidates.stated_ranks, strict=True)),
        also=candidates.also,
        called=candidates.called,
        unrelated=candidates.unrelated,
    )
    return sheet, rows


def _unit_rows(vectors: Mapping[int, bytes]) -> "dict[int, Vector]":
    """Return the vectors normalized to length 1."""
    import numpy as np

    if not vectors:
        return {}
    rows = np.frombuffer(b"".join(vectors.values()), np.float32).reshape(len(vectors), -1)
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return dict(zip(vectors, rows / lengths, strict=True))
