"""The Python API: `from curator import Curator`; docs/python.md shows it in use.

Names, arguments and fields here are stable: fields and optional arguments are added, nothing is renamed or removed
within a major version. All ids are global ones, as `curator list --json` has them in `uid`. Results are frozen.
"""

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import store.model as stored
from curator import curation
from curator.config import settings
from curator.filters import parse_filter, with_topics
from curator.paths import store_folder
from curator.recall.search import scopes_for
from curator.services import proposals, search_session
from curator.services.events import POLL_SECONDS, EventReader
from curator.services.events import Event as Event
from curator.services.global_ids import with_global_ids
from curator.services.projects import known_project
from curator.services.proposals import Agent
from curator.services.proposals import Status as Status
from curator.services.recall import (
    RecallRequest,
    context_block,
    recall_block,
    record_recall,
    search_options,
    search_with_fallback,
)
from store import Store, StoreError, clock
from store.model import Given as Given
from store.model import Kind as Kind
from store.model import Life as Life
from store.model import Review as Review
from store.model import Tier as Tier

_E = TypeVar("_E", bound=StrEnum)
MIN_BUDGET = 50
"""Minimum budget of a block in tokens."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory. `said_at` is when it was said, if that is known; `source` the program of its conversation."""

    id: str
    text: str
    kind: Kind
    tier: Tier
    review: Review
    life: Life
    pinned: bool
    importance: int
    project: str | None
    tags: tuple[str, ...]
    source: str | None
    said_at: datetime | None
    given: Given


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that a search found, with its score, which compares hits of one search only."""

    memory: Memory
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a search, best first. `notes` say what was missing, such as the model for search by meaning."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Memories as text for a model's prompt; the text is empty if no memory fits. `id` is for feedback."""

    id: str
    text: str
    tokens: int
    memories: tuple[Memory, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """The result of a proposal: `id` is the memory's, if there is one, and `reason` why it was not taken as it is."""

    status: Status
    id: str | None
    reason: str


class Curator:
    """The memories of one person, open until `close` or the end of a `with` block. Safe to use from several threads.

    Settings apply as on the command line. Methods raise StoreError if the store cannot be read or written (the text
    says why, and the remedy), and ConfigError for an invalid settings file; both are in `curator.errors`.
    """

    def __init__(self, store: Store) -> None:
        self._opened: Store | None = store
        self._calls, self._running = threading.Condition(), 0
        search_session.enable_cache()

    @classmethod
    def open(cls, folder: str | Path | None = None, *, owner: str = "me") -> "Curator":
        """Open the person's store, or the one in `folder`, which is made if it does not exist."""
        return cls(Store.open(store_folder() if folder is None else Path(folder).expanduser(), owner))

    def close(self) -> None:
        """Close the store once calls in other threads have ended, and end the iterators of `events`.

        Closing again does nothing.
        """
        with self._calls:
            store, self._opened = self._opened, None
            self._calls.wait_for(lambda: not self._running)
        if store is not None:
            search_session.evict_session(store)
            store.close()

    def __enter__(self) -> "Curator":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(
        self,
        text: str,
        *,
        kind: Kind | str = Kind.FACT,
        tier: Tier | str = Tier.MEDIUM,
        project: str | None = None,
        tags: Sequence[str] = (),
        importance: int = 5,
        until: datetime | None = None,
    ) -> Memory:
        """Add a memory in the person's own words; it is validated, and one step for `curator undo`.

        Secrets are redacted. `importance` is 1 to 10; the memory expires at `until`, which is in UTC unless it names a
        zone. Raises Refused for an empty or overlong text, Conflict if a live memory says the same, Forgotten if a
        forgotten one does.
        """
        if not isinstance(until, datetime | None):
            raise ValueError(f"until is {until!r}; give a datetime")
        end = None if until is None else clock.from_iso(until.isoformat())
        kind, tier = _value(Kind, kind), _value(Tier, tier)
        with self._use_store() as store:
            made = curation.add(store, _text("text", text), kind, tier, project, tags, importance, end)
        return _memory(made)

    def search(
        self, query: str, *, filter: str = "", project: str | None = None, limit: int | None = None
    ) -> SearchResult:
        """Search memories by meaning and by words, as `curator search` does.

        `filter` narrows it, as in "kind:preference tag:work"; `project` to memories of a project and global ones; at
        most `limit` hits are found, by default the setting recall.limit. Raises ValueError for an unknown filter, and
        for an empty query, NotFound for a project without memories.
        """
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; give at least 1")
        if not _text("query", query).strip():
            raise ValueError("query is empty")
        memory_filter = parse_filter(filter)
        with self._use_store() as store:
            if project:
                scopes = scopes_for(known_project(store, project), None, settings().recall.include_global)
                memory_filter = memory_filter.within(scopes)
            opened = search_session.open_search(store)
            memory_filter = with_topics(store, memory_filter)
            found = search_with_fallback(store, opened, query, memory_filter, search_options(limit=limit))
        hits = tuple(Hit(_memory(hit.memory), hit.score) for hit in found.result.hits)
        return SearchResult(hits, found.notes)

    def recall(self, prompt: str = "", *, project: str | None = None, budget: int | None = None) -> Block:
        """Return the block for a model that answers `prompt`, or the context of a project if there is no prompt.

        It has at most `budget` tokens, by default the setting recall.budget, and no memory that a model may not see:
        none in quarantine, forgotten, rejected or expired. A recall for a prompt counts as a use of its memories.
        Raises ValueError without prompt and project, and for a budget below 50; NotFound for a project that has no
        memories.
        """
        if budget is not None and budget < MIN_BUDGET:
            raise ValueError(f"budget is {budget}; a block has at least {MIN_BUDGET} tokens")
        asks = bool(_text("prompt", prompt).strip())
        if not (asks or project):
            raise ValueError("give a prompt or a project")
        notes: tuple[str, ...] = ()
        with self._use_store() as store:
            if project:
                known_project(store, project)
            if asks:
                request = RecallRequest(prompt, project=project or None, budget=budget)
                made, found = recall_block(store, search_session.open_search(store), request)
                notes = found.notes
            else:
                made = context_block(store, project, budget)
            if note := record_recall(store, made, used=asks):
                notes = (*notes, note)
            given = {memory.id: memory for memory in store.get_many(made.memories)}
        memories = tuple(_memory(given[number]) for number in made.memories if number in given)
        return Block(made.id, made.text, made.tokens, memories, notes)

    def propose(
        self,
        text: str,
        *,
        client: str,
        because: str = "",
        kind: Kind | str = Kind.FACT,
        project: str | None = None,
        supersedes: str | None = None,
        session: str | None = None,
    ) -> Proposal:
        """Put what a program or a model found into the person's inbox; no recall has it before they validate it.

        `client` names the program, `because` are the person's words that it comes from, `supersedes` is the id of a
        memory that it replaces, and `session` the program's own id of the conversation. What was forgotten or is known
        is not asked again: see `Proposal.status`. Raises Refused for an empty or overlong text, NotFound for an unknown
        `supersedes`.
        """
        kind = _value(Kind, kind)
        with self._use_store() as store:
            former = [proposals.visible_memory(store, supersedes).id] if supersedes else []
            by = Agent(client, session)
            made = proposals.propose(store, _text("text", text), by, because, kind, project, former)
        return Proposal(made.status, made.uid, made.reason)

    def events(self, after: int | None = None, *, timeout: float | None = None) -> Iterator[Event]:
        """Yield what happens in the store, of all processes: ids, verbs and counts, never a text.

        Begin after the event with the number `after` (0: from the start), or with the next one. End after `timeout`
        seconds without an event, so that 0 yields what is there; by default go on until `close`. Waiting blocks the
        thread.
        """
        with self._use_store() as store:
            reader = EventReader(store, after)
            return self._follow(reader, reader.read(), timeout)

    def _follow(self, reader: EventReader, found: list[Event], timeout: float | None) -> Iterator[Event]:
        last_event = time.monotonic()
        while self._opened is not None:
            yield from found
            try:
                with self._use_store():
                    found = reader.read()
            except ValueError:
                if self._opened is not None:
                    raise
                return
            if found:
                last_event = time.monotonic()
                continue
            idle = time.monotonic() - last_event
            if timeout is not None and idle >= timeout:
                return
            time.sleep(POLL_SECONDS if timeout is None else min(POLL_SECONDS, timeout - idle))

    @contextlib.contextmanager
    def _use_store(self) -> Iterator[Store]:
        """Yield the store, open until the end of the call; memories in errors get their global ids."""
        with self._calls:
            if self._opened is None:
                raise ValueError("this Curator is closed; open another with Curator.open()")
            store, self._running = self._opened, self._running + 1
        try:
            yield store
        except StoreError as error:
            error.args = (with_global_ids(store, error),)
            raise
        finally:
            with self._calls:
                self._running -= 1
                self._calls.notify_all()


def _memory(memory: stored.Memory) -> Memory:
    said_at = None if memory.created_at is None else datetime.fromisoformat(clock.to_iso(memory.created_at))
    return Memory(
        memory.uid,
        memory.text,
        memory.kind,
        memory.tier,
        memory.review,
        memory.life,
        memory.pinned,
        memory.importance,
        memory.project,
        memory.tags,
        memory.source,
        said_at,
        memory.given,
    )


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}; give a text")
    return value


def _value(kinds: type[_E], value: _E | str) -> _E:
    try:
        return kinds(value)
    except ValueError:
        name = kinds.__name__.lower()
        raise ValueError(f"unknown {name} {value}; choose one of {', '.join(kinds)}") from None
