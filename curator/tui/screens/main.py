"""The one screen: the areas above, one area, what happened, the keys below. Follows what others write."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import DescendantBlur, DescendantFocus
from textual.message import Message
from textual.screen import Screen

from curator.tui.actions import EVERYWHERE
from curator.tui.commands.import_dialog import undone
from curator.tui.context import AppContext
from curator.tui.error_boundary import ErrorBoundary
from curator.tui.formatting import counted
from curator.tui.idle import IdleCollector
from curator.tui.keymap import key_hint, key_names, keys_of
from curator.tui.memories.inbox import Inbox
from curator.tui.memories.queries import INBOX
from curator.tui.memories.view import Memories
from curator.tui.view import Back, OpenView, StatusMessage, Target, Tone, View
from curator.tui.widgets.bars import KeyBar, StatusBar, TabBar
from store import Filter

_WIDTHS = [(0, "-narrow"), (80, "-medium"), (110, "-wide")]


def _conflicts(context: AppContext) -> View:
    from curator.tui.conflicts.view import Conflicts

    return Conflicts(context)


def _recall(context: AppContext) -> View:
    from curator.tui.recall.view import Recall

    return Recall(context)


def _sources(context: AppContext) -> View:
    from curator.tui.sources.view import Sources

    return Sources(context)


def _history(context: AppContext) -> View:
    from curator.tui.history.view import History

    return History(context)


def _insights(context: AppContext) -> View:
    from curator.tui.insights.view import Insights

    return Insights(context)


def _sweeps(context: AppContext) -> View:
    from curator.tui.sweeps.view import Sweeps

    return Sweeps(context)


_AREAS: Mapping[str, Callable[[AppContext], View]] = {
    "inbox": Inbox,
    "memories": Memories,
    "conflicts": _conflicts,
    "recall": _recall,
    "sources": _sources,
    "insights": _insights,
    "history": _history,
    "sweeps": _sweeps,
}
"""How each area is made, when it is opened first: the first paint waits for one only."""


_SWEEPS = next(action for action in EVERYWHERE if action.name == "app.sweeps")


class Filled(Message):
    """All that the app reads at its start has been read."""


class MainScreen(ErrorBoundary, Screen[None], inherit_bindings=False):
    """Holds the areas, of which one is seen, and tells it when the store has changed."""

    HORIZONTAL_BREAKPOINTS = _WIDTHS
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    MainScreen { background: $background; color: $text; }
    MainScreen #areas { height: 1fr; }
    MainScreen View { height: 1fr; }
    """

    def __init__(self, context: AppContext, first: str, note: str = "") -> None:
        super().__init__()
        self.context = context
        self.collector = IdleCollector()
        self._note = note  # what stands at the right of the areas
        self._top, self._status, self._keys = TabBar(), StatusBar(), KeyBar()
        self._views: dict[str, View] = {first: _AREAS[first](context)}
        self._here, self._came_from = first, first
        self._noted = False  # whether the status line says what an area noted by the way: it means nothing in another
        self.problem = ""  # the last thing that went wrong
        self.offers_undo = False  # whether the status line offers to take back what it tells of
        self._told = ("", Tone.PLAIN)
        self._said = ""  # what the status line says, in full
        self._counts: dict[str, int] = {}
        self._counted = (-1, 0.0)  # the event up to which, and when, what waits was counted
        self._counting = False
        self._behind: set[str] = set()  # areas that are to read again what waits: more does, though nothing was written
        self._opening = asyncio.Lock()

    @property
    def view(self) -> View:
        """The area that is open."""
        return self._views[self._here]

    def compose(self) -> ComposeResult:
        """The lines and the first area."""
        yield self._top
        yield Container(self.view, id="areas")
        yield self._status
        yield self._keys

    def on_mount(self) -> None:
        """Open the area; watch for what others write."""
        self._top.show(self._here, self._counts, self._note)
        self._keys.follow(self.view)
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
                f"an import was stopped: {counted(left, 'conversation')} not distilled", hint="`distil` in the palette"
            )
        self.post_message(Filled())

    # Areas

    async def open_area(self, name: str, target: Target | None = None, back: bool = False) -> None:
        """Bring an area to the front, at a target if one is given; with `back`, as it was left."""
        async with self._opening:  # one that is wanted twice at once is there before it is opened again
            fresh = name not in self._views
            if fresh:
                self._views[name] = _AREAS[name](self.context)
                await self.query_one("#areas").mount(self._views[name])
        for other, view in self._views.items():
            view.display = other == name
        if name != self._here:
            self._came_from = self._here
            if self._noted:
                self.say("")
        self._here = name
        self._top.show(name, self._counts, self._note)
        self._keys.follow(self.view)
        if back and not fresh:
            self.view.come_back()
        else:
            self.view.open(target)
        if not fresh:
            self._watch()
        self.refresh_bindings()

    @on(OpenView)
    async def area_wanted(self, event: OpenView) -> None:
        """An area sends the person to another."""
        await self.open_area(event.view, event.target)

    @on(Back)
    async def back(self) -> None:
        """An area sends the person back to the one before."""
        await self.open_area(self._came_from, back=True)

    # What happened

    @on(StatusMessage)
    def told(self, event: StatusMessage) -> None:
        """An area has something to say."""
        self.say(event.text, event.tone, event.hint, event.undo)
        self._noted = event.tone is Tone.PLAIN and not (event.hint or event.undo)

    @property
    def has_status(self) -> bool:
        """Whether the status line says anything."""
        return bool(str(self._status.content))

    @property
    def cut(self) -> str:
        """What the status line says, if it had to cut that."""
        return self._said if self._status.cut else ""

    def say(self, message: str, tone: Tone = Tone.PLAIN, hint: str = "", undo: bool = False) -> None:
        """Show what happened on the status line; with `undo`, the key that takes it back too."""
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
        """Other keys work in a field; with nothing else to take them, the area has the keys."""
        if self.focused is None and self.is_current:
            self.view.focus()
        self.refresh_bindings()

    def worked(self) -> None:
        """The work in the background stands otherwise than before: say so at the right."""
        from curator.tui.sweeps import render

        sweeps = self.context.sweeps
        told = render.parts(sweeps.standings, sweeps.looked, key_names(keys_of(self.app, _SWEEPS)[:1]))
        self._status.beside(partial(render.fitted, told) if told else None)
        self.view.worked()
        news = sweeps.news()
        if news is not None:
            self.say(news)

    # What others write

    def _watch(self) -> None:
        self.collector.collect_if_idle(self.context.idle_gate.last_key)
        if not self.view.reading("watch"):
            self.view.begin(self._look, "watch")

    async def _withdraw(self) -> None:
        """Offer no more to take back what is not the last step any more: somebody else has done something."""
        steps = self.context.steps
        last = steps.last
        now = await self.context.executors["watch"].run(steps.now)
        if self.offers_undo and last is not None and now != last == steps.last:
            self.say(*self._told)

    async def _look(self) -> None:
        """Let the area read again if somebody else has written or more waits, and have what waits counted."""
        seq = await self.context.executors["watch"].run(self.context.store.journal.seq)
        if self.offers_undo:
            await self._withdraw()
        if (seq != self.view.seen or self._here in self._behind) and not self.view.busy:
            self._behind.discard(self._here)
            self.view.follow()
        if not self._counting and (
            seq != self._counted[0] or time.monotonic() >= self._counted[1] + self.context.timings.recount
        ):
            self._counting = True
            self.view.begin(partial(self._count, seq), "count", exclusive=False)

    async def _count(self, seq: int) -> None:
        """Count what waits. It may take longer than it is to the next look, which lets it come to its end."""
        store, executor, former = self.context.store, self.context.executors["watch"], self._counts
        try:
            inbox = await executor.run(partial(store.count, replace(INBOX, due_by=self.context.now())))
            memories = await executor.run(partial(store.count, Filter()))
            conflicts = await executor.run(partial(store.alerts.counts, due_by=self.context.now()))
        finally:
            self._counting = False
        self._counts = {"inbox": inbox, "memories": memories, "conflicts": sum(conflicts.values())}
        self._top.show(self._here, self._counts, self._note)
        if seq == self._counted[0] and self._counts != former:  # what was put off waits again
            self._behind = self._views.keys() & self._counts.keys()
        self._counted = (seq, time.monotonic())
