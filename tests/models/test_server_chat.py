"""A question gets a complete answer or a clear error, with servers of both protocols."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from curator.errors import ModelError
from curator.models import (
    BadReply,
    CallFailed,
    ChatModel,
    CutShort,
    ModelMissing,
    Offline,
    ServerFailed,
    TimedOut,
    TooLong,
)
from curator.models import ollama as ollama_models
from curator.models import openai as openai_models
from curator.models.base_server import ModelServer
from curator.models.server_chat import ServerChat
from curator.models.server_types import Timeouts
from effort import some, thorough
from fake_ollama import server as ollama_standin
from fake_ollama.faults import Fault, What
from fake_ollama.scenario import Scenario
from fake_openai import desk as openai_standin
from models.questions import ASKED, QUICK, saying
from models.raw_server import Answering, answering, send


@dataclass(frozen=True)
class Protocol:
    """A protocol: its stand-in server, our client, and how it writes a piece of an answer."""

    serving: Callable[[Scenario], AbstractContextManager[ollama_standin.Server]]
    server: Callable[..., ModelServer[Any]]
    suffix: str
    path: str
    piece: Callable[[str], bytes]

    def open(self, host: str, timeouts: Timeouts = QUICK) -> ModelServer[Any]:
        return self.server(host + self.suffix, timeouts=timeouts)


PROTOCOLS = {
    "ollama": Protocol(
        ollama_standin.serving,
        ollama_models.Server,
        "",
        "/api/chat",
        lambda text: json.dumps({"message": {"content": text}, "done": False}).encode() + b"\n",
    ),
    "openai": Protocol(
        openai_standin.serving,
        openai_models.Server,
        "/v1",
        openai_standin.CHAT_PATH,
        lambda text: b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n",
    ),
}


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> Protocol:
    return PROTOCOLS[request.param]


async def ask(protocol: Protocol, scenario: Scenario, limit: int = 200) -> str:
    """Ask a scenario's chat model; return its answer."""
    with protocol.serving(scenario) as standin:
        async with protocol.open(standin.host) as server:
            return (await (await server.chat("qwen3:4b")).ask(replace(ASKED, limit=limit))).text


@asynccontextmanager
async def raw(protocol: Protocol, answer: Answering) -> AsyncIterator[ServerChat]:
    """Yield a chat with a server whose responses are up to the test."""
    async with answering(answer) as host, protocol.open(host, Timeouts()) as server:
        yield ServerChat(server, ChatModel("m", "0", 8192))


FAILING: dict[What, type[ModelError]] = {
    What.REFUSE: Offline,
    What.STOP: Offline,
    What.BUSY: Offline,
    What.CRASH: ServerFailed,
    What.HTML: Offline,
    What.GARBAGE: BadReply,
    What.SLOW: TimedOut,
    What.STALL: TimedOut,
    What.DROP: Offline,
    What.NO_END: BadReply,
    What.ERROR_LINE: ServerFailed,
    What.CUT_SHORT: CutShort,
    What.THINKING_ONLY: BadReply,
    What.NOTHING: BadReply,
}


@pytest.mark.parametrize("what", FAILING)
async def test_every_fault_has_its_error(protocol: Protocol, what: What) -> None:
    fault = Fault(what, path=protocol.path, at=0 if what in (What.REFUSE, What.STOP) else 200)
    with pytest.raises(FAILING[what]) as caught:
        await ask(protocol, Scenario(faults=(fault,)))
    assert type(caught.value) is FAILING[what]
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize("what", [What.STOP, What.STALL, What.DROP, What.ERROR_LINE])
@pytest.mark.parametrize("at", some([0, 1, 50, 190, 400, 651, 1500], 3))
async def test_no_partial_answer_passes_wherever_it_breaks(protocol: Protocol, what: What, at: int) -> None:
    said = json.dumps({"items": ["a long list of trees " * 3]})
    fault = Fault(what, path=protocol.path, at=at)
    with pytest.raises((Offline, TimedOut, ServerFailed)) as caught:
        await ask(protocol, replace(saying(said), faults=(fault,)))
    if isinstance(caught.value, CallFailed):
        assert said.startswith(caught.value.reply)


@thorough
async def test_a_slow_but_steady_answer_ends_with_the_total_time(protocol: Protocol) -> None:
    begun = time.monotonic()
    with pytest.raises(TimedOut, match=r"within 0\.6 s"):
        await ask(protocol, replace(saying("willow " * 300), pace=0.05), limit=2000)
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize("when", ["waiting", "talking"])
async def test_cancelling_drops_the_connection_at_once(protocol: Protocol, when: str) -> None:
    slow = Scenario(first_byte=30) if when == "waiting" else replace(saying("willow " * 40), pace=0.1)
    with protocol.serving(slow) as standin:
        async with protocol.open(standin.host, Timeouts()) as server:
            task = asyncio.create_task((await server.chat("qwen3:4b")).ask(ASKED))
            while not (calls := standin.calls(protocol.path)) or (when == "talking" and not calls[0].sent):
                await asyncio.sleep(0.01)
            begun = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - begun < 0.1
            await asyncio.to_thread(standin.wait, lambda it: it.disconnects, 1.0)
            assert time.monotonic() - begun < 0.2
            assert await server.installed(), "the server can be asked on"


