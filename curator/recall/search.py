"""Search over memories: candidates by words, by surrounding words and by vectors, ranked by a preset."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from curator import attributes
from curator.models import Embedder
from curator.recall.always_given import hidden_reason, memories_stating_attributes, safety_facts
from curator.recall.corrections import LETTERS, correct_spelling, corrected_query
from curator.recall.named_people import names_of_mentioned, with_names
from curator.recall.phrases import has_all, phrases_of, without_quotes
from curator.recall.prompt_subjects import PromptSubjects, has_examples, prompt_subjects
from curator.recall.types import Hit, Omission, SearchOptions, SearchResult
from store import Filter, Store, clock
from store.model import Given, Life, Outline

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from curator.recall.features import Sheet
    from curator.recall.presets import Recipe
    from store.index import Index, Scored


QUERY_CHARACTERS = 1_000  # characters of a query that are used
BLOCK_GAP = 5.0
"""Maximum distance from the best score of a memory in a block, for the preset `curator`.

Searches by a person show lower scores too.
"""
BLOCK_HITS = 20
"""Maximum memories considered for a block."""
_FEW = 10  # default number of hits
_POOL = 100  # candidates from each of the three searches
_HELD = 20  # maximum hidden candidates, which are reported as omitted and affect the z-scores of the others
_THREADS = ThreadPoolExecutor(2, "recall")  # of word searches; two help, since SQLite and LanceDB release the GIL


def scopes_for(project: str | None, session: str | None, everywhere: bool = True) -> tuple[str, ...]:
    """Return the scopes of a project and a conversation, with the global one unless `everywhere` is false."""
    given = {"project": project, "session": session}
    named = tuple(f"{kind}:{name}" for kind, name in given.items() if name is not None)
    return ("global", *named) if everywhere else named


def find(
    store: Store,
    index: "Index",
    embedder: Embedder | None,
    query: str,
    filter: Filter,
    options: SearchOptions = SearchOptions(),
) -> SearchResult:
    """Return the result of one query; see `find_many`."""
    return next(find_many(store, index, embedder, [(query, filter)], options))


def find_many(
    store: Store,
    index: "Index",
    embedder: Embedder | None,
    queries: Sequence[tuple[str, Filter]],
    options: SearchOptions,
) -> Iterator[SearchResult]:
    """Yield the results of several queries, in order. The queries are embedded in one batch.

    Without an embedder, only words are searched. With `options.phrases`, quoted phrases must match literally. Queries
    are truncated to 1,000 characters. Raises ValueError if the index contains vectors of another embedder.
    """
    reach = max(_POOL, 2 * _limit(options))
    literal = [phrases_of(query) if options.phrases else () for query, _ in queries]
    asked = [
        (
            without_quotes(query),
            memory_filter if memory_filter.words else replace(memory_filter, words=(max(phrases, key=len),)),
        )
        if phrases
        else (query, memory_filter)
        for (query, memory_filter), phrases in zip(queries, literal, strict=True)
    ]
    is_prompt = _recipe(options).block
    sheets = sheets_of(store, index, embedder, asked, reach, options.now, options.for_model, is_prompt)
    for (query, _), phrases, (sheet, vectors) in zip(asked, literal, sheets, strict=True):
        yield select_hits(store, sheet, vectors, query, options, phrases)


def sheets_of(
    store: Store,
    index: "Index",
    embedder: Embedder | None,
    queries: Sequence[tuple[str, Filter]],
    reach: int = _POOL,
    now: int | None = None,
    for_model: bool = False,
    prompts: bool = False,
) -> "Iterator[tuple[Sheet, dict[int, NDArray[np.float32]]]]":
    """Yield, for each query, the ranking features of its candidates and their vectors.

    Each of the searches returns up to `reach` candidates. The word search of the next query runs while a query is
    embedded or ranked. Expired memories (and, with `for_model`, quarantined ones) do not displace candidates: searches
    return some more, and are repeated without hidden memories if they find many of them. With `prompts`, the queries
    are prompts to a model.
    """
    if embedder is not None and embedder.fingerprint != index.fingerprint:
        raise ValueError(f"the index is for {index.fingerprint.label}, not {embedder.fingerprint.label}")
    moment = clock.now() if now is None else now
    compared = embedder is not None and has_examples(embedder)
    cut = [(query.strip()[:QUERY_CHARACTERS], memory_filter) for query, memory_filter in queries]
    wide = reach + _HELD

    def by_words(query: str, memory_filter: Filter) -> "Sequence[Future[Scored]]":
        return [
            _THREADS.submit(index.search_text, query, memory_filter, wide, column) for column in ("text", "context")
        ]

    ahead = by_words(*cut[0]) if cut else ()
    texts = [query for query, _ in cut]
    wanted = embedded = None
    if embedder is not None:
        wanted = embedder.embed_prompt(texts) if prompts else embedder.embed_query(texts)
        embedded = embedder.embed_query(texts) if prompts and compared else wanted
    for number, (query, memory_filter) in enumerate(cut):
        words, ahead = ahead, by_words(*cut[number + 1]) if number + 1 < len(cut) else ()
        vector = wanted[number] if wanted is not None and query else None
        near = [] if vector is None else index.search_vector(vector, memory_filter, wide)
        ways = [*(way.result() for way in words), near]
        live = index.record.outlines(_numbers(ways))
        also = correct_spelling(index, embedder, query, memory_filter, live.values(), for_model)
        told = (one.text for one in live.values() if hidden_reason(one, moment, for_model) is None)
        called = names_of_mentioned(query, told) if for_model else {}
        if also or called:
            query = with_names(query, called)
            if vector is not None and embedder is not None and (called or not for_model):
                meant = query if for_model else corrected_query(query, also)  # "alergic" is similar to anything
                (vector,) = embedder.embed_prompt([meant]) if prompts else embedder.embed_query([meant])
                near = index.search_vector(vector, memory_filter, wide)
            query = " ".join((query, *(word for words in also.values() for word in words)))
            ways = [*(way.result() for way in by_words(query, memory_filter)), near]
            live |= index.record.outlines(_numbers(ways))
        found = [way[:reach] for way in ways]
        alike = embedded[number] if embedded is not None and compared and query else None
        about = prompt_subjects(query, alike) if for_model else PromptSubjects(())
        urgent = safety_facts(store, index, query, about.subjects, memory_filter, moment)
        names = attributes.asked(query) if for_model else attributes.asked_of_self(query)
        of_person = memory_filter if for_model or memory_filter.scopes else memory_filter.within(("global",))
        stating = memories_stating_attributes(store, index, names, of_person, moment)
        ranks = attributes.ranks_of_stated([(one.text, one.said_order) for one in stating], names)
        hidden = {
            number: reason for number in live if (reason := hidden_reason(live[number], moment, for_model)) is not None
        }
        held = dict(islice(((number, hidden[number]) for number in _numbers(found) if number in hidden), _HELD))
        if held:
            again = [[hit for hit in way if hit[0] not in hidden][:reach] for way in ways]
            if any(len(way) == wide and len(rest) < reach for way, rest in zip(ways, again, strict=True)):
                allowed = replace(memory_filter, unexpired_at=moment)
                if for_model:
                    allowed = replace(
                        allowed, quarantine=False, given=memory_filter.given or (Given.ALWAYS, Given.RELEVANT)
                    )
                again = [way.result()[:reach] for way in by_words(query, allowed)]
                again.append([] if vector is None else index.search_vector(vector, allowed, reach))
                live |= index.record.outlines(_numbers(again))
            found = [
                sorted([*way, *(hit for hit in former if hit[0] in held)], key=lambda hit: -hit[1])
                for way, former in zip(again, found, strict=True)
            ]
        live |= {outline.id: outline for outline in (*urgent, *stating)}
        candidates = _Candidates(
            query, vector, found, live, held, urgent, stating, ranks, also, called, about.unrelated
        )
        yield _sheet(store, index, candidates, memory_filter.scopes, moment)


def _numbers(found: "Sequence[Scored]") -> list[int]:
    return list(dict.fromkeys(number for way in found for number, _ in way))


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Memories found for a query; `ways` are the (id, score) of the searches by words, by context and by vectors."""

    query: str  # with the words meant by misspelt ones
    vector: "NDArray[np.float32] | None"
    ways: "Sequence[Scored]"
    live: Mapping[int, Outline]
    held: Mapping[int, str]
    urgent: Sequence[Outline]
    stating: Sequence[Outline]
    ranks: Sequence[int]  # of those stating
    also: Mapping[str, Sequence[str]]
    called: Mapping[str, Sequence[str]]
    unrelated: bool  # to the subjects of safety facts


