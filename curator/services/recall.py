"""Recall according to the settings, for the command line, app, server, API and checks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curator.config import settings
from curator.errors import ModelError
from curator.filters import with_topics
from curator.models.tokens import token_counter
from curator.recall.block import Block, Detail, Style, block
from curator.recall.project_block import project_context
from curator.recall.search import BLOCK_GAP, BLOCK_HITS, find_by_each, scopes_for
from curator.recall.types import Preset, SearchOptions
from curator.services.search_session import BY_WORDS
from store import Filter, Store, Unwritable
from store.model import Check

if TYPE_CHECKING:
    from curator.models import Embedder
    from curator.models.tokens import Counter
    from curator.recall.expectations import CheckResult
    from curator.recall.types import SearchResult
    from curator.services.search_session import SearchSession

_ALL = Filter()
NO_PROJECT = ""
"""Project of a session outside all projects: of the memories with a scope, its recall has global ones only."""
NOT_COUNTED = "this recall is not counted and cannot get feedback: {error}"
NOT_WARMED = "warmth was not updated, since another process is writing to the store; the next run does it"


def search_options(preset: Preset | None = None, limit: int | None = None) -> SearchOptions:
    """Return the options of a search. Without `limit`, the configured one applies to the Curator preset only."""
    config = settings().recall
    chosen = preset or Preset(config.preset)
    return SearchOptions(
        chosen, limit or (config.limit if chosen is Preset.CURATOR else None), threshold=config.threshold, phrases=True
    )


def block_options(preset: Preset | None = None, limit: int = BLOCK_HITS, now: int | None = None) -> SearchOptions:
    """Return the options of the search that builds a block."""
    return replace(search_options(preset, limit), now=now, gap=BLOCK_GAP, for_model=True, phrases=False)


def recall_filter(
    filter: Filter, project: str | None = None, session: str | None = None, include_global: bool | None = None
) -> Filter:
    """Narrow a filter to memories that may be recalled: by scope, and to validated ones if the settings require it."""
    config, narrowed = settings().recall, filter
    if project is not None or session is not None:
        everywhere = config.include_global if include_global is None else include_global
        narrowed = filter.within(scopes_for(project, session, everywhere))
    return narrowed.validated_only() if config.require_validation else narrowed


def is_by_words(embedder: Embedder | None) -> bool:
    """Return True if a search with this embedder compares words and letters only, not meaning."""
    return embedder is None or not embedder.fingerprint.by_meaning


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Result of a search, its filter and options, and the embedder used.

    `note` says if the search fell back to words; `notes` are all that the person must be shown. `compared` is the
    result by another preset, if that was asked for.
    """

    result: SearchResult
    memory_filter: Filter
    options: SearchOptions
    embedder: Embedder | None
    note: str
    notes: tuple[str, ...]
    compared: SearchResult | None = None

    @property
    def by_words(self) -> bool:
        """True if the search compared words only; the block and `--json` report this."""
        return is_by_words(self.embedder)


def search_with_fallback(
    store: Store,
    session: SearchSession,
    query: str,
    filter: Filter,
    options: SearchOptions,
    against: Preset | None = None,
    *,
    fallback: bool = True,
) -> SearchOutcome:
    """Search; if embedding the query fails, search by words only and add a note.

    With `against`, the memories are also ranked by that preset. Raises ModelError without `fallback`.
    """
    wanted = [options] if against is None else [options, replace(options, preset=against)]
    embedder, note = session.embedder, ""
    try:
        found, *others = find_by_each(store, session.index, embedder, query, filter, wanted)
    except ModelError as error:
        if not fallback:
            raise
        embedder, note = None, BY_WORDS.format(error=error)
        found, *others = find_by_each(store, session.index, embedder, query, filter, wanted)
    notes = tuple(text for text in (*session.notes, note, session.index.trouble) if text)
    return SearchOutcome(found, filter, options, embedder, note, notes, others[0] if others else None)


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A prompt to a model, with the options of its block; None stands for the setting.

    With `project` or `session` (a conversation), only memories of these scopes are recalled, and with `include_global`
    global ones. `limit` is the number of memories considered, `against` a preset to compare the ranking with, `now` the
    time in microseconds.
    """

    prompt: str
    filter: Filter = _ALL
    project: str | None = None
    session: str | None = None
    include_global: bool | None = None
    preset: Preset | None = None
    against: Preset | None = None
    limit: int = BLOCK_HITS
    budget: int | None = None
    style: Style = Style.SYSTEM
    detail: Detail = Detail.COMPACT
    count: Counter | None = None
    now: int | None = None


def recall_block(store: Store, session: SearchSession, request: RecallRequest) -> tuple[Block, SearchOutcome]:
    """Return the block for a prompt, and the search that it is made from. Nothing is recorded: see `record_recall`."""
    found = search_prompt(store, session, request)
    return block_from(store, request, found), found


def search_prompt(
    store: Store, session: SearchSession, request: RecallRequest, *, fallback: bool = True
) -> SearchOutcome:
    """Search the memories for the block of a prompt; see `search_with_fallback`."""
    memory_filter = recall_filter(request.filter, request.project, request.session, request.include_global)
    options = block_options(request.preset, request.limit, request.now)
    memory_filter = with_topics(store, memory_filter)
    return search_with_fallback(
        store, session, request.prompt, memory_filter, options, request.against, fallback=fallback
    )


def block_from(store: Store, request: RecallRequest, found: SearchOutcome, had: Collection[int] = ()) -> Block:
    """Return the block of the memories found for a prompt, without those that the model `had` before."""
    config = settings().recall
    return block(
        store,
        [hit for hit in found.result.hits if hit.memory.id not in had],
        request.budget or config.budget,
        request.style,
        request.detail,
        request.now,
        request.count or token_counter(config.tokenizer),
        found.by_words,
        found.memory_filter,
        had,
    )


def context_block(store: Store, project: str | None, budget: int | None = None, had: Collection[int] = ()) -> Block:
    """Return the context of a project and the person, or all global memories, within a budget (default: the setting).

    For `NO_PROJECT` it is that of the person alone. Memories that the model `had` before are left out.
    """
    config = settings().recall
    return project_context(
        store,
        project,
        config.budget if budget is None else budget,
        person=True,
        validated=config.require_validation,
        count=token_counter(config.tokenizer),
        had=had,
    )


def record_recall(store: Store, made: Block, *, used: bool) -> str:
    """Record a block for feedback and, if it is `used` for a prompt, count its recalled memories as used.

    Return a note for the person if the store cannot be written, else "".
    """
    if not made.memories:
        return ""
    try:
        if used and made.recalled:
            store.recalls.record_use(made.recalled)
        store.recalls.put(made.id, made.memories)
    except Unwritable as error:  # costs the feedback, not the answer
        return NOT_COUNTED.format(error=error)
    return ""


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
        [memory for result in results for memory in result.included],
        [memory for result in results for memory in result.included_unwanted],
    )
    return CheckRun(tuple(results), warmed)


def evaluate_checks(
    store: Store, session: SearchSession, checks: Sequence[Check], preset: Preset | None = None, now: int | None = None
) -> list[CheckResult]:
    """Build and evaluate a block for each check without recording it. Raises ModelError, StoreError, ConfigError."""
    from curator.recall.expectations import evaluate

    count = token_counter(settings().recall.tokenizer)
    results = []
    for check in checks:
        request = RecallRequest(check.query, project=check.project, preset=preset, count=count, now=now)
        found = search_prompt(store, session, request, fallback=False)
        results.append(evaluate(store, check, found.result, block_from(store, request, found)))
    return results
