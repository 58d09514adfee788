"""Routing of requests: checks by the server, the queue for models, and models in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from ipaddress import ip_address

from fake_ollama import chat, embed, library
from fake_ollama.chat import Refused
from fake_ollama.faults import Fault, What
from fake_ollama.http import NDJSON, Answer, Incoming, as_json
from fake_ollama.library import ModelRegistry
from fake_ollama.request_log import Request
from fake_ollama.scenario import Model, Scenario

_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
_CRASH = "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error"
_BUSY = "server busy, please try again.  maximum pending requests exceeded"
_METHODS = {
    "/": "GET",
    "/api/version": "GET",
    "/api/tags": "GET",
    "/api/ps": "GET",
    "/api/show": "POST",
    "/api/pull": "POST",
    "/api/chat": "POST",
    "/api/embed": "POST",
}
_AT_ONCE = (0, "0", "0s")  # values of keep_alive that unload the model


class Handler:
    """Request handler for one scenario: models in memory and the queue of calls."""

    def __init__(self, scenario: Scenario, registry: ModelRegistry, loads: list[tuple[str, int]]) -> None:
        self._scenario, self._registry, self._loads = scenario, registry, loads
        self._slots = asyncio.Semaphore(scenario.parallel)
        self._waiting = 0
        self._loading = asyncio.Lock()

    @asynccontextmanager
    async def answer(self, incoming: Incoming, request: Request) -> AsyncIterator[Answer]:
        """Yield the answer; the call keeps its place in the queue until the answer is sent."""
        try:
            model = self._checked(incoming, request)
            if model is None:
                yield _faulty(request.fault, self._listed(request))
                return
            if self._slots.locked() and self._waiting >= self._scenario.max_queue:
                raise Refused(503, _BUSY)
        except Refused as error:
            yield refusal(error)
            return
        async with self._turn():
            loading = await self._load(model, request)
            make = chat.answer if request.path == "/api/chat" else embed.answer
            try:
                answer = make(self._scenario, model, request.body, request.fault, loading)
            except Refused as error:
                answer = refusal(error)
            yield _faulty(request.fault, answer)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()

    def _checked(self, incoming: Incoming, request: Request) -> Model | None:
        """Return the model that must compute the answer, or None if none is needed. Raises Refused."""
        if not _allowed(incoming.headers.get("host", "")):
            raise Refused(403, "")
        if (method := _METHODS.get(request.path)) is None:
            raise Refused(404, "404 page not found")
        if incoming.method != method:
            raise Refused(405, "405 method not allowed")
        if method == "GET":
            return None
        if not incoming.body:
            raise Refused(400, "missing request body")
        if not isinstance(request.body, Mapping):
            raise Refused(400, "invalid character looking for beginning of value")
        if request.path in ("/api/show", "/api/pull"):
            return None
        model = self._registry.find(request.body.get("model"))
        if request.path == "/api/chat":
            chat.check(model, request.body)
        return model

    def _listed(self, request: Request) -> Answer:
        """Return an answer that no model has to compute. Raises Refused."""
        match request.path:
            case "/":
                return Answer((b"Ollama is running",), kind="text/plain; charset=utf-8")
            case "/api/version":
                return as_json({"version": self._scenario.version})
            case "/api/tags":
                return library.tags(self._registry)
            case "/api/ps":
                return library.running(self._registry)
            case "/api/show":
                return library.show(self._registry, request.body)
            case _:
                return library.pull(self._scenario, self._registry, request.body)

    async def _load(self, model: Model, request: Request) -> float:
        """Load a model with the requested context, if needed; return the seconds it took."""
        name, context, loaded = model.full_name, chat.context_of(model, request.body), self._registry.loaded
        seconds = 0.0
        async with self._loading:
            if loaded.get(name) != context:
                loaded.pop(name, None)
                while len(loaded) >= self._scenario.max_loaded:
                    del loaded[next(iter(loaded))]
                await asyncio.sleep(seconds := model.load)
                loaded[name] = context
                self._loads.append((name, context))
            if request.body.get("keep_alive") in _AT_ONCE:
                del loaded[name]
        return seconds


def refusal(error: Refused) -> Answer:
    """Return the response for a rejected request."""
    if error.status == 403:
        return Answer((b"",), 403, "text/plain")
    return as_json({"error": str(error)}, error.status)


def _allowed(host: str) -> bool:
    """Return True if a server on a loopback address accepts a Host header."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name in ("", "localhost") or name.endswith((".localhost", ".local", ".internal")):
        return True
    with suppress(ValueError):
        return bool(ip_address(name.strip("[]")))
    return False


def _faulty(fault: Fault | None, answer: Answer) -> Answer:
    """Return the answer, or the one that a fault replaces it with."""
    match fault.what if fault else None:
        case What.BUSY:
            return as_json({"error": _BUSY}, 503)
        case What.CRASH:
            return as_json({"error": _CRASH}, 500)
        case What.HTML:
            return Answer((_PAGE.encode(),), 502, "text/html")
        case What.GARBAGE:
            return Answer((b"\x00\xffSSH-2.0-OpenSSH_9.2\r\n",), 200, answer.kind)
        case What.ERROR_LINE if fault and answer.kind == NDJSON:
            kept, size = [], 0
            for line in answer.lines:
                if (size := size + len(line)) > fault.at:
                    break
                kept.append(line)
            error = b'{"error":"%b"}\n' % _CRASH.encode()
            return replace(answer, lines=(*kept, error))
    return answer
