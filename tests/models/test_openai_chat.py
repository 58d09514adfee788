"""Chats with servers that speak the OpenAI protocol, where they differ from those with Ollama."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from curator.models import (
    BadReply,
    ModelMissing,
    NotAllowed,
    Offline,
    Question,
    Reply,
    ServerFailed,
    TooLong,
)
from curator.models.interfaces import ChatModel
from curator.models.openai import Server, client
from curator.models.openai.client import Wire
from curator.models.openai.types import Cards
from curator.models.server_chat import ServerChat
from curator.models.server_types import Allowed, Timeouts
from fake_ollama.scenario import CHAT, Model, Said, Scenario
from fake_openai.desk import CHAT_PATH, LLAMA_CPP, LM_STUDIO, VLLM, Flavour, serving
from models.questions import ASKED, QUICK, SCHEMA, saying
from models.raw_server import Answering, answering, send

ONE = Scenario(models=(CHAT,))


async def ask(
    scenario: Scenario = ONE, question: Question = ASKED, flavour: Flavour = LM_STUDIO, timeouts: Timeouts = QUICK
) -> Reply:
    """Ask a scenario's chat model; return its answer."""
    with serving(scenario, flavour) as standin:
        async with Server(f"{standin.host}/v1", timeouts=timeouts, keyed=True) as server:
            return await (await server.chat("qwen3:4b")).ask(question)


@asynccontextmanager
async def raw(answer: Answering, timeouts: Timeouts = QUICK) -> AsyncIterator[Server]:
    """Yield a client of a server whose responses are up to the test."""
    async with answering(answer) as host, Server(f"{host}/v1", timeouts=timeouts) as server:
        yield server


@pytest.mark.parametrize("flavour", [LM_STUDIO, LLAMA_CPP, VLLM])
async def test_an_answer_comes_whole_with_its_numbers(flavour: Flavour) -> None:
    said = json.dumps({"items": ["Weiden 🌳 und 楡の木", "a\u0085b\u2028c\u2029d"]}, ensure_ascii=False)
    with serving(saying(said), flavour) as standin:
        async with Server(f"{standin.host}/v1") as server:
            chat = await server.chat("qwen3:4b")
            reply = await chat.ask(ASKED)
        (request,) = standin.calls(CHAT_PATH)
        assert standin.disconnects == []
    assert (chat.model.name, chat.model.context) == ("qwen3:4b", 8192)
    assert reply.text == said
    assert reply.tokens and reply.seconds > 0
    assert request.body["response_format"]["type"] == "json_schema"
    assert request.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert (request.body["max_tokens"], request.body["temperature"], request.body["seed"]) == (200, 0.0, 0)
    assert request.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "authorization" not in request.headers


async def test_models_are_told_as_far_as_the_server_does() -> None:
    told = {}
    for flavour in (LM_STUDIO, LLAMA_CPP, VLLM):
        models = (Model("qwen3-4b-instruct", context=16_384), Model("text-embedding-nomic-embed-text-v1.5"))
        with serving(Scenario(models=models), flavour) as standin:
            async with Server(f"{standin.host}/v1") as server:
                first, second = await server.installed()
                assert (await server.installed())[0].digest == first.digest
                told[server.name] = (first.context, first.parameters, first.quantization)
        assert first.chats and not second.chats and not first.remote
        assert first.name == "qwen3-4b-instruct"
    assert told == {
        "LM Studio": (None, "4B", ""),
        "llama.cpp": (16_384, "4.0B", "Q4_K - Medium"),
        "vLLM": (16_384, "4B", ""),
    }


async def test_a_model_of_llama_cpp_is_named_without_the_folder_of_its_file() -> None:
    with serving(Scenario(models=(Model("Qwen3-4B-Q4_K_M"),)), LLAMA_CPP) as standin:
        async with Server(f"{standin.host}/v1") as server:
            for asked in ("qwen3-4b-q4_k_m", "/home/ada/My models/Qwen3-4B-Q4_K_M.gguf"):
                chat = await server.chat(asked)
                assert chat.model.name == "Qwen3-4B-Q4_K_M"
                assert "/" not in chat.model.label
            assert await server.allocated(chat.model.name) == 40_960


