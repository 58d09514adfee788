"""Answers to clients' requests from an open store. Not thread-safe: used by one thread."""

import contextlib
import gc
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curator.config import settings
from curator.curation.disclosure import Disclosure
from curator.filters import parse_filter
from curator.paths import config_file, store_folder
from curator.project import project_of
from curator.recall import Block
from curator.recall.block import exclusion_reason
from curator.secrets.scan import reread_settings
from curator.serve import client, hook_given, hooks
from curator.serve.sessions import SessionContext, Sessions, has_answer
from curator.services import forget_requests, search_session
from curator.services.projects import ALL, known_project, label_of, project_here
from curator.services.proposals import Agent, propose, propose_forget, visible_memory
from curator.services.recall import (
    NO_PROJECT,
    RecallRequest,
    SearchOutcome,
    block_from,
    context_block,
    evaluate_checks,
    recall_filter,
    record_recall,
    search_options,
    search_prompt,
    search_with_fallback,
)
from curator.services.search_session import SearchSession, open_search
from store import Filter, Store, StoreError, clock
from store.index import Index
from store.model import Kind, Memory, Review

if TYPE_CHECKING:
    from curator.services.session_recap import SessionRecap

Json = dict[str, object]
InThread = Callable[[Callable[[], Json]], Awaitable[Json]]
"""Runs work on the store in the process's only worker thread."""
_LINES = 20
_START_CONTEXT = 0.15  # minimum seconds left at a first prompt to add the start context
_PERSONAL = (Kind.IDENTITY, Kind.TRAIT, Kind.RELATIONSHIP)  # proposals of these kinds are global by default
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _HookText:
    """A text that a hook adds to the prompt: a block, or a recap of a session.

    `used` is True if its memories were recalled for the prompt.
    """

    text: str
    made: Block | None = None
    used: bool = False
    recap: "SessionRecap | None" = None


