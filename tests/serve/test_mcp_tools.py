"""MCP tools and resources, driven by the official client in this process."""

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from typing import Any
from urllib.parse import quote

import pytest
from mcp import Client
from mcp.client.session import ListRootsFnT
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, ErrorData, Implementation, ListRootsResult, Root
from pydantic import FileUrl

from curator.curation import forget, later, set_given, validate
from curator.recall.expectations import expect
from curator.serve import mcp_server
from curator.serve.mcp_server import INSTRUCTIONS, build
from curator.serve.store_service import StoreService
from curator.services.global_ids import with_global_ids
from effort import thorough
from factories import put
from store import Store
from store.model import Given

Json = dict[str, object]
FEW = ["recall", "search", "propose"]
FULL = [*FEW, "context", "stats", "forget"]


@pytest.fixture
def service(memories: Store) -> Iterator[StoreService]:
    """Open the store as a server in this process would."""
    with closing(StoreService()) as opened:
        yield opened


async def at_once(work: Callable[[], Json]) -> Json:
    """Run work directly, without a thread."""
    return work()


@asynccontextmanager
async def client(
    service: StoreService,
    mode: str = "legacy",
    full: bool = True,
    folder: str = "/home/ana/site",
    roots: ListRootsFnT | None = None,
) -> AsyncIterator[Client]:
    """Open the official client on a server for a folder; with `roots` it offers roots."""
    server, info = build(service, at_once, folder, full=full), Implementation(name="test-agent", version="1")
    async with Client(server, mode=mode, client_info=info, list_roots_callback=roots) as opened:
        yield opened


