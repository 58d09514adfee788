"""While an external editor owns the terminal, the app keeps working but reads no keys and draws nothing."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import Key

from curator import curation
from curator.tui.app import CuratorApp
from effort import thorough
from factories import put
from store import Filter, Store
from tui import deferred_draw
from tui.driver import opened

pytestmark = [thorough, pytest.mark.skipif(os.name != "posix", reason="the editor of these tests is a shell script")]


class FakeTerminal:
    """Fake of Textual's suspend, which records in order what was done with the terminal."""

    def __init__(self, folder: Path) -> None:
        self.done: list[str] = []
        self.open, self.end = folder / "open", folder / "end"
        self.script = folder / "editor.sh"
        self.script.write_text(
            f"#!/bin/sh\ntouch {self.open}\nn=0\n"
            f"while [ ! -e {self.end} ] && [ $n -lt 500 ]; do sleep 0.02; n=$((n+1)); done\n"
            'echo "put better outside" > "$1"\n',
            encoding="utf-8",
        )
        self.script.chmod(0o700)

    async def opened(self) -> None:
        """Wait until the editor has the terminal."""
        async with asyncio.timeout(20):
            while not self.open.exists():
                await asyncio.sleep(0.01)


@pytest.fixture
def lent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeTerminal:
    terminal = FakeTerminal(tmp_path)
    monkeypatch.setenv("VISUAL", str(terminal.script))
    monkeypatch.setattr(HeadlessDriver, "can_suspend", property(lambda _: True))
    for name in ("suspend", "resume"):
        note: Any = lambda _, name=name: terminal.done.append(name)  # noqa: E731
        monkeypatch.setattr(HeadlessDriver, f"{name}_application_mode", note)
    return terminal


def note_drawing(lent: FakeTerminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Record each drawing of the screen."""
    real = CuratorApp._display

    def display(self: CuratorApp, screen: Any, drawn: Any) -> None:
        if drawn is not None and not self._batch_count:
            lent.done.append("draw")
        real(self, screen, drawn)

    monkeypatch.setattr(Compositor, "render_update", deferred_draw.at_once)
    monkeypatch.setattr(CuratorApp, "_display", display)


async def test_the_app_goes_on_and_draws_nothing(
    store: Store, lent: FakeTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = put(store, "likes tea")
    async with opened(store) as app:
        note_drawing(lent, monkeypatch)
        await app.app._post_message(_key("E"))
        await lent.opened()
        curation.add(store, "written elsewhere")
        async with asyncio.timeout(20):
            while len(app.ids) < 2:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0)
        assert lent.done[lent.done.index("suspend") :] == ["suspend"], "nothing is drawn meanwhile"
        lent.end.touch()
        await app.rest()
        assert lent.done[lent.done.index("suspend") :][:2] == ["suspend", "resume"] and lent.done[-1] == "draw"
        assert store.get(one).text == "put better outside" and "put better outside" in app.seen()


async def test_keys_that_come_late_and_a_ctrl_c_in_the_editor_do_nothing(store: Store, lent: FakeTerminal) -> None:
    put(store, "likes tea", "likes coffee")
    async with opened(store) as app:
        await app.app._post_message(_key("E"))
        await lent.opened()
        for key in ("x", "j", "x"):
            await app.app._post_message(_key(key))
        os.kill(os.getpid(), signal.SIGINT)
        await app.pilot.pause()
        lent.end.touch()
        await app.rest()
        assert store.count(Filter()) == 2 and lent.done == ["suspend", "resume"]
        assert "put better outside" in app.seen()


async def test_what_is_written_is_kept_though_the_worker_is_cancelled(store: Store, lent: FakeTerminal) -> None:
    (one,) = put(store, "likes tea")
    async with opened(store) as app:
        await app.app._post_message(_key("E"))
        await lent.opened()
        for worker in app.app.context.dialog_workers:
            worker.cancel()
        await asyncio.sleep(0.05)
        assert lent.done == ["suspend"], "the editor has the terminal still"
        lent.end.touch()
        await app.rest()
        async with asyncio.timeout(20):
            while store.get(one).text != "put better outside":
                await app.pilot.pause(0.01)
        assert lent.done == ["suspend", "resume"]


async def test_an_editor_that_fails_gives_the_screen_back(store: Store, lent: FakeTerminal) -> None:
    put(store, "likes tea")
    lent.script.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    async with opened(store) as app:
        await app.press("E")
        assert "ended with 3" in app.status and lent.done == ["suspend", "resume"]


def _key(key: str) -> Key:
    return Key(key, key)
