"""Search over memories: candidates ranked by a preset."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from curator.models import Embedder
from curator.recall.candidates import QUERY_CHARACTERS, CandidateOptions, sheets_of
from curator.recall.corrections import LETTERS
from curator.recall.phrases import has_all, phrases_of, without_quotes
from curator.recall.types import Hit, Omission, SearchOptions, SearchResult
from store import Filter, Store, clock
from store.model import Life

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from curator.recall.features import Sheet
    from curator.recall.presets import Recipe
    from store.index import Index

BLOCK_GAP = 6.0
"""Maximum distance from the best score of a memory in a block, for the preset `curator`.

Searches by a person show lower scores too.
"""
BLOCK_HITS = 20
"""Maximum memories considered for a block."""
_FEW = 10  # default number of hits
_POOL = 100  # candidates from each of the three searches


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
    read = [_parse_phrases(query, memory_filter, options) for query, memory_filter in queries]
    asked = [(query, memory_filter) for query, memory_filter, _ in read]
    sheets = sheets_of(store, index, embedder, asked, candidate_options(options))
    for (query, _, phrases), (sheet, vectors) in zip(read, sheets, strict=True):
        yield select_hits(store, sheet, vectors, query, options, phrases)


def find_by_each(
    store: Store,
    index: "Index",
    embedder: Embedder | None,
    query: str,
    filter: Filter,
    options: Sequence[SearchOptions],
) -> list[SearchResult]:
    """Return what `find` returns with each of the options; those that need the same candidates share a search."""
    sheets: dict[tuple[CandidateOptions, tuple[str, ...]], tuple[Sheet, dict[int, NDArray[np.float32]]]] = {}
    results = []
    now = clock.now()
    for each in (replace(one, now=now if one.now is None else one.now) for one in options):
        asked, memory_filter, phrases = _parse_phrases(query, filter, each)
        key = candidate_options(each), phrases
        if key not in sheets:
            (sheets[key],) = sheets_of(store, index, embedder, [(asked, memory_filter)], key[0])
        results.append(select_hits(store, *sheets[key], asked, each, phrases))
    return results


def candidate_options(options: SearchOptions) -> CandidateOptions:
    """Return the options of the search for candidates that a search needs: also for whom it is, and how it embeds."""
    now = clock.now() if options.now is None else options.now
    return CandidateOptions(max(_POOL, 2 * _limit(options)), now, options.for_model, _recipe(options).block)


def _parse_phrases(query: str, memory_filter: Filter, options: SearchOptions) -> tuple[str, Filter, tuple[str, ...]]:
    """Return a query without quotes, a filter for the longest quoted phrase, and the phrases."""
    phrases = phrases_of(query) if options.phrases else ()
    if not phrases:
        return query, memory_filter, ()
    if not memory_filter.words:
        memory_filter = replace(memory_filter, words=(max(phrases, key=len),))
    return without_quotes(query), memory_filter, phrases


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
    selection = select(sheet, order, scores, recipe, asked, vectors, _limit(options))
    chosen = [sheet.memories[row].id for row in selection.hits]
    left = [(sheet.memories[row].id, reason, float(scores[row])) for row, reason in selection.omitted]
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
        for number, row in zip(chosen, selection.hits, strict=True)
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
