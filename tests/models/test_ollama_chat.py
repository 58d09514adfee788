"""A question is answered whole, or an error says what became of it."""

import asyncio
import json
import time
from dataclasses import replace

import pytest

from curator.errors import ModelError
from curator.models import (
    BadReply,
    CallFailed,
    ChatModel,
    CutShort,
    ModelMissing,
    Offline,
    Question,
    ServerFailed,
    TimedOut,
    TooLong,
)
from curator.models.ollama import Server, Timeouts
from curator.models.server_chat import ServerChat
from fake_ollama.faults import Fault, What
from fake_ollama.scenario import CHAT, Model, Overlong, Said, Scenario, Script
from fake_ollama.server import serving
from models.raw_server import answering, send

SCHEMA = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}},
    "required": ["items"],
}
ASKED = Question("Answer in JSON.", "Which trees stand at the pond?", SCHEMA, limit=200)
QUICK = Timeouts(first_byte=0.3, between=0.3, total=0.6)


async def ask(scenario: Scenario, question: Question = ASKED, timeouts: Timeouts = QUICK, context: int = 8192) -> str:
    """Return the answer of a scenario's chat model."""
    with serving(scenario) as standin:
        async with Server(standin.host, timeouts=timeouts, context=context) as server:
            return (await (await server.chat("qwen3:4b")).ask(question)).text


def saying(said: Said | str) -> Scenario:
    return Scenario(scripts=(Script("pond", said),))


async def test_an_answer_comes_whole_with_its_numbers() -> None:
    said = json.dumps({"items": ["Weiden 🌳 und 楡の木", "a\u0085b\u2028c\u2029d"]}, ensure_ascii=False)
    with serving(saying(said)) as standin:
        async with Server(standin.host) as server:
            chat = await server.chat("qwen3:4b")
            reply = await chat.ask(ASKED)
        (request,) = standin.calls()
        assert standin.disconnects == []
    assert chat.model == ChatModel("qwen3:4b", CHAT.digest, 8192)
    assert reply.text == said
    assert reply.tokens and reply.seconds > 0
    assert request.body["think"] is request.body["truncate"] is request.body["shift"] is False
    assert request.body["stream"] is True
    assert request.body["format"] == SCHEMA
    assert request.body["keep_alive"] == "10m"
    assert request.body["options"] == {"num_ctx": 8192, "num_predict": 200, "temperature": 0.0, "seed": 0}


async def test_the_context_is_never_larger_than_the_models() -> None:
    with serving(Scenario(models=(replace(CHAT, context=4096),))) as standin:
        async with Server(standin.host) as server:
            chat = await server.chat("qwen3:4b")
            await chat.ask(ASKED)
            await chat.ask(replace(ASKED, seed=1, temperature=0.2))
        assert {call.body["options"]["num_ctx"] for call in standin.calls()} == {4096}
        assert len(standin.loads) == 1, "another context would load the model again"


async def test_half_a_character_is_sent_as_a_question_mark() -> None:
    assert (
        await ask(Scenario(scripts=(Script("broken ?", "yes"),)), replace(ASKED, user="broken \ud83d emoji")) == "yes"
    )


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
async def test_every_fault_has_its_error(what: What) -> None:
    fault = Fault(what, at=0 if what in (What.REFUSE, What.STOP) else 200)
    with pytest.raises(FAILING[what]) as caught:
        await ask(Scenario(faults=(fault,)))
    assert type(caught.value) is FAILING[what]
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize("what", [What.STOP, What.STALL, What.DROP, What.ERROR_LINE])
@pytest.mark.parametrize("at", [0, 1, 50, 190, 400, 651])
async def test_no_partial_answer_passes_wherever_it_breaks(what: What, at: int) -> None:
    said = json.dumps({"items": ["a long list of trees " * 3]})
    with pytest.raises((Offline, TimedOut, ServerFailed)) as caught:
        await ask(replace(saying(said), faults=(Fault(what, at=at),)))
    if isinstance(caught.value, CallFailed):
        assert said.startswith(caught.value.reply)


async def test_what_came_of_an_answer_is_kept() -> None:
    with pytest.raises(CutShort) as caught:
        await ask(saying(Said('{"items": ["wil', reason="length")))
    assert caught.value.reply == '{"items": ["wil'


async def test_a_slow_but_steady_answer_ends_with_the_total_time() -> None:
    begun = time.monotonic()
    with pytest.raises(TimedOut, match=r"within 0\.6 s"):
        await ask(replace(saying("willow " * 300), pace=0.05), replace(ASKED, limit=2000))
    assert time.monotonic() - begun < 2


async def test_nobody_there_is_offline_at_once() -> None:
    with serving() as standin:
        standin.stop()
        async with Server(standin.host) as server:
            with pytest.raises(Offline, match="ollama serve"):
                await server.chat("qwen3:4b")


async def test_a_model_that_is_gone_says_how_to_get_it() -> None:
    with serving() as standin:
        async with Server(standin.host) as server:
            for name, error in (("llama3.2:3b", "curator models pull llama3.2:3b"), ("nomic-embed-text", "vectors")):
                with pytest.raises(ModelMissing, match=error):
                    await server.chat(name)
            gone = ServerChat(server, ChatModel("gone:1b", "0", 8192))
            with pytest.raises(ModelMissing, match="pull gone:1b"):
                await gone.ask(ASKED)


async def test_a_schema_the_server_cannot_compile_is_its_failure() -> None:
    with pytest.raises(ServerFailed, match="grammar"):
        await ask(Scenario(), replace(ASKED, schema={"type": "willow"}))


