"""Real sweeps in the app against a stand-in model server: the person works on meanwhile and has the last word."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from curator import conflicts
from curator.config import settings
from curator.models import load_embedder
from curator.services.search_session import embed_missing
from curator.sweeps import State, Sweeper
from curator.sync.run import create
from curator.tui import sweep_controller
from curator.tui.app import CuratorApp
from curator.tui.commands import model_setup
from curator.tui.executors import SerialExecutor
from curator.tui.glyphs import UNICODE
from effort import thorough
from factories import conversation, put
from fake_ollama.faults import Fault, What
from fake_ollama.rule_model import answer
from fake_ollama.scenario import Scenario
from fake_ollama.server import Server, serving
from store import Filter, Store
from store.model import Origin
from tui.driver import QUICK, Driven, opened
from tui.sample_store import NOW

pytestmark = thorough

SAID = (
    "I live in Porto with two cats.",
    "I never eat hazelnuts.",
    "I work as a nurse at the harbour clinic.",
    "I prefer trains to planes.",
    "My sister Nora lives in Ghent.",
)
NEVER = 600.0  # seconds
offer = model_setup.offer  # kept before the autouse fixture of tests/tui replaces it


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a model server that the settings name, with all sweeps but distil switched off."""
    with serving(Scenario(mind=answer)) as standin:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", standin.host)
        monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
        monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
        for name in ("EMBED", "JUDGE", "WARMTH", "WATCH"):
            monkeypatch.setenv(f"CURATOR_SWEEP_{name}__ENABLED", "false")
        monkeypatch.setattr(model_setup, "offer", offer)
        settings.cache_clear()
        yield standin


@pytest.fixture
def talks(store: Store) -> Store:
    """Import conversations that no model has read."""
    with store.command("import") as writer:
        for number, said in enumerate(SAID):
            store.raw.put_conversation(writer, conversation(f"talk {number}", said, "I see."))
    return store


async def until(app: Driven, holds: Callable[[], object], limit: float = 15.0) -> None:
    """Wait until a condition holds, at most `limit` seconds."""
    ends = time.monotonic() + limit
    while not holds():
        assert time.monotonic() < ends, f"it did not come to that:\n{app.seen()}\n{app.app.failure}"
        await app.pilot.pause(0.02)


def state(app: Driven) -> State | None:
    sweep = app.frame.context.sweeps.status("distil")
    return None if sweep is None else sweep.state


def model_memories(store: Store) -> list[str]:
    """Return the texts of memories that the model distilled."""
    ids = store.list_ids(Filter())
    return sorted(memory.text for memory in store.get_many(ids) if memory.origin is Origin.MODEL)


def call_in_flight(app: Driven, server: Server) -> Callable[[], object]:
    """Return a condition: the sweep runs and a call to the model is in flight."""
    return lambda: state(app) is State.RUNNING and any(call.ended is None for call in server.calls())


async def test_memories_come_in_while_the_person_works(talks: Store, server: Server) -> None:
    server.change(Scenario(mind=answer, first_byte=0.1))
    ids = put(talks, "one", "two", "three")
    async with opened(talks, first="inbox") as app:
        await app.press("j")
        here = app.listing.current
        assert here in ids
        await until(app, lambda: model_memories(talks) and len(app.ids) > 3)
        assert app.listing.current == here, "the cursor stays on its memory"
        await app.pilot.press("a")
        await until(app, lambda: len(model_memories(talks)) >= len(SAID) and state(app) is State.WAITING)
        await app.rest()
        assert talks.get(here).review == "validated"
        assert app.ids and UNICODE.made in app.seen()


async def test_what_needs_no_model_is_done_without_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    settings.cache_clear()
    put(store, "I live in Lisbon", "I live in Porto")
    async with opened(store, timings=replace(QUICK, sweeps=0)) as app:
        await until(app, lambda: store.alerts.open() and not conflicts.count_pending(store))
        await app.press("w", "j")
        await until(app, lambda: state(app) is State.OFF)
        assert "no chat model is set; choose one with `models` in the palette" in app.seen()
        assert app.status == "", "nobody is told to get a model"


