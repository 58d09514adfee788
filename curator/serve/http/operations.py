"""Operations of the HTTP routes on the store, run in the store's thread of the resident process."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from curator import curation
from curator.filters import parse_filter, with_topics
from curator.lifecycle import mark_useful
from curator.secrets import redact
from curator.serve.http import schemas
from curator.serve.http.keys import Key, Role
from curator.serve.store_service import Json, StoreService, row_of
from curator.services.global_ids import global_id
from curator.services.projects import known_project
from curator.services.recall import recall_filter, search_options, search_with_fallback
from curator.services.search_session import open_search
from store import Conflict, Filter, NotFound, Store, clock
from store.filter import Sort
from store.model import Given, Life, Memory, Review

_OWNERS = 4
"""Maximum open stores of other owners."""


class Owners:
    """Open stores, one per owner."""

    def __init__(self, service: StoreService) -> None:
        self._own = service
        self._others: OrderedDict[str, StoreService] = OrderedDict()

    def of(self, owner: str | None) -> StoreService:
        """Return the service of an owner's store, by default the person's."""
        if owner is None or owner == self._own.store.owner:
            return self._own
        if owner not in self._others:
            self._others[owner] = StoreService(owner)
            self._others[owner].recalled = self._own.recalled
        self._others.move_to_end(owner)
        while len(self._others) > _OWNERS:
            self._others.popitem(last=False)[1].close()
        return self._others[owner]

    def close(self) -> None:
        """Close the stores of other owners."""
        while self._others:
            self._others.popitem()[1].close()


def page(service: StoreService, key: Key, filter: str, sort: Sort, limit: int, offset: int) -> Json:
    """Return a page of the memories that match a filter. Raises BadFilter."""
    memory_filter = _visible(key, with_topics(service.store, parse_filter(filter)))
    ids: Sequence[int] = []
    if memory_filter is not None:
        ids = service.store.list_ids(memory_filter, sort, offset + limit)[offset:]
    total = 0 if memory_filter is None else service.store.count(memory_filter)
    rows = [_row(service.store, key, memory) for memory in service.store.get_many(ids)]
    return {"memories": rows, "total": total, "limit": limit, "offset": offset}


def one(service: StoreService, key: Key, uid: str) -> Json:
    """Return a memory with its quotes. Raises NotFound, Forbidden, ValueError."""
    memory = _memory(service.store, uid)
    if key.role is not Role.PERSON:
        return service.whole(uid)
    quotes = [quote.quote for quote in service.store.evidence(memory.id)]
    return {**_row(service.store, key, memory), "quotes": quotes}


def add(service: StoreService, key: Key, new: schemas.NewMemory) -> Json:
    """Add a memory. Raises Refused, Conflict, Forgotten."""
    made = curation.add(service.store, new.text, new.kind, new.tier, new.project, new.tags, new.importance)
    return _row(service.store, key, made)


def change(service: StoreService, key: Key, uid: str, wanted: schemas.Change) -> Json:
    """Change fields of a memory in one undoable step. Raises NotFound, Forbidden, Refused, Conflict."""
    store = service.store
    memory, before = _memory(store, uid), store.journal.seq()
    curation.revise(store, memory.id, curation.Revision(**wanted.model_dump(exclude={"user_id"})))
    return _changed(store, key, memory.id, before)


def validate(service: StoreService, key: Key, uid: str, confirmed: bool) -> Json:
    """Validate a memory. Raises NotFound, Forbidden, Conflict for one in quarantine without a confirmation."""
    store = service.store
    memory, before = _memory(store, uid), store.journal.seq()
    if memory.suspect and memory.life is Life.LIVE and not confirmed:
        raise Conflict(f"memory {memory.id} is in quarantine ({memory.flag}); read it, then send confirm: true")
    curation.validate(store, [memory.id])
    return _changed(store, key, memory.id, before)


def delete(service: StoreService, key: Key, uid: str, confirmed: bool) -> Json:
    """Forget a memory, or return what would be forgotten. Raises NotFound, Forbidden."""
    memory = _memory(service.store, uid)
    if confirmed:
        curation.forget(service.store, [memory.id])
        memory = service.store.get(memory.id)
    note = "`curator undo` brings it back" if confirmed else "nothing was changed; send confirm: true to forget it"
    return {"memory": _row(service.store, key, memory), "forgotten": memory.life is Life.FORGOTTEN, "note": note}


def search(service: StoreService, key: Key, wanted: schemas.Search) -> Json:
    """Return ranked memories for a query. Raises BadFilter, NotFound for an unknown project."""
    project = None if wanted.project is None else known_project(service.store, wanted.project)
    memory_filter = _visible(key, recall_filter(with_topics(service.store, parse_filter(wanted.filter)), project))
    if memory_filter is None:
        return {"memories": [], "notes": []}
    opened = open_search(service.store)
    options = replace(search_options(limit=wanted.limit), for_model=key.role is Role.AGENT)
    if wanted.threshold is not None:
        options = replace(options, cosine=wanted.threshold)
    answered = search_with_fallback(
        service.store, opened, wanted.query, replace(memory_filter, unexpired_at=None), options
    )
    rows = [{**_row(service.store, key, hit.memory), "score": round(hit.score, 6)} for hit in answered.result.hits]
    return {"memories": rows, "notes": list(answered.notes)}


def propose(service: StoreService, key: Key, wanted: schemas.Propose) -> Json:
    """Store a proposal for the person's review, in the name of the key. Raises Refused, NotFound, Forbidden."""
    if (wanted.text is None) == (wanted.forget is None):
        raise ValueError("give text or forget")
    request: Json = wanted.model_dump(exclude={"user_id"}, exclude_none=True)
    return service.propose({**request, "client": key.name})


