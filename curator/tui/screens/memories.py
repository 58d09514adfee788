"""The area Memories: every memory in a list, the one under the cursor in full, and the verbs.

Whatever reads or writes the store runs in a lane and comes back here; only this screen changes what is shown.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import DescendantBlur, DescendantFocus
from textual.screen import Screen
from textual.worker import Worker

from curator import curation
from curator.paths import expanded
from curator.tui import deciding, details, listing
from curator.tui.actions import EVERYWHERE, MEMORIES, bindings
from curator.tui.deciding import Verb
from curator.tui.glyphs import Glyphs
from curator.tui.lanes import Lane
from curator.tui.screens.asking import Ask, ChooseTier, Confirm
from curator.tui.text import counted
from curator.tui.widgets.detail import Detail
from curator.tui.widgets.lines import KeyLine, StatusLine, Tone, TopLine
from curator.tui.widgets.memory_list import MemoryList
from curator.tui.widgets.search_line import SearchLine
from curator.tui.widgets.welcome import Welcome
from store import Filter, Store, StoreError
from store.analytics import Analytics
from store.model import Command, Memory, Tier

Say = Callable[[str], None]
ImportLog = Callable[[Store, Path, Say], str]

TYPING = 0.1  # seconds without a key before a search begins
REST = 0.06  # seconds the cursor rests before the detail is read
WATCH = 1.0  # seconds between looks at what other processes wrote

_WIDTHS = [(0, "-narrow"), (80, "-medium"), (110, "-wide")]
_ON_MEMORIES = frozenset("move page first last validate reject forget tier pin mark mark_all".split())


class Stopped(Exception):
    """The app is closing: an import under way ends as if interrupted, which leaves what it has stored."""


class MemoriesScreen(Screen[None]):
    """The list, the detail, the search line and the verbs."""

    BINDINGS = bindings(MEMORIES)
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    AUTO_FOCUS = "MemoryList"
    DEFAULT_CSS = """
    MemoriesScreen { background: $background; color: $text; }
    #panes { height: 1fr; layout: horizontal; }
    MemoryList { width: 3fr; height: 1fr; }
    Detail { width: 2fr; height: 1fr; border-left: solid $rule; }
    Welcome { display: none; }
    MemoriesScreen.-medium #panes { layout: vertical; }
    MemoriesScreen.-medium MemoryList { width: 1fr; height: 1fr; }
    MemoriesScreen.-medium Detail { width: 1fr; height: 1fr; border-left: none; border-top: solid $rule; }
    MemoriesScreen.-narrow Detail { display: none; }
    MemoriesScreen.-reading MemoryList { display: none; }
    MemoriesScreen.-reading Detail { display: block; width: 1fr; height: 1fr; border: none; }
    MemoriesScreen.-empty MemoryList, MemoriesScreen.-empty Detail, MemoriesScreen.-empty SearchLine { display: none; }
    MemoriesScreen.-empty Welcome { display: block; }
    """

    def __init__(self, store: Store, now: Callable[[], int], glyphs: Glyphs, import_log: ImportLog) -> None:
        super().__init__()
        self._store, self._now, self._import_log = store, now, import_log
        self._top, self._search, self._status = TopLine(), SearchLine(), StatusLine()
        self._list, self._detail = MemoryList(glyphs, now()), Detail(glyphs)
        self._ids, self._rows, self._writes = Lane("ids"), Lane("rows"), Lane("writes")
        self._watching, self._importing, self._filling = Lane("watch"), Lane("import"), Lane("fill")
        self._lanes = (self._ids, self._rows, self._writes, self._watching, self._importing, self._filling)
        self._analytics = Analytics(store)
        self._seen = -1  # the event up to which the list is right
        self._total = 0  # live memories
        self._writing = 0  # verbs on their way
        self._left: set[int] = set()  # memories taken out of the list before their verb was done
        self._whole = False
        self._leaving = False

    def compose(self) -> ComposeResult:
        """The frame, and the panes in it."""
        yield self._top
        yield self._search
        with Container(id="panes"):
            yield self._list
            yield self._detail
            yield Welcome()
        yield self._status
        yield KeyLine((*MEMORIES, *EVERYWHERE))

    def on_mount(self) -> None:
        """Read the first screenful, then all; then watch for what others write."""
        self._begin(partial(self._load_new, 0), "ids")
        self.set_interval(WATCH, self._watch)

    def on_unmount(self) -> None:
        """Take no more work; an import stops at its next step."""
        self._leaving = True
        for lane in self._lanes:
            lane.close()

    def finish(self) -> None:
        """Wait for work that has begun, after the app has closed: the store may be closed then."""
        for lane in self._lanes:
            lane.finish()
        self._analytics.close()

    def say(self, message: str, tone: Tone = Tone.PLAIN, hint: str = "") -> None:
        """Show what happened on the status line."""
        self._status.say(message, tone, hint)

    def _begin(self, work: Callable[[], Coroutine[None, None, None]], group: str, exclusive: bool = True) -> None:
        """Run something beside the handlers; a new one of an exclusive group ends the old one."""
        _: Worker[None] = self.app.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)

    # Reading

    @property
    def _filter(self) -> Filter:
        return Filter(text=self._search.text.strip())

    async def _load_new(self, wait: float) -> None:
        """Show a list from its beginning: at once what fits the screen, then the rest."""
        await asyncio.sleep(wait)
        self._show(await self._ids.run(partial(listing.first, self._store, self._filter)))
        await self._load(())

    async def _load(self, near: Sequence[int]) -> None:
        """Read the list again; the cursor goes to the first of `near` that is listed, else it stays."""
        if not self._writing:
            self._left.clear()
        here = self._list
        below = here.ids[here.cursor : here.cursor + 64]
        anchor = None if near else here.current
        place = listing.Place(anchor, here.cursor, (*near, *below), frozenset(here.marks))
        self._show(await self._ids.run(partial(listing.whole, self._store, self._analytics, self._filter, place)))

    def _show(self, found: listing.Listing) -> None:
        self._whole = found.whole
        self._list.now, self._list.sought = self._now(), self._filter.text
        self._list.show(found, self._left)
        if found.whole:
            self._seen = found.seq
            self._count_all(found.total)
        self._count()

    def _count_all(self, total: int) -> None:
        self._total = total
        self._top.show(total)
        self.set_class(not total, "-empty")

    def _count(self) -> None:
        self._search.count(len(self._list.ids), len(self._list.marks), self._whole)
        self.refresh_bindings()

    def _watch(self) -> None:
        self._begin(self._look, "watch")

    async def _look(self) -> None:
        """Read again if somebody else has written, unless that is under way."""
        seq = await self._watching.run(self._store.seq)
        reading = any(worker.group == "ids" for worker in self.app.workers)
        if seq != self._seen and not (self._writing or reading):
            self._begin(partial(self._load, ()), "ids")

    def on_memory_list_wanted(self, event: MemoryList.Wanted) -> None:
        """Read the rows that the list lacks."""
        self._begin(partial(self._fetch, event.pages), "rows")

    async def _fetch(self, pages: tuple[tuple[int, ...], ...]) -> None:
        for page in pages:
            self._list.fill(await self._rows.run(partial(self._store.get_many, page)))

    def on_memory_list_moved(self) -> None:
        """Show the memory under the cursor once it rests there."""
        self._begin(partial(self._read, self._list.current), "detail")

    async def _read(self, memory: int | None) -> None:
        await asyncio.sleep(REST)
        found = None if memory is None else await self._rows.run(partial(details.load, self._store, memory))
        self._detail.show(found)

    def on_memory_list_marked(self) -> None:
        """Say how many are marked."""
        self._count()

    # What works now

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Verbs need a memory, esc something to go back from, and an empty store offers its own three ways."""
        if not self.is_mounted:
            return True
        match action:
            case "back":
                return bool(self._search.typing or self._search.text or self._list.marks or self.has_class("-reading"))
            case "open":
                return bool(self._list.ids) and not (self._search.typing or self.has_class("-reading"))
            case "search":
                return not self.has_class("-empty")
            case "demo":
                return self.has_class("-empty")
        return action not in _ON_MEMORIES or bool(self._list.ids)

    @on(DescendantFocus)
    @on(DescendantBlur)
    def keys_changed(self) -> None:
        """Other keys work in the search field."""
        self._count()

    # Moving

    def action_move(self, lines: int) -> None:
        """Move the cursor."""
        self._list.move(lines)

    def action_page(self, pages: float) -> None:
        """Move the cursor by screens."""
        self._list.move(round(self._list.page * pages))

    def action_first(self) -> None:
        """The first memory."""
        self._list.move_to(0)

    def action_last(self) -> None:
        """The last memory."""
        self._list.move_to(len(self._list.ids) - 1)

    def action_scroll_detail(self, lines: int) -> None:
        """Scroll the detail."""
        self._detail.scroll_relative(y=lines, animate=False)

    def action_area_memories(self) -> None:
        """The list, out of whatever is open on it."""
        self.remove_class("-reading")
        self._list.focus()

    def action_open(self) -> None:
        """The memory on the whole screen."""
        self.add_class("-reading")
        self.refresh_bindings()

    def action_back(self) -> None:
        """Close one layer."""
        if self._search.typing:
            self._leave_search()
        elif self.has_class("-reading"):
            self.remove_class("-reading")
            self.refresh_bindings()
        elif self._list.marks:
            self._list.mark(())
        elif self._search.text:
            self._search.close()
            self._begin(partial(self._load, ()), "ids")

    # Searching

    def action_search(self) -> None:
        """Type what to look for."""
        self.remove_class("-reading")
        self._search.open()
        if not self._analytics.filled:
            self._begin(self._fill, "fill", exclusive=False)

    async def _fill(self) -> None:
        """Fill DuckDB while the first words are typed; until it is, the record answers."""
        await self._filling.run(self._analytics.follow)

    def on_input_changed(self) -> None:
        """Search once the typing pauses."""
        self._begin(partial(self._load_new, TYPING), "ids")

    def on_input_submitted(self) -> None:
        """Keep what was found."""
        self._leave_search()

    def _leave_search(self) -> None:
        if not self._search.text:
            self._search.close()
        self._list.focus()

    # Marking

    def action_mark(self) -> None:
        """Mark and go on."""
        self._list.toggle_mark()
        self._list.move(1)

    def action_mark_all(self) -> None:
        """Mark all that is listed, or nothing."""
        everything = self._whole and len(self._list.marks) < len(self._list.ids)
        self._list.mark(self._list.ids if everything else ())

    # Deciding

    def action_validate(self) -> None:
        """It is right."""
        self._decide(deciding.VALIDATE, self._concerned())

    def action_reject(self) -> None:
        """It is wrong or junk."""
        self._decide(deciding.REJECT, self._concerned())

    def action_forget(self) -> None:
        """Let it go; asked about if it is many."""
        memories = self._concerned()
        if len(memories) <= deciding.ASKS_ABOVE:
            self._decide(deciding.FORGET, memories)
            return
        question = Confirm(f"Forget {counted(len(memories))}?", "They leave every search and recall. u takes it back.")
        self.app.push_screen(question, lambda yes: self._decide(deciding.FORGET, memories) if yes else None)

    def action_pin(self) -> None:
        """Pin or unpin."""
        self._decide(deciding.PIN, self._concerned())

    def action_tier(self) -> None:
        """Ask which tier."""
        memories = self._concerned()

        def give(tier: Tier | None) -> None:
            if tier is not None:
                self._decide(deciding.tiered(tier), memories)

        self.app.push_screen(ChooseTier(counted(len(memories))), give)

    def _concerned(self) -> list[int]:
        """The marked memories, else the one under the cursor."""
        current = self._list.current
        return list(self._list.marks) or ([] if current is None else [current])

    def _decide(self, verb: Verb, memories: list[int]) -> None:
        """Start a verb. What it does to the one under the cursor is shown before it is done."""
        if not memories:
            return
        only = self._list.row(memories[0]) if memories == [self._list.current] and not self._list.marks else None
        self._list.mark(())
        if only is not None and verb.leaves:
            self._left.add(only.id)
            self._list.drop(self._list.cursor)
            self._count()
        elif only is not None and verb.advances:
            self._list.move(1)
        self._writing += 1
        self._begin(partial(self._carry_out, verb, memories, only), "writes", exclusive=False)

    async def _carry_out(self, verb: Verb, memories: list[int], only: Memory | None) -> None:
        """Do it, say so, and bring the list up to date: by its row if it was one, else by reading again."""
        try:
            done = await self._writes.run(partial(deciding.carry_out, self._store, verb, memories))
        except StoreError as error:
            self.say(str(error), Tone.BAD)
            self._left.clear()
            self._begin(partial(self._load, memories[:1]), "ids")
            return
        finally:
            self._writing -= 1
        self.say(deciding.told(verb, done, only), Tone.GOOD, "u undo" if done.changed else "")
        if only is not None and done.alone and done.before == self._seen:
            self._seen = done.after
            if verb.leaves:
                self._count_all(self._total - done.changed)
                self._count()
            else:
                self._list.fill(await self._rows.run(partial(self._store.get_many, memories)))
        else:
            self._begin(partial(self._load, ()), "ids")

    def action_undo(self) -> None:
        """Take back the last step."""
        self._begin(partial(self._take_back, curation.undo, "took back", "U redo"), "writes", exclusive=False)

    def action_redo(self) -> None:
        """Do it again."""
        self._begin(partial(self._take_back, curation.redo, "did again", "u undo"), "writes", exclusive=False)

    async def _take_back(self, undoing: Callable[[Store], Command], done: str, hint: str) -> None:
        try:
            command, touched = await self._writes.run(partial(deciding.take_back, self._store, undoing))
        except StoreError as error:
            self.say(str(error), Tone.BAD)
            return
        self.say(f"{done}: {deciding.named(command)}", Tone.GOOD, hint)
        self._left.clear()
        self._begin(partial(self._load, touched), "ids")

    # Adding

    def action_add(self) -> None:
        """Ask for a memory in the person's own words."""

        def take(words: str | None) -> None:
            if words is not None:
                self._begin(partial(self._add, words), "writes", exclusive=False)

        self.app.push_screen(Ask("A memory, in your own words", "One statement; enter keeps it, esc leaves it."), take)

    async def _add(self, words: str) -> None:
        try:
            memory = await self._writes.run(partial(curation.add, self._store, words))
        except (StoreError, curation.Refused) as error:
            self.say(str(error), Tone.BAD)
            return
        self.say(f"added “{memory.text}”", Tone.GOOD, "u undo")
        self._begin(partial(self._load, (memory.id,)), "ids")

    def action_import_log(self) -> None:
        """Ask for a log to import."""

        def take(path: str | None) -> None:
            if path is not None:
                self._begin(partial(self._import, expanded(path)), "import")

        hint = "The path of a file or a folder; enter begins, esc leaves."
        self.app.push_screen(Ask("Import a chat log", hint), take)

    async def _import(self, path: Path) -> None:
        """Import beside the app, which stays usable; what comes in shows as it is stored."""
        loop = asyncio.get_running_loop()

        def progress(message: str) -> None:
            if self._leaving:
                raise Stopped
            loop.call_soon_threadsafe(self.say, message)

        self.say(f"importing {path}")
        try:
            summary = await self._importing.run(partial(self._import_log, self._store, path, progress))
        except Stopped:
            return
        self.say(summary, Tone.GOOD, "u undo")
        self._begin(partial(self._load, ()), "ids")

    def action_demo(self) -> None:
        """Say how to see the demo."""
        self.say("quit, then run `curator demo`: it makes a store of its own and opens it")
