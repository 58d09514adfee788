"""Recall with the settings applied, for command line, app, server, API and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curator.config import settings
from curator.errors import ModelError
from curator.recall.search import BLOCK_GAP, BLOCK_HITS, find, scopes_for
from curator.recall.types import Preset, SearchOptions
from curator.services.search_session import BY_WORDS
from store import Filter, Store
from store.model import Check

if TYPE_CHECKING:
    from curator.models import Embedder
    from curator.recall.expectations import CheckResult
    from curator.recall.types import SearchResult
    from curator.services.search_session import SearchSession

NOT_WARMED = "warmth was not updated, since another process is writing to the store; the next run does it"


def search_options(preset: Preset | None = None, limit: int | None = None) -> SearchOptions:
    """Return the options of a search; a custom preset may have its own limit."""
    known = settings().recall
    chosen = preset or Preset(known.preset)
    return SearchOptions(
        chosen, limit or (known.limit if chosen is Preset.CURATOR else None), threshold=known.threshold, phrases=True
    )


def block_options(preset: Preset | None = None, limit: int = BLOCK_HITS, now: int | None = None) -> SearchOptions:
    """Return the options of the search for a block."""
    return replace(search_options(preset, limit), now=now, gap=BLOCK_GAP, for_model=True, phrases=False)


def recallable(
    filter: Filter, project: str | None = None, session: str | None = None, include_global: bool | None = None
) -> Filter:
    """Narrow a filter to memories allowed in a block: by scope, and only validated ones if the settings require it."""
    known, narrowed = settings().recall, filter
    if project is not None or session is not None:
        everywhere = known.include_global if include_global is None else include_global
        narrowed = filter.within(scopes_for(project, session, everywhere))
    return narrowed.validated_only() if known.require_validation else narrowed


def is_by_words(embedder: Embedder | None) -> bool:
    """Return True if a search with this embedder knows words and letters only, not meaning."""
    return embedder is None or not embedder.fingerprint.by_meaning


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a search, the embedder used, and a note for the person if it is not the wanted one."""

    result: SearchResult
    embedder: Embedder | None
    note: str = ""

    @property
    def by_words(self) -> bool:
        """True if meaning was not searched; the block and `--json` say so."""
        return is_by_words(self.embedder)


def search_with_fallback(
    store: Store, session: SearchSession, query: str, filter: Filter, options: SearchOptions
) -> Answered:
    """Search; fall back to words only, with a note, if the server that embeds the query fails."""
    try:
        return Answered(find(store, session.index, session.embedder, query, filter, options), session.embedder)
    except ModelError as error:
        return Answered(find(store, session.index, None, query, filter, options), None, BY_WORDS.format(error=error))


@dataclass(frozen=True, slots=True)
class CheckRun:
    """The results of checks, in order, and whether warmth was applied (if not, show `NOT_WARMED`)."""

    results: tuple[CheckResult, ...]
    warmed: bool


def run_checks(
    store: Store, session: SearchSession, checks: Sequence[Check], preset: Preset | None = None, now: int | None = None
) -> CheckRun:
    """Evaluate checks, and warm memories by the results. Raises ModelError, StoreError, ConfigError."""
    from curator.lifecycle import heed_checks

    results = evaluated_checks(store, session, checks, preset, now)
    warmed = heed_checks(
        store,
        [memory for result in results for memory in result.held],
        [memory for result in results for memory in result.given],
    )
    return CheckRun(tuple(results), warmed)


def evaluated_checks(
    store: Store, session: SearchSession, checks: Sequence[Check], preset: Preset | None = None, now: int | None = None
) -> list[CheckResult]:
    """Build and evaluate a block for each check, without recording use. Raises ModelError, StoreError, ConfigError."""
    from curator.recall import block, token_counter
    from curator.recall.expectations import evaluate

    known, options = settings().recall, block_options(preset, now=now)
    count = token_counter(known.tokenizer)
    results = []
    for check in checks:
        memory_filter = recallable(Filter(), check.project)
        found = find(store, session.index, session.embedder, check.query, memory_filter, options)
        made = block(
            store,
            found.hits,
            known.budget,
            now=now,
            count=count,
            by_words=is_by_words(session.embedder),
            memory_filter=memory_filter,
        )
        results.append(evaluate(store, check, found, made))
    return results
