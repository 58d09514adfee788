"""MCP over standard input and output, driven by the official client."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.session import ListRootsFnT
from mcp.client.stdio import stdio_client
from mcp.types import Implementation, ListRootsResult, Root
from pydantic import FileUrl

from curator.curation import forget, validate
from curator.paths import store_folder
from effort import exhaustive, thorough
from factories import put
from serve.conftest import ask
from store import Store

Server = subprocess.Popen[bytes]


@asynccontextmanager
async def session(environment: dict[str, str], roots: ListRootsFnT | None = None) -> AsyncIterator[ClientSession]:
    """Open a client's session through the relay; with `roots` it offers roots."""
    command = StdioServerParameters(command=sys.executable, args=["-m", "curator", "mcp"], env=environment)
    async with (
        stdio_client(command) as (reading, writing),
        ClientSession(
            reading,
            writing,
            client_info=Implementation(name="test-agent", version="1"),
            list_roots_callback=roots,
        ) as opened,
    ):
        await opened.initialize()
        yield opened


async def call(opened: ClientSession, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its structured result."""
    result = await opened.call_tool(name, arguments)
    assert not result.is_error, result.content
    found: dict[str, Any] | None = result.structured_content
    assert found is not None
    return found


@pytest.fixture
def shared_store(shared: dict[str, str]) -> Iterator[Store]:
    """Return the store of the shared server."""
    with contextlib.closing(Store.open(store_folder())) as store:
        yield store


@thorough
async def test_every_tool_resource_and_prompt(shared: dict[str, str], shared_store: Store) -> None:
    async with session(shared) as opened:
        tools = (await opened.list_tools()).tools
        assert [tool.name for tool in tools] == ["recall", "search", "propose"]
        assert all(len(tool.description or "") < 512 for tool in tools)
        hints = [
            tool.annotations and (tool.annotations.read_only_hint, tool.annotations.destructive_hint) for tool in tools
        ]
        assert hints == [(True, False), (True, False), (False, False)]

        made = await call(opened, "recall", prompt="may I eat hazelnuts?")
        assert "I am allergic to hazelnuts." in made["block"]
        assert made["recall_id"]
        found = await call(opened, "search", query="kiln")
        assert "1240" in found["memories"][0]["text"]
        one = await call(opened, "search", ids=[found["memories"][0]["id"]])
        assert one["memories"][0]["text"] == found["memories"][0]["text"]

        proposed = await call(opened, "propose", text="Prefers celadon glaze.", because="celadon, always")
        assert proposed["status"] == "waiting"
        assert "celadon" not in (await call(opened, "recall", prompt="which glaze"))["block"]
        number = shared_store.by_uid(proposed["id"])
        assert shared_store.get(number).flag == "proposed by test-agent"
        validate(shared_store, [number])
        assert "celadon" in (await call(opened, "recall", prompt="which glaze"))["block"]

        stats = await opened.read_resource("curator://stats")
        assert json.loads(stats.contents[0].text)["validated"] == 1  # type: ignore[union-attr]
        assert [prompt.name for prompt in (await opened.list_prompts()).prompts] == ["context"]


@thorough
async def test_the_newest_client_needs_no_handshake(shared: dict[str, str]) -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "curator", "mcp"], env=shared)
    async with Client(command, mode="auto", client_info=Implementation(name="newest", version="1")) as opened:
        assert opened.protocol_version == "2026-07-28"
        result = await opened.call_tool("recall", {"prompt": "may I eat hazelnuts?"})
        assert result.structured_content and "allergic" in result.structured_content["block"]
        stats = await opened.read_resource("curator://stats")
        assert json.loads(stats.contents[0].text)["memories"] >= 4  # type: ignore[union-attr]


@thorough
async def test_ids_of_hidden_memories_are_unknown(shared: dict[str, str], shared_store: Store) -> None:
    (hidden,) = put(shared_store, "The wheel is in the shed.")
    uid = shared_store.get(hidden).uid
    forget(shared_store, [hidden])
    async with session(shared) as opened:
        for arguments in ({"ids": [uid]}, {"ids": ["no id"]}):
            result = await opened.call_tool("search", arguments)
            assert result.is_error
        result = await opened.call_tool("propose", {"forget": uid, "because": "x"})
        assert result.is_error
        result = await opened.call_tool("propose", {"text": "Prefers celadon glaze."})
        assert result.is_error and "say because: the person's words" in str(result.content)
        assert "pydantic" not in str(result.content)


@thorough
async def test_a_session_has_a_number_of_proposals(shared: dict[str, str]) -> None:
    async with session(shared) as opened:
        made = [await call(opened, "propose", text=f"The shelf {n} holds glaze.", because="x") for n in range(22)]
    assert [one["status"] for one in made] == ["waiting"] * 20 + ["refused"] * 2


@exhaustive
async def test_a_new_server_goes_on_with_the_session(
    server: Server, memories: Store, environment: dict[str, str]
) -> None:
    for name in ("site", "shop"):
        put(memories, f"The kiln of the {name} is blue.", project=name, scope=f"project:{name}")

    async def roots(context: object) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl("file:///home/ana/shop"))])

    async with session(environment, roots) as opened:
        await call(opened, "recall", prompt="kiln")
        server.kill()
        server.wait()
        made = await call(opened, "recall", prompt="kiln")  # the relay starts another server
        assert "kiln of the shop" in made["block"] and "kiln of the site" not in made["block"]
    assert ask(do="stop") == {"stopping": True}


@thorough
def test_the_relay_starts_a_server_and_ends_with_its_input(memories: Store, environment: dict[str, str]) -> None:
    lines: list[dict[str, object]] = [
        {"jsonrpc": "2.0", "id": 8, "method": "tools/list", "params": []},
        {"jsonrpc": "2.0", "id": 9, "method": "tools/list"},
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "an older client", "version": "0"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "recall", "arguments": {"prompt": "kiln"}},
        },
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {}},
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "curator", "mcp"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin and process.stdout and process.stderr
    answers: dict[int, dict[str, Any]] = {}
    for asked, count in ((lines[:2], 2), (lines[2:], 3)):
        process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in asked))
        process.stdin.flush()
        answers |= {row["id"]: row for row in (json.loads(process.stdout.readline()) for _ in range(count))}
    assert answers[8]["error"] == {"code": -32602, "message": "Invalid params: `params` must be an object"}
    assert "send `initialize` first" in answers[9]["error"]["message"]
    assert answers[1]["result"]["protocolVersion"] == "2025-06-18"
    assert "kiln" in answers[2]["result"]["structuredContent"]["block"]
    assert answers[3]["error"]["message"] == "Invalid params: params.name: Field required"
    began = time.monotonic()
    process.stdin.close()
    assert process.wait(10) == 0
    assert time.monotonic() - began < 5
    assert process.stdout.read() == b""
    assert process.stderr.read() == b""
    assert ask(do="stop") == {"stopping": True}


@thorough
async def test_a_server_that_cannot_start_is_an_error_with_a_remedy(
    environment: dict[str, str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from curator.serve import client

    home = tmp_path / "file"
    home.write_text("not a folder")
    code = "from curator.serve import client, relay; client.STARTED = 1.0; relay.relay()"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**environment, "CURATOR_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin and process.stdout
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}\n')
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert "curator serve" in answer["error"]["message"]
    process.stdin.close()
    assert process.wait(10) == 0
    assert client.PROTOCOL == 1
