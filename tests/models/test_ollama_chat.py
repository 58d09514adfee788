"""Chats with an Ollama server, where they differ from those with other servers."""

import asyncio
import json
from dataclasses import replace

import pytest

from curator.models import (
    ChatModel,
    CutShort,
    ModelMissing,
    Offline,
    Question,
    ServerFailed,
    TooLong,
)
from curator.models.ollama import Server, Timeouts
from curator.models.server_chat import ServerChat
from effort import thorough
from fake_ollama.scenario import CHAT, Model, Overlong, Said, Scenario, Script
from fake_ollama.server import serving
from models.questions import ASKED, QUICK, SCHEMA, saying
from models.raw_server import answering, send


async def ask(scenario: Scenario, question: Question = ASKED, timeouts: Timeouts = QUICK, context: int = 8192) -> str:
    """Ask a scenario's chat model; return its answer."""
    with serving(scenario) as standin:
        async with Server(standin.host, timeouts=timeouts, context=context) as server:
            return (await (await server.chat("qwen3:4b")).ask(question)).text


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


async def test_what_came_of_an_answer_is_kept() -> None:
    with pytest.raises(CutShort) as caught:
        await ask(saying(Said('{"items": ["wil', reason="length")))
    assert caught.value.reply == '{"items": ["wil'


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


@thorough
async def test_a_server_that_never_ends_its_answer_has_answered() -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, b'{"message": {"content": "{}"}, "done": true, "done_reason": "stop"}\n')
        await asyncio.sleep(30)

    async with answering(answer) as host, Server(host) as server:
        reply = await ServerChat(server, ChatModel("m", "0", 8192)).ask(ASKED)
    assert reply.text == "{}"
