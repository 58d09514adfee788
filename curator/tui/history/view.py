"""The area History: all that was done, by whom, and taking any one command back."""

import asyncio
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from curator.filters.memories import BadFilter
from curator.tui.actions import EVERYWHERE, HISTORY, LISTS, bindings
from curator.tui.context import AppContext
from curator.tui.formatting import counted
from curator.tui.history import queries
from curator.tui.history.detail_pane import CommandPane
from curator.tui.history.list import CommandRows
from curator.tui.history.queries import CommandDetail
from curator.tui.keymap import key_names, keys_of
from curator.tui.list_view import FilteredListView
from curator.tui.verbs import named
from curator.tui.view import Target, Tone
from curator.tui.widgets.virtual_list import VirtualList
from store import ReliedOn, StoreError
from store.filter import split_terms

MINUTE = 60.0  # seconds between looks at the clock

_ACTIONS = {action.id: action for action in (*HISTORY, *EVERYWHERE)}
_ON_ONE = frozenset("move page first last scroll_detail open source past copy take_back".split())


class History(FilteredListView):
    """The commands, newest first, and beside them what the one under the cursor did."""

    BINDINGS = bindings((*HISTORY, *LISTS))
    NAME: ClassVar[str] = "history"

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, "search, or filter: forget by:sweep memory:7 undone")
        self.list, self._detail = CommandRows(context.glyphs, context.now()), CommandPane(context.glyphs)
        self._whole = False
        self._writing = 0
        self._refused: int | None = None  # a command that could not be taken back
        self._way: tuple[int, ...] = ()  # and those that have to be before, the newest first

    def compose(self) -> ComposeResult:
        """The panes, and what stands there while there is nothing."""
        yield self.line
        with Container(classes="panes"):
            yield self.list
            yield self._detail
        yield Static("Nothing was done yet. What you, a sweep or a program does to memories stands here.", id="nothing")

    def on_mount(self) -> None:
        """Read the first screenful, then all; what was just now is a minute ago soon."""
        self.begin(partial(self._load_new, 0), "ids")
        self.set_interval(MINUTE, self._tell_time)

    def open(self, target: Target | None) -> None:
        """Come to the front; a memory as target shows what was done to it only."""
        self.remove_class("-reading")
        if target is not None:
            self.search_for(target.terms or ("" if target.memory is None else f"memory:{target.memory}"))
            self.begin(partial(self._load_new, 0), "ids")
        self._tell_time()
        self.list.focus()

    def _tell_time(self) -> None:
        self.list.now = self.context.now()
        self.list.refresh()

    # Reading

    @property
    def busy(self) -> bool:
        """While a command or a list is on its way, what is shown is about to change anyway."""
        return bool(self._writing) or self.reading("ids")

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read again, the cursor staying on its command."""
        self.begin(self._load, "ids")

    def problem_of(self, text: str) -> str:
        """Why a text is no filter."""
        try:
            queries.wanted(self.context.store, text)
        except BadFilter as error:
            return str(error)
        return ""

    async def _load_new(self, wait: float) -> None:
        """Show a list from its beginning: at once what fits the screen, then the rest."""
        await asyncio.sleep(wait)
        text, store, executor = self.line.text, self.context.store, self.context.executors["ids"]
        try:
            self._show(await executor.run(lambda: queries.first(store, queries.wanted(store, text))))
        except BadFilter as error:
            self._refuse(error)
        else:
            await self._load()

    async def _load(self, near: int | None = None) -> None:
        """Read the list again; the cursor goes to `near`, else it stays."""
        text, store, here = self.line.text, self.context.store, self.list
        current = here.current if near is None else near
        sought, index = () if current is None else (current,), here.cursor

        def read() -> queries.Listing:
            return queries.whole(store, queries.wanted(store, text), sought, index)

        try:
            found = await self.context.executors["ids"].run(read)
        except BadFilter as error:
            self._refuse(error)
            return
        self._show(found, near is not None)
        if self._way:
            still = await self.context.executors["rows"].run(partial(queries.standing, store, self._way))
            self._stand(self._refused, still)

    def _refuse(self, error: BadFilter) -> None:
        self.line.chips((), problem=str(error))
        self.line.count(Content.styled("not a filter yet", "$muted"))

    def _show(self, found: queries.Listing, sought: bool = False) -> None:
        self._whole = found.whole
        self.list.now = self.context.now()
        self.list.show(found, sought)
        if found.whole:
            self.seen = found.seq
        self.line.chips(split_terms(self.line.text))
        self.update_bars()

    def update_bars(self) -> None:
        """Say how much is listed, and which keys work."""
        number, text = len(self.list.ids), self.line.text.strip()
        said = f"{number:,}{'' if self._whole else '+'} found" if text else counted(number, "command")
        self.line.count(Content.styled(said + (" · enter to the list" if self.line.typing else ""), "$muted"))
        self.set_class(self._whole and not number and not text, "-empty")
        self.screen.refresh_bindings()

    @on(VirtualList.Wanted)
    def rows_wanted(self, event: VirtualList.Wanted) -> None:
        """Read the lines that the list lacks."""
        if event.rows is self.list:
            self.begin(partial(self._fetch, event.pages), "rows")

    async def _fetch(self, pages: tuple[tuple[int, ...], ...]) -> None:
        for page in pages:
            self.list.fill(await self.context.executors["rows"].run(partial(queries.lines, self.context.store, page)))

    @on(VirtualList.Moved)
    def cursor_moved(self, event: VirtualList.Moved) -> None:
        """Show what the command under the cursor did once it rests there."""
        if event.rows is self.list:
            self.begin(self._read, "detail")

    async def _read(self) -> None:
        await asyncio.sleep(self.context.timings.rest)
        nothing = "Nothing that was done is like that; esc takes the filter off." if self.line.text.strip() else ""
        self._detail.show(await self._deed(), self._way_of(self.list.current), nothing)

    async def _deed(self) -> CommandDetail | None:
        """All that the command under the cursor did."""
        current = self.list.current
        if current is None:
            return None
        return await self.context.executors["rows"].run(
            partial(queries.load, self.context.store, current, self.line.text)
        )

    # What works now

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Most need a command, esc something to go back from."""
        if not self.is_mounted:
            return True
        match action:
            case "back":
                return self.line.typing or bool(self.line.text) or self.has_class("-reading")
            case "open":
                return bool(self.list.ids) and not self.line.typing
            case "conflict":
                return self._refused is not None
            case "search" | "pane" | "pane_back":
                return not self.has_class("-empty")
        return bool(self.list.ids) or action not in _ON_ONE

    # Moving

    @property
    def rows(self) -> VirtualList[Any]:
        """The list."""
        return self.list

    @property
    def scrolled(self) -> Widget:
        """What the command did."""
        return self._detail

    def action_pane(self) -> None:
        """To the field, and to the list."""
        if self.line.typing:
            self.leave_field()
        else:
            self.action_search()

    def on_input_changed(self) -> None:
        """Search once the typing pauses."""
        self.begin(partial(self._load_new, self.context.timings.typing), "ids")

    # Looking closer

    @on(VirtualList.Chosen)
    def action_open(self) -> None:
        """What it did, where that has no room beside the list; else the memories it touched."""
        if self._detail.display:
            self.begin(self._open_memories, "target")
        else:
            self.read_closely()

    async def _open_memories(self) -> None:
        detail = await self._deed()
        if detail is None:
            return
        title = f"of command {detail.command.id}, {detail.command.verb}"
        if detail.there:
            if detail.command.count > len(detail.changes.memories):
                title = f"the first {len(detail.there)} {title}"
            self.go("memories", Target(terms="state:any", memories=detail.there, title=title))
        elif detail.changes.memories:
            self.say("none of the memories it touched is there any more")
        else:
            self.say("it touched no memory" + (", o opens its conversation" if detail.changes.batches else ""))

    def action_source(self) -> None:
        """The first conversation it brought in, or where its first memory was said."""
        self.begin(self._open_source, "target")

    async def _open_source(self) -> None:
        detail = await self._deed()
        if detail is None:
            return
        brought = [batch.first for batch in detail.changes.batches if batch.first is not None]
        if brought and brought[0] in await self._visible(brought[0]):
            self.go("sources", Target(message=brought[0]))
        elif detail.there:
            await self.open_quote(detail.there[0])
        else:
            self.say("its conversations are hidden, since it was taken back" if brought else "it has no source")

    async def _visible(self, message: int) -> "set[int]":
        return set(
            await self.context.executors["rows"].run(partial(self.context.store.raw.visible_messages, [message]))
        )

    def action_past(self) -> None:
        """All that was done to the first memory it touched."""
        self.begin(self._narrow, "target")

    async def _narrow(self) -> None:
        detail = await self._deed()
        if detail is None or not detail.changes.memories:
            self.say("it touched no memory")
            return
        memory = detail.changes.memories[0]
        self.search_for(f"memory:{memory}")
        if detail.command.count > 1:
            self.say(f"what was done to memory {memory}, the first it touched", hint="esc back")
        await self._load(detail.command.id)

    def action_copy(self) -> None:
        """The line, as `curator log` prints it."""
        current = self.list.current
        if current is not None and (row := self.list.row(current)) is not None:
            self.copy(queries.line_of(row.command))

    # Taking back

    def action_take_back(self) -> None:
        """Take back the command under the cursor, or do it again."""
        current = self.list.current
        if current is not None and not self.refuses():
            self._writing += 1
            self.begin(partial(self._take_back, current), "writes", exclusive=False)

    async def _take_back(self, number: int) -> None:
        try:
            work = partial(queries.take_back, self.context.store, number)
            again, command = await self.context.executors["writes"].run(work)
        except ReliedOn as error:
            self._stand(error.command, error.commands[::-1])
            self.say(self._in_the_way(), Tone.BAD, self._to(self._way[0]))
            return
        except StoreError as error:
            self.say(str(error), Tone.BAD)
            return
        finally:
            self._writing -= 1
        done, other = ("did again", "undo") if again else ("took back", "redo")
        hint, before = f"{self._key(other)} {other}", self._way
        self._stand(
            None if command.id == self._refused else self._refused, tuple(way for way in before if way != command.id)
        )
        if self._way != before and self._refused is not None:
            hint = self._to(self._way[0]) if self._way else f"nothing is in the way now, {self._to(self._refused)}"
        self.say(f"{done}: {named(command)}", Tone.GOOD, hint)
        self.follow()

    def _in_the_way(self) -> str:
        shown = ", ".join(map(str, self._way[:3]))
        more = f" and {len(self._way) - 3:,} more" if len(self._way) > 3 else ""
        return f"later commands rest on {self._refused}: {shown}{more}; take them back first"

    def _to(self, command: int) -> str:
        return f"{self._key('next-alert')} goes to {command}"

    def _stand(self, refused: int | None, way: tuple[int, ...]) -> None:
        """Mark what stands in the way of taking a command back."""
        self._refused, self._way = refused, way if refused is not None else ()
        if self.list.way != frozenset(self._way):
            self.list.way = frozenset(self._way)
            self.list.refresh()
        if self._detail.detail is not None:
            self._detail.show(self._detail.detail, self._way_of(self._detail.detail.command.id))
        self.screen.refresh_bindings()

    def _way_of(self, command: int | None) -> tuple[int, ...]:
        return self._way if command is not None and command == self._refused else ()

    def action_conflict(self) -> None:
        """To the next command that stands in the way, the newest first, and round to the one they stand before."""
        if self._refused is None:
            return
        round_trip = (*self._way, self._refused)
        current = self.list.current
        place = round_trip.index(current) + 1 if current in round_trip else 0
        self._go_to(round_trip[place % len(round_trip)])

    def _go_to(self, command: int) -> None:
        """Put the cursor on a command, without the filter if that hides it."""
        try:
            self.list.move_to(self.list.ids.index(command))
        except ValueError:
            self.search_for("")
            self.say("the filter is off, for it hid this one")
            self.begin(partial(self._load, command), "ids")

    def _key(self, action: str) -> str:
        return key_names(keys_of(self.app, _ACTIONS[action])[:1])