@pytest.mark.parametrize("text", ["the heron came back " * 1500, "緑茶を飲みます。" * 500, "8" * 8000])
async def test_what_may_not_fit_is_not_sent(text: str) -> None:
    with serving() as standin:
        async with Server(standin.host) as server:
            with pytest.raises(TooLong, match="8,192"):
                await (await server.chat("qwen3:4b")).ask(replace(ASKED, user=text))
        assert standin.calls() == []


async def test_what_the_server_cut_without_a_word_is_found() -> None:
    deaf = Scenario(models=(Model("qwen3:4b", context=512, overlong=Overlong.DEAF),))
    told = "The heron at the pond, number {}, came back in March."
    with serving(deaf) as standin:
        async with Server(standin.host) as server:
            chat = ServerChat(server, ChatModel("qwen3:4b", "0", 8192))
            with pytest.raises(TooLong, match=r"read .* runs it with 512"):
                await chat.ask(replace(ASKED, user="\n".join(map(told.format, range(100)))))


async def test_a_prompt_that_the_server_remembers_is_not_taken_for_cut() -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        if b"/api/ps" in request:
            await send(writer, b'{"models": [{"name": "m:latest", "context_length": 8192}]}')
        else:
            line = {"message": {"content": "{}"}, "done": True, "done_reason": "stop", "prompt_eval_count": 1}
            await send(writer, json.dumps(line).encode())

    async with answering(answer) as host, Server(host) as server:
        chat = ServerChat(server, ChatModel("m", "0", 8192))
        assert (await chat.ask(ASKED)).text
        assert (await chat.ask(replace(ASKED, user=f"{ASKED.user} Again."))).text == "{}"


@pytest.mark.parametrize("when", ["waiting", "talking"])
async def test_cancelling_drops_the_connection_at_once(when: str) -> None:
    slow = Scenario(first_byte=30) if when == "waiting" else replace(saying("willow " * 40), pace=0.1)
    with serving(slow) as standin:
        async with Server(standin.host) as server:
            task = asyncio.create_task((await server.chat("qwen3:4b")).ask(ASKED))
            while not standin.calls() or (when == "talking" and not standin.calls()[0].sent):
                await asyncio.sleep(0.01)
            begun = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - begun < 0.1
            await asyncio.to_thread(standin.wait, lambda it: it.disconnects, 1.0)
            assert time.monotonic() - begun < 0.2
            assert await server.version(), "the server can be asked on"


async def test_an_answer_without_end_is_bounded() -> None:
    sent = 0

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await send(writer, b"")
        while True:
            line = json.dumps({"message": {"content": "willow " * 100}, "done": False}).encode() + b"\n"
            writer.write(line)
            await writer.drain()
            sent += len(line)

    async with answering(answer) as host, Server(host) as server:
        with pytest.raises(BadReply, match="did not stop") as caught:
            await ServerChat(server, ChatModel("m", "0", 8192)).ask(ASKED)
    assert len(caught.value.reply) < 20_000


NONSENSE = {
    "a list": b"[]\n",
    "a number": b"12\n",
    "deep": b"[" * 200_000 + b"\n",
    "an empty line": b"\n",
    "no text": b"\xff\xfe\x00",
    "another protocol": b'data: {"choices": []}\n\n',
    "no done": b'{"message": {"content": "x"}}\n',
    "wrong kind": b'{"message": {"content": ["x"]}, "done": true}\n',
    "no message": b'{"message": null, "done": true}\n',
    "a long number": b'{"message": {"content": "x"}, "done": true, "eval_count": ' + b"9" * 5000 + b"}\n",
    "nothing": b"",
    "loaded": b'{"message": {"content": "x"}, "done": true, "done_reason": "load"}\n',
}


@pytest.mark.parametrize("name", NONSENSE)
async def test_what_is_not_the_protocol_is_a_bad_reply(name: str) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, NONSENSE[name])

    async with answering(answer) as host, Server(host) as server:
        with pytest.raises(BadReply):
            await ServerChat(server, ChatModel("m", "0", 8192)).ask(ASKED)


STATUS: dict[str, tuple[bytes, type[ModelError]]] = {
    "400 Bad Request": (b'{"error": "input length exceeds the context length"}', TooLong),
    "400 Bad  Request": (b'{"error": "missing request body"}', ServerFailed),
    "401 Unauthorized": (b'{"error": "unauthorized"}', ModelMissing),
    "403 Forbidden": (b"", ModelMissing),
    "404 Not Found": (b'{"error": "model not found"}', ModelMissing),
    "429 Too Many": (b"slow down", Offline),
    "499 Gone": (b'{"error": "request canceled"}', Offline),
    "500 Internal": (b'{"error": {"message": "nested"}}', ServerFailed),
    "502 Bad Gateway": (b"<html>" * 10_000, Offline),
    "307 Elsewhere\r\nLocation: http://192.0.2.1/": (b"", ModelMissing),
    "200 OK\r\nContent-Encoding: gzip": (b"\x1f\x8b", BadReply),
}


@pytest.mark.parametrize("status", STATUS)
async def test_every_status_has_its_error(status: str) -> None:
    body, error = STATUS[status]

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, body, status)

    async with answering(answer) as host, Server(host) as server:
        with pytest.raises(error) as caught:
            await ServerChat(server, ChatModel("m", "0", 8192)).ask(ASKED)
    assert type(caught.value) is error
    assert len(str(caught.value)) < 700


async def test_a_server_that_never_ends_its_answer_has_answered() -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, b'{"message": {"content": "{}"}, "done": true, "done_reason": "stop"}\n')
        await asyncio.sleep(30)

    async with answering(answer) as host, Server(host) as server:
        reply = await ServerChat(server, ChatModel("m", "0", 8192)).ask(ASKED)
    assert reply.text == "{}"
