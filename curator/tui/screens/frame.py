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
from curator.tui.areas.area import Area, Back, Go, Target, Told, Tone
from curator.tui.areas.inbox import Inbox
from curator.tui.areas.memories import Memories
from curator.tui.collecting import Collecting
from curator.tui.desk import Desk
from curator.tui.importing import undone
from curator.tui.keys import key_hint, key_names, keys_of
from curator.tui.listing import INBOX
from curator.tui.surviving import Surviving
from curator.tui.text import counted
from curator.tui.widgets.lines import KeyLine, StatusLine, TopLine
from store import Filter

WATCH = 1.0  # seconds between looks at what other processes wrote
RECOUNT = 60.0  # seconds after which what was put off may wait again

_WIDTHS = [(0, "-narrow"), (80, "-medium"), (110, "-wide")]


def _conflicts(desk: Desk) -> Area:
    from curator.tui.areas.conflicts import Conflicts

    return Conflicts(desk)


def _recall(desk: Desk) -> Area:
    from curator.tui.areas.recall import Recall

    return Recall(desk)


def _sources(desk: Desk) -> Area:
    from curator.tui.areas.sources import Sources

    return Sources(desk)


def _history(desk: Desk) -> Area:
    from curator.tui.areas.history import History

    return History(desk)


def _insights(desk: Desk) -> Area:
    from curator.tui.areas.insights import Insights

    return Insights(desk)


def _sweeps(desk: Desk) -> Area:
    from curator.tui.areas.sweeps import Sweeps

    return Sweeps(desk)


_AREAS: Mapping[str, Callable[[Desk], Area]] = {
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


class Frame(Surviving, Screen[None], inherit_bindings=False):
    """Holds the areas, of which one is seen, and tells it when the store has changed."""

    HORIZONTAL_BREAKPOINTS = _WIDTHS
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    Frame { background: $background; color: $text; }
    Frame #areas { height: 1fr; }
    Frame Area { height: 1fr; }
    """

    def __init__(self, desk: Desk, first: str, note: str = "") -> None:
        super().__init__()
        self.desk = desk
        self.collecting = Collecting()
        self._note = note  # what stands at the right of the areas
        self._top, self._status, self._keys = TopLine(), StatusLine(), KeyLine()
        self._areas: dict[str, Area] = {first: _AREAS[first](desk)}
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
    def area(self) -> Area:
        """The area that is open."""
        return self._areas[self._here]

    def compose(self) -> ComposeResult:
        """The lines and the first area."""
        yield self._top
        yield Container(self.area, id="areas")
        yield self._status
        yield self._keys

    def on_mount(self) -> None:
        """Open the area; watch for what others write."""
        self._top.show(self._here, self._counts, self._note)
        self._keys.follow(self.area)
        self.area.open(None)
        self.set_interval(WATCH, self._watch)
        self.call_after_refresh(self._watch)
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        """Fill DuckDB after the first paint; until it is, the record answers."""
        self.collecting.begin()
        self.area.begin(self._follow_analytics, "fill", exclusive=False)

    async def _follow_analytics(self) -> None:
        await self.desk.lanes["fill"].run(self.desk.analytics.follow)
        for area in self._areas.values():
            area.filled()
        left = await self.desk.lanes["slow"].run(partial(undone, self.desk.store))
        if left and not any(worker.group == "import" for worker in self.app.workers):
            self.say(
                f"an import was stopped: {counted(left, 'conversation')} not distilled", hint="`distil` in the palette"
            )
        self.post_message(Filled())

    # Areas

    async def open_area(self, name: str, target: Target | None = None, back: bool = False) -> None:
        """Bring an area to the front, at a target if one is given; with `back`, as it was left."""
        async with self._opening:  # one that is wanted twice at once is there before it is opened again
            fresh = name not in self._areas
            if fresh:
                self._areas[name] = _AREAS[name](self.desk)
                await self.query_one("#areas").mount(self._areas[name])
        for other, area in self._areas.items():
            area.display = other == name
        if name != self._here:
            self._came_from = self._here
            if self._noted:
                self.say("")
        self._here = name
        self._top.show(name, self._counts, self._note)
        self._keys.follow(self.area)
        if back and not fresh:
            self.area.come_back()
        else:
            self.area.open(target)
        if not fresh:
            self._watch()
        self.refresh_bindings()

    @on(Go)
    async def area_wanted(self, event: Go) -> None:
        """An area sends the person to another."""
        await self.open_area(event.area, event.target)

    @on(Back)
    async def back(self) -> None:
        """An area sends the person back to the one before."""
        await self.open_area(self._came_from, back=True)

    # What happened

    @on(Told)
    def told(self, event: Told) -> None:
        """An area has something to say."""
        self.say(event.text, event.tone, event.hint, event.undo)
        self._noted = event.tone is Tone.PLAIN and not (event.hint or event.undo)

    @property
    def told_anything(self) -> bool:
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
            self.area.focus()
        self.refresh_bindings()

    def worked(self) -> None:
        """The work in the background stands otherwise than before: say so at the right."""
        from curator.tui import sweep_words

        sweeps = self.desk.sweeps
        told = sweep_words.parts(sweeps.standings, sweeps.looked, key_names(keys_of(self.app, _SWEEPS)[:1]))
        self._status.beside(partial(sweep_words.fitted, told) if told else None)
        self.area.worked()
        news = sweeps.news()
        if news is not None:
            self.say(news)

    # What others write

    def _watch(self) -> None:
        self.collecting.look(self.desk.courtesy.typed_at)
        if not self.area.reading("watch"):
            self.area.begin(self._look, "watch")

    async def _withdraw(self) -> None:
        """Offer no more to take back what is not the last step any more: somebody else has done something."""
        steps = self.desk.steps
        last = steps.last
        now = await self.desk.lanes["watch"].run(steps.now)
        if self.offers_undo and last is not None and now != last == steps.last:
            self.say(*self._told)

    async def _look(self) -> None:
        """Let the area read again if somebody else has written or more waits, and have what waits counted."""
        seq = await self.desk.lanes["watch"].run(self.desk.store.journal.seq)
        if self.offers_undo:
            await self._withdraw()
        if (seq != self.area.seen or self._here in self._behind) and not self.area.busy:
            self._behind.discard(self._here)
            self.area.follow()
        if not self._counting and (seq != self._counted[0] or time.monotonic() >= self._counted[1] + RECOUNT):
            self._counting = True
            self.area.begin(partial(self._count, seq), "count", exclusive=False)

    async def _count(self, seq: int) -> None:
        """Count what waits. It may take longer than it is to the next look, which lets it come to its end."""
        store, lane, former = self.desk.store, self.desk.lanes["watch"], self._counts
        try:
            inbox = await lane.run(partial(store.count, replace(INBOX, due_by=self.desk.now())))
            memories = await lane.run(partial(store.count, Filter()))
            conflicts = await lane.run(partial(store.alerts.counts, due_by=self.desk.now()))
        finally:
            self._counting = False
        self._counts = {"inbox": inbox, "memories": memories, "conflicts": sum(conflicts.values())}
        self._top.show(self._here, self._counts, self._note)
        if seq == self._counted[0] and self._counts != former:  # what was put off waits again
            self._behind = self._areas.keys() & self._counts.keys()
        self._counted = (seq, time.monotonic())
