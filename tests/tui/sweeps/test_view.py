"""Sweeps view and the right side of the status bar, with sweeps in given states."""

from dataclasses import replace

import pytest

from curator.models import NO_MODEL
from curator.sweeps import State, SweepStatus
from curator.sweeps.tidy import NOT_YET
from curator.tui.sweeps import render
from curator.tui.sweeps.list import SweepRows
from effort import thorough
from factories import put
from store import Store, clock
from tui.driver import Driven, opened
from tui.fake_sweeper import DISTIL, IDLE, posed
from tui.sample_store import HOSTILE, NOW

pytestmark = thorough


def status_bar(app: Driven) -> str:
    """Return the status bar as drawn."""
    return app.seen().splitlines()[-2]


async def test_w_opens_the_sweeps_and_esc_leads_back(store: Store) -> None:
    put(store, "one")
    async with opened(store, sweeper=posed().made) as app:
        await app.press("w")
        seen = app.seen()
        assert app.view.NAME == "sweeps" and "31/204" in seen and "2 failed" in seen and "12 min left" in seen
        await app.press("j")
        assert "31 of 204 done, 14/min, 12 min left" in app.seen() and "the answer was no JSON" in app.seen()
        await app.press("escape")
        assert app.view.NAME == "memories"
        await app.press("1", "w", "w")
        assert app.view.NAME == "inbox"


async def test_the_keys_do_what_they_say_and_only_what_can_be_done(store: Store) -> None:
    put(store, "one")
    sweeps = posed()
    async with opened(store, sweeper=sweeps.made) as app:
        await app.press("w")
        keys = app.seen().splitlines()[-1]
        assert "S start" in keys and "C stop" not in keys and "R retry" not in keys
        await app.press("C", "R", "S", "j")
        keys = app.seen().splitlines()[-1]
        assert "C stop" in keys and "R retry" in keys and "enter failures" in keys and "S start" not in keys
        await app.press("S", "C", "R", "P", "P")
        asked = [what for what in sweeps.asked if what[0] != "work"]
        assert asked == [("begin", "embed"), *((name, "distil") for name in ("cancel", "retry", "pause", "resume"))]


async def test_an_answer_is_shown_as_it_came(store: Store) -> None:
    put(store, "one")
    async with opened(store, (120, 40), sweeper=posed().made) as app:
        await app.press("w", "j", "enter")
        seen = app.seen()
        assert "Kitchen [b]plan" in seen and "Says [red]hi[/red] ␛[31mred␛[0m" in seen and "tried 3 times" in seen
        await app.press("escape")
        assert app.view.NAME == "sweeps"


async def test_failures_stay_on_the_status_line_until_they_are_looked_at(store: Store) -> None:
    put(store, "one")
    sweeps = posed(IDLE, replace(DISTIL, state=State.WAITING))
    async with opened(store, sweeper=sweeps.made) as app:
        await app.press("w", "escape")
        assert status_bar(app).rstrip().endswith("2 failed   w sweeps")
        await app.press("w", "j", "enter", "escape", "escape")
        assert "failed" not in status_bar(app) and "w sweeps" not in status_bar(app)
        sweeps.now["distil"] = replace(DISTIL, state=State.WAITING, failed=3)
        sweeps.tell()
        await app.pilot.pause(0.3)
        assert "1 failed" in status_bar(app)


@pytest.mark.parametrize(
    ("room", "words"),
    [
        (90, "distil 31/204 · 2 failed · 12 min left · 14/min · qwen3:4b   w sweeps"),
        (65, "distil 31/204 · 2 failed · 12 min left · qwen3:4b   w sweeps"),
        (52, "distil 31/204 · 2 failed · 12 min left   w sweeps"),
        (40, "distil 31/204 · 2 failed · 12 min left"),
        (30, "distil 31/204 · 2 failed"),
        (20, "distil 31/204"),
        (5, ""),
    ],
)
def test_the_status_line_says_less_where_there_is_less_room(room: int, words: str) -> None:
    assert str(render.fitted(render.parts([IDLE, DISTIL], {}, "w"), room)) == words


@pytest.mark.parametrize(
    ("sweep", "words"),
    [
        (replace(IDLE, state=State.DUE, next_at=NOW), "Nothing to do."),
        (replace(IDLE, state=State.DUE, next_at=NOW, pending=3), "when the sweeps before it have finished."),
        (replace(IDLE, next_at=NOW + 36_000 * clock.SECOND), "in 10 h."),
        (replace(IDLE, name="watch", state=State.OFF), "with `curator config sweep_watch.enabled true`"),
        (replace(IDLE, state=State.OFF, problem=NO_MODEL), "choose one with `models` in the palette"),
        (replace(DISTIL, problem=HOSTILE), "Says [red]hi[/red] ␛[31mred␛[0m"),
    ],
)  # fmt: skip
def test_the_pane_says_what_a_sweep_is_at(sweep: SweepStatus, words: str) -> None:
    assert words in str(render.described(sweep, NOW, 200, ()))


