"""Driver of the app for tests: open it, press keys, wait until it is idle."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from curator.tui.app import CuratorApp
from curator.tui.context import Timings
from curator.tui.glyphs import UNICODE
from curator.tui.memories.list import MemoryList
from curator.tui.screens.dialogs import Ask
from curator.tui.screens.main import MainScreen
from curator.tui.view import View
from curator.tui.widgets.bars import StatusBar
from curator.ui_defaults import Looks
from effort import ALL
from store import Store
from tui import deferred_draw
from tui.sample_store import NOW

QUICK = Timings(
    typing=0, typing_sources=0, rest=0, related=60, facets=0, omissions=0, watch=0.2, sweeps=3600
)  # nobody types here; LanceDB takes 2 s to load, so the search for related memories is off
"""Waits of the app in tests."""


@dataclass(frozen=True)
class Driven:
    """The running app and its pilot."""

    app: CuratorApp
    pilot: Pilot[str | None]

    @property
    def frame(self) -> MainScreen:
        frame = self.app.screen_stack[0]
        assert isinstance(frame, MainScreen)
        return frame

    @property
    def view(self) -> View:
        return self.frame.view

    @property
    def listing(self) -> MemoryList:
        return self.view.query_one(MemoryList)

    @property
    def status(self) -> str:
        return str(self.frame.query_one(StatusBar).content)

    @property
    def ids(self) -> list[int]:
        return list(self.listing.ids)

    async def rest(self) -> None:
        """Wait until the app is idle, including work that a finished worker started."""
        while True:
            await self.pilot.pause()
            while self._works():
                await self.pilot.pause(0.01)
            await self.pilot.pause()
            if not self._works():
                break

    def _works(self) -> bool:
        return any(not worker.is_finished and "related detail" not in worker.group for worker in self._workers())

    def _workers(self) -> list[Any]:
        """Return the active workers, except those that wait for a dialog's answer and the sweeps, which never end."""
        dialogs = self.app.context.dialog_workers if len(self.app.screen_stack) > 1 else ()
        return [worker for worker in self.app.workers if worker.group.split()[-1] != "sweeps" and worker not in dialogs]

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other, then wait."""
        await self.pilot.press(*keys)
        await self.rest()

    async def write(self, text: str) -> None:
        """Set the text of the focused field."""
        field = self.app.focused
        assert isinstance(field, Input | TextArea)
        if isinstance(field, Input):
            field.value = text
        else:
            field.text = text
        await self.rest()

    def seen(self) -> str:
        """Return the text on the screen."""
        lines = deferred_draw.strips(self.app)
        return "\n".join("".join(segment.text for segment in line) for line in lines)


@contextlib.asynccontextmanager
async def opened(
    store: Store, size: tuple[int, int] = (120, 36), first: str | None = "memories", **more: Any
) -> AsyncIterator[Driven]:
    """Run the app on a store and yield it once its list is read; fail if the app has failed.

    The screen is drawn only when a test looks at it (`seen`). With CURATOR_TESTS=all, the last one is drawn, too, to
    find errors of drawing.
    """
    more = {"now": lambda: NOW, "looks": Looks(), "timings": QUICK, **more}
    app = CuratorApp(store, glyphs=UNICODE, first=first, **more)
    async with app.run_test(size=size) as pilot:
        driven = Driven(app, pilot)
        await driven.rest()
        yield driven
        if ALL:  # drawing takes a sixth of the time to open and close the app
            deferred_draw.draw(app)
        assert not app.failure, app.failure
    app.finish()


async def interrupted(app: Driven, *keys: str) -> None:
    """Press keys, and open and close another dialog before the work they started is done."""
    await app.pilot.press(*keys, "A")
    while not isinstance(app.app.screen, Ask):
        await app.pilot.pause(0.01)
    await app.pilot.press("escape")
