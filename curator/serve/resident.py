"""The open store of a resident process, and its answers to clients. Used by one thread."""

import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from curator.config import settings
from curator.curation.disclosure import Disclosure
from curator.paths import config_file, store_folder
from curator.recall import Block, Hit, block, token_counter
from curator.recall.block import exclusion_reason, project_context
from curator.secrets.scan import reread_settings
from curator.serve import hooks
from curator.services import search_session
from curator.services.proposals import Agent, propose, propose_forget
from curator.services.recall import block_options, recallable, search_options, search_with_fallback
from curator.services.search_session import Searching, open_search
from store import Filter, NotFound, Store, StoreError, clock
from store.model import Kind, Memory, Review

Json = dict[str, object]
_SESSIONS = 200
"""Sessions whose injected memories are remembered at most."""
_LINES = 20
_log = logging.getLogger(__name__)


class Resident:
    """One open store, with its search."""

    def __init__(self, owner: str = "me") -> None:
        search_session.keep_open()
        self.store = Store.open(store_folder(), owner)
        self.recalled: Callable[[float], None] = lambda seconds: None  # gets the duration of every recall
        self._config = self._stamp()
        self._given: OrderedDict[str, set[int]] = OrderedDict()  # memories injected in each session

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def warm(self) -> Json:
        """Load the embedder and the index, so that the first answer is as quick as the others."""
        try:
            self._find("anything", Filter(), 1)
        except (StoreError, OSError) as error:  # said again to whoever asks
            _log.info("the search cannot be opened yet: %s", error)
        return {}

    def refresh(self) -> None:
        """Read the settings again if their file has changed."""
        now = self._stamp()
        if now != self._config:
            settings.cache_clear()
            reread_settings()
            search_session.keep_open()
            self._config = now

    @staticmethod
    def _stamp() -> tuple[int, int] | None:
        with contextlib.suppress(OSError):
            found = config_file().stat()
            return found.st_mtime_ns, found.st_size
        return None

    # Answers

    def recall(self, request: Mapping[str, object]) -> Json:
        """Return the block for a prompt, or the context of a project if there is none."""
        self.refresh()
        prompt, project = _text(request, "prompt"), _text(request, "project")
        known = settings().recall
        budget = request.get("budget")
        most = budget if isinstance(budget, int) and budget >= 50 else known.budget
        if not prompt:
            return self.context(request)
        hits, notes = self._find(prompt, recallable(Filter(), project), None)
        return self._given_out(block(self.store, hits, most, count=token_counter(known.tokenizer)), notes, used=True)

    def context(self, request: Mapping[str, object]) -> Json:
        """Return the context of a project."""
        self.refresh()
        project, known = _text(request, "project"), settings().recall
        if not project:
            raise ValueError("give a prompt or a project")
        made = project_context(
            self.store,
            project,
            known.budget,
            person=True,
            validated=known.require_validation,
            count=token_counter(known.tokenizer),
        )
        return self._given_out(made, (), used=False)

    def search(self, request: Mapping[str, object]) -> Json:
        """Return memories for a query, or those named with their quotes."""
        self.refresh()
        ids, query = request.get("ids"), _text(request, "query")
        if isinstance(ids, list) and ids:
            return {"memories": [self.whole(str(uid)) for uid in ids[:_LINES]], "notes": []}
        if not query:
            raise ValueError("give a query or ids")
        limit = request.get("limit")
        hits, notes = self._find(query, recallable(Filter()), min(limit, _LINES) if isinstance(limit, int) else None)
        return {"memories": [row_of(hit.memory) for hit in hits], "notes": list(notes)}

    def propose(self, request: Mapping[str, object]) -> Json:
        """Put an agent's proposal before the person."""
        self.refresh()
        kind, forget, supersedes = (_text(request, name) for name in ("kind", "forget", "supersedes"))
        by = Agent(_text(request, "client") or "", _text(request, "session"), _text(request, "folder"))
        because = _text(request, "because") or ""
        if forget:
            made = propose_forget(self.store, self._shown(forget), by, because)
        else:
            made = propose(
                self.store,
                _text(request, "text") or "",
                by,
                because,
                Kind(kind) if kind else Kind.FACT,
                _text(request, "project"),
                [self._shown(supersedes).id] if supersedes else [],
            )
        return {"status": made.status, "id": made.uid, "reason": made.reason}

    def stats(self) -> Json:
        """Return the figures of the store that a model may see."""
        counts = {
            name: self.store.count(which)
            for name, which in (
                ("memories", Filter()),
                ("validated", Filter(reviews=(Review.VALIDATED,))),
                ("quarantined", Filter(quarantine=True)),
            )
        }
        return {**counts, "conflicts": len(self.store.alerts.open())}

    def hook(self, request: Mapping[str, object]) -> Json:
        """Return what a host's hook prints."""
        event = hooks.parse(str(request.get("host")), str(request.get("event")), str(request.get("input", "")))
        if event is None or event.name == "end":
            return {"out": ""}
        if event.name == "session-start":
            self._given.pop(event.session, None)  # a compacted session has lost what it was given
            answer = self.context({"project": event.project}) if event.project else {"text": ""}
            return {"out": hooks.output(event, str(answer["text"]))}
        self.refresh()
        known = settings().recall
        hits, _ = self._find(event.prompt, recallable(Filter(), event.project), None)
        former = self._given.setdefault(event.session, set())
        self._given.move_to_end(event.session)
        while len(self._given) > _SESSIONS:
            self._given.popitem(last=False)
        fresh = [hit for hit in hits if hit.memory.id not in former]
        made = block(self.store, fresh, known.budget, count=token_counter(known.tokenizer))
        former.update(made.memories)
        answer = self._given_out(made, (), used=True)
        return {"out": hooks.output(event, str(answer["text"]))}

    def _find(self, query: str, which: Filter, limit: int | None) -> tuple[Sequence[Hit], tuple[str, ...]]:
        began = time.perf_counter()
        opened: Searching = open_search(self.store)
        options = block_options() if limit is None else replace(search_options(limit=limit), for_model=True)
        answered = search_with_fallback(self.store, opened, query, which, options)
        if limit is None:
            self.recalled(time.perf_counter() - began)
        return answered.result.hits, tuple(filter(None, (*opened.notes, answered.note, opened.index.trouble)))

    def _given_out(self, made: Block, notes: Sequence[str], used: bool) -> Json:
        """Record a block for feedback, and return it with its memories."""
        if made.memories:
            with contextlib.suppress(StoreError):  # a full disk costs the feedback, not the answer
                if used:
                    self.store.recalls.record_use(made.memories)
                self.store.recalls.put(made.id, made.memories)
        items = [row_of(memory) for memory in self.store.get_many(made.memories)]
        return {"text": made.text, "recall_id": made.id, "tokens": made.tokens, "items": items, "notes": list(notes)}

    def _shown(self, uid: str) -> Memory:
        """Return a memory that a model may see. Raises NotFound, ValueError."""
        memory = self.store.get(self.store.by_uid(uid))
        if exclusion_reason(memory, clock.now()) is not None:
            raise NotFound(f"there is no memory {uid}")
        return memory

    def whole(self, uid: str) -> Json:
        """Return a memory with its quotes, as far as a model may see them. Raises NotFound, ValueError."""
        memory = self._shown(uid)
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
    }


def _text(request: Mapping[str, object], name: str) -> str | None:
    """Return a text of a request, None if it is empty or absent. Raises ValueError for another type."""
    found = request.get(name)
    if found is not None and not isinstance(found, str):
        raise ValueError(f"{name} is a text")
    return found or None