async def test_the_context_is_never_larger_than_the_servers() -> None:
    with serving(Scenario(models=(replace(CHAT, context=4096),)), VLLM) as standin:
        async with Server(f"{standin.host}/v1") as server:
            assert (await server.chat("qwen3:4b")).model.context == 4096
            with pytest.raises(TooLong, match="4,096"):
                await (await server.chat("qwen3:4b")).ask(replace(ASKED, user="the heron came back " * 1500))
        assert standin.calls(CHAT_PATH) == []


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("response_format", 'response_format type must be one of "text" or "json_object", but got: json_schema'),
        ("chat_template_kwargs", "chat_template is not supported for Mistral tokenizers."),
        ("stream_options", "Unrecognized request argument supplied: stream_options"),
        ("seed", "unknown field `seed`"),
    ],
)
async def test_what_a_server_does_not_take_is_left_out_once_it_says_so(field: str, said: str) -> None:
    words = '```json\n{"items": ["oak"]}\n```' if field == "response_format" else '{"items": ["oak"]}'
    with serving(saying(words), replace(VLLM, refuses={field: said})) as standin:
        async with Server(f"{standin.host}/v1") as server:
            chat = await server.chat("qwen3:4b")
            assert "oak" in (await chat.ask(ASKED)).text
            assert "oak" in (await chat.ask(replace(ASKED, seed=1))).text
        assert [field in call.body for call in standin.calls(CHAT_PATH)] == [True, False, False]


async def test_thoughts_are_no_answer() -> None:
    said = Said('{"items": ["oak"]}', thinking="The pond has oaks, let me see.")
    assert (await ask(saying(said))).text == '{"items": ["oak"]}'


@pytest.mark.parametrize("flavour", [LM_STUDIO, LLAMA_CPP, VLLM])
async def test_a_prompt_that_the_server_cannot_take_is_too_long(flavour: Flavour) -> None:
    small = Scenario(models=(replace(CHAT, context=512),))
    with serving(small, flavour) as standin:
        async with Server(f"{standin.host}/v1") as server:
            chat = ServerChat(server, ChatModel("qwen3:4b", "0", 8192))
            with pytest.raises(TooLong, match="too long for qwen3:4b at http"):
                await chat.ask(replace(ASKED, user="\n".join(f"heron {n} came back" for n in range(400))))


async def test_errors_name_the_server_and_the_remedy() -> None:
    for port, start in (
        ("1234", "lms server start"),
        ("8080", "llama-server"),
        ("9931", "llama-server"),
        ("8000", "vllm serve"),
    ):
        async with Server(f"127.0.0.2:{port}/v1") as server:
            with pytest.raises(Offline, match=f"127.0.0.2:{port}/v1; .*{start}"):
                await server.chat("qwen3:4b")
    with serving(Scenario(models=(CHAT, Model("text-embedding-e5")))) as standin:
        async with Server(f"{standin.host}/v1") as server:
            with pytest.raises(ModelMissing, match=r"no model gone-1b; load it there.*curator models"):
                await server.chat("gone-1b")
            with pytest.raises(ModelMissing, match="vectors"):
                await server.chat("text-embedding-e5")
            with pytest.raises(ModelMissing, match=r"has not loaded gone.*Failed to load model"):
                await ServerChat(server, ChatModel("gone", "0", 8192)).ask(ASKED)
        async with Server(f"{standin.host}/elsewhere/v1") as server:
            with pytest.raises(BadReply, match="not the OpenAI protocol"):
                await server.installed()
    with serving(ONE, VLLM) as standin:
        async with Server(f"{standin.host}/elsewhere/v1") as server:
            with pytest.raises(ModelMissing, match="not an OpenAI-compatible server"):
                await server.installed()
    with pytest.raises(Offline, match="loading a model"):
        await ask(flavour=replace(LLAMA_CPP, loading=True))


async def test_a_key_is_sent_to_this_machine_only_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-you")
    locked = replace(VLLM, key="pond-1")
    with pytest.raises(ModelMissing, match="CURATOR_MODEL_KEY"):
        await ask(flavour=locked)
    monkeypatch.setenv("CURATOR_MODEL_KEY", "pond-1")
    assert (await ask(flavour=locked)).text


