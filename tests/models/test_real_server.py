"""The clients against a real server. Nothing here runs unless OLLAMA_TEST_HOST is set.

OLLAMA_TEST_HOST is the server's address, with /v1 at the end for LM Studio, llama.cpp or vLLM; OLLAMA_TEST_CHAT and
OLLAMA_TEST_EMBED name models that it has (qwen3:4b, nomic-embed-text).
"""

import asyncio
import json
import os
import time
from dataclasses import replace

import numpy as np
import pytest

from curator.models import CutShort, ModelMissing, Question, TooLong, ollama_embedder, openai
from curator.models.host import speaks_openai
from curator.models.ollama import Allowed, Server
from curator.services.model_probe import probe
from curator.services.model_servers import ChatServer

HOST = os.environ.get("OLLAMA_TEST_HOST", "")
CHAT = os.environ.get("OLLAMA_TEST_CHAT", "qwen3:4b")
EMBED = os.environ.get("OLLAMA_TEST_EMBED", "nomic-embed-text")
pytestmark = pytest.mark.skipif(not HOST, reason="OLLAMA_TEST_HOST is not set")

SCHEMA = {
    "type": "object",
    "properties": {"tree": {"type": "string", "enum": ["oak", "willow"]}},
    "required": ["tree"],
}
ASKED = Question('Answer in JSON: {"tree": "oak" or "willow"}.', "Which tree likes wet ground?", SCHEMA, limit=100)


only_ollama = pytest.mark.skipif(speaks_openai(HOST), reason="only Ollama makes vectors")


def server() -> ChatServer:
    return openai.Server(HOST, Allowed(HOST)) if speaks_openai(HOST) else Server(HOST, Allowed(HOST))


async def test_a_schema_is_obeyed() -> None:
    async with server() as opened:
        reply = await (await opened.chat(CHAT)).ask(ASKED)
    assert json.loads(reply.text)["tree"] in ("oak", "willow")
    assert reply.tokens


async def test_an_answer_that_is_too_long_is_known() -> None:
    schema = {"type": "object", "properties": {"poem": {"type": "string"}}, "required": ["poem"]}
    asked = Question("Answer in JSON.", "Write a long poem about herons.", schema, limit=20)
    async with server() as opened:
        with pytest.raises(CutShort):
            await (await opened.chat(CHAT)).ask(asked)


async def test_a_prompt_that_is_too_long_is_not_read_in_part() -> None:
    async with server() as opened:
        chat = await opened.chat(CHAT)
        with pytest.raises(TooLong):
            await chat.ask(replace(ASKED, user="heron " * 50_000))


async def test_a_call_can_be_cancelled() -> None:
    async with server() as opened:
        chat = await opened.chat(CHAT)
        await chat.ask(ASKED)
        task = asyncio.create_task(chat.ask(replace(ASKED, user="Write a long poem about herons.", limit=2000)))
        await asyncio.sleep(0.5)
        begun = time.monotonic()
        task.cancel()
        await asyncio.wait([task])
        assert time.monotonic() - begun < 0.2
        await chat.ask(ASKED)


async def test_a_missing_model_is_known() -> None:
    async with server() as opened:
        with pytest.raises(ModelMissing):
            await opened.chat("there-is-no-such-model:1b")


@only_ollama
def test_vectors_know_meaning() -> None:
    embedder = ollama_embedder.load(Server(HOST, Allowed(HOST)), EMBED)
    kept = embedder.embed(["I do not eat meat.", "The boiler is serviced in May.", "", "half \ud83d"])
    (query,) = embedder.embed_query(["Is the person a vegetarian?"])
    assert np.argmax(kept @ query) == 0


@only_ollama
async def test_the_probe_says_what_works() -> None:
    async with Server(HOST, Allowed(HOST)) as opened:
        found = await probe(opened, opened, CHAT, EMBED)
    assert found.works and found.chat and found.embedding and found.version
