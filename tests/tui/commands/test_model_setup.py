"""Setup of a local model in the app, against a stand-in server."""

from collections.abc import Iterator
from typing import Any

import pytest
from textual.screen import Screen

from curator.config import settings
from curator.services import model_servers
from curator.tui.commands import model_setup
from curator.tui.screens.dialogs import Menu
from effort import thorough
from factories import put
from fake_ollama.scenario import CLOUD, EMBEDDER, Model, Scenario, Script
from fake_ollama.server import Server, serving
from fake_openai.desk import serving as serving_openai
from store import Store
from tui.driver import Driven, opened
from tui.fake_sweeper import posed

pytestmark = thorough

offer = model_setup.offer  # kept before the autouse fixture of tests/tui replaces it


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(model_servers, "DEFAULT_ADDRESSES", ())  # addresses where a developer's own server may run
    with serving(Scenario()) as standin:
        monkeypatch.setenv("OLLAMA_HOST", standin.host)
        yield standin


async def _choose(app: Driven, *keys: str) -> None:
    app.app.action_models()
    for key in keys:
        await _asked(app)
        await app.pilot.press(key)
        await app.pilot.pause(0.05)
    await app.rest()


async def _asked(app: Driven, after: Screen[Any] | None = None) -> None:
    """Wait until a menu other than `after` is drawn."""
    for _ in range(200):
        await app.pilot.pause(0.02)
        if isinstance(app.app.screen, Menu) and app.app.screen is not after and app.seen().strip():
            return
    raise AssertionError(f"nothing is asked; {app.status}")


async def test_a_server_with_a_model_is_offered_once(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "one")
    monkeypatch.setattr(model_setup, "offer", offer)
    async with opened(store, sweeper=posed().made) as app:
        assert app.status == "found gemma3:4b on Ollama · set it up with `models` in the palette"
        assert len(app.app.screen_stack) == 1
    async with opened(store, sweeper=posed().made) as app:
        assert app.status == ""


async def test_nothing_is_offered_where_nobody_answers_or_a_model_is_set(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "one")
    monkeypatch.setattr(model_setup, "offer", offer)
    server.stop()
    async with opened(store, sweeper=posed().made) as app:
        assert app.status == ""
    server.start()
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
    settings.cache_clear()
    async with opened(store, sweeper=posed().made) as app:
        assert app.status == "" and not server.calls("/api/tags")
        app.app.workers.cancel_all()


async def test_a_model_on_another_machine_is_never_looked_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "192.0.2.1")
    monkeypatch.setattr(model_setup, "offer", offer)
    async with opened(store, sweeper=posed().made) as app:
        assert app.status == ""
        await _choose(app, "c")
        assert "another machine" in app.status


async def test_the_palette_finds_models(store: Store, server: Server) -> None:
    put(store, "one")
    async with opened(store, sweeper=posed().made) as app:
        await app.press(":")
        await app.pilot.press(*"models")
        await app.pilot.pause(0.3)
        await app.pilot.press("enter")
        await _asked(app)
        assert "Which model?" in app.seen()
        await app.press("escape")
        assert len(app.app.screen_stack) == 1


async def test_a_chosen_model_is_tried_and_kept(store: Store, server: Server) -> None:
    put(store, "one")
    async with opened(store, sweeper=posed().made) as app:
        app.app.action_models()
        await _asked(app)
        menu = app.app.screen
        await app.pilot.press("c")
        await _asked(app, after=menu)
        seen = app.seen()
        assert "qwen3:4b" in seen and "2.5 GB" in seen and "good fit" in seen
        assert CLOUD.name not in seen and EMBEDDER.name not in seen
        await app.pilot.press("2")
        await app.rest()
        assert app.status.startswith("using qwen3:4b")
        assert settings().ollama.model == "qwen3:4b" and server.calls("/api/chat")


async def test_a_model_of_another_program_is_offered_and_chosen(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "one")
    monkeypatch.setattr(model_setup, "offer", offer)
    server.stop()
    with serving_openai(Scenario(models=(Model("qwen3-8b"),))) as studio:
        monkeypatch.setattr(model_servers, "DEFAULT_ADDRESSES", (f"{studio.host}/v1",))
        async with opened(store, sweeper=posed().made) as app:
            assert app.status == "found qwen3-8b on LM Studio · set it up with `models` in the palette"
            await _choose(app, "c", "1")
            assert app.status.startswith("using qwen3-8b")
    assert (settings().ollama.host, settings().ollama.model) == (f"{studio.host}/v1", "qwen3-8b")


async def test_one_that_answers_otherwise_than_asked_is_not_kept(store: Store, server: Server) -> None:
    server.change(Scenario(scripts=(Script(lambda body: True, "I would rather chat."),)))
    put(store, "one")
    async with opened(store, sweeper=posed().made) as app:
        await _choose(app, "c", "1")
        assert "not set up" in app.status and settings().ollama.model == ""


async def test_no_model_can_be_chosen_too(store: Store, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "one")
    async with opened(store, sweeper=posed().made) as app:
        await _choose(app, "c", "1")
        await _choose(app, "c", "0")
        assert settings().ollama.model == "" and "chat model off" in app.status


async def test_an_embedding_model_is_a_choice_of_its_own(store: Store, server: Server) -> None:
    put(store, "one")
    async with opened(store, sweeper=posed().made) as app:
        await _choose(app, "e", "1")
        assert "nomic-embed-text" in app.status and "768 dimensions" in app.status
        assert (settings().embed.provider, settings().embed.model) == ("ollama", "nomic-embed-text:latest")
        assert settings().ollama.model == ""


async def test_without_a_server_it_is_said_what_to_do(store: Store, server: Server) -> None:
    server.stop()
    async with opened(store, sweeper=posed().made) as app:
        await _choose(app, "c")
        assert server.host.removeprefix("http://") in app.status and len(app.app.screen_stack) == 1