def feedback(service: StoreService, body: schemas.Feedback) -> Json:
    """Mark recalled memories as useful or not, and store an answer for scoring. Raises NotFound, ValueError."""
    store = service.store
    if not (body.useful or body.useless or body.answer):
        raise ValueError("give useful, useless or answer")
    recalled = store.recalls.get(body.recall_id).memories
    useful, useless = ([store.by_uid(uid) for uid in ids] for ids in (body.useful, body.useless))
    if set(useful + useless).difference(recalled):
        raise NotFound(f"not all of these memories were in recall {body.recall_id}")
    if body.answer:
        store.recalls.put_answer(body.recall_id, redact(body.answer).text)
    warm = mark_useful(store, useful, useless) if useful or useless else {}
    uids = {memory.id: memory.uid for memory in store.get_many(list(warm))}
    return {"warmth": {uids[memory]: value for memory, value in warm.items()}, "saved": bool(body.answer)}


def _memory(store: Store, uid: str) -> Memory:
    try:
        return store.get(store.by_uid(uid))
    except ValueError:
        raise ValueError(f"{uid[:100]!r} is not the id of a memory; GET /api/memories lists them") from None


def _changed(store: Store, key: Key, number: int, before: int) -> Json:
    last = store.journal.log(1, number)
    done = store.journal.seq() > before
    return {
        "memory": _row(store, key, store.get(number)),
        "changed": done,
        "command": last[0].uid if done and last else None,
    }


def _visible(key: Key, memory_filter: Filter) -> Filter | None:
    """Narrow a filter to the memories that a key may see: for an agent, those that recall may return; None for none."""
    if key.role is Role.PERSON:
        return memory_filter
    reviews = tuple(
        one for one in memory_filter.reviews or (Review.OPEN, Review.VALIDATED) if one is not Review.REJECTED
    )
    given = tuple(one for one in memory_filter.given or Given if one is not Given.NEVER)
    if not (reviews and given) or (memory_filter.lives and Life.LIVE not in memory_filter.lives):
        return None
    narrowed = replace(
        memory_filter, lives=(Life.LIVE,), reviews=reviews, given=given, quarantine=False, unexpired_at=clock.now()
    )
    return recall_filter(narrowed)


def _row(store: Store, key: Key, memory: Memory) -> Json:
    row = row_of(memory)
    if key.role is not Role.PERSON:
        return row
    return row | {
        "life": memory.life.value,
        "rank": memory.rank.value,
        "tier": memory.tier.value,
        "origin": memory.origin.value,
        "pinned": memory.pinned,
        "given": memory.given.value,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "scope": memory.scope,
        "source": memory.source,
        "tags": list(memory.tags),
        "flag": memory.flag,
        "expires_at": None if memory.expires_at is None else clock.to_iso(memory.expires_at),
        "superseded_by": None if memory.superseded_by is None else global_id(store, memory.superseded_by),
    }
