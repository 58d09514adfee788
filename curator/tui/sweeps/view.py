"""The Sweeps view: the background work, its progress, its failures, and the keys to control it."""

from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content

from curator.serve.hook_failures import Repeated, repeated
from curator.sweeps import State, SweepStatus
from curator.tui.actions import SWEEPS, bindings
from curator.tui.context import AppContext
from curator.tui.list_view import ListView
from curator.tui.messages import Back, Target
from curator.tui.screens.dialogs import Page
from curator.tui.sweeps import render
from curator.tui.sweeps.list import SweepDetail, SweepRows
from curator.tui.widgets.virtual_list import VirtualList

_ON_ONE = frozenset("move page first last scroll_detail copy failures".split())


class Sweeps(ListView):
    """The sweeps in the order they run, with the detail of one below."""

    BINDINGS = bindings(SWEEPS)
    NAME: ClassVar[str] = "sweeps"

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.list: SweepRows = SweepRows(context.glyphs, context.now())
        self.scrolled = self._detail = SweepDetail()
        self._failed_hooks: list[Repeated] = []
        self._works: list[tuple[State, bool]] = []  # states of the sweeps that determine the enabled keys

    def compose(self) -> ComposeResult:
        """Lay out the list, with the detail below it."""
        return (self.list, self._detail)

    def open(self, target: Target | None) -> None:
        """Show the view, with fresh counts."""
        self.list.focus()
        self.sweeps_changed()
        self.begin(self._count, "ids")

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Count the pending items again."""
        self.begin(self._count, "ids")

    async def _count(self) -> None:
        self.seen = await self.context.run("watch", self.context.store.journal.seq)
        self._failed_hooks = await self.context.run("watch", repeated)
        await self.context.sweeps.ready()
        self._show_detail()

    def sweeps_changed(self) -> None:
        """Show the progress of the sweeps."""
        self.list.now = self.context.now()
        statuses = self.context.sweeps.statuses
        self.list.show(statuses)
        self._show_detail()
        works = [(sweep.state, bool(sweep.failed)) for sweep in statuses]
        if works != self._works:
            self._works = works
            self.screen.refresh_bindings()

    def _show_detail(self) -> None:
        sweep, now = self._sweep, self.context.now()
        if sweep is None:
            self._detail.show(None, lambda width: Content())
        else:
            self._detail.show(sweep.name, lambda width: render.described(sweep, now, width, self._failed_hooks))

    @property
    def _sweep(self) -> SweepStatus | None:
        """The current state of the sweep under the cursor; its row may be slightly older."""
        row = self.list.current_row
        return None if row is None else self.context.sweeps.status(row.name) or row

    @on(VirtualList.Moved)
    def cursor_moved(self) -> None:
        """Show the sweep under the cursor."""
        self._show_detail()
        self.screen.refresh_bindings()

    # Enabled actions

    def enables(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Enable the actions that apply to the state of the sweep."""
        sweep = self._sweep
        match action:
            case "pause":
                return sweep is not None and sweep.state is not State.OFF
            case "stop":
                return sweep is not None and sweep.state is State.RUNNING
            case "start":
                return sweep is not None and sweep.state is not State.RUNNING
            case "failures" | "retry":
                return sweep is not None and bool(sweep.failed)
        return sweep is not None or action not in _ON_ONE

    def action_back(self) -> None:
        """Go back to the previous view."""
        self.post_message(Back())

    # Control

    def action_pause(self) -> None:
        """Pause or resume the sweep."""
        if (sweep := self._sweep) is not None:
            self.begin(partial(self._pause, sweep), "pause", exclusive=False)

    async def _pause(self, sweep: SweepStatus) -> None:
        paused = await self.context.sweeps.pause(sweep.name)
        later = " after the current item" if sweep.state is State.RUNNING else ""
        self.say(f"{sweep.name} paused{later}, until you resume it" if paused else f"{sweep.name} resumed")

    def action_stop(self) -> None:
        """Stop the run."""
        if (sweep := self._sweep) is not None:
            self.context.sweeps.cancel(sweep.name)
            self.say(f"{sweep.name} stopped; results so far are kept")

    def action_start(self) -> None:
        """Start the sweep now; if it is off, report why and how to switch it on."""
        sweep = self._sweep
        if sweep is not None and sweep.state is State.OFF:
            self.say(f"{sweep.name} is off: {render.why_off(sweep)}")
        elif sweep is not None and sweep.state is State.PAUSED:
            self.action_pause()
        elif sweep is not None:
            self.context.sweeps.now(sweep.name)
            self.say(f"{sweep.name} started")

    def action_retry(self) -> None:
        """Retry the failed items."""
        if (sweep := self._sweep) is not None:
            self.say(f"{sweep.name}: retrying {sweep.failed:,}")
            self.begin(partial(self.context.sweeps.retry, sweep.name), "retry")

    @on(VirtualList.Chosen)
    def action_failures(self) -> None:
        """Show the failed items, with the unchanged replies."""
        if (sweep := self._sweep) is not None and sweep.failed:
            self.begin_dialog(partial(self._show_failures, sweep.name))

    async def _show_failures(self, name: str) -> None:
        text = render.page(await self.context.sweeps.failures(name))
        await self.app.push_screen_wait(Page(text, f"Failures of {name}"))

    def action_copy(self) -> None:
        """Copy the detail."""
        if (sweep := self._sweep) is not None:
            self.copy(str(render.described(sweep, self.context.now(), 100, self._failed_hooks)))
