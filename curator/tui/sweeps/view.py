"""The area Sweeps: the work in the background, what it is at, what failed, and the keys to it."""

from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.widget import Widget

from curator.sweeps import State, SweepStatus
from curator.tui.actions import SWEEPS, bindings
from curator.tui.context import AppContext
from curator.tui.list_view import ListView
from curator.tui.screens.text_page import Page
from curator.tui.sweeps import render
from curator.tui.sweeps.list import SweepDetail, SweepRows
from curator.tui.view import Back, Target
from curator.tui.widgets.virtual_list import VirtualList

_ON_ONE = frozenset("move page first last scroll_detail copy failures".split())


class Sweeps(ListView):
    """The sweeps in the order they are worked, and below them the one under the cursor."""

    BINDINGS = bindings(SWEEPS)
    NAME: ClassVar[str] = "sweeps"

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.list, self._detail = SweepRows(context.glyphs, context.now()), SweepDetail()
        self._works: list[tuple[State, bool]] = []  # by what the keys that work go

    def compose(self) -> ComposeResult:
        """The list, and the pane below it."""
        yield self.list
        yield self._detail

    def open(self, target: Target | None) -> None:
        """Come to the front, with counts as they are now."""
        self.list.focus()
        self.worked()
        self.begin(self.context.sweeps.ready, "ids")

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """The store has changed: what is left to do has too."""
        self.begin(self._count, "ids")

    async def _count(self) -> None:
        self.seen = await self.context.executors["watch"].run(self.context.store.journal.seq)
        await self.context.sweeps.ready()

    def worked(self) -> None:
        """Show how they stand by now."""
        now = self.context.now()
        self.list.now = now
        statuses = self.context.sweeps.statuses
        self.list.show(statuses)
        self._detail.show(self._sweep, now)
        works = [(sweep.state, bool(sweep.failed)) for sweep in statuses]
        if works != self._works:
            self._works = works
            self.screen.refresh_bindings()

    @property
    def _sweep(self) -> SweepStatus | None:
        current = self.list.current
        return None if current is None else self.list.row(current)

    @on(VirtualList.Moved)
    def cursor_moved(self) -> None:
        """Show the sweep under the cursor."""
        self._detail.show(self._sweep, self.context.now())
        self.screen.refresh_bindings()

    # What works now

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What can be done with a sweep goes by its state."""
        if not self.is_mounted:
            return True
        sweep = self._sweep
        match action:
            case "pause":
                return sweep is not None and sweep.state is not State.OFF
            case "cancel":
                return sweep is not None and sweep.state is State.RUNNING
            case "now":
                return sweep is not None and sweep.state is not State.RUNNING
            case "failures" | "retry":
                return sweep is not None and bool(sweep.failed)
        return sweep is not None or action not in _ON_ONE

    # Moving

    @property
    def rows(self) -> VirtualList[Any]:
        """The list."""
        return self.list

    @property
    def scrolled(self) -> Widget:
        """The detail."""
        return self._detail

    def action_back(self) -> None:
        """To the area one came from."""
        self.post_message(Back())

    # What can be done

    def action_pause(self) -> None:
        """Pause it, or let it go on."""
        if (sweep := self._sweep) is not None:
            paused = self.context.sweeps.pause(sweep.name)
            at_work = " after what it is at" if sweep.state is State.RUNNING else ""
            self.say(f"{sweep.name} pauses{at_work}" if paused else f"{sweep.name} goes on")

    def action_cancel(self) -> None:
        """Drop what it is at."""
        if (sweep := self._sweep) is not None:
            self.context.sweeps.cancel(sweep.name)
            self.say(f"{sweep.name} stopped; what it has stored stays")

    def action_now(self) -> None:
        """Begin, whatever the time; of one that is off, say why and how it is switched on."""
        sweep = self._sweep
        if sweep is not None and sweep.state is State.OFF:
            self.say(f"{sweep.name} is off: {render.why_off(sweep)}")
        elif sweep is not None:
            self.context.sweeps.now(sweep.name)
            self.say(f"{sweep.name} begins")

    def action_retry(self) -> None:
        """Try again what failed."""
        if (sweep := self._sweep) is not None:
            self.say(f"{sweep.name}: {sweep.failed:,} tried again")
            self.begin(partial(self.context.sweeps.retry, sweep.name), "retry")

    @on(VirtualList.Chosen)
    def action_failures(self) -> None:
        """What failed, with the answers as they came."""
        if (sweep := self._sweep) is not None and sweep.failed:
            self.begin(partial(self._show_failures, sweep.name), "asking")

    async def _show_failures(self, name: str) -> None:
        text = await self.context.sweeps.failures(name)
        await self.app.push_screen_wait(Page(text, f"What failed in {name}"))

    def action_copy(self) -> None:
        """What is known of it, for a report."""
        if (sweep := self._sweep) is not None:
            self.copy(str(render.described(sweep, self.context.now(), 100)))