async def test_what_is_left_is_listed_with_its_time(store: Store) -> None:
    put(store, "one")
    waits = replace(DISTIL, state=State.WAITING, pending=27, left=None, next_at=NOW + 3600 * clock.SECOND)
    off = replace(IDLE, name="judge", state=State.OFF, problem=NO_MODEL, next_at=None)
    tidy = replace(off, name="tidy", problem=NOT_YET)
    async with opened(store, sweeper=posed(IDLE, waits, off, tidy).made) as app:
        await app.press("w")
        embed, distil, judge, never_run = app.seen().splitlines()[2:6]
        assert never_run.rstrip().endswith("run `curator tidy` once")
        assert "next in 1 h" in embed and "in 1 h: 27 to do" in distil and "no chat model set" in judge
        await app.press("j", "j", "S")
        assert app.status == "judge is off: no chat model is set; choose one with `models` in the palette"


async def test_the_message_keeps_its_room(store: Store) -> None:
    put(store, "one")
    async with opened(store, (60, 20), sweeper=posed().made) as app:
        await app.press("w", "escape")
        app.app.say("a message that is rather long and has to be read")
        await app.rest()
        assert status_bar(app).strip() == "a message that is rather long and has to be read"
        app.app.say("short")
        await app.rest()
        assert status_bar(app).split() == "short distil 31/204 · 2 failed · 12 min left w sweeps".split()


async def test_a_server_that_is_not_there_is_said_once_and_so_is_its_return(store: Store) -> None:
    put(store, "one")
    away = replace(DISTIL, state=State.OFFLINE, failed=0, problem="nobody answers at 127.0.0.1:11434")
    sweeps = posed(IDLE, away)
    async with opened(store, sweeper=sweeps.made) as app:
        await app.press("w", "escape")
        assert app.status.startswith("nobody answers at 127.0.0.1:11434")
        app.app.say("something else")
        sweeps.tell()
        await app.pilot.pause(0.3)
        assert app.status == "something else" and "waiting for the model" in status_bar(app)
        sweeps.now["distil"] = replace(DISTIL, done=32)
        sweeps.tell()
        await app.pilot.pause(0.3)
        assert app.status == "the model is available again"


async def test_a_server_that_is_asked_again_and_what_another_process_is_at_are_told(store: Store) -> None:
    put(store, "one")
    away = replace(DISTIL, state=State.OFFLINE, done=0, total=34, pending=34, next_at=NOW + 18 * clock.SECOND)
    paused = replace(DISTIL, name="judge", state=State.PAUSED, done=0, total=31, pending=31, elsewhere=2)
    async with opened(store, sweeper=posed(away, paused).made) as app:
        await app.press("w")
        first = app.seen().splitlines()[2]
        assert "0/34" in first and "next try in 18 s" in first and "to do" not in first
    told = str(render.described(paused, NOW, 100, ()))
    assert "31 to do" in told and "Another process is working on it too." in told and "0 of" not in told


async def test_a_click_on_the_right_opens_the_sweeps(store: Store) -> None:
    put(store, "one")
    async with opened(store, sweeper=posed().made) as app:
        await app.press("w", "escape")
        await app.pilot.click(offset=(110, 34))
        await app.rest()
        assert app.view.NAME == "sweeps"


async def test_the_cursor_stays_while_they_change(store: Store) -> None:
    put(store, "one")
    sweeps = posed()
    async with opened(store, sweeper=sweeps.made) as app:
        await app.press("w", "j")
        for done in (40, 50, 204):
            sweeps.now["distil"] = replace(DISTIL, done=done)
            sweeps.tell()
            await app.pilot.pause(0.2)
            assert app.view.query_one(SweepRows).cursor == 1 and f"{done}/204" in app.seen()


async def test_what_changes_while_the_app_closes_is_not_shown(store: Store) -> None:
    put(store, "one")
    sweeps = posed()
    async with opened(store, sweeper=sweeps.made) as app:
        await app.press("w", "j")
        sweeping = app.frame.context.sweeps
    sweeping.cancel("distil")
    assert sweeps.asked[-1] == ("cancel", "distil")
