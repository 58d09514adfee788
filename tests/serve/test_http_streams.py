"""Event streams and MCP over HTTP, and a stop while streams are open."""

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation

from curator.curation import add, forget, validate
from curator.serve.http.events import HEARTBEAT, STREAMS, stream
from curator.serve.http.keys import Role, make, revoke
from curator.services.events import EventReader
from effort import exhaustive, thorough
from factories import put
from serve.http_server import Http, fresh, serving
from store import Store, clock
from store.model import Actor, SweepProgress


@contextmanager
def following(http: Http, last: int | None = None, key: str = "") -> Iterator[Iterator[dict[str, Any]]]:
    """Open the event stream; yield an iterator over its events without heartbeats."""
    headers = {"X-API-Key": key or http.agent} | ({} if last is None else {"Last-Event-ID": str(last)})
    with http.session.stream("GET", http.url + "/api/events", headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield _events(answer)


def _events(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    found: dict[str, Any] = {}
    for line in answer.iter_lines():
        name, _, value = line.partition(": ")
        if line:
            found[name] = json.loads(value) if name == "data" else value
        elif found:
            if found.get("event") != "heartbeat":
                yield found
            found = {}


@thorough
def test_events_of_other_processes_come_with_ids_and_without_texts(http: Http, record: Store) -> None:
    with following(http) as events:
        time.sleep(0.7)
        memory = add(record, "Slip is sieved twice.")
        first = next(events)
        assert first["event"] == "command"
        assert first["id"] == str(record.journal.seq())
        assert first["data"] == {
            "command": record.journal.log(1)[0].uid,
            "number": record.journal.log(1)[0].id,
            "verb": "add",
            "actor": "person",
            "count": 1,
            "memories": [memory.uid],
        }
        validate(record, [1])
        assert next(events)["data"]["verb"] == "validate"
    forget(record, [memory.id])
    record.undo()
    with following(http, last=int(first["id"])) as events:
        assert [next(events)["data"]["verb"] for _ in range(3)] == ["validate", "forget", "undo"]
        assert "curator_event_streams 1.0" in http.get("/metrics").text
    until = time.monotonic() + 10
    while "curator_event_streams 0.0" not in http.get("/metrics").text:
        assert time.monotonic() < until
        time.sleep(0.1)


@thorough
def test_a_stream_ends_when_its_key_is_revoked(http: Http, record: Store) -> None:
    key = make("follower", Role.AGENT)
    with following(http, record.journal.seq(), key) as events:
        add(record, "The lid rests on the rim.")
        assert next(events)["data"]["verb"] == "add"
        revoke("follower")
        add(record, "The spout drips.")
        assert list(events) == []


@thorough
def test_requests_that_come_at_once_cannot_open_more_streams_than_allowed(http: Http) -> None:
    async def ask() -> list[int]:
        async with (
            httpx.AsyncClient(headers={"X-API-Key": http.agent}) as client,
            contextlib.AsyncExitStack() as opened,
        ):
            asked = (
                opened.enter_async_context(client.stream("GET", f"{http.url}/api/events")) for _ in range(STREAMS + 4)
            )
            return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert sorted(asyncio.run(ask())) == [200] * STREAMS + [429] * 4
    until = time.monotonic() + 10
    while "curator_event_streams 0.0" not in http.get("/metrics").text:
        assert time.monotonic() < until
        time.sleep(0.1)


@thorough
def test_a_resumed_stream_skips_nothing_and_repeats_nothing(http: Http, record: Store) -> None:
    start = record.journal.seq()
    for n in range(120):
        put(record, f"Bowl {n} is glazed.")
    with following(http, last=start) as events:
        seen = [int(next(events)["id"]) for _ in range(120)]
    assert seen == list(range(start + 1, start + 121))
    with following(http, last=10**9) as events:  # an event of a record that was since replaced by a backup
        assert next(events)["event"] == "reset"


def test_runs_of_sweeps_begin_fail_and_end(store: Store) -> None:
    reader = EventReader(store)
    assert reader.read() == []
    run = SweepProgress("distil", "someone", 1, "here", clock.now(), clock.now(), 0, 5, 0)
    store.sweeps.put_progress([run])
    assert [event.name for event in reader.read()] == ["ai_memory_start"]
    store.sweeps.put_progress([replace(run, done=2, failed=1)])
    assert [event.name for event in reader.read()] == ["ai_memory_error"]
    store.sweeps.drop_progress("someone", ["distil"])
    (ended,) = reader.read()
    assert (ended.name, ended.data["count"], ended.seq) == ("ai_memory_complete", 2, None)
    store.sweeps.put_progress([replace(run, sweep="tidy")])
    assert [event.name for event in reader.read()] == ["ranking_start"]
    assert EventReader(store).read() == []  # the run had begun before
    assert reader.read() == []


def test_a_ranking_says_how_many_it_moved_once(store: Store) -> None:
    reader = EventReader(store)
    reader.read()
    store.sweeps.put_progress([SweepProgress("tidy", "someone", 1, "here", clock.now(), clock.now(), 0, 5, 0)])
    assert [event.name for event in reader.read()] == ["ranking_start"]
    with store.command("tidy", Actor.SWEEP, "1,200 raised, 14 demoted, 2 expired, 3 removed, 4 evicted") as writer:
        writer.note()
    done, command = reader.read()
    assert (done.name, done.seq, command.name) == ("ranking_complete", None, "command")
    assert done.data == {"sweep": "tidy", "promoted": 1200, "demoted": 14, "expired": 2, "removed": 7, "count": 0}
    store.sweeps.drop_progress("someone", ["tidy"])
    assert reader.read() == []
    store.sweeps.put_progress([SweepProgress("tidy", "other", 1, "here", clock.now(), clock.now(), 0, 5, 0)])
    store.sweeps.drop_progress("other", ["tidy"])
    assert reader.read() == []  # began and ended between two reads, and changed nothing
    store.sweeps.put_progress([SweepProgress("tidy", "third", 1, "here", clock.now(), clock.now(), 0, 5, 0)])
    reader.read()
    store.sweeps.drop_progress("third", ["tidy"])
    (idle,) = reader.read()
    assert (idle.name, idle.data["count"]) == ("ranking_complete", 0)
    with store.command("tidy") as writer:  # another command of the same name
        writer.note()
    assert [event.name for event in reader.read()] == ["command"]


async def test_silence_has_a_heartbeat(store: Store) -> None:
    stop, names = asyncio.Event(), []
    async for event in stream(EventReader(store), stop, heartbeat=0.02, poll=0.01):
        names.append(event.event)
        if len(names) == 3:
            stop.set()
    assert names == ["heartbeat"] * 3 and HEARTBEAT == 30


@asynccontextmanager
async def mcp(http: Http, key: str) -> AsyncIterator[ClientSession]:
    """Open a session of the official MCP client."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=20) as client,
        streamable_http_client(http.url + "/mcp", http_client=client) as (reading, writing, *_),
        ClientSession(reading, writing, client_info=Implementation(name="test-agent", version="1")) as opened,
    ):
        await opened.initialize()
        yield opened


@thorough
async def test_the_official_client_over_http(http: Http, record: Store) -> None:
    async with mcp(http, http.agent) as opened:
        assert [tool.name for tool in (await opened.list_tools()).tools] == ["recall", "search", "propose"]
        made = await opened.call_tool("recall", {"prompt": "may I eat hazelnuts?"})
        assert made.structured_content and "allergic" in made.structured_content["block"]
        for n in range(22):
            said = {"text": f"The shelf {n} holds jars.", "because": "jars"}
            result = (await opened.call_tool("propose", said)).structured_content
            assert result and result["status"] == ("waiting" if n < 20 else "refused")
        memory = record.get(record.by_uid((await _search(opened, "hazelnuts"))[0]["id"]))
        assert memory.text == "I am allergic to hazelnuts."
        assert all("jars" not in one["text"] for one in await _search(opened, "jars on the shelf"))
    headers = {"Authorization": f"Bearer {http.agent}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=20) as plain,
        Client(streamable_http_client(http.url + "/mcp", http_client=plain), mode="auto") as newest,
    ):
        assert newest.protocol_version == "2026-07-28"
        made = await newest.call_tool("recall", {"prompt": "may I eat hazelnuts?"})
        assert made.structured_content and "allergic" in made.structured_content["block"]
        checks = await newest.read_resource("curator://checks")
        assert '"broken": 0' in checks.contents[0].text  # type: ignore[union-attr]
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "older", "version": "0"},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    accept = {"Accept": "application/json, text/event-stream"}
    older = http.request("POST", "/mcp", json=body, headers=accept)
    assert (older.status_code, "2025-06-18" in older.text) == (200, True)
    assert http.request("POST", "/mcp", key=None, json={}).status_code == 401
    assert http.request("POST", "/mcp", json={}, headers={"Host": "evil.example"}).status_code == 421


async def _search(opened: ClientSession, query: str) -> list[dict[str, Any]]:
    result = await opened.call_tool("search", {"query": query})
    assert result.structured_content is not None
    found: list[dict[str, Any]] = result.structured_content["memories"]
    return found


@exhaustive
def test_a_stop_ends_open_streams(environment: dict[str, str], curator: Any) -> None:
    with serving(environment) as url, httpx.Client(timeout=20, trust_env=False) as session:
        http = fresh(url, session)
        ended = threading.Event()

        def follow() -> None:
            with following(http) as events:
                list(events)
            ended.set()

        threading.Thread(target=follow, daemon=True).start()
        time.sleep(1)
        assert curator("serve", "--status").out.rstrip().endswith(f"HTTP: {url}")
        began = time.monotonic()
        assert curator("serve", "--stop").code == 0
        assert ended.wait(10)
        assert time.monotonic() - began < 10
        with pytest.raises(httpx.ConnectError):
            while True:
                with contextlib.suppress(httpx.ReadError, httpx.RemoteProtocolError):  # it may end during the answer
                    session.get(url + "/api/health")
                time.sleep(0.1)


def test_a_sweep_that_starts_between_two_pages_of_events_is_told(store: Store) -> None:
    reader = EventReader(store)
    reader.read()
    with store.command("import") as writer:
        for _ in range(150):
            writer.note()
    assert len(reader.read()) == 100  # the rest comes with the next call
    store.sweeps.put_progress([SweepProgress("distil", "someone", 1, "here", clock.now(), clock.now(), 0, 5, 0)])
    assert reader.read()[-1].name == "ai_memory_start"
