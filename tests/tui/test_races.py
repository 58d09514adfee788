"""Races between a key and the disk: nothing that a person did or wrote is lost, or changes another memory."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from curator.tui import verbs
from curator.tui.app import CuratorApp, run_app
from curator.tui.commands.import_logs import Stopped
from curator.tui.glyphs import UNICODE
from curator.tui.screens.dialogs import Confirm
from curator.tui.screens.edit_dialog import Edit
from effort import thorough
from factories import put
from store import Filter, Store
from store.model import Command, Kind, Relation, Review, Tier
from tui.driver import QUICK, opened
from tui.sample_store import NOW

pytestmark = thorough


@contextlib.contextmanager
def locked(store: Store) -> Iterator[None]:
    """Hold the write lock, as another process that writes would."""
    connection = sqlite3.connect(store.folder / "record.sqlite", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


async def test_verbs_on_their_way_are_done_though_the_person_has_left(store: Store) -> None:
    ids = put(store, *(f"memory number {n}" for n in range(6)))[::-1]
    app = CuratorApp(store, now=lambda: NOW, glyphs=UNICODE, first="memories", timings=QUICK)
    with locked(store):
        async with app.run_test() as pilot:
            await pilot.pause(0.3)
            await pilot.press("d", "d", "d", "d", "q")
    assert app.finish()
    assert [store.get(number).life for number in ids] == ["forgotten"] * 4 + ["live"] * 2


async def test_a_verb_that_failed_after_the_person_left_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "one")
    app = CuratorApp(store, now=lambda: NOW, glyphs=UNICODE, first="memories", timings=QUICK)

    def fail(*_: object) -> None:
        time.sleep(0.5)
        raise OSError("the disk is full")

    monkeypatch.setattr(verbs, "run_verb", fail)
    async with app.run_test() as pilot:
        await pilot.pause(0.3)
        await pilot.press("a", "q")
    assert app.finish() and app.lost_writes == ["the disk is full"]
    monkeypatch.setattr(CuratorApp, "run", lambda self, mouse: None)
    monkeypatch.setattr(CuratorApp, "lost_writes", app.lost_writes)
    assert run_app(store, demo=False) == (None, 1), "the exit code tells it, too"


async def test_a_question_does_not_end_what_the_one_before_began(store: Store) -> None:
    ids = put(store, "one", "two", "three")[::-1]
    async with opened(store) as app:
        with locked(store):
            await app.pilot.press("t", "c")
            await app.pilot.pause(0.1)
            await app.pilot.press("j", "t")
            await app.pilot.pause(0.1)
            await app.pilot.press("l")
            await app.pilot.pause(0.1)
        await app.rest()
        assert [store.get(number).tier for number in ids] == [Tier.CORE, Tier.LOW, Tier.MEDIUM]
        shown = app.listing.row(ids[0])
        assert shown is not None and shown.tier is Tier.CORE


async def test_a_mark_set_while_the_list_is_read_does_not_outlive_it(store: Store) -> None:
    apple, other = put(store, "apple", kind=Kind.FACT)[0], put(store, "berry", kind=Kind.TASK)[0]
    async with opened(store) as app:
        app.listing.move_to(app.ids.index(other))
        await app.rest()
        await app.pilot.press("slash")
        field = app.app.focused
        field.value = "kind:fact"  # type: ignore[union-attr]
        app.listing.mark([other])
        await app.press("enter", "x")
        assert store.get(other).review is Review.OPEN and store.get(apple).review is Review.REJECTED


async def _typed(pilot: Pilot[str | None], text: str) -> Edit:
    await pilot.press("e")
    await pilot.pause(0.1)
    edit = pilot.app.screen
    assert isinstance(edit, Edit)
    edit._field.text = text
    await pilot.pause(0.05)
    return edit


async def test_changed_words_are_let_go_only_when_asked_twice(store: Store) -> None:
    (only,) = put(store, "one")
    async with opened(store) as app:
        await _typed(app.pilot, "one and a half")
        await app.press("escape")
        assert "unsaved changes" in app.seen()
        await app.press("enter")
        assert store.get(only).text == "one and a half"
        await _typed(app.pilot, "two")
        await app.press("escape", "escape")
        assert store.get(only).text == "one and a half" and len(app.app.screen_stack) == 1


async def test_esc_while_words_are_being_kept_waits_for_what_comes_of_it(store: Store) -> None:
    put(store, "one", "two")
    async with opened(store) as app:
        with locked(store):
            await _typed(app.pilot, "one")
            await app.pilot.press("enter", "escape", "escape")
            await asyncio.sleep(0.1)
        await app.rest()
        assert "says the same" in app.seen() and isinstance(app.app.screen, Edit)
        await app.press("escape", "escape")


@pytest.mark.parametrize("wrong", ["kitchen #", "two # words"])
async def test_tags_that_cannot_be_stay_in_the_field(store: Store, wrong: str) -> None:
    (only,) = put(store, "one")
    async with opened(store) as app:
        await app.press("#")
        await app.write(wrong)
        await app.press("enter")
        assert "a tag is one word" in app.seen() and store.get(only).tags == ()
        await app.write("kitchen")
        await app.press("enter")
        assert store.get(only).tags == ("kitchen",)


async def test_adding_does_not_hold_up_the_screen(store: Store) -> None:
    async with opened(store) as app:
        await app.press("A")
        await app.write("I never eat hazelnuts")
        with locked(store):
            began = asyncio.get_running_loop().time()
            await app.pilot.press("enter")
            for _ in range(20):
                await asyncio.sleep(0.01)
            assert asyncio.get_running_loop().time() - began < 3, "it waits for the lock beside the screen"
        await app.rest()
        assert app.status.startswith("added")


async def test_a_verb_that_breaks_brings_the_memory_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = put(store, "one", "two")[::-1]
    async with opened(store) as app:

        def fail(*_: object) -> None:
            raise OSError("disk gone")

        monkeypatch.setattr(verbs, "run_verb", fail)
        await app.press("d")
        assert app.ids == ids and "disk gone" in app.status
        app.app.failure = ""


async def test_the_sign_of_an_alert_goes_with_its_partner(store: Store) -> None:
    lisbon, porto = put(store, "lives in Lisbon", "lives in Porto")
    with store.command("alert") as writer:
        store.alerts.put(writer, lisbon, porto, Relation.CONTRADICTION, 0.8, ["same slot"])
    async with opened(store) as app:
        assert app.listing.alerted == {lisbon, porto}
        await app.press("d")
        assert app.listing.alerted == frozenset()


async def test_pinned_and_unpinned_are_told_as_they_are(store: Store) -> None:
    put(store, "one")
    async with opened(store) as app:
        await app.pilot.press("p", "p")
        await app.rest()
        assert app.status.startswith("unpinned")


async def test_the_inbox_counts_what_stands(store: Store) -> None:
    put(store, "one", "two", "three", "four")
    async with opened(store, first="inbox") as app:
        await app.press("a", "a", "p", "u")
        assert "2 reviewed · 2 left" in app.seen()
        await app.press("u")
        assert "1 reviewed · 3 left" in app.seen()
        await app.press("U")
        assert "2 reviewed · 2 left" in app.seen()
        store.undo()
        await app.press("2", "1")
        assert "1 reviewed · 3 left" in app.seen()


async def test_one_import_at_a_time(store: Store, tmp_path: Path) -> None:
    import threading

    go = threading.Event()

    def slow(*_: object) -> object:
        go.wait(10)
        raise ValueError("the log is broken")

    async with opened(store, import_log=slow) as app:
        await app.pilot.press("I")
        await app.pilot.pause(0.3)
        app.app.focused.value = str(tmp_path)  # type: ignore[union-attr]
        await app.pilot.press("enter")
        await app.pilot.pause(0.3)
        await app.pilot.press("I")
        await app.pilot.pause(0.2)
        assert "an import is running" in app.status
        go.set()
        await app.rest()
        assert "the log is broken" in app.status
        app.app.failure = ""


async def test_quitting_during_an_import_says_that_it_was_stopped(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    go = threading.Event()

    def slow(*_: object) -> object:
        go.wait(10)
        raise Stopped

    async with opened(store, import_log=slow) as app:
        await app.press("I")
        app.app.focused.value = str(tmp_path)  # type: ignore[union-attr]
        await app.pilot.press("enter")
        while not app.app._imports.running:
            await app.pilot.pause(0.02)
        await app.pilot.press("q")
        go.set()
    assert app.app.stopped_import
    monkeypatch.setattr(CuratorApp, "run", lambda self, mouse: setattr(self, "stopped_import", True))
    assert run_app(store, demo=False) == (None, 0)
    assert "the import was stopped; what it read and distilled is kept" in capsys.readouterr().err


async def test_a_dialog_lets_the_one_before_act_on_its_answer(store: Store) -> None:
    done: list[str] = []

    async def slow() -> None:
        await asyncio.sleep(0.05)
        done.append("first")

    async def quick() -> None:
        done.append("second")

    async with opened(store) as app:
        app.view.begin_dialog(slow)
        app.view.begin_dialog(quick)
        await app.rest()
        assert done == ["first", "second"]


NO_WAIT = replace(QUICK, dialog=0)
"""Timings in which keys do not wait for a dialog that is opening."""


@pytest.mark.parametrize("how", ["is preparing", "has asked", "lent the terminal"])
async def test_esc_cancels_only_a_dialog_that_is_not_open_yet(
    store: Store, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(HeadlessDriver, "can_suspend", property(lambda _: True))
    go_on, done = asyncio.Event(), list[bool]()
    put(store, "one")
    async with opened(store, timings=NO_WAIT) as app:

        async def work() -> None:
            if how == "has asked":
                sure: bool = await app.app.push_screen_wait(Confirm("Sure?", ""))
                done.append(sure)
            elif how == "lent the terminal":
                with app.app.suspend():
                    done.append(True)
            await go_on.wait()
            done.append(True)

        app.app.begin_dialog(work)
        await app.pilot.pause()
        await app.pilot.press(*["y"] * (how == "has asked"), "escape")
        go_on.set()
        await app.rest()
        assert (app.status == "cancelled") is (how == "is preparing")
        assert done == [] if how == "is preparing" else done == [True, True]


async def test_esc_does_not_cancel_an_undo_that_is_under_way(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "one", "two")
    go_on, undo = threading.Event(), Store.undo

    def slowly(self: Store, command: int | None = None) -> Command:
        go_on.wait(10)
        return undo(self, command)

    monkeypatch.setattr(Store, "undo", slowly)
    async with opened(store, timings=NO_WAIT) as app:
        await app.press("x")
        await app.pilot.press("u", "escape")
        go_on.set()
        await app.rest()
        assert app.status == "undone: rejected “two” · U redo" and store.count(Filter()) == 2
