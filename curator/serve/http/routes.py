"""Routes of the HTTP API. No route purges or merges, and only a person's key can change memories."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Body, Depends, FastAPI, Header, HTTPException, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader, HTTPBearer
from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException as AnyHTTPException

from curator import __version__
from curator.serve.http import events, operations, schemas
from curator.serve.http.guard import KEY
from curator.serve.http.keys import Key, Role
from curator.serve.http.metrics import CONTENT_TYPE, Metrics
from curator.serve.http.problems import problem, reply_to_http_error, reply_to_invalid_body
from curator.serve.http.schemas import Owner
from curator.serve.store_service import InThread, Json, StoreService
from curator.services.events import EventReader
from curator.services.proposals import Allowance
from store import Store, clock
from store.filter import Sort

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

_PROBLEMS: dict[int | str, dict[str, object]] = {
    status: {"model": schemas.Problem, "description": meaning}
    for status, meaning in (
        (400, "The body is not JSON in UTF-8"),
        (401, "No valid key"),
        (403, "The key does not allow it, the memory is another owner's, or the page's origin is not listed"),
        (404, "No such memory"),
        (408, "The body took too long to arrive"),
        (409, "Conflict with the store"),
        (413, "The body or the address is too long"),
        (421, "The request is for a host with another name"),
        (422, "A value is not possible"),
        (429, "Too many requests of one key"),
        (500, "An error in Curator; the log has its location"),
        (503, "The store or a model cannot be used now"),
        (507, "The disk is full or read-only"),
    )
}
Ident = Annotated[str, Path(description="Global id of the memory", max_length=200)]
_SCHEMES = [
    Depends(APIKeyHeader(name="X-API-Key", auto_error=False)),
    Depends(HTTPBearer(auto_error=False)),
]


@dataclass
class Api:
    """Dependencies shared by the routes."""

    owners: operations.Owners
    in_thread: InThread
    metrics: Metrics
    failed: Callable[[str, str], None]
    allowance: Allowance = field(default_factory=Allowance)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    streams: int = 0

    async def run(self, owner: str | None, work: Callable[[StoreService], Json]) -> Json:
        """Run work on an owner's store in the store's thread. Raises HTTPException."""

        def inside() -> Json:
            service = self.owners.of(owner)
            try:
                service.refresh()
                return work(service)
            except Exception as error:
                raise problem(service.store, error, self.failed) from None

        return await self.in_thread(inside)

    async def stream(self) -> AsyncIterator[None]:
        """Count a stream from its request to its end. Raises HTTPException if too many are open."""
        if self.streams >= events.STREAMS:
            raise HTTPException(429, f"{events.STREAMS} streams are already open; close one")
        self.streams += 1
        self.metrics.streams(self.streams)
        try:
            yield
        finally:
            self.streams -= 1
            self.metrics.streams(self.streams)


def of_request(request: Request) -> Key:
    """Return the key of a request, which the guard has checked."""
    found = request.scope.get(KEY)
    if not isinstance(found, Key):
        raise HTTPException(401, "a valid key is needed")
    return found


def of_today(key: Key) -> str:
    """Return the name of a connection without a session: its key and the day."""
    return f"{key.name}/{key.hash}/{clock.to_iso(clock.now())[:10]}"


def of_person(request: Request) -> Key:
    """Return the key of a request if it is a person's. Raises HTTPException if it is an agent's."""
    found = of_request(request)
    if found.role is not Role.PERSON:
        raise HTTPException(
            403, "this needs a key made by `curator serve --new-key NAME --person`; an agent may POST /api/propose"
        )
    return found


def known_names(request: Request) -> None:
    """Check that the route has all query parameters of a request. Raises HTTPException."""
    route = request.scope.get("route")  # health probes may add parameters
    if isinstance(route, APIRoute) and route.include_in_schema and route.name != "get_health":
        takes = [param.alias for param in route.dependant.query_params]
        if unknown := next((name for name in request.query_params if name not in takes), ""):
            listed = ", ".join(takes) or "no names in the address"
            raise HTTPException(422, f"there is no `{unknown[:50]}` in the address: {route.path} takes {listed}")


AnyKey = Annotated[Key, Depends(of_request)]
PersonKey = Annotated[Key, Depends(of_person)]


def build(api: Api, lifespan: Lifespan) -> FastAPI:
    """Return the application."""
    app = FastAPI(
        title="Curator",
        version=__version__,
        description="Memories of one person. Ids are global; `user_id` names an owner, by default the store's.",
        docs_url=None,  # these pages load scripts from other servers
        redoc_url=None,
        lifespan=lifespan,
        responses=_PROBLEMS,
        dependencies=[*_SCHEMES, Depends(known_names)],
        generate_unique_id_function=lambda route: route.name,
        telemetry={  # it would send error messages, which may contain memories, to a collector in the environment
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    app.add_exception_handler(AnyHTTPException, reply_to_http_error)
    app.add_exception_handler(RequestValidationError, reply_to_invalid_body)
    _add_memories(app, api)
    _add_recall(app, api)
    _add_figures(app, api)
    app.openapi()["paths"]["/api/health"]["get"]["security"] = []  # the document is built once
    return app


def _add_memories(app: FastAPI, api: Api) -> None:
    @app.get("/api/memories", response_model=schemas.Page, response_model_exclude_unset=True)
    async def list_memories(
        key: AnyKey,
        filter: Annotated[str, Query(max_length=1_000, description="Terms as kind:preference said:2026 is:open")] = "",
        sort: Annotated[Sort, Query(description="The order")] = Sort.CREATED,
        limit: Annotated[int, Query(ge=1, le=200, description="Memories at most")] = 50,
        offset: Annotated[int, Query(ge=0, le=10_000_000, description="Memories to skip")] = 0,
        user_id: Owner = None,
    ) -> Json:
        """List memories, newest first, with the number of all that match."""
        return await api.run(user_id, lambda at: operations.page(at, key, filter, sort, limit, offset))

    @app.post("/api/memories", status_code=201, response_model=schemas.Memory, response_model_exclude_unset=True)
    async def add_memory(key: PersonKey, new: schemas.NewMemory) -> Json:
        """Add a memory in the person's words; it is validated."""
        return await api.run(new.user_id, lambda at: operations.add(at, key, new))

    @app.get("/api/memories/{uid}", response_model=schemas.Memory, response_model_exclude_unset=True)
    async def get_memory(key: AnyKey, uid: Ident, user_id: Owner = None) -> Json:
        """Return a memory with its quotes."""
        return await api.run(user_id, lambda at: operations.one(at, key, uid))

    @app.patch("/api/memories/{uid}", response_model=schemas.Changed, response_model_exclude_unset=True)
    async def change_memory(key: PersonKey, uid: Ident, wanted: schemas.Change) -> Json:
        """Change a memory, in one undoable step."""
        return await api.run(wanted.user_id, lambda at: operations.change(at, key, uid, wanted))

    @app.delete("/api/memories/{uid}", response_model=schemas.Preview, response_model_exclude_unset=True)
    async def delete_memory(
        key: PersonKey,
        uid: Ident,
        confirm: Annotated[bool, Query(description="True: forget it")] = False,
        user_id: Owner = None,
        body: Annotated[schemas.Confirm | None, Body()] = None,
    ) -> Json:
        """Forget a memory, undoably, with `confirm: true` in the body or address; otherwise show it."""
        given = body or schemas.Confirm()
        sure = confirm or given.confirm
        return await api.run(user_id or given.user_id, lambda at: operations.delete(at, key, uid, sure))

    @app.post("/api/memories/{uid}/validate", response_model=schemas.Changed, response_model_exclude_unset=True)
    async def validate_memory(
        key: PersonKey, uid: Ident, body: Annotated[schemas.Confirm | None, Body()] = None
    ) -> Json:
        """Mark a memory as right; one that reads like an order to a model needs `confirm: true`."""
        given = body or schemas.Confirm()
        return await api.run(given.user_id, lambda at: operations.validate(at, key, uid, given.confirm))


