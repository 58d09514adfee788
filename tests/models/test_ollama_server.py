"""A server's models; text is sent only to that server."""

import asyncio
import subprocess
import sys
from contextlib import aclosing
from dataclasses import replace

import pytest

from curator.errors import ModelError
from curator.models import BadReply, ChatModel, ModelMissing, NotAllowed, Offline, Question, TimedOut
from curator.models.ollama import Allowed, Installed, Pulled, Server, Timeouts
from curator.models.server_chat import ServerChat
from effort import thorough
from fake_ollama.faults import Fault, What
from fake_ollama.scenario import CHAT, CLOUD, EMBEDDER, Model, Scenario
from fake_ollama.server import serving
from models.raw_server import answering, send

SMALL = Model("llama3.2:3b", family="llama", parameters="3.2B", size=2_000_000)
PULLING = Scenario(library=(SMALL,))
ASKED = Question("", "Hello?", {"type": "object"}, limit=20)


async def test_installed_models_are_told_with_all_that_matters() -> None:
    with serving() as standin:
        async with Server(standin.host) as server:
            assert await server.version() == "0.33.0"
            found = {model.name: model for model in await server.installed()}
    assert found["qwen3:4b"] == Installed(
        "qwen3:4b", CHAT.digest, CHAT.size, "4.0B", "Q4_K_M", "qwen3", CHAT.capabilities, 40_960, 2560, False
    )
    assert [name for name, model in found.items() if model.remote] == ["gpt-oss:120b-cloud"]
    assert [name for name, model in found.items() if model.embeds] == ["nomic-embed-text:latest"]
    assert found["qwen3:4b"].billions == 4.0
    assert found["nomic-embed-text:latest"].billions == pytest.approx(0.137)


async def test_a_name_without_a_tag_is_the_latest() -> None:
    with serving() as standin:
        async with Server(standin.host) as server:
            assert (await server.find("nomic-embed-text")).digest == EMBEDDER.digest
            assert (await server.find("Nomic-Embed-Text:latest")).digest == EMBEDDER.digest
            with pytest.raises(ModelMissing, match="curator models pull qwen3"):
                await server.find("qwen3")


@pytest.mark.parametrize("told", [b"{}", b'{"capabilities": null, "model_info": null, "details": null}', b"broken"])
async def test_a_model_the_server_says_little_of_is_listed(told: bytes) -> None:
    listed = b'{"models": [{"name": "a:1b"}, {"name": "b", "details": {"family": "bert", "parameter_size": "33M"}}]}'

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, listed if b"/api/tags" in request else told)

    async with answering(answer) as host, Server(host) as server:
        first, second = await server.installed()
    assert first.chats and not first.embeds and first.context is None and first.billions is None
    assert second.embeds and not second.chats


async def test_text_for_a_cloud_model_stays_here_unless_it_is_named() -> None:
    with serving(replace(Scenario(), library=(CLOUD,))) as standin:
        async with Server(standin.host) as server:
            for call in (server.chat(CLOUD.name), server.embed(CLOUD.name, ["tea"]), anext(server.pull(CLOUD.name))):
                with pytest.raises(NotAllowed, match=r"ollama\.allow_cloud gpt-oss:120b-cloud"):
                    await call
        assert not standin.calls() and not standin.calls("/api/embed") and not standin.calls("/api/pull")
        async with Server(standin.host, Allowed(cloud=frozenset({CLOUD.name}))) as server:
            assert (await (await server.chat(CLOUD.name)).ask(ASKED)).text


async def test_a_cloud_model_under_another_name_is_known() -> None:
    with serving(Scenario(models=(replace(CLOUD, name="mine"),))) as standin:
        async with Server(standin.host) as server:
            with pytest.raises(NotAllowed):
                await server.chat("mine")


async def test_no_key_and_no_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "a-secret")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://192.0.2.1:3128")
    with serving() as standin:
        async with Server(standin.host) as server:
            await (await server.chat("qwen3:4b")).ask(ASKED)
            await server.embed("nomic-embed-text", ["tea"])
        assert len(standin.requests) == 4
        assert all("authorization" not in request.headers for request in standin.requests)
        assert "a-secret" not in str(standin.requests)


async def test_nobody_is_sent_elsewhere() -> None:
    with serving() as standin:

        async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
            await send(writer, b"", f"307 Elsewhere\r\nLocation: {standin.host}/api/chat")

        async with answering(answer) as host, Server(host) as server:
            with pytest.raises(ModelError, match="not followed"):
                await ServerChat(server, ChatModel("qwen3:4b", "0", 8192)).ask(ASKED)
        assert standin.requests == []


async def test_a_server_that_takes_calls_and_says_nothing_is_as_good_as_gone() -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    async with answering(answer) as host, Server(host, timeouts=Timeouts(short=0.1)) as server:
        with pytest.raises(Offline, match="does not answer"):
            await server.version()


async def test_an_address_that_leads_nowhere_is_given_up() -> None:
    async with Server("192.0.2.1", Allowed("192.0.2.1"), Timeouts(connect=0.2)) as server:
        with pytest.raises(Offline):
            await ServerChat(server, ChatModel("m", "0", 8192)).ask(ASKED)


async def pulled(server: Server, name: str, most: int = 1000) -> list[Pulled]:
    found: list[Pulled] = []
    async with aclosing(server.pull(name)) as steps:
        async for step in steps:
            found.append(step)
            if len(found) == most:
                break
    return found


async def test_a_pull_tells_bytes_over_all_layers() -> None:
    with serving(PULLING) as standin:
        async with Server(standin.host) as server:
            steps = await pulled(server, SMALL.name)
            assert (await server.find(SMALL.name)).digest == SMALL.digest
    assert steps[-1] == Pulled("success", SMALL.size + 11_844, SMALL.size + 11_844)
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert all(step.done <= step.total for step in steps)


async def test_a_pull_broken_off_goes_on_where_it_was() -> None:
    with serving(replace(PULLING, pace=0.01)) as standin:
        async with Server(standin.host) as server:
            await pulled(server, SMALL.name, most=4)
            await asyncio.to_thread(standin.wait, lambda it: it.disconnects, 1.0)
            with pytest.raises(ModelMissing):
                await server.find(SMALL.name)
            first = next(step for step in await pulled(server, SMALL.name) if step.total)
            assert first.done > 0
            await server.find(SMALL.name)


@pytest.mark.parametrize(
    ("what", "error"), [(What.ERROR_LINE, ModelError), (What.DROP, Offline), (What.STALL, TimedOut)]
)
async def test_a_pull_that_does_not_end_well_is_an_error(what: What, error: type[ModelError]) -> None:
    faulty = replace(PULLING, faults=(Fault(what, path="/api/pull", at=300),))
    with serving(faulty) as standin:
        async with Server(standin.host, timeouts=Timeouts(first_byte=0.2)) as server:
            with pytest.raises(error):
                await pulled(server, SMALL.name)


async def test_a_pull_without_success_is_none() -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await send(writer, b'{"status": "pulling manifest"}\n{"status": "verifying sha256 digest"}\n')

    async with answering(answer) as host, Server(host) as server:
        with pytest.raises(BadReply, match="run it again"):
            await pulled(server, SMALL.name)


async def test_an_unknown_name_cannot_be_pulled() -> None:
    with serving() as standin:
        async with Server(standin.host) as server:
            with pytest.raises(ModelMissing, match="Ollama has no model willow:1b"):
                await pulled(server, "willow:1b")


@thorough
def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = {"ollama", "httpx", "numpy", "anyio"}  # the settings that name the server load pydantic
    script = f"import sys, curator.models.ollama; print(*sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