def _sheet(
    store: Store, index: "Index", candidates: _Candidates, scopes: Sequence[str], now: int
) -> "tuple[Sheet, dict[int, NDArray[np.float32]]]":
    import numpy as np

    from curator.config import settings
    from curator.recall.features import Sheet, parse_query

    urgent, stating = ([one.id for one in outlines] for outlines in (candidates.urgent, candidates.stating))
    ids = [one for one in dict.fromkeys([*_numbers(candidates.ways), *urgent, *stating]) if one in candidates.live]
    rows = _unit_rows(index.record.vectors(ids))
    cosine = None
    if candidates.vector is not None and rows:
        (query_row,) = _unit_rows({0: candidates.vector.astype(np.float32).tobytes()}).values()
        known = dict(zip(rows, np.vecdot(np.stack(list(rows.values())), query_row).tolist(), strict=True))
        lowest = min(known.values())
        cosine = np.array([known.get(number, lowest) for number in ids], np.float64)
    text, context, _ = (dict(way) for way in candidates.ways)
    ranks = [{number: rank for rank, (number, _) in enumerate(way, 1)} for way in candidates.ways]
    warmth = store.recalls.warmth(ids)

    def column(values: dict[int, float] | dict[int, int]) -> "NDArray[np.float64]":
        return np.array([values.get(number, 0) for number in ids], np.float64)

    sheet = Sheet(
        memories=[candidates.live[number] for number in ids],
        text=column(text),
        context=column(context),
        text_rank=column(ranks[0]),
        context_rank=column(ranks[1]),
        vector_rank=column(ranks[2]),
        cosine=cosine,
        warmth=column(warmth),
        question=parse_query(candidates.query, now, scopes),
        now=now,
        lexical=not index.fingerprint.by_meaning,
        used_at=column({number: used.last_at or 0 for number, used in store.recalls.uses(ids).items()}),
        decay=settings().recall.decay,
        held=candidates.held,
        urgent=frozenset(urgent),
        stating=dict(zip(stating, candidates.ranks, strict=True)),
        also=candidates.also,
        called=candidates.called,
        unrelated=candidates.unrelated,
    )
    return sheet, rows


