"""The main screen: tabs, a view, the status bar, the footer. Follows what other processes write."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import DescendantBlur, DescendantFocus
from textual.message import Message
from textual.screen import Screen

from curator.tui.actions import EVERYWHERE
from curator.tui.commands.import_logs import undone
from curator.tui.context import AppContext
from curator.tui.dispatch import ErrorBoundary
from curator.tui.idle import IdleCollector
from curator.tui.keymap import key_hint, key_names, keys_of
from curator.tui.memories.queries import INBOX
from curator.tui.messages import Back, OpenView, StatusMessage, Target, Tone
from curator.tui.text_format import counted
from curator.tui.view import View
from curator.tui.widgets.bars import KeyBar, StatusBar, TabBar
from store import Filter

_WIDTHS = [(0, "-narrow"), (80, "-medium"), (110, "-wide")]


_VIEWS: Mapping[str, str] = {
    "inbox": "curator.tui.memories.inbox:Inbox",
    "memories": "curator.tui.memories.view:Memories",
    "conflicts": "curator.tui.conflicts.view:Conflicts",
    "recall": "curator.tui.recall.view:Recall",
    "sources": "curator.tui.sources.view:Sources",
    "history": "curator.tui.history.view:History",
    "insights": "curator.tui.insights.view:Insights",
    "sweeps": "curator.tui.sweeps.view:Sweeps",
}
"""The class of each view, imported when it is opened first: the first paint waits for one only."""


def _new(name: str, context: AppContext) -> View:
    module, _, kind = _VIEWS[name].partition(":")
    view: View = getattr(import_module(module), kind)(context)
    return view


_SWEEPS = next(action for action in EVERYWHERE if action.name == "app.sweeps")


class Filled(Message):
    """Posted when all that the app reads at its start has been read."""


class MainScreen(ErrorBoundary, Screen[None], inherit_bindings=False):
    """Holds the views, of which one is shown, and calls `follow` on it when the store has changed."""

    HORIZONTAL_BREAKPOINTS = _WIDTHS
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    MainScreen { background: $background; color: $text; }
    MainScreen #views { height: 1fr; }
    MainScreen View { height: 1fr; }
    """

    def __init__(self, context: AppContext, first: str, note: str = "") -> None:
        super().__init__()
        self.context = context
        self.collector = IdleCollector()
        self._note = note  # at the right of the tabs
        self._top, self._status, self._keys = TabBar(), StatusBar(), KeyBar()
        self._views: dict[str, View] = {first: _new(first, context)}
        self._here, self._came_from = first, first
        self._noted = False  # with a status that means nothing in another view
        self.problem = ""  # the last thing that went wrong
        self.offers_undo = False  # with a status that offers undo
        self._told = ("", Tone.PLAIN)
        self._said = ""  # the status in full
        self._counts: dict[str, int] = {}
        self._counted = (-1, 0.0)  # the event up to which, and when, was counted
        self._counting = False
        self._behind: set[str] = set()  # views to read again: more is due, though nothing was written
        self._opening = asyncio.Lock()

    @property
    def view(self) -> View:
        """The view that is open."""
        return self._views[self._here]

    def compose(self) -> ComposeResult:
        """Lay out the bars and the first view."""
        yield self._top
        yield Container(self.view, id="views")
        yield self._status
        yield self._keys

    def on_mount(self) -> None:
        """Open the view; watch for what others write."""
        self._top.show(self._here, self._counts, self._note)
        self._keys.follow(self.view, self.view.actions)
        self.view.open(None)
        self.set_interval(self.context.timings.watch, self._watch)
        self.call_after_refresh(self._watch)
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        """Fill DuckDB after the first paint; until it is, the record answers."""
        self.collector.begin()
        self.view.begin(self._follow_analytics, "fill", exclusive=False)

    async def _follow_analytics(self) -> None:
        await self.context.executors["fill"].run(self.context.analytics.follow)
        for view in self._views.values():
            view.filled()
        left = await self.context.executors["slow"].run(partial(undone, self.context.store))
        if left and not any(worker.group == "import" for worker in self.app.workers):
            self.say(
                f"stopped import: {counted(left, 'conversation')} not distilled yet", hint="`distil` in the palette"
            )
        self.post_message(Filled())

    # Views

    async def open_view(self, name: str, target: Target | None = None, back: bool = False) -> None:
        """Bring a view to the front, at a target if one is given; with `back`, as it was left."""
        async with self._opening:  # one that is wanted twice at once is there before it is opened again
            fresh = name not in self._views
            if fresh:
                self._views[name] = _new(name, self.context)
                await self.query_one("#views").mount(self._views[name])
        for other, view in self._views.items():
            view.display = other == name
        if name != self._here:
            self._came_from = self._here
            if self._noted:
                self.say("")
        self._here = name
        self._top.show(name, self._counts, self._note)
        self._keys.follow(self.view, self.view.actions)
        if back and not fresh:
            self.view.come_back()
        else:
            self.view.open(target)
        if not fresh:
            self._watch()
        self.refresh_bindings()

    @on(OpenView)
    async def area_wanted(self, event: OpenView) -> None:
        """Open the view that another one asks for."""
        await self.open_view(event.view, event.target)

    @on(Back)
    async def back(self) -> None:
        """Go back to the view before."""
        await self.open_view(self._came_from, back=True)

    # Status

    @on(StatusMessage)
    def told(self, event: StatusMessage) -> None:
        """Show the status of a view."""
        self.say(event.text, event.tone, event.hint, event.undo)
        self._noted = event.tone is Tone.PLAIN and not (event.hint or event.undo)

    @property
    def has_status(self) -> bool:
        """True if the status bar shows anything."""
        return bool(str(self._status.content))

    @property
    def cut(self) -> str:
        """The status in full, if the status bar had to cut it."""
        return self._said if self._status.cut else ""

    def say(self, message: str, tone: Tone = Tone.PLAIN, hint: str = "", undo: bool = False) -> None:
        """Show a message in the status bar; with `undo`, the undo key too."""
        hint = " · ".join(filter(None, (key_hint(self.app, "app.undo") if undo else "", hint)))
        if tone is Tone.BAD:
            self.problem = message
        self._noted = False
        self._told, self.offers_undo = (message, tone), undo
        was_cut, self._said = self._status.cut, f"{message}\n{hint}".strip()
        self._status.say(message, tone, hint)
        if was_cut or self._status.cut:  # another key works
            self.refresh_bindings()

    @on(DescendantFocus)
    @on(DescendantBlur)
    def keys_changed(self) -> None:
        """Show the keys anew: others work in a field; without a focus, the view takes the keys."""
        if self.focused is None and self.is_current:
            self.view.focus()
        self.refresh_bindings()

    def sweeps_changed(self) -> None:
        """Show the progress of the sweeps at the right of the status bar."""
        from curator.tui.sweeps import render

        sweeps = self.context.sweeps
        told = render.parts(sweeps.statuses, sweeps.looked, key_names(keys_of(self.app, _SWEEPS)[:1]))
        self._status.beside(partial(render.fitted, told) if told else None)
        self.view.sweeps_changed()
        news = sweeps.news()
        if news is not None:
            self.say(news)

    # Other processes

    def _watch(self) -> None:
        self.collector.collect_if_idle(self.context.idle_gate.last_key)
        if not self.view.working("watch"):
            self.view.begin(self._look, "watch")

    async def _look(self) -> None:
        """Have the view read again if another process has written or more is due, and count what is due."""
        seq = await self.context.executors["watch"].run(self.context.store.journal.seq)
        if self.offers_undo:
            last = self.context.steps.last
            now = await self.context.executors["watch"].run(self.context.steps.now)
            if self.offers_undo and last is not None and now != last == self.context.steps.last:
                self.say(*self._told)  # without the offer: another process has done the last step
        if (seq != self.view.seen or self._here in self._behind) and not self.view.busy:
            self._behind.discard(self._here)
            self.view.follow()
        if not self._counting and (
            seq != self._counted[0] or time.monotonic() >= self._counted[1] + self.context.timings.recount
        ):
            self._counting = True
            self.view.begin(partial(self._count, seq), "count", exclusive=False)

    async def _count(self, seq: int) -> None:
        """Count the inbox and the conflicts. Not interrupted by the next look, since it may take longer."""
        store, executor, former = self.context.store, self.context.executors["watch"], self._counts
        try:
            inbox = await executor.run(partial(store.count, replace(INBOX, due_by=self.context.now())))
            memories = await executor.run(partial(store.count, Filter()))
            conflicts = await executor.run(partial(store.alerts.counts, due_by=self.context.now()))
        finally:
            self._counting = False
        self._counts = {"inbox": inbox, "memories": memories, "conflicts": sum(conflicts.values())}
        self._top.show(self._here, self._counts, self._note)
        if seq == self._counted[0] and self._counts != former:  # what was snoozed is due
            self._behind = self._views.keys() & self._counts.keys()
        self._counted = (seq, time.monotonic())
