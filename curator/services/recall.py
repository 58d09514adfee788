"""Recall according to the settings, for the command line, app, server, API and checks."""

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
    """Return the options of a search. Without `limit`, the configured one applies to the Curator preset only."""
    known = settings().recall
    chosen = preset or Preset(known.preset)
    return SearchOptions(
        chosen, limit or (known.limit if chosen is Preset.CURATOR else None), threshold=known.threshold, phrases=True
    )


def block_options(preset: Preset | None = None, limit: int = BLOCK_HITS, now: int | None = None) -> SearchOptions:
    """Return the options of the search that builds a block."""
    return replace(search_options(preset, limit), now=now, gap=BLOCK_GAP, for_model=True, phrases=False)


def recall_filter(
    filter: Filter, project: str | None = None, session: str | None = None, include_global: bool | None = None
) -> Filter:
    """Narrow a filter to memories that may be recalled: by scope, and to validated ones if the settings require it."""
    known, narrowed = settings().recall, filter
    if project is not None or session is not None:
        everywhere = known.include_global if include_global is None else include_global
        narrowed = filter.within(scopes_for(project, session, everywhere))
    return narrowed.validated_only() if known.require_validation else narrowed


def is_by_words(embedder: Embedder | None) -> bool:
    """Return True if a search with this embedder compares words and letters only, not meaning."""
    return embedder is None or not embedder.fingerprint.by_meaning


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Result of a search, the embedder used, and a note for the person if the search fell back to words."""

    result: SearchResult
    embedder: Embedder | None
    note: str = ""

    @property
    def by_words(self) -> bool:
        """True if the search compared words only; the block and `--json` report this."""
        return is_by_words(self.embedder)


def search_with_fallback(
    store: Store, session: SearchSession, query: str, filter: Filter, options: SearchOptions
) -> SearchOutcome:
    """Search; if embedding the query fails, search by words only and add a note."""
    try:
        return SearchOutcome(find(store, session.index, session.embedder, query, filter, options), session.embedder)
    except ModelError as error:
        return SearchOutcome(
            find(store, session.index, None, query, filter, options), None, BY_WORDS.format(error=error)
        )


@dataclass(frozen=True, slots=True)
class CheckRun:
    """Results of checks, in order. If `warmed` is False, warmth could not be updated: show `NOT_WARMED`."""

    results: tuple[CheckResult, ...]
    warmed: bool


def run_checks(
    store: Store, session: SearchSession, checks: Sequence[Check], preset: Preset | None = None, now: int | None = None
) -> CheckRun:
    """Evaluate checks, and update the warmth of memories. Raises ModelError, StoreError, ConfigError."""
    from curator.lifecycle import apply_checks

    results = evaluate_checks(store, session, checks, preset, now)
    warmed = apply_checks(
        store,
        [memory for result in results for memory in result.held],
        [memory for result in results for memory in result.given],
    )
    return CheckRun(tuple(results), warmed)


def evaluate_checks(
    store: Store, session: SearchSession, checks: Sequence[Check], preset: Preset | None = None, now: int | None = None
) -> list[CheckResult]:
    """Build and evaluate a block for each check without recording it. Raises ModelError, StoreError, ConfigError."""
    from curator.recall import block, token_counter
    from curator.recall.expectations import evaluate

    known, options = settings().recall, block_options(preset, now=now)
    count = token_counter(known.tokenizer)
    results = []
    for check in checks:
        memory_filter = recall_filter(Filter(), check.project)
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
