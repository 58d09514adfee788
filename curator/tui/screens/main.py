"""Main screen: tabs, a view, status bar, footer. Follows the writes of other processes."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pkgutil import resolve_name

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import DescendantBlur, DescendantFocus
from textual.message import Message
from textual.screen import Screen

from curator.display import counted
from curator.tui.commands.import_logs import undone
from curator.tui.context import AppContext
from curator.tui.dispatch import KeyScreen
from curator.tui.idle import IdleCollector
from curator.tui.keymap import first_key, key_hint
from curator.tui.memories.queries import INBOX
from curator.tui.messages import Back, OpenView, StatusMessage, Target, Tone
from curator.tui.view import View
from curator.tui.widgets.bars import KeyBar, StatusBar, TabBar
from curator.tui.widgets.virtual_list import VirtualList
from store import Filter, Sort
from store.model import Origin, Review

_WIDTHS = [(0, "-narrow"), (80, "-medium"), (110, "-wide")]
_HEIGHTS = [(0, "-short"), (14, "-tall")]


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
"""Classes of the views, imported when a view is first opened, so that the first paint needs only one."""


def _new(name: str, context: AppContext) -> View:
    view: View = resolve_name(_VIEWS[name])(context)
    return view


_PROPOSED = {
    origin: (Filter(reviews=(Review.OPEN,), origins=(origin,)), whom)
    for origin, whom in ((Origin.AGENT, "an assistant"), (Origin.SHARED, "a shared project"))
}
"""Origins of memories proposed by others, with the text for each."""


class Filled(Message):
    """Posted when all data needed at startup has been read."""


class MainScreen(KeyScreen, Screen[None], inherit_bindings=False):
    """Holds the views, shows one of them, and calls its `follow` when the store has changed."""

    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS
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
        self._note = note  # shown at the right of the tabs
        self._top, self._status, self._keys = TabBar(), StatusBar(), KeyBar()
        self._views: dict[str, View] = {first: _new(first, context)}
        self._here, self._came_from = first, first
        self._noted = False  # the status is dropped in another view
        self._holds: Callable[[], bool] = lambda: True  # False once it is outdated here too
        self.problem = ""  # the last error message
        self.offers_undo = False  # the status offers undo
        self._undoable = False  # the status offers undo, now or once its hint is dropped
        self._message = ("", Tone.PLAIN)
        self._full_status = ""  # the full status
        self._counts: dict[str, int] = {}
        self._counted = (-1, 0.0)  # event number and time of the last count
        self._counting = False
        self._proposed = dict.fromkeys(_PROPOSED, 0)  # newest ID by origin; an undo announces nothing
        self._behind: set[str] = set()  # views to read again, since snoozed memories became due
        self._opening = asyncio.Lock()

    @property
    def view(self) -> View:
        """The view that is open."""
        return self._views[self._here]

    def compose(self) -> ComposeResult:
        """Lay out the bars and the first view."""
        return (self._top, Container(self.view, id="views"), self._status, self._keys)

    def on_mount(self) -> None:
        """Open the view; watch for writes of other processes."""
        self._top.show(self._here, self._counts, self._note)
        self._keys.follow(self.view, self.view.actions, self.view.suggests)
        self.view.open(None)
        self.bindings_updated_signal.subscribe(self, lambda _: self.check_status())
        self.set_interval(self.context.timings.watch, self._watch)
        self.call_after_refresh(self._watch)
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        """Fill DuckDB after the first paint; until then, and if that fails, queries use the record."""
        self.collector.begin()
        self.view.begin(self._follow_analytics, "fill", exclusive=False)

    async def _follow_analytics(self) -> None:
        try:
            await self.context.run("fill", self.context.analytics.follow)
        except Exception:  # reported by the app
            self.post_message(Filled())
            raise
        for view in self._views.values():
            view.filled()
        left = await self.context.run("slow", undone, self.context.store)
        if left and not any(worker.group == "import" for worker in self.app.workers):
            self.say(
                f"{counted(left, 'conversation')} not distilled yet",
                hint="`distil` in the palette",
            )
            self.context.undistilled = left
            self.view.undistilled_counted()
        self.post_message(Filled())

    # Views

    async def open_view(self, name: str, target: Target | None = None, back: bool = False) -> None:
        """Show a view, at a target if given; with `back`, in its previous state."""
        async with self._opening:  # a view requested twice at once is mounted only once
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
        self._keys.follow(self.view, self.view.actions, self.view.suggests)
        if back and not fresh:
            self.view.come_back()
        else:
            self.view.open(target)
        if not fresh:
            self._watch()
        self.refresh_bindings()

    async def on_open_view(self, event: OpenView) -> None:
        """Open a view requested by another one."""
        await self.open_view(event.view, event.target)

    @on(Back)
    async def back(self) -> None:
        """Go back to the previous view."""
        await self.open_view(self._came_from, back=True)

    # Status

    @on(StatusMessage)
    def show_status(self, event: StatusMessage) -> None:
        """Show a status message of a view."""
        self.say(event.text, event.tone, event.hint, event.undo and not event.hint_first)
        self._noted, self._holds, self._undoable = True, event.holds, event.undo

    @on(VirtualList.Moved)
    def check_status(self) -> None:
        """Drop a status about marks, a row or a filter that have changed since."""
        if not self._holds():
            self._withdraw()

    def _withdraw(self) -> None:
        """Drop the status; one that offers undo loses only its hint."""
        if self._undoable:
            self.say(*self._message, undo=True)
        else:
            self.say("")

    @property
    def has_status(self) -> bool:
        """True if the status bar shows anything."""
        return bool(str(self._status.content))

    @property
    def cut(self) -> str:
        """The full status, if the status bar had to truncate it."""
        return self._full_status if self._status.cut else ""

    def ends_here(self) -> None:
        """Drop the status when another view is opened, if it does not apply there."""
        self._noted = True

    def say(self, message: str, tone: Tone = Tone.PLAIN, hint: str = "", undo: bool = False) -> None:
        """Show a message in the status bar, and with `undo` the undo key."""
        hints = list(filter(None, (key_hint(self.app, "undo") if undo else "", hint)))
        if tone is Tone.BAD:
            self.problem = message
        self._noted, self._holds, self._undoable = False, lambda: True, undo
        self._message, self.offers_undo = (message, tone), undo
        was_cut, self._full_status = self._status.cut, f"{message}\n{' · '.join(hints)}".strip()
        self._status.say(message, tone, hints)
        if was_cut or self._status.cut:  # `details` becomes enabled or disabled
            self.refresh_bindings()

    @on(DescendantFocus)
    @on(DescendantBlur)
    def keys_changed(self) -> None:
        """Refresh the footer, since a field has other keys; without a focus, focus the view."""
        if self.focused is None and self.is_current:
            self.view.focus()
        self.refresh_bindings()

    def sweeps_changed(self) -> None:
        """Show the progress of the sweeps at the right of the status bar."""
        from curator.tui.sweeps import render

        sweeps = self.context.sweeps
        parts = render.parts(sweeps.statuses, sweeps.looked, first_key(self.app, "sweeps"))
        self._status.show_right(partial(render.fitted, parts) if parts else None)
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
        """Read the view again if another process has written or snoozed memories are due, and update the counts."""
        seq = await self.context.run("watch", self.context.store.journal.seq)
        if self._undoable:
            undo_state = self.context.undo_state
            last, (message, tone) = undo_state.last, self._message
            now = await self.context.run("watch", undo_state.next_to_undo)
            undone = now != last and await self.context.run("watch", undo_state.is_undone, last)
            if self._undoable and last is not None and now != last == undo_state.last and self._message[0] == message:
                if undone:
                    self.say(f"undone by another process: {message}", hint=key_hint(self.app, "redo"))
                elif self.offers_undo:
                    self.say(message, tone)  # without undo: another process has run the last command
        if (seq != self.view.seen or self._here in self._behind) and not self.view.busy:
            self._behind.discard(self._here)
            self.view.follow()
        if not self._counting and (
            seq != self._counted[0] or time.monotonic() >= self._counted[1] + self.context.timings.recount
        ):
            self._counting = True
            self.view.begin(partial(self._count, seq), "count", exclusive=False)

    async def _count(self, seq: int) -> None:
        """Count the inbox, the memories and the conflicts. The next check does not interrupt it: it may take longer."""
        store, context, former = self.context.store, self.context, self._counts
        try:
            inbox = await context.run("watch", store.count, replace(INBOX, due_by=context.now()))
            memories = await context.run("watch", store.count, Filter())
            conflicts = await context.run("watch", store.alerts.counts, due_by=context.now())
            proposed = {
                origin: await context.run("watch", store.list_ids, memory_filter, Sort.ADDED)
                for origin, (memory_filter, _) in _PROPOSED.items()
            }
        finally:
            self._counting = False
        for origin, found in proposed.items():
            if former and found[:1] > [self._proposed[origin]]:
                whom, count = _PROPOSED[origin][1], counted(len(found))
                self.say(f"new from {whom}: {count} to review · find with origin:{origin}")
            self._proposed[origin] = max([self._proposed[origin], *found[:1]])
        self._counts = {"inbox": inbox, "memories": memories, "conflicts": sum(conflicts.values())}
        self._top.show(self._here, self._counts, self._note)
        if seq == self._counted[0] and self._counts != former:  # snoozed memories are due
            self._behind = self._views.keys() & self._counts.keys()
        self._counted = (seq, time.monotonic())
