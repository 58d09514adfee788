"""/v1/models and /v1/chat/completions as three servers answer them, with the models, replies and faults of a scenario.

with serving(Scenario(), LM_STUDIO) as server:
    ...             # server.host + "/v1", server.calls(CHAT_PATH), server.disconnects
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from fake_ollama import chat
from fake_ollama.chat import Refused
from fake_ollama.faults import Fault, What
from fake_ollama.http import SSE, Answer, Incoming, as_json
from fake_ollama.library import ModelRegistry
from fake_ollama.request_log import Request
from fake_ollama.scenario import Body, Model, Scenario
from fake_ollama.server import Server

CHAT_PATH = "/v1/chat/completions"
_CRASH = "The model has crashed without additional information. (Exit code: null)"


@dataclass(frozen=True, slots=True)
class Flavour:
    """A server program: the owner in its model list, and its error messages."""

    owner: str
    overlong: str
    missing: str
    refuses: Mapping[str, str] = field(default_factory=dict)  # fields that it rejects, each with its error
    key: str = ""
    nested: bool = True  # errors are {"error": {"message": ...}}, else {"error": "..."}
    named_by_file: bool = False  # the loaded model answers, whatever model is requested
    loading: bool = False


LM_STUDIO = Flavour(
    "organization_owner",
    "Trying to keep the first {n} tokens when context the overflows. However, the model is loaded with context length "
    "of only {context} tokens, which is not enough.",
    'Failed to load model "{name}". Error: Model not found.',
    nested=False,
)
LLAMA_CPP = Flavour(
    "llamacpp",
    "request ({n} tokens) exceeds the available context size ({context} tokens), try increasing it",
    "",
    named_by_file=True,
)
VLLM = Flavour(
    "vllm",
    "This model's maximum context length is {context} tokens. However, you requested {n} tokens in the messages, "
    "Please reduce the length of the messages.",
    "The model `{name}` does not exist.",
)


class Handler:
    """Request handler of one server for one scenario."""

    def __init__(
        self, flavour: Flavour, scenario: Scenario, registry: ModelRegistry, loads: list[tuple[str, int]]
    ) -> None:
        self._flavour, self._scenario, self._registry, self._loads = flavour, scenario, registry, loads
        self._slot = asyncio.Lock()

    @asynccontextmanager
    async def answer(self, incoming: Incoming, request: Request) -> AsyncIterator[Answer]:
        """Yield the answer; the call keeps its place in the queue until the answer is sent."""
        async with self._slot:
            try:
                yield _faulty(request.fault, self._answer(incoming, request), self._failure(500, _CRASH))
            except Refused as error:
                yield self._failure(error.status, str(error))

    def _failure(self, status: int, said: str) -> Answer:
        if not self._flavour.nested:
            return as_json({"error": said}, status)
        return as_json({"error": {"message": said, "type": "invalid_request_error", "code": status}}, status)

    def _answer(self, incoming: Incoming, request: Request) -> Answer:
        flavour = self._flavour
        if flavour.key and incoming.headers.get("authorization") != f"Bearer {flavour.key}":
            raise Refused(401, "Invalid API Key")
        if flavour.loading and incoming.path == CHAT_PATH:
            raise Refused(503, "Loading model")
        match incoming.method, incoming.path:
            case "GET", "/v1/models":
                return as_json(
                    {"object": "list", "data": [_card(flavour, one) for one in self._registry.installed.values()]}
                )
            case "POST", path if path == CHAT_PATH and isinstance(request.body, Mapping):
                return self._said(request.body, request.fault)
        if flavour is LM_STUDIO:  # with status 200, as that server does
            return as_json({"error": f"Unexpected endpoint or method. ({incoming.method} {incoming.path})"})
        raise Refused(404, "Not Found")

    def _said(self, body: Body, fault: Fault | None) -> Answer:
        """Return the answer to a chat. Raises Refused."""
        for name, said in self._flavour.refuses.items():
            if name in body:
                raise Refused(400, said)
        shaped = body.get("response_format") or {"type": "text"}
        if shaped["type"] not in ("text", "json_schema"):
            raise Refused(400, "'response_format.type' must be 'json_schema' or 'text'")
        model = self._model(body.get("model"))
        asked = {
            "model": model.full_name,
            "messages": body["messages"],
            "think": (body.get("chat_template_kwargs") or {}).get("enable_thinking", True),
            "truncate": False,
            "options": {"num_predict": body.get("max_tokens", -1), "num_ctx": model.context},
        }
        if shaped["type"] == "json_schema":
            asked["format"] = shaped["json_schema"]["schema"]
        try:
            chat.check(model, asked)
            lines = chat.answer(self._scenario, model, asked, fault, 0.0).lines
        except Refused as error:
            if "context" not in str(error):
                raise Refused(400, str(error)) from error
            size = sum(chat.tokens(message["content"]) for message in body["messages"])
            raise Refused(400, self._flavour.overlong.format(n=size, context=model.context)) from error
        self._loads.append((model.full_name, model.context))
        counted = bool((body.get("stream_options") or {}).get("include_usage"))
        chunks = [b"data: %b\n\n" % json.dumps(chunk, ensure_ascii=False).encode("utf-8", "replace")
                  for line in lines for chunk in _chunks(model.name, json.loads(line), counted)]  # fmt: skip
        if not (fault and fault.what is What.NO_END):
            chunks.append(b"data: [DONE]\n\n")
        return Answer(tuple(chunks), kind=SSE, first=self._scenario.first_byte, pace=self._scenario.pace)

    def _model(self, name: Any) -> Model:
        models = list(self._registry.installed.values())
        if self._flavour.named_by_file:
            return models[0]
        found = next((model for model in models if model.name == name), None)
        if found is None:
            raise Refused(404, self._flavour.missing.format(name=name))
        return found


def _card(flavour: Flavour, model: Model) -> dict[str, Any]:
    """Return a model as the server lists it; `created` is the time of the request."""
    card: dict[str, Any] = {"id": model.name, "object": "model", "owned_by": flavour.owner}
    if flavour.owner == "llamacpp":
        file = f"/home/ada/My models/{model.name}.gguf"  # as passed to -m
        meta: dict[str, Any] = {"vocab_type": 2, "n_vocab": 151_936, "n_ctx": model.context, "n_ctx_train": 32_768}
        meta |= {"n_embd": model.dimension, "n_params": 4_022_468_096, "size": model.size}
        meta |= {"ftype": "Q4_K - Medium"}
        return card | {"id": file, "aliases": [file], "tags": [], "created": 1_777_894_180, "meta": meta}
    if flavour.owner == "vllm":
        more: dict[str, Any] = {
            "root": f"Qwen/{model.name}",
            "parent": None,
            "max_model_len": model.context,
            "permission": [],
        }
        return card | {"created": 1_777_894_181} | more
    return card


def _chunks(name: str, line: dict[str, Any], counted: bool) -> Iterator[dict[str, Any]]:
    """Yield a line of an answer as chunks of this protocol; the last two are the end and the token counts."""
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": name}
    said = line["message"]
    delta = {"content": said["content"]} if said.get("content") else {}
    delta |= {"reasoning_content": said["thinking"]} if said.get("thinking") else {}
    reason = line.get("done_reason") if line["done"] else None
    yield {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    if line["done"] and counted:
        read, written = line.get("prompt_eval_count", 0), line.get("eval_count", 0)
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        yield {**frame, "choices": [], "usage": usage}


def _faulty(fault: Fault | None, answer: Answer, crash: Answer) -> Answer:
    """Return the answer, or the one that a fault replaces it with."""
    match fault.what if fault else None:
        case What.BUSY:
            return replace(crash, status=503)
        case What.CRASH:
            return crash
        case What.HTML:
            return Answer((b"<html><h1>502 Bad Gateway</h1></html>",), 502, "text/html")
        case What.GARBAGE:
            return Answer((b'data: {"choices": [{"delta": {"content": "wil\n\n',), kind=SSE)
        case What.ERROR_LINE if fault and answer.kind == SSE:
            kept, size = [], 0
            for line in answer.lines:
                if (size := size + len(line)) > fault.at:
                    break
                kept.append(line)
            return replace(answer, lines=(*kept, b"event: error\ndata: " + crash.body + b"\n\n"))
    return answer


@contextmanager
def serving(scenario: Scenario | None = None, flavour: Flavour = LM_STUDIO) -> Iterator[Server]:
    """Yield a running server, and close it afterwards."""
    server = Server(scenario or Scenario(), handler=partial(Handler, flavour))
    try:
        server.start()
        yield server
    finally:
        server.close()