async def call(opened: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its structured result."""
    result = await opened.call_tool(tool, arguments)
    assert not result.is_error, result.content
    found: dict[str, Any] | None = result.structured_content
    assert found is not None
    return found


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize(
    ("tool", "given", "takes"),
    [
        ("recall", {"query": "hazelnuts"}, "prompt, project, budget"),
        ("search", {"prompt": "hazelnuts", "query": "kiln"}, "query, ids, limit"),
        ("propose", {"because": "so", "text": "I like celadon.", "content": "x"}, "because, text, kind, project, "),
        ("context", {"name": "site"}, "project, budget"),
        ("stats", {"project": "site"}, "no arguments"),
        ("forget", {"id": "x", "confirm": True}, "id, because"),
    ],
)
async def test_an_unknown_argument_is_an_error_that_names_the_right_ones(
    service: StoreService, mode: str, tool: str, given: dict[str, Any], takes: str
) -> None:
    async with client(service, mode) as opened:
        result = await opened.call_tool(tool, given)
    assert result.is_error
    (said,) = [content.text for content in result.content if content.type == "text"]
    assert f"`{tool}` takes {takes}" in said
    unknown = set(given) - set(takes.split(", "))
    assert any(f"there is no `{name}`" in said for name in unknown)


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("recall", {"prompt": 3}, "`recall`: `prompt` must be a text of at most 20,000 characters"),
        ("recall", {"budget": 5}, "`recall`: `budget` must be a whole number from 50 to 20,000, or null"),
        ("recall", {"budget": "many"}, "`recall`: `budget` must be a whole number from 50 to 20,000, or null"),
        (
            "search",
            {"ids": [1] * 30, "limit": 0},
            "`search`: `ids` must be a list of at most 20, each a text of at most 200 characters, or null;"
            " `limit` must be a whole number from 1 to 20",
        ),
        (
            "propose",
            {"because": "so", "text": "a", "kind": "thing"},
            "`propose`: `text` must be a text of 3 to 500 characters, or null; `kind` must be one of identity, trait,"
            " preference, constraint, relationship, decision, commitment, task, project, entity, skill, fact, event or"
            " context, or null",
        ),
        ("forget", {}, "`forget`: `id` is needed: a text of at most 200 characters"),
    ],
)
async def test_wrong_values_are_an_error_that_says_what_is_allowed(
    service: StoreService, tool: str, given: dict[str, Any], said: str
) -> None:
    async with client(service) as opened:
        result = await opened.call_tool(tool, given)
    assert result.is_error
    assert [content.text for content in result.content if content.type == "text"] == [said]


async def test_a_result_that_is_wrong_is_no_wrong_argument(
    service: StoreService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "stats", lambda: {"memories": "many"})
    async with client(service) as opened:
        result = await opened.call_tool("stats", {})
    assert result.is_error and "Error executing tool stats" in str(result.content)


async def read(opened: Client, uri: str) -> Any:
    """Return a resource's JSON."""
    (content,) = (await opened.read_resource(uri)).contents
    return json.loads(content.text)  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_hosts_see_short_complete_descriptions_in_a_fixed_order(service: StoreService, mode: str) -> None:
    async with client(service, mode) as opened:
        assert opened.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
        assert opened.instructions == INSTRUCTIONS and len(INSTRUCTIONS) < 512
        tools = (await opened.list_tools()).tools
        assert [tool.name for tool in tools] == FULL
        for tool in tools:
            assert tool.title and tool.description and len(tool.description) < 512
            assert tool.annotations and tool.annotations.destructive_hint is False
            assert tool.annotations.open_world_hint is False and tool.annotations.idempotent_hint is True
            assert tool.annotations.read_only_hint is (tool.name not in ("propose", "forget"))
            assert tool.output_schema and tool.output_schema["type"] == "object"
            for one in (*tool.input_schema["properties"].values(), *tool.output_schema["properties"].values()):
                assert one.get("description"), (tool.name, one)
        resources = (await opened.list_resources()).resources
        assert sorted(str(one.uri) for one in resources) == ["curator://checks", "curator://context", "curator://stats"]
        (template,) = (await opened.list_resource_templates()).resource_templates
        assert template.uri_template == "curator://context/{+project}"
        assert template.description and all(one.description and one.mime_type for one in resources)
        assert [prompt.name for prompt in (await opened.list_prompts()).prompts] == ["context"]
    async with client(service, mode, full=False) as opened:
        assert [tool.name for tool in (await opened.list_tools()).tools] == FEW


@thorough
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_every_tool_and_resource_answers_with_global_ids(
    service: StoreService, memories: Store, mode: str
) -> None:
    (kiln,) = memories.list_ids(_about("kiln"))
    (deploys,) = put(memories, "Deploys of the site need two reviews.", project="site")
    expect(memories, "how hot is the kiln", [kiln], True)
    later(memories, [deploys])
    async with client(service, mode) as opened:
        answers: list[Any] = [
            await call(opened, "recall", prompt="how hot is the kiln"),
            await call(opened, "recall"),
            await call(opened, "search", query="kiln"),
            await call(opened, "search", ids=[memories.get(kiln).uid]),
            await call(opened, "propose", text="Prefers celadon glaze.", because="celadon, always"),
            await call(opened, "context"),
            await call(opened, "context", project="site", budget=100),
            await call(opened, "stats"),
            await call(opened, "forget", id=memories.get(kiln).uid),
            await call(opened, "forget", id=memories.get(kiln).uid, because="I sold it"),
            await read(opened, "curator://stats"),
            await read(opened, "curator://checks"),
        ]
        here = await opened.read_resource("curator://context")
        of_site = await opened.read_resource("curator://context/site")
        prompt = await opened.get_prompt("context", {"project": "site"})
    for text in (answers[1]["block"], answers[5]["block"], answers[6]["block"], *map(str, (here, of_site, prompt))):
        assert "two reviews" in text
    assert answers[4]["status"] == "waiting"
    assert memories.get(memories.by_uid(answers[4]["id"])).flag == "proposed by test-agent"
    assert answers[7] == answers[10] == {"memories": 6, "validated": 0, "inbox": 5, "quarantined": 1, "conflicts": 0}
    assert (answers[8]["status"], answers[9]["status"]) == ("preview", "waiting")
    assert memories.get(kiln).life == "live" and len(memories.forget_requests.page()) == 1
    uid = memories.get(kiln).uid
    (check,) = answers[11]["checks"]
    assert (check["must"], check["holds"], check["prompt"]) == ([uid], True, "how hot is the kiln")
    ids = [value for answer in answers for name, value in _fields(answer) if name in ("id", "must", "must_not")]
    assert len(ids) >= 10 and all(re.fullmatch(r"[0-9a-f]{8}\S{8,}", str(one)) for one in ids), ids
    assert memories.get(deploys).uid in ids


@pytest.mark.parametrize("safe", ["", "/", " ()/"])
async def test_a_project_named_by_its_remote_has_a_context(service: StoreService, memories: Store, safe: str) -> None:
    project = "api (github.com/nora/api)"
    put(memories, "Deploys of the api need two reviews.", project=project)
    async with client(service) as opened:
        assert "two reviews" in str(await opened.read_resource(f"curator://context/{quote(project, safe=safe)}"))


def _about(word: str) -> Any:
    from curator.filters import parse_filter

    return parse_filter(word)


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of all fields in JSON; items of a list under the list's name."""
    if isinstance(value, dict):
        for name, one in value.items():
            for each in one if isinstance(one, list) else [one]:
                if not isinstance(each, dict):
                    yield name, each
                yield from _fields(each)


async def test_a_preview_and_a_wish_to_forget_change_no_memory(service: StoreService, memories: Store) -> None:
    before, uid = memories.journal.seq(), memories.get(1).uid
    async with client(service) as opened:
        shown = await call(opened, "forget", id=uid)
        assert shown["memory"]["id"] == uid and shown["status"] == "preview"
        assert memories.journal.seq() == before
        forget(memories, [1])
        for arguments in ({"id": uid}, {"id": uid, "because": "x"}, {"id": "1"}):
            result = await opened.call_tool("forget", arguments)
            assert result.is_error and "Keep answers" not in str(result.content)


async def test_errors_name_the_remedy_and_no_internal_id(service: StoreService, memories: Store) -> None:
    async with client(service) as opened:
        result = await opened.call_tool("search", {"ids": ["1"]})
        assert result.is_error and "id of a memory" in str(result.content)
        result = await opened.call_tool("search", {})
        assert [one.text for one in result.content if one.type == "text"] == ["give a query or ids"]
        result = await opened.call_tool("propose", {"text": "ghp_" + "a1B2" * 9, "because": "x"})
        texts = [content.text for content in result.content if content.type == "text"]
        assert result.is_error and texts == ["only a secret: nothing to remember"]
        for missing, why in (("nothing", "Unknown resource"), ("context/nope", "there is no project nope")):
            with pytest.raises(MCPError, match=why) as error:
                await opened.read_resource(f"curator://{missing}")
            assert (error.value.code, error.value.data) == (INVALID_PARAMS, {"uri": f"curator://{missing}"})
        result = await opened.call_tool("recal", {})
        assert result.is_error and f"there is no tool `recal`: there are {', '.join(FULL)}" in str(result.content)
        with pytest.raises(MCPError, match="there is no project nope"):
            await opened.get_prompt("context", {"project": "nope"})


async def test_an_unexpected_error_is_reported_by_kind_and_tells_nothing(
    service: StoreService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(request: Json) -> Json:
        raise KeyError("the words of a memory")

    reports: list[tuple[str, str]] = []
    monkeypatch.setattr(service, "search", broken)
    service.failed = lambda kind, place: reports.append((kind, place))
    async with client(service) as opened:
        result = await opened.call_tool("search", {"query": "kiln"})
    assert result.is_error
    assert "words" not in str(result.content) + caplog.text
    assert [kind for kind, _ in reports] == ["KeyError"]


@thorough
async def test_twenty_proposals_a_session_whichever_tool(service: StoreService, memories: Store) -> None:
    uid = memories.get(1).uid
    async with client(service) as opened:
        for n in range(20):
            made = await call(opened, "propose", text=f"The shelf {n} holds glaze.", because="x")
            assert made["status"] == "waiting"
        assert (await call(opened, "forget", id=uid, because="x"))["status"] == "refused"
        assert (await call(opened, "forget", id=uid))["status"] == "preview"


@thorough
async def test_checks_name_no_hidden_memory_and_no_forgotten_words(service: StoreService, memories: Store) -> None:
    expect(memories, "am I allergic to hazelnuts", [2], True)
    uid = memories.get(2).uid
    validate(memories, [1])
    async with client(service) as opened:
        assert (await read(opened, "curator://checks"))["broken"] == 0
        seq = memories.journal.seq()
        forget(memories, [2])
        found = await read(opened, "curator://checks")
        assert memories.journal.seq() == seq + 1
    assert found["broken"] == 1
    assert uid not in json.dumps(found)


@pytest.fixture
def projects(memories: Store) -> Store:
    """Return the store with a rule of `site` that is always given, and one of `shop`."""
    site = put(memories, "Never deploy the site on fridays.", project="site", scope="project:site")
    set_given(memories, site, Given.ALWAYS)
    put(memories, "Deploy the shop with pnpm.", project="shop", scope="project:shop")
    return memories


@thorough
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_folder_tells_which_project_a_recall_is_for(
    service: StoreService, projects: Store, mode: str
) -> None:
    async with client(service, mode) as opened:
        here = (await call(opened, "recall", prompt="deploy the shop or the site"))["block"]
        shop = (await call(opened, "recall", prompt="deploy the shop or the site", project="shop"))["block"]
        every = (await call(opened, "recall", prompt="deploy the shop or the site", project="all"))["block"]
        tools = {tool.name: tool for tool in (await opened.list_tools()).tools}
    assert "always:\n- Never deploy the site" in here and "pnpm" not in here
    assert "pnpm" in shop and "fridays" not in shop
    assert "pnpm" in every and "fridays" in every
    for name in ("recall", "propose"):
        assert '"all"' in (tools[name].description or "") and "folder you work in" in (tools[name].description or "")


@thorough
async def test_a_home_folder_is_no_project(service: StoreService, projects: Store) -> None:
    async with client(service, folder="/home/ana") as opened:
        block = (await call(opened, "recall", prompt="deploy the shop or the site"))["block"]
        made = await call(opened, "propose", text="I use celadon glaze.", because="celadon")
    assert "pnpm" in block and "fridays" in block
    assert projects.get(projects.by_uid(made["id"])).scope == "global"


@pytest.mark.parametrize(
    ("given", "scope"),
    [
        ({}, "project:site"),
        ({"kind": "identity"}, "global"),
        ({"kind": "identity", "project": "site"}, "project:site"),
        ({"project": "all"}, "global"),
        ({"project": "shop"}, "project:shop"),
    ],
)
async def test_a_proposal_holds_in_the_project_of_the_folder(
    service: StoreService, projects: Store, given: dict[str, Any], scope: str
) -> None:
    async with client(service) as opened:
        made = await call(opened, "propose", text="Playwright is the e2e framework here.", because="so", **given)
    assert projects.get(projects.by_uid(made["id"])).scope == scope


@thorough
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize(
    ("roots", "folder", "given"),
    [
        (["file:///home/ana/shop"], "/home/ana", "pnpm"),
        (["file:///home/ana/shop"], "/home/ana/site", "pnpm"),
        (["file:///home/ana/shop", "file:///home/ana/site"], "/home/ana/site", "fridays"),
        (["file:///home/ana/shop", "file:///home/ana/site"], "/home/ana", "pnpm fridays"),
        (["file:///home/ana"], "/home/ana/site", "fridays"),
        (["vscode-vfs://github/ana/site", "file:///home/ana/shop"], "/home/ana", "pnpm"),
        (None, "/home/ana/site", "fridays"),
    ],
)
async def test_roots_of_the_client_tell_the_project(
    service: StoreService, projects: Store, roots: list[str] | None, folder: str, given: str
) -> None:
    async def offered(context: object) -> ListRootsResult | ErrorData:
        if roots is None:
            return ErrorData(code=-32603, message="no roots today")
        return ListRootsResult(
            roots=[
                Root(uri=FileUrl(one)) if one.startswith("file:") else Root.model_construct(uri=one) for one in roots
            ]
        )

    async with client(service, folder=folder, roots=offered) as opened:
        block = (await call(opened, "recall", prompt="deploy the shop or the site"))["block"]
    assert [word for word in ("pnpm", "fridays") if word in block] == given.split()


@thorough
async def test_a_client_that_does_not_name_its_roots_is_not_asked_at_each_call(
    service: StoreService, projects: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    async def silent(context: object) -> ListRootsResult:
        asked.append(context)
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(mcp_server, "_ASKED", 0.01)
    for _ in range(2):
        async with client(service, folder="/home/ana/site", roots=silent) as opened:
            for _ in range(4):
                block = (await call(opened, "recall", prompt="deploy the shop or the site"))["block"]
                assert "fridays" in block and "pnpm" not in block
    assert len(asked) == 4  # twice per connection


async def test_an_unknown_project_is_an_error_that_names_the_near_one(service: StoreService, projects: Store) -> None:
    near = "there is no project shpo; did you mean shop?"
    async with client(service) as opened:
        for tool in ("recall", "context"):
            result = await opened.call_tool(tool, {"project": "shpo"})
            assert result.is_error and near in str(result.content)
        result = await opened.call_tool("recall", {"prompt": "deploy", "project": "zzz"})
        assert "there is no project zzz; there are shop, site" in str(result.content)
        with pytest.raises(MCPError, match=near):
            await opened.read_resource("curator://context/shpo")


async def test_errors_are_worded_in_the_thread_of_the_store(
    service: StoreService, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def noted(store: Store, error: Exception) -> str:
        threads.append(threading.current_thread())
        return with_global_ids(store, error)

    async def in_thread(work: Callable[[], Json]) -> Json:
        return await asyncio.to_thread(work)

    monkeypatch.setattr(mcp_server, "with_global_ids", noted)
    async with Client(build(service, in_thread, None), mode="legacy") as opened:
        assert (await opened.call_tool("search", {"ids": ["nobody"]})).is_error
    assert threads and threading.main_thread() not in threads, "reading the record blocks the event loop"