def _add_recall(app: FastAPI, api: Api) -> None:
    @app.post("/api/search", response_model=schemas.Found, response_model_exclude_unset=True)
    async def search_memories(key: AnyKey, wanted: schemas.Search) -> Json:
        """Search memories by meaning and words."""
        return await api.run(wanted.user_id, lambda at: operations.search(at, key, wanted))

    @app.post("/api/recall", response_model=schemas.Block, response_model_exclude_unset=True)
    async def recall_memories(key: AnyKey, wanted: schemas.Recall) -> Json:
        """Return the memories that apply to a prompt, as a block for a model."""
        request = wanted.model_dump(exclude={"user_id"})
        return await api.run(wanted.user_id, lambda at: at.recall(request))

    @app.get("/api/projects/{name:path}/context", response_model=schemas.Block, response_model_exclude_unset=True)
    async def project_context(
        key: AnyKey, name: Annotated[str, Path(description="The project's name", max_length=200)], user_id: Owner = None
    ) -> Json:
        """Return what is known of a project and of the person."""
        return await api.run(user_id, lambda at: at.context({"project": name}))

    @app.post("/api/propose", response_model=schemas.Proposed)
    async def propose_memory(key: AnyKey, wanted: schemas.Propose) -> Json:
        """Propose a memory, or to forget one, 20 times a day; it waits for the person's review."""
        if refusal := api.allowance.refusal(of_today(key)):
            return refusal.reply()
        return await api.run(wanted.user_id, lambda at: operations.propose(at, key, wanted))

    @app.post("/api/feedback", response_model=schemas.Warmth)
    async def give_feedback(key: AnyKey, body: schemas.Feedback) -> Json:
        """Rate which recalled memories were useful."""
        return await api.run(body.user_id, lambda at: operations.feedback(at, body))


def _add_figures(app: FastAPI, api: Api) -> None:
    @app.get("/api/stats", response_model=schemas.Stats)
    async def get_stats(key: AnyKey, user_id: Owner = None) -> Json:
        """Return the figures of the store."""
        return await api.run(user_id, StoreService.stats)

    @app.get("/api/health", response_model=schemas.Health)
    async def get_health() -> Json:
        """Answer that the server works; needs no key."""
        return {"status": "ok", "version": __version__}

    @app.get("/metrics", include_in_schema=False)
    async def get_metrics(key: AnyKey) -> Response:
        found = await api.run(None, lambda at: {"text": api.metrics.text(at.store, at.stats())})
        return Response(found["text"], media_type=CONTENT_TYPE)

    @app.get(
        "/api/events",
        response_class=EventSourceResponse,
        responses={200: {"content": {"text/event-stream": {}}}},
        dependencies=[Depends(of_request), Depends(api.stream)],
    )
    async def follow_events(
        key: AnyKey,
        last_event_id: Annotated[str, Header(description="Id of the last event that came")] = "",
        user_id: Owner = None,
    ) -> Response:
        """Stream changes as they happen; resumes after the event named by the header Last-Event-ID."""
        found: list[Store] = []

        def take(service: StoreService) -> Json:
            found.append(service.store)
            return {}

        await api.run(user_id, take)
        resumed = int(last_event_id) if last_event_id.isdecimal() and len(last_event_id) < 16 else None
        reader = EventReader(found[0], resumed)
        return EventSourceResponse(events.stream(reader, api.stop), ping=0)