def select_hits(
    store: Store,
    sheet: "Sheet",
    vectors: "Mapping[int, NDArray[np.float32]]",
    query: str,
    options: SearchOptions,
    phrases: tuple[str, ...] = (),
) -> SearchResult:
    """Rank the candidates of `sheets_of` by a preset and select the hits.

    Candidates that do not contain all `phrases` are excluded; those that do are hits regardless of their scores.
    """
    from curator.recall.presets import rank_candidates
    from curator.recall.select import select
    from store.index.corrections import spelled

    recipe = replace(_recipe(options), floor=False, gap=None, threshold=None) if phrases else _recipe(options)
    order, scores, parts = rank_candidates(recipe, sheet)
    asked = query[:QUERY_CHARACTERS]
    if sheet.also:
        asked = LETTERS.sub(lambda word: next(iter(sheet.also.get(spelled(word[0]), ())), word[0]), asked)
    selected, omitted = select(sheet, order, scores, recipe, asked, vectors, _limit(options))
    chosen = [sheet.memories[row].id for row in selected]
    left = [(sheet.memories[row].id, reason, float(scores[row])) for row, reason in omitted]
    memories = {memory.id: memory for memory in store.get_many([*chosen, *(number for number, *_ in left)])}
    sources = store.sources(chosen)
    near = "spelling" if sheet.lexical else "vector"
    ways = {"text": sheet.text_rank, "context": sheet.context_rank, near: sheet.vector_rank}
    hits = tuple(
        Hit(
            memories[number],
            float(scores[row]),
            {name: float(column[row]) for name, column in parts.items()},
            tuple(sources.get(number, ())),
            {name: int(column[row]) for name, column in ways.items() if column[row]},
            recipe.product,
            number in sheet.urgent and recipe.floor,
            number in sheet.stating and recipe.floor,
        )
        for number, row in zip(chosen, selected, strict=True)
        if number in memories and memories[number].life is Life.LIVE and has_all(memories[number].text, phrases)
    )
    kept = (Omission(memories[number], reason, score) for number, reason, score in left if number in memories)
    return SearchResult(
        hits, tuple(kept), tuple(dict.fromkeys(word for meant in sheet.also.values() for word in meant))
    )


def _recipe(options: SearchOptions) -> "Recipe":
    from curator.recall.presets import RECIPES

    recipe = RECIPES[options.preset]
    if options.gap is not None and recipe.floor:
        recipe = replace(recipe, gap=options.gap, block=options.for_model)
    if options.threshold is not None and recipe.threshold is not None:
        recipe = replace(recipe, threshold=options.threshold)
    if options.cosine is not None:
        recipe = replace(recipe, threshold=options.cosine)
    return recipe


def _limit(options: SearchOptions) -> int:
    return options.limit or _recipe(options).limit or _FEW


def _unit_rows(vectors: Mapping[int, bytes]) -> "dict[int, NDArray[np.float32]]":
    """Return the vectors normalized to length 1."""
    import numpy as np

    if not vectors:
        return {}
    rows = np.frombuffer(b"".join(vectors.values()), np.float32).reshape(len(vectors), -1)
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return dict(zip(vectors, rows / lengths, strict=True))