class StoreService:
    """An open store with its search session; answers requests of hooks, MCP and HTTP."""

    def __init__(self, owner: str = "me") -> None:
        search_session.enable_cache()
        self.store = Store.open(store_folder(), owner)
        self.recalled: Callable[[float], None] = lambda seconds: None  # called with the duration of each recall
        self.later: Callable[[Callable[[], None]], object] = lambda work: work()  # runs work after the answer
        self.failed: Callable[[str, str], None] = lambda kind, location: None  # called with errors of background work
        self.close_others: Callable[[], None] = lambda: None  # closes the stores of other owners
        self._config = self._stamp()
        self._index: Index | None = None  # index of the last search
        self._updating = threading.Lock()
        self.sessions = Sessions(self.store)

    def close(self) -> None:
        """Close the store and drop what was read of it, after a running index update. The next request reopens it."""
        search_session.evict_session(self.store)
        forget_requests.clear_cache()
        with self._updating:
            self._index = None
            self.store.close()

    def drop(self, request: Mapping[str, object]) -> Json:
        """Drop cached searches and close all stores of this process, after words were purged."""
        search_session.clear_cache()
        self.close_others()
        self.close()
        gc.collect()
        return {"dropped": True}

    def warm(self) -> Json:
        """Load the embedder and the index, so that the first request is fast."""
        try:
            self._search("anything", 1)
        except (StoreError, OSError) as error:  # the next request reports it
            _log.info("the search cannot be opened yet: %s", error)
        return {}

    def update_index(self) -> None:
        """Update the search index, unless it is current or another process is writing it.

        Searches merge missing changes themselves. May run concurrently with an answer.
        """
        with self._updating:
            try:
                if self._index is not None and not self._index.is_current():
                    self._index.catch_up(wait=False)
            except (StoreError, OSError) as error:  # the next request reports it
                _log.info("the search index cannot be updated: %s", error)

    def refresh(self) -> None:
        """Reread the settings if their file has changed."""
        now = self._stamp()
        if now != self._config:
            settings.cache_clear()
            reread_settings()
            search_session.clear_cache()
            self._config = now

    @staticmethod
    def _stamp() -> tuple[int, int] | None:
        with contextlib.suppress(OSError):
            found = config_file().stat()
            return found.st_mtime_ns, found.st_size
        return None

    # Answers

    def recall(self, request: Mapping[str, object]) -> Json:
        """Return the block for a prompt; without a prompt, the context of a project or of the person."""
        self.refresh()
        prompt = _text(request, "prompt")
        if not prompt:
            return self.context(request)
        wanted = RecallRequest(prompt, project=self._project(request), budget=_budget(request))
        found = self._search_prompt(wanted)
        return self._given_out(block_from(self.store, wanted, found), found.notes, used=True)

    def context(self, request: Mapping[str, object]) -> Json:
        """Return the context of a project, given by name or folder; without a project, the global memories."""
        self.refresh()
        project = self._project(request)
        if project is None and not _text(request, "project"):
            project = label_of(self.store, _text(request, "folder"))
        return self._given_out(context_block(self.store, project, _budget(request)), (), used=False)

    def search(self, request: Mapping[str, object]) -> Json:
        """Return the memories for a query, or those with given ids and their quotes."""
        self.refresh()
        ids, query = request.get("ids"), _text(request, "query")
        if isinstance(ids, list) and ids:
            return {"memories": [self.whole(str(uid)) for uid in ids[:_LINES]], "notes": []}
        if not query:
            raise ValueError("give a query or ids")
        limit = request.get("limit")
        found = self._search(query, min(limit, _LINES) if isinstance(limit, int) else _LINES)
        return {"memories": [row_of(hit.memory) for hit in found.result.hits], "notes": list(found.notes)}

    def propose(self, request: Mapping[str, object]) -> Json:
        """Store an agent's proposal for the person to review."""
        self.refresh()
        kind, forget, supersedes = (_text(request, name) for name in ("kind", "forget", "supersedes"))
        by = Agent(_text(request, "client") or "", _text(request, "session"), _text(request, "folder"))
        because = _text(request, "because") or ""
        if forget:
            made = propose_forget(self.store, visible_memory(self.store, forget), by, because)
        else:
            made = propose(
                self.store,
                _text(request, "text") or "",
                by,
                because,
                Kind(kind) if kind else Kind.FACT,
                self._project(request, proposed=True),
                [visible_memory(self.store, supersedes).id] if supersedes else [],
            )
        return made.reply()

    def stats(self) -> Json:
        """Return the statistics of the store that a model may see; snoozed memories do not count as waiting."""
        now = clock.now()
        counts = {
            name: self.store.count(memory_filter)
            for name, memory_filter in (
                ("memories", Filter()),
                ("validated", Filter(reviews=(Review.VALIDATED,))),
                ("inbox", parse_filter("is:inbox", now=now)),
                ("quarantined", Filter(quarantine=True)),
            )
        }
        return {**counts, "conflicts": sum(self.store.alerts.counts(due_by=now).values())}

    def checks(self) -> Json:
        """Return the results of all checks, without hidden memories; warmth is not updated."""
        self.refresh()
        results = evaluate_checks(self.store, open_search(self.store), self.store.checks.all())
        disclosure = Disclosure(self.store)
        rows = [
            {
                "prompt": disclosure.words(result.check.query),
                "project": disclosure.words(result.check.project),
                "holds": result.holds,
                "must": self._visible(result.check.must),
                "must_not": self._visible(result.check.must_not),
                "missing": self._visible([memory for memory, _ in result.missing]),
                "unwanted": self._visible(result.unwanted),
            }
            for result in results
        ]
        return {"checks": rows, "broken": sum(not result.holds for result in results)}

    def offers(self) -> Json:
        """Return which tools an MCP client is offered."""
        self.refresh()
        return {"full": settings().serve.tools == "full"}

    def hook(self, request: Mapping[str, object]) -> Json:
        """Return the output of a host's hook."""
        event = hooks.parse(str(request.get("host")), str(request.get("event")), str(request.get("input", "")))
        if event is None:
            return {"out": ""}
        self.refresh()
        if event.name == "compact":  # not every host tells of it again as the session goes on
            self.sessions.clear(event)
        if event.name in ("compact", "end"):
            if event.transcript and settings().serve.import_sessions:
                client.start("curator.serve.session_import", event.host, event.transcript)
            return {"out": ""}
        wanted = request.get("until")
        until = wanted if isinstance(wanted, float) else None  # by `time.monotonic`
        prompted = event.name == "prompt"
        if not prompted and event.source in ("compact", "clear"):
            self.sessions.clear(event)
        how = self.sessions.pending_start(event) if prompted else event.source
        given = self.sessions.context(event)
        asked = RecallRequest(event.prompt, project=label_of(self.store, event.folder) or NO_PROJECT)
        found = self._search_prompt(asked) if prompted else None
        has_time = not prompted or until is None or time.monotonic() < until - _START_CONTEXT
        parts = self._start_context(event, how, given) if how is not None and has_time else []
        pending = pending_start(how, any(part.recap for part in parts))
        if found is not None:
            parts.append(self._fitting_prompt(asked, found, given, parts))
        texts = hooks.fitting(*(one.text for one in parts))
        if until is not None and time.monotonic() > until:  # the host has gone on: what it has, its log tells
            self.sessions.forget(event, pending)
        else:
            given.pending_start = None if has_time else pending
            for one in parts:
                if one.text in texts:
                    self._give(one, event, given)
        return {"out": hooks.output(event, *texts)}

    def _fitting_prompt(
        self, asked: RecallRequest, found: SearchOutcome, given: SessionContext, begun: Sequence[_HookText]
    ) -> _HookText:
        """Return the block for a prompt, without memories that are in the session's context or its start context."""
        texts = hooks.fitting(*(one.text for one in begun))
        had = given.memories.union(given.noted, *(one.made.memories for one in begun if one.made and one.text in texts))
        made = block_from(self.store, asked, found, had)
        return _HookText(made.text, made, used=True)

    def _start_context(self, event: hooks.HookEvent, how: str, given: SessionContext) -> list[_HookText]:
        """Return the start context: a recap, and memories except those the session was given before.

        The memories are those of the project and the person; outside all projects, those of the person.
        `how` is the start type. The session may have started before this event.
        """
        project, recap, known = label_of(self.store, event.folder), None, settings()
        if known.serve.session_recaps and not known.recall.require_validation and event.session and project:
            from curator.services.session_recap import own_session_recap, previous_session_recap

            is_owed = event.name == "prompt" and how
            if how == "compact":
                recap = own_session_recap(self.store, event.session)
            elif how not in ("resume", "clear") and (is_owed or not has_answer(event.transcript)):
                recap = previous_session_recap(self.store, project, event.session)
        parts = [] if recap is None else [_HookText(recap.text, recap=recap)]
        if not given.memories:
            made = context_block(self.store, project or NO_PROJECT, had=given.noted)
            parts += [_HookText(made.text, made)] if made.memories else []
        return parts

    def _give(self, part: _HookText, event: hooks.HookEvent, given: SessionContext) -> None:
        """Record that the session was given a text, unless the answer is too late for the host."""
        if part.recap is not None:
            recap = part.recap
            self.later(lambda: recap.mark_given(self.store))
        if part.made is not None:
            memories = part.made.memories
            given.memories.update(memories)
            self.later(lambda: hook_given.note(event, memories))
            self._record(part.made, part.used)

    def _project(self, request: Mapping[str, object], proposed: bool = False) -> str | None:
        """Return the label of the project that a request names, else of the client's project; None for all projects.

        The name of the client's folder means the client's project. A proposal may name a project without memories, and
        is global if it is about the person. Raises NotFound.
        """
        named, folder, roots = _text(request, "project"), _text(request, "folder"), request.get("roots")
        if not named:
            personal = proposed and request.get("kind") in _PERSONAL
            offered = [str(one) for one in roots] if isinstance(roots, list) else []
            return None if personal else project_here(self.store, folder, offered)
        if named == ALL:
            return None
        own = project_of(folder) if folder else None
        if own is not None and own.name == named:
            return label_of(self.store, folder)
        return named if proposed else known_project(self.store, named)

    def _search_prompt(self, request: RecallRequest) -> SearchOutcome:
        """Search the memories for a block, and report how long it took."""
        began = time.perf_counter()
        found = search_prompt(self.store, self._open_search(), request)
        self.recalled(time.perf_counter() - began)
        return found

    def _search(self, query: str, limit: int) -> SearchOutcome:
        """Search the memories that a model may see."""
        options = replace(search_options(limit=limit), for_model=True)
        return search_with_fallback(self.store, self._open_search(), query, recall_filter(Filter()), options)

    def _open_search(self) -> SearchSession:
        opened = open_search(self.store)
        self._index = opened.index
        return opened

    def _given_out(self, made: Block, notes: Sequence[str], used: bool) -> Json:
        """Record a block for feedback, and return it with its memories as JSON."""
        self._record(made, used)
        items = [row_of(memory) for memory in self.store.get_many(made.memories)]
        return {"text": made.text, "recall_id": made.id, "tokens": made.tokens, "items": items, "notes": list(notes)}

    def _record(self, made: Block, used: bool) -> None:
        """Record a block for feedback, after it was sent."""

        def record() -> None:
            with contextlib.suppress(StoreError):  # if this fails, only feedback is lost
                record_recall(self.store, made, used=used)

        if made.memories:
            self.later(record)

    def _visible(self, memories: Sequence[int]) -> list[str]:
        """Return the global ids of the memories that a model may see."""
        now = clock.now()
        return [one.uid for one in self.store.get_many(memories) if exclusion_reason(one, now) is None]

    def whole(self, uid: str) -> Json:
        """Return a memory with its quotes, as far as a model may see them. Raises NotFound, ValueError."""
        memory = visible_memory(self.store, uid)
        disclosure = Disclosure(self.store)
        quotes = [quote for said in self.store.evidence(memory.id) if (quote := disclosure.words(said.quote))]
        return {**row_of(memory), "quotes": quotes}


def row_of(memory: Memory) -> Json:
    """Return the fields of a memory that an agent sees."""
    said = None if memory.created_at is None else clock.to_iso(memory.created_at)[:10]
    return {
        "id": memory.uid,
        "text": memory.text,
        "kind": memory.kind.value,
        "said": said,
        "review": memory.review.value,
        "project": memory.project,
        "said_by": memory.author,
    }


def pending_start(how: str | None, has_recap: bool) -> str | None:
    """Return the start type whose context the next prompt must get if this answer is too late, or None.

    Not every host reports the type; only a new session gets a recap.
    """
    if how is None:
        return None
    if how:
        return how
    return "startup" if has_recap else "resume"


def _text(request: Mapping[str, object], name: str) -> str | None:
    """Return a text field of a request, or None if it is empty or missing. Raises ValueError for another type."""
    found = request.get(name)
    if found is not None and not isinstance(found, str):
        raise ValueError(f"{name} is a text")
    return found or None


def _budget(request: Mapping[str, object]) -> int:
    """Return the token budget for a block: the requested one, else the configured one."""
    wanted = request.get("budget")
    return wanted if isinstance(wanted, int) and wanted >= 50 else settings().recall.budget
