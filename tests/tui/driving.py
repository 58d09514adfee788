"""Driving the app in a test: open it, press keys, wait until it rests."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from curator.tui.app import CuratorApp
from curator.tui.glyphs import SIGNS
from curator.tui.widgets.lines import StatusLine
from curator.tui.widgets.memory_list import MemoryList
from store import Store
from tui.sample import NOW


@dataclass(frozen=True)
class Driven:
    """The running app."""

    app: CuratorApp
    pilot: Pilot[None]

    @property
    def listing(self) -> MemoryList:
        return self.app.screen_stack[0].query_one(MemoryList)

    @property
    def status(self) -> str:
        return str(self.app.screen_stack[0].query_one(StatusLine).content)

    @property
    def ids(self) -> list[int]:
        return list(self.listing.ids)

    async def rest(self) -> None:
        """Wait until nothing is on its way."""
        await self.pilot.pause()
        while any(not worker.is_finished for worker in self.app.workers):
            await self.pilot.pause(0.01)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other, then wait."""
        await self.pilot.press(*keys)
        await self.rest()

    async def write(self, text: str) -> None:
        """Put text in the field that has the keys."""
        field = self.app.focused
        assert isinstance(field, Input)
        field.value = text
        await self.rest()

    def seen(self) -> str:
        """The text on the screen."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in line) for line in lines)


@contextlib.asynccontextmanager
async def opened(store: Store, size: tuple[int, int] = (120, 36), **more: Any) -> AsyncIterator[Driven]:
    """The app on a store, its list read."""
    app = CuratorApp(store, now=lambda: NOW, signs=SIGNS, **more)
    async with app.run_test(size=size) as pilot:
        driven = Driven(app, pilot)
        await driven.rest()
        yield driven
