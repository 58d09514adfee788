"""A lifecycle run in the app: previewed with reasons, confirmed by the person, undone in one step."""

import threading
from typing import Any

import pytest

from curator import lifecycle
from curator.lifecycle import allowed
from effort import thorough
from factories import put
from store import Store, Unusable, clock
from store.model import Kind, Life
from tui.driver import interrupted, opened
from tui.sample_store import HOSTILE

LONG_AGO = clock.now() - 400 * clock.DAY


@thorough
async def test_it_is_shown_with_reasons_and_done_after_yes(store: Store) -> None:
    ids = put(store, "water the plants", HOSTILE, kind=Kind.TASK, expires_at=LONG_AGO)
    async with opened(store, first="history") as app:
        await app.app.run_action("tidy")
        await app.rest()
        assert "Tidy would expire 2 memories" in app.seen() and "because it was valid until" in app.seen()
        assert "[red]hi[/red]" in app.seen() and "\x1b" not in app.seen()
        await app.press("escape")
        assert "Expire 2 memories?" in app.seen()
        await app.press("n")
        assert not allowed(store) and store.get(ids[0]).life is Life.LIVE
        await app.app.run_action("tidy")
        await app.rest()
        await app.press("escape")
        await app.press("y")
        assert [memory.life for memory in store.get_many(ids)] == [Life.EXPIRED] * 2 and allowed(store)
        assert "2 expired" in app.status
        await app.press("g", "z")
        assert store.get(ids[0]).life is Life.LIVE


@thorough
@pytest.mark.parametrize("fails", [False, True])
async def test_what_came_of_it_is_told_though_another_question_is_asked(
    store: Store, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (only,) = put(store, "water the plants", kind=Kind.TASK, expires_at=LONG_AGO)
    go, do = threading.Event(), lifecycle.run

    def slow(*given: Any, **options: Any) -> Any:
        assert go.wait(30)
        if fails:
            raise Unusable("the disk is full")
        return do(*given, **options)

    monkeypatch.setattr(lifecycle, "run", slow)
    async with opened(store) as app:
        await app.app.run_action("tidy")
        await app.rest()
        await app.press("escape")
        await interrupted(app, "y")
        go.set()
        await app.rest()
        assert ("the disk is full" if fails else "1 expired") in app.status
        assert app.ids == [only] * fails


@thorough
async def test_nothing_to_do_is_said(store: Store) -> None:
    put(store, "one thing")
    async with opened(store) as app:
        await app.app.run_action("tidy")
        await app.rest()
        assert app.status.startswith("nothing to tidy: all ranks are up to date")
