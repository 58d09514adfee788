"""A chat model's merge draft in the app: shown beside the rules' draft, taken with a key, never blocking."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from curator.config import settings
from curator.tui.conflicts.view import Conflicts
from curator.tui.screens.edit_dialog import Edit
from effort import thorough
from factories import put
from fake_ollama.faults import Fault, What
from fake_ollama.scenario import Scenario, Script
from fake_ollama.server import Server, serving
from fake_openai.desk import serving as serving_openai
from store import Store
from store.model import Life, Relation
from tui.conflict_pairs import clash
from tui.driver import Driven, opened
from tui.fake_sweeper import posed

pytestmark = thorough

BY_RULE = "I live in Porto"
BY_MODEL = "I live in Porto, and used to live in Lisbon."
SAYS = Scenario(scripts=(Script("one text", {"items": [{"text": BY_MODEL}]}),))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(SAYS) as standin:
        configure(monkeypatch, standin.host)
        yield standin


def configure(patch: pytest.MonkeyPatch, host: str) -> None:
    patch.setenv("CURATOR_OLLAMA__HOST", host)
    patch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
    settings.cache_clear()


def said(app: Driven) -> str:
    """Return the screen's text on one line, unwrapped."""
    return " ".join(app.seen().replace("│", " ").split())


async def test_it_stands_below_the_draft_by_rule_until_it_is_taken(store: Store, server: Server) -> None:
    pair = clash(store)
    before = store.state_hash()
    async with opened(store, (100, 40), first="conflicts", sweeper=posed().made) as app:
        assert "accept wording" not in app.seen()
        await app.press("m")
        assert f"becomes “{BY_RULE}”" in said(app) and "SUGGESTED WORDING by qwen3:4b" in said(app)
        assert "used to live in Lisbon" in said(app) and "W accept wording" in app.seen()
        await app.press("W")
        assert "suggested merge by qwen3:4b, replaces B" in said(app) and f"becomes “{BY_MODEL}”" in said(app)
        assert "SUGGESTED WORDING by rule" in said(app) and store.state_hash() == before
        await app.press("W")
        assert f"becomes “{BY_RULE}”" in said(app)
        await app.press("W", "enter")
        assert store.get(pair.b.id).text == BY_MODEL and store.get(pair.a.id).life is Life.SUPERSEDED
        summary = store.journal.log(1)[0].summary
        assert f"(conflict {pair.alert.id}), in the words of merge/1 qwen3:4b@" in summary
        await app.press("u")
        assert store.state_hash() == before


async def test_it_is_edited_before_it_is_taken_and_is_then_the_persons(store: Store, server: Server) -> None:
    pair = clash(store)
    async with opened(store, (100, 40), first="conflicts", sweeper=posed().made) as app:
        await app.press("e")
        assert isinstance(app.app.screen, Edit) and f"qwen3:4b suggests, ctrl+t takes it: {BY_MODEL}" in said(app)
        await app.press("ctrl+t")
        assert BY_MODEL in said(app)
        await app.press("ctrl+t")
        await app.write("I live in Porto since May")
        await app.press("ctrl+t", "ctrl+z")
        assert "I live in Porto since May" in said(app)
        await app.press("enter")
    assert store.get(pair.b.id).text == "I live in Porto since May"
    assert "words of" not in store.journal.log(1)[0].summary


async def test_marked_memories_have_one_too(store: Store, server: Server) -> None:
    tea, coffee = put(store, "I like tea with milk", "I like tea")
    server.change(replace(SAYS, scripts=(Script("one text", {"items": [{"text": "I like my tea with milk."}]}),)))
    async with opened(store, (100, 40), sweeper=posed().made) as app:
        await app.press("*", "m", "ctrl+t", "enter")
    assert {store.get(tea).text, store.get(coffee).text} & {"I like my tea with milk."}
    assert "in the words of merge/1 qwen3:4b@" in store.journal.log(1)[0].summary


async def test_a_refused_draft_and_a_failing_server_are_told(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    clash(store)
    server.change(replace(SAYS, scripts=(Script("one text", {"items": [{"text": "I live in Porto since 2019"}]}),)))
    async with opened(store, (100, 40), first="conflicts", sweeper=posed().made) as app:
        await app.press("m")
        assert app.status == "refused the draft of qwen3:4b: it adds a date"
        assert "refused the draft of qwen3:4b: it adds a date" in said(app).replace(app.status, "", 1)
        assert "accept wording" not in app.seen() and f"becomes “{BY_RULE}”" in said(app)
        server.change(replace(SAYS, faults=(Fault(What.CRASH),)))
        await app.press("escape", "m")
        assert "qwen3:4b" in app.status and "refused" not in app.status
        server.stop()
        await app.press("escape", "m")
        assert server.host in app.status
        await app.press("enter")
    assert store.alerts.open() == []


async def test_dropping_the_draft_ends_the_call(store: Store, server: Server) -> None:
    clash(store)
    server.change(replace(SAYS, first_byte=30))
    async with opened(store, (100, 40), first="conflicts", sweeper=posed().made) as app:
        for leave in (("escape",), ("e", "escape", "escape")):
            await app.pilot.press("m")
            await _until(app, "asking qwen3:4b for its wording …")
            assert isinstance(app.view, Conflicts) and app.view.panes.other is None
            calls = len(server.disconnects)
            await app.pilot.press(*leave)
            await app.rest()
            assert app.view.panes.suggested is None and "asking" not in app.seen()
            for _ in range(200):
                if len(server.disconnects) > calls:
                    break
                await asyncio.sleep(0.01)
            assert len(server.disconnects) > calls


async def test_closing_the_dialog_ends_the_call(store: Store, server: Server) -> None:
    put(store, "I like tea with milk", "I like tea")
    server.change(replace(SAYS, first_byte=30))
    async with opened(store, (100, 40), sweeper=posed().made) as app:
        await app.pilot.press("*", "m")
        await _until(app, "asking qwen3:4b for its wording …")
        await app.pilot.press("ctrl+t")  # the draft is not there yet
        assert "I like tea with milk" in app.seen()
        await app.pilot.press("escape")
        await app.rest()
        for _ in range(200):
            if server.disconnects:
                break
            await asyncio.sleep(0.01)
        assert server.disconnects and len(app.app.screen_stack) == 1


async def test_without_a_model_nothing_is_asked_and_servers_of_the_other_protocol_are(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clash(store, relation=Relation.CONTRADICTION)
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "")
    async with opened(store, (100, 40), first="conflicts", sweeper=posed().made) as app:
        await app.press("m")
        assert not app.status and "SUGGESTED WORDING" not in app.seen() and "asking" not in app.seen()
        with serving_openai(SAYS) as desk:
            configure(monkeypatch, f"{desk.host}/v1")
            await app.press("escape", "m")
            assert "SUGGESTED WORDING by qwen3:4b" in said(app)


async def _until(app: Driven, words: str) -> None:
    for _ in range(300):
        await app.pilot.pause(0.01)
        if words in app.seen():
            return
    raise AssertionError(f"not seen: {words}")