@pytest.mark.parametrize("key", ["pond\n1", "pond\x00", "pönd", "pond\udc80"])
async def test_a_key_that_no_header_can_hold_is_named_but_not_told(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "os", SimpleNamespace(environ={"CURATOR_MODEL_KEY": key}))
    with pytest.raises(ModelMissing, match="the variable CURATOR_MODEL_KEY has") as error:
        Wire("http://127.0.0.1:9/v1", 2, keyed=True)
    assert "nd" not in str(error.value).replace("and", "")
    assert error.value.__cause__ is error.value.__context__ is None


async def test_a_key_is_sent_to_another_machine_over_tls_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_MODEL_KEY", "pond-1")
    heads = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        heads.append(request.lower())
        await send(writer, b'{"data": []}')

    async with answering(answer) as host:
        for url in (host, host.replace("127.0.0.1", "0.0.0.0")):  # the second is not known to be this machine
            wire = Wire(f"{url}/v1", 2, keyed=True)
            await wire.read(Cards, "/models")
            await wire.close()
    assert [b"bearer pond-1" in head for head in heads] == [True, False]


async def test_what_would_leave_this_machine_needs_a_setting() -> None:
    with pytest.raises(NotAllowed, match=r"another machine.*ollama\.allow_host http://192\.0\.2\.1:1234/v1"):
        Server("192.0.2.1:1234/v1")
    assert Server("192.0.2.1:1234/v1", Allowed("192.0.2.1:1234/v1")).host == "http://192.0.2.1:1234/v1"
    gateway = replace(VLLM, owner="openai")
    with serving(Scenario(models=(Model("gpt-5-mini"), CHAT)), gateway) as standin:
        async with Server(f"{standin.host}/v1") as server:
            with pytest.raises(NotAllowed, match=r"gpt-5-mini runs on other machines.*allow_cloud gpt-5-mini"):
                await server.chat("gpt-5-mini")
        async with Server(f"{standin.host}/v1", Allowed(cloud=frozenset({"gpt-5-mini"}))) as server:
            assert (await server.chat("gpt-5-mini")).model.name == "gpt-5-mini"


async def test_an_ollama_is_to_be_named_by_its_own_address() -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        models = {"data": [{"id": "mine", "owned_by": "library"}]}
        await send(writer, json.dumps({"version": "0.33.0"} if b"/api/version" in request else models).encode())

    async with raw(answer) as server:
        with pytest.raises(NotAllowed, match=r"is an Ollama.* without /v1: .*ollama\.host http://127\.0\.0\.1:\d+$"):
            await server.chat("mine")


@pytest.mark.parametrize("after", ["", "willow "])
async def test_what_follows_the_end_of_an_answer_is_bounded(after: str) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, b'data: {"choices": [{"delta": {"content": "oak"}, "finish_reason": "stop"}]}\n\n')
        chunk = json.dumps({"choices": [{"delta": {"content": after * 500}}]}).encode()  # fast enough on any machine
        while True:
            writer.write(b"data: " + chunk + b"\n\n")
            await writer.drain()
            await asyncio.sleep(0)

    patient = Timeouts(first_byte=30, between=30, total=60, short=30)
    async with raw(answer, patient) as server, asyncio.timeout(20):
        chat = ServerChat(server, ChatModel("m", "0", 8192))
        if not after:
            assert (await chat.ask(ASKED)).text == "oak"
            return
        with pytest.raises(BadReply, match="did not stop"):
            await chat.ask(ASKED)


async def test_an_error_in_the_middle_of_an_answer_is_the_servers() -> None:
    for said in (b'error: {"code": 500, "message": "out of memory"}\n\n', b'data: {"error": "out of memory"}\n\n'):
        begun = b'data: {"choices": [{"delta": {"content": "wil"}}]}\n\n' + said

        async def answer(request: bytes, writer: asyncio.StreamWriter, whole: bytes = begun) -> None:
            await send(writer, whole)

        async with raw(answer) as server:
            with pytest.raises(ServerFailed, match="out of memory") as caught:
                await ServerChat(server, ChatModel("m", "0", 8192)).ask(ASKED)
        assert caught.value.reply == "wil"


async def test_a_prompt_that_is_too_long_is_sent_once() -> None:
    asked = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        await send(writer, b'{"error": "prompt and response_format exceed the context size"}', "400 Bad Request")

    async with raw(answer) as server:
        with pytest.raises(TooLong):
            await ServerChat(server, ChatModel("m", "0", 8192)).ask(ASKED)
    assert len(asked) == 1
