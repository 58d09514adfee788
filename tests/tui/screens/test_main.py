"""Main screen: counts above the views, deadlines that pass while nothing is written, and two views opened at once."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from curator import curation
from curator.services.proposals import Agent, propose
from curator.tui.app import CuratorApp
from curator.tui.conflicts.view import Conflicts
from curator.tui.context import Timings
from curator.tui.glyphs import UNICODE
from curator.tui.screens import main
from curator.ui_defaults import Looks
from effort import some, thorough
from factories import put
from store import Filter, Store, Unusable, clock
from store.analytics import Analytics
from store.model import Origin
from tui.conflict_pairs import clash
from tui.driver import QUICK, Driven, opened

pytestmark = thorough


async def until(app: Driven, met: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(20):
        while not met():
            await app.pilot.pause(0.02)
    await app.rest()


def top(app: Driven) -> str:
    return app.seen().splitlines()[0]


OFTEN = replace(QUICK, watch=0.05, recount=0)
"""Timings without delays for looking and counting again."""


async def test_what_was_put_off_is_listed_once_it_is_due(store: Store) -> None:
    (one,) = put(store, "likes tea")
    curation.later(store, [one])
    pair = clash(store)
    curation.snooze(store, pair)
    curation.validate(store, [pair.a.id, pair.b.id])
    now = clock.now()
    app = CuratorApp(store, Looks(), now=lambda: now, glyphs=UNICODE, first="inbox", timings=OFTEN)
    async with app.run_test(size=(120, 36)) as pilot:
        driven = Driven(app, pilot)
        await driven.rest()
        await driven.press("3", "1")
        conflicts = driven.frame.query_one(Conflicts)
        assert driven.ids == [] and "Nothing to review" in driven.seen() and conflicts.queue.ids == []
        now += 8 * clock.DAY
        await until(driven, lambda: driven.ids == [one])
        assert "Inbox·1" in top(driven) and "likes tea" in driven.seen()
        await driven.press("3")
        await until(driven, lambda: conflicts.queue.ids == [pair.alert.id])
        assert "I live in" in driven.seen() and not app.failure
    app.finish()


async def test_counting_that_takes_longer_than_it_is_to_the_next_look_comes_to_its_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "one", "two")
    looks, held, real = 0, threading.Event(), Store.count

    def count(self: Store, filter: Filter) -> int:
        held.wait()
        return real(self, filter)

    def look(app: main.MainScreen) -> None:
        nonlocal looks
        looks += 1
        held.set() if looks > 20 else None
        watch(app)

    watch = main.MainScreen._watch
    monkeypatch.setattr(Store, "count", count)
    monkeypatch.setattr(main.MainScreen, "_watch", look)
    async with opened(store, timings=replace(QUICK, watch=0.01)) as app:
        assert looks > 20
        await until(app, lambda: "Memories·2" in top(app))
        monkeypatch.setattr(Store, "count", real)
        curation.add(store, "three")
        await until(app, lambda: "Memories·3" in top(app))


async def test_what_an_assistant_proposes_is_listed_within_a_second(store: Store) -> None:
    put(store, "one")
    usual = Timings()
    assert usual.watch <= 0.5  # leaves time for reading the list again
    async with opened(store, first="inbox", timings=replace(QUICK, watch=usual.watch)) as app:
        await until(app, lambda: "Inbox·1" in top(app))
        made = await asyncio.to_thread(propose, store, "The shelf holds glaze.", Agent("bot"), "they said so")
        number = store.by_uid(made.uid or "")
        await until(app, lambda: number in app.ids and "new from an assistant: 1 memory" in app.status)
        assert "Inbox·2" in top(app)


async def test_what_a_member_of_a_shared_project_says_is_news(store: Store) -> None:
    put(store, "one")
    async with opened(store, first="inbox", timings=replace(QUICK, watch=0.01)) as app:
        await until(app, lambda: "Inbox·1" in top(app))
        await asyncio.to_thread(put, store, "The kiln is blue.", origin=Origin.SHARED, flag="shared by Anna")
        await until(app, lambda: "new from a shared project: 1 memory" in app.status)
        assert "Inbox·2" in top(app)


async def test_a_proposal_is_no_news_when_its_rejection_is_undone(store: Store) -> None:
    put(store, "one")
    first, second = (propose(store, text, Agent("bot"), "") for text in ("The shelf holds glaze.", "The kiln is blue."))
    number = store.by_uid(first.uid or "")
    curation.reject(store, [number])
    async with opened(store, first="inbox", timings=replace(QUICK, watch=0.01)) as app:
        await until(app, lambda: "Inbox·2" in top(app))
        store.undo()
        await until(app, lambda: "Inbox·3" in top(app))
        assert "new from" not in app.status
        curation.reject(store, [store.by_uid(second.uid or "")])
        await asyncio.to_thread(propose, store, "The pond has two herons.", Agent("bot"), "")
        await until(app, lambda: "new from an assistant: 2 memories" in app.status)


@pytest.mark.parametrize("name", some(["inbox", "conflicts", "recall", "sources", "insights", "history", "sweeps"], 1))
async def test_an_area_that_is_wanted_twice_at_once_is_opened(store: Store, name: str) -> None:
    put(store, "one")
    async with opened(store) as app:
        await app.app.context.sweeps.ready()
        await asyncio.gather(*(app.frame.open_view(name) for _ in range(3)))
        await app.rest()
        assert name == app.view.NAME and app.frame.query(f"#{name}").first() is app.view


async def test_background_work_begins_though_the_analytics_cannot_be_filled(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[CuratorApp] = []

    def fail(_: object) -> None:
        raise Unusable("no room for a copy")

    monkeypatch.setattr(Analytics, "follow", fail)
    monkeypatch.setattr(CuratorApp, "work_if_worth", lambda app: begun.append(app))
    async with opened(store) as app:
        await until(app, lambda: bool(begun))
        assert "no room for a copy" in app.status