async def test_other_devices_are_synced_with_though_nothing_else_is_to_do(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curator.paths.store_folder", lambda: store.folder)
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    for name in ("EMBED", "COMPARE"):
        monkeypatch.setenv(f"CURATOR_SWEEP_{name}__ENABLED", "false")
    settings.cache_clear()
    put(store, "I live in Lisbon")
    target = tmp_path / "target"
    create(store, f"folder:{target}", "laptop", bytes(32))
    files = {*target.rglob("*")}
    async with opened(store, timings=replace(QUICK, sweeps=0)) as app:
        await until(app, lambda: {*target.rglob("*")} - files)


async def test_work_that_comes_later_is_begun_without_a_model(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    monkeypatch.setattr(sweep_controller, "LOOK", 0.1)
    settings.cache_clear()
    async with opened(store, timings=replace(QUICK, sweeps=0)) as app:
        await app.pilot.pause(0.2)
        assert not app.app.context.sweeps.working, "there is nothing to do"
        put(store, "I own two boats")
        await until(app, lambda: not conflicts.count_pending(store))


async def test_who_looks_at_the_sweeps_has_what_came_since_done(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    monkeypatch.setenv("CURATOR_SWEEP_COMPARE__ENABLED", "false")
    settings.cache_clear()
    put(store, "I live in Lisbon")
    embedder = load_embedder("hashing", store.folder)
    embed_missing(store, embedder)
    async with opened(store, timings=replace(QUICK, sweeps=0)) as app:
        await app.pilot.pause(0.2)
        assert not app.app.context.sweeps.working, "there is nothing to do"
        put(store, "I own two boats")
        await app.press("w")
        await until(app, lambda: not store.vectors.missing(embedder.fingerprint, 1))


async def test_a_pause_lasts_until_it_is_ended(talks: Store, server: Server) -> None:
    server.change(Scenario(mind=answer, first_byte=1.5))
    async with opened(talks) as app:
        await app.press("w", "j")
        await until(app, call_in_flight(app, server))
        await app.press("P")
        await until(app, lambda: state(app) is State.PAUSED and all(call.ended for call in server.calls()))
        calls = len(server.calls())
        await app.pilot.pause(0.6)
        assert len(server.calls()) == calls < len(SAID) and "paused" in app.seen()
        server.change(Scenario(mind=answer))
        await app.press("P")
        await until(app, lambda: len(model_memories(talks)) >= len(SAID))


async def test_stopping_drops_the_request(talks: Store, server: Server) -> None:
    server.change(Scenario(mind=answer, first_byte=NEVER))
    async with opened(talks) as app:
        await app.press("w", "j")
        await until(app, call_in_flight(app, server))
        await app.press("C")
        await until(app, lambda: server.disconnects and state(app) is not State.RUNNING)
        server.change(Scenario(mind=answer))
        await app.press("S")
        await until(app, lambda: len(model_memories(talks)) >= len(SAID))


async def test_what_failed_is_seen_and_tried_again(talks: Store, server: Server) -> None:
    server.change(
        Scenario(mind=answer, faults=(Fault(What.PROSE, when="hazelnuts"), Fault(What.NOTHING, when="Porto")))
    )
    async with opened(talks) as app:
        await until(app, lambda: state(app) is State.WAITING and "failed" in app.seen().splitlines()[-2])
        assert "Porto" not in " ".join(model_memories(talks))
        await app.press("w", "j", "enter")
        assert "talk 0" in app.seen() and "Reply:" in app.seen()
        await app.press("escape")
        server.change(Scenario(mind=answer))
        await app.press("R")
        await until(app, lambda: "Porto" in " ".join(model_memories(talks)) and state(app) is State.WAITING)
        await until(app, lambda: "failed" not in app.seen())


async def test_a_server_that_goes_and_comes_back(talks: Store, server: Server) -> None:
    server.stop()
    async with opened(talks) as app:
        await until(app, lambda: state(app) is State.OFFLINE and "its work waits" in app.status)
        app.app.say("something else")
        await app.pilot.pause(0.5)
        assert app.status == "something else", "it is said once"
        assert "waiting for the model" in app.seen().splitlines()[-2]
        server.start()
        await app.press("w", "j", "S")
        await until(app, lambda: len(model_memories(talks)) >= len(SAID))


async def test_leaving_with_a_call_in_flight_takes_no_time(talks: Store, server: Server) -> None:
    server.change(Scenario(mind=answer, first_byte=NEVER))
    app = CuratorApp(talks, now=lambda: NOW, glyphs=UNICODE, first="memories", timings=QUICK)
    async with app.run_test() as pilot:
        driven = Driven(app, pilot)
        await until(driven, call_in_flight(driven, server))
        await pilot.press("q")
    assert app.finish(20.0), "no thread waits for the call, which would last for minutes"
    server.wait(lambda server: server.disconnects)
    assert talks.sweeps.held("", "somebody else") == set(), "what it was at can be taken up at once"


async def test_work_that_ends_after_the_next_has_begun_does_not_stop_it(store: Store) -> None:
    class Slow:
        """A task that ends only when released, even if it is cancelled."""

        async def refresh(self) -> None: ...

        def begin(self, name: str) -> None: ...

        def statuses(self) -> tuple[()]:
            return ()

        async def work(self) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                await goodbye.wait()

    goodbye, executor, begun = asyncio.Event(), SerialExecutor("test"), list[None]()
    sweeps = sweep_controller.SweepController(
        store,
        lambda: NOW,
        executor,
        executor,
        lambda: begun.append(None),
        lambda: None,
        lambda: None,
        0.0,
        lambda *_: cast(Sweeper, Slow()),
    )
    former = asyncio.create_task(sweeps.work())
    while not sweeps.loaded:
        await asyncio.sleep(0)
    await sweeps.ready()
    former.cancel()
    latter = asyncio.create_task(sweeps.work())
    await sweeps.ready()
    goodbye.set()
    await asyncio.wait({former})
    assert sweeps.working
    sweeps.now("distil")
    assert not begun
    latter.cancel()
    await asyncio.wait({latter})
    assert not sweeps.working


async def test_the_run_of_another_process_is_shown_with_how_far_it_is(store: Store) -> None:
    from curator.services.run_progress import make_progress

    store.sweeps.put_progress([make_progress("embed", "other", 90.0, 31, 204)])
    async with opened(store) as app:
        await app.press("w")
        await app.rest()
        assert "elsewhere" in app.seen() and "31/204" in app.seen()
        assert "Another process is working on 31 of 204" in app.seen()


async def test_who_waits_for_counts_gets_the_sweeps_though_the_settings_change_meanwhile(store: Store) -> None:
    class Counting:
        async def refresh(self) -> None:
            await counted.wait()

        async def work(self) -> None:
            pass

    counted, executor = asyncio.Event(), SerialExecutor("test")
    sweeps = sweep_controller.SweepController(
        store,
        lambda: NOW,
        executor,
        executor,
        lambda: None,
        lambda: None,
        lambda: None,
        0.0,
        lambda *_: cast(Sweeper, Counting()),
    )
    first = asyncio.create_task(sweeps.ready())
    while not sweeps.loaded:
        await asyncio.sleep(0)
    again = asyncio.create_task(sweeps.anew())
    await asyncio.sleep(0)
    counted.set()
    assert isinstance(await first, Counting)
    await again