async def test_an_answer_without_end_is_bounded(protocol: Protocol) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, b"")
        while True:
            writer.write(protocol.piece("willow " * 100))
            await writer.drain()

    async with raw(protocol, answer) as chat:
        with pytest.raises(BadReply, match="did not stop") as caught:
            await chat.ask(ASKED)
    assert len(caught.value.reply) < 20_000


NONSENSE = {
    ("ollama", "a list"): b"[]\n",
    ("ollama", "a number"): b"12\n",
    ("ollama", "deep"): b"[" * 200_000 + b"\n",
    ("ollama", "an empty line"): b"\n",
    ("ollama", "no text"): b"\xff\xfe\x00",
    ("ollama", "another protocol"): b'data: {"choices": []}\n\n',
    ("ollama", "no done"): b'{"message": {"content": "x"}}\n',
    ("ollama", "wrong kind"): b'{"message": {"content": ["x"]}, "done": true}\n',
    ("ollama", "no message"): b'{"message": null, "done": true}\n',
    ("ollama", "a long number"): b'{"message": {"content": "x"}, "done": true, "eval_count": ' + b"9" * 5000 + b"}\n",
    ("ollama", "nothing"): b"",
    ("ollama", "loaded"): b'{"message": {"content": "x"}, "done": true, "done_reason": "load"}\n',
    ("openai", "another protocol"): b'{"message": {"content": "x"}, "done": true}\n',
    ("openai", "a list"): b"data: []\n\n",
    ("openai", "deep"): b"data: " + b"[" * 200_000 + b"\n\n",
    ("openai", "no text"): b"\xff\xfe\x00",
    ("openai", "no end"): b'data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: [DONE]\n\n',
    ("openai", "wrong kind"): b'data: {"choices": [{"delta": {"content": ["x"]}, "finish_reason": "stop"}]}\n\n',
    ("openai", "a tool"): b'data: {"choices": [{"delta": {"content": "x"}, "finish_reason": "tool_calls"}]}\n\n',
    ("openai", "nothing"): b"",
}


@pytest.mark.parametrize(("spoken", "name"), NONSENSE)
async def test_what_is_not_the_protocol_is_a_bad_reply(spoken: str, name: str) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, NONSENSE[spoken, name])

    async with raw(PROTOCOLS[spoken], answer) as chat:
        with pytest.raises(BadReply):
            await chat.ask(ASKED)


STATUS: dict[tuple[str, str], tuple[bytes, type[ModelError]]] = {
    ("ollama", "400 Bad Request"): (b'{"error": "input length exceeds the context length"}', TooLong),
    ("ollama", "400 Bad  Request"): (b'{"error": "missing request body"}', ServerFailed),
    ("ollama", "401 Unauthorized"): (b'{"error": "unauthorized"}', ModelMissing),
    ("ollama", "403 Forbidden"): (b"", ModelMissing),
    ("ollama", "404 Not Found"): (b'{"error": "model not found"}', ModelMissing),
    ("ollama", "499 Gone"): (b'{"error": "request canceled"}', Offline),
    ("ollama", "500 Internal"): (b'{"error": {"message": "nested"}}', ServerFailed),
    ("openai", "400 Bad Request"): (b'{"error": "context size exceeded"}', TooLong),
    ("openai", "400 Bad  Request"): (b'{"object": "error", "message": "no messages", "code": 400}', ServerFailed),
    ("openai", "400 No model"): (b'{"error": {"message": "No models loaded. Use `lms load`."}}', ModelMissing),
    ("openai", "401 Unauthorized"): (b'{"error": {"message": "Invalid API Key"}}', ModelMissing),
    ("openai", "404 Not Found"): (b'{"detail": "Not Found"}', ModelMissing),
    ("openai", "500 Internal"): (b'{"error": {"message": ["nested"]}}', ServerFailed),
}
for every in PROTOCOLS:
    STATUS |= {
        (every, "429 Too Many"): (b"slow down", Offline),
        (every, "502 Bad Gateway"): (b"<html>" * 10_000, Offline),
        (every, "307 Elsewhere\r\nLocation: http://192.0.2.1/"): (b"", ModelMissing),
        (every, "200 OK\r\nContent-Encoding: gzip"): (b"\x1f\x8b", BadReply),
    }


@pytest.mark.parametrize(("spoken", "status"), STATUS)
async def test_every_status_has_its_error(spoken: str, status: str) -> None:
    body, error = STATUS[spoken, status]

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, body, status)

    async with raw(PROTOCOLS[spoken], answer) as chat:
        with pytest.raises(error) as caught:
            await chat.ask(ASKED)
    assert type(caught.value) is error
    assert len(str(caught.value)) < 700
