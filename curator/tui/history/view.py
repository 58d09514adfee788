"""The History view: every command, its actor and its effects, with undo for each."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from curator.display import counted
from curator.filters import BadFilter
from curator.history_text import shown_verb
from curator.tui import verbs
from curator.tui.actions import HISTORY, LISTS, bindings
from curator.tui.context import AppContext
from curator.tui.history import queries
from curator.tui.history.list import CommandPane, CommandRows
from curator.tui.history.queries import CommandDetail
from curator.tui.history.render import content
from curator.tui.keymap import first_key
from curator.tui.list_view import FilteredListView
from curator.tui.messages import Back, Target, Tone
from curator.tui.text_format import excerpt
from curator.tui.widgets.virtual_list import VirtualList
from store import LogFilter, ReliedOn, StoreError
from store.filter import split_terms

MINUTE = 60.0  # seconds between updates of the ages

_ON_ONE = frozenset("move page first last scroll_detail open source history copy undo_this".split())


class History(FilteredListView):
    """List of commands, newest first, with the detail of the one under the cursor."""

    BINDINGS = bindings((*HISTORY, *LISTS))
    NAME: ClassVar[str] = "history"

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, "search, or filter: forget by:sweep memory:7 undone")
        self.list: CommandRows = CommandRows(context.glyphs, context.now())
        self.scrolled = self._detail = CommandPane()
        self._shown: CommandDetail | None = None  # shown in the detail pane
        self._full = False
        self._verbs: Sequence[str] | None = None  # of the journal; read in a thread
        self._opened_for = ""  # the filter with which another view opened the history of a memory
        self._refused: int | None = None  # a command that could not be undone
        self._dependents: tuple[int, ...] = ()  # the commands to undo before it, newest first

    def compose(self) -> ComposeResult:
        """Lay out the panes, and the text of an empty list."""
        nothing = Static("No history yet. Every change to your memories is listed here.", id="nothing")
        return (self.line, Container(self.list, self._detail, classes="panes"), nothing)

    def on_mount(self) -> None:
        """Read the first screenful, then all; update the ages every minute."""
        self.begin(partial(self._load_new, 0), "ids")
        self.set_interval(MINUTE, self._tell_time)

    def open(self, target: Target | None) -> None:
        """Show the view; a target restricts it to a filter or the history of a memory."""
        self.remove_class("-reading")
        if target is not None:
            self._opened_for = "" if target.memory_id is None else f"memory:{target.memory_id}"
            self.search_for(target.terms or self._opened_for)
            self.begin(partial(self._load_new, 0), "ids")
        self._tell_time()
        self.list.focus()

    def _tell_time(self) -> None:
        self.list.now = self.context.now()
        self.list.refresh()

    def widen(self) -> None:
        """Return to the view that opened the history of a memory, or list everything."""
        came = self.line.text == self._opened_for != ""
        super().widen()
        if came:
            self._opened_for = ""
            self.post_message(Back())

    # Reading

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read again; the cursor stays on its command."""
        self.begin(self._load, "ids")

    def parse(self, text: str) -> LogFilter:
        """Parse a filter with the verbs read last; until they are read, any verb is accepted. Raises BadFilter."""
        return LogFilter() if self._verbs is None else queries.parse(text, self._verbs)

    async def _load_new(self, wait: float) -> None:
        """Show a new list: first the rows that fit the screen, then the rest."""
        await asyncio.sleep(wait)
        try:
            self._show(await self.context.run("ids", queries.first_page, self.context.store, self.line.text))
        except BadFilter as error:
            self.refuse(error)
        else:
            await self._load()

    async def _load(self, near: int | None = None) -> None:
        """Read the list again; the cursor goes to `near`, else it stays."""
        store, current = self.context.store, self.list.current if near is None else near
        sought = () if current is None else (current,)
        try:
            found = await self.context.run("ids", queries.full_list, store, self.line.text, sought, self.list.cursor)
        except BadFilter as error:
            self.refuse(error)
            return
        self._show(found, near is not None)
        if self._dependents:
            still = await self.context.run("rows", queries.not_undone, store, self._dependents)
            self._mark_dependents(self._refused, still)

    def _show(self, found: queries.Listing, sought: bool = False) -> None:
        self._full, self._verbs = found.full, found.verbs
        self.list.now = self.context.now()
        self.list.show(found, sought)
        if found.full:
            self.seen = found.seq
        self.line.chips(split_terms(self.line.text))
        self.update_bars()

    def update_bars(self) -> None:
        """Show the number of listed commands and the enabled keys."""
        number, text = len(self.list.ids), self.line.text.strip()
        count = f"{number:,}{'' if self._full else '+'} found" if text else counted(number, "command")
        self.line.count(Content.styled(count + (" · enter goes to the list" if self.line.typing else ""), "$muted"))
        self.set_class(self._full and not number and not text, "-empty")
        self.screen.refresh_bindings()

    @on(VirtualList.RowsNeeded)
    def rows_wanted(self, event: VirtualList.RowsNeeded) -> None:
        """Read the missing rows of the list."""
        if event.rows is self.list:
            read = partial(queries.lines, self.context.store)
            self.begin(partial(self.fill_rows, self.list, event.pages, read), "rows")

    @on(VirtualList.Moved)
    def cursor_moved(self, event: VirtualList.Moved) -> None:
        """Show the command under the cursor once it rests there."""
        if event.rows is self.list:
            self.begin(self._read, "detail")

    async def _read(self) -> None:
        await asyncio.sleep(self.context.timings.rest)
        self._shown = await self._load_detail()
        self._show_detail()

    def _show_detail(self) -> None:
        detail = self._shown
        if detail is None:
            sought = excerpt(self.line.text)
            nothing = f"No commands match “{sought}”; esc clears the filter." if sought else ""
            self._detail.show(None, lambda width: Content.styled(nothing, "$muted"))
        else:
            dependents = self._dependents if detail.command.id == self._refused else ()
            self._detail.show(detail.command.id, partial(content, detail, self.context.glyphs, dependents))

    async def _load_detail(self) -> CommandDetail | None:
        """Return the detail of the command under the cursor."""
        if self.list.current is None:
            return None
        return await self.context.run("rows", queries.load, self.context.store, self.list.current, self.line.text)

    # Enabled actions

    def enables(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Enable most actions only on a command."""
        match action:
            case "back":
                return self.line.typing or bool(self.line.text) or self.has_class("-reading")
            case "open":
                return bool(self.list.ids) and not self.line.typing
            case "find_conflict":
                return self._refused is not None
            case "search" | "next_pane" | "previous_pane":
                return not self.has_class("-empty")
        return bool(self.list.ids) or action not in _ON_ONE

    # Moving

    def action_next_pane(self) -> None:
        """Switch between the filter bar and the list."""
        if self.line.typing:
            self.leave_field()
        else:
            self.action_search()

    def on_input_changed(self) -> None:
        """Search when typing pauses."""
        self.begin(partial(self._load_new, self.context.timings.typing), "ids")

    # Details

    @on(VirtualList.Chosen)
    def action_open(self) -> None:
        """Show the detail full screen if there is no room beside the list, else list the memories of the command."""
        if self._detail.display:
            self.begin(self._open_memories, "target")
        else:
            self.read_closely()

    async def _open_memories(self) -> None:
        detail = await self._load_detail()
        if detail is None:
            return
        title = f"changed by command {detail.command.id} ({shown_verb(detail.command.verb)})"
        if detail.stored_ids:
            if detail.command.count > len(detail.changes.memories):
                title = f"first {len(detail.stored_ids)} {title}"
            self.go("memories", Target(terms="state:any", memories=detail.stored_ids, title=title))
        elif detail.changes.memories:
            self.say("its memories are no longer stored")
        else:
            self.say("no memories changed" + (", o opens its conversation" if detail.changes.batches else ""))

    def action_source(self) -> None:
        """Open the first conversation of an import, or the conversation of the command's first memory."""
        self.begin(self._open_source, "target")

    async def _open_source(self) -> None:
        detail = await self._load_detail()
        if detail is None:
            return
        brought = [batch.first for batch in detail.changes.batches if batch.first is not None]
        if await self.context.run("rows", self.context.store.raw.visible_messages, brought[:1]):
            self.go("sources", Target(message_id=brought[0]))
        elif detail.stored_ids:
            await self.open_quote(detail.stored_ids[0])
        else:
            self.say("its conversations are hidden, since it was undone" if brought else "no conversation")

    def action_history(self) -> None:
        """Show the history of the command's first memory."""
        self.begin(self._narrow, "target")

    async def _narrow(self) -> None:
        detail = await self._load_detail()
        if detail is None or not detail.changes.memories:
            self.say("no memories changed")
            return
        memory = detail.changes.memories[0]
        self.search_for(f"memory:{memory}")
        if detail.command.count > 1:
            said = f"history of memory {memory}, the first one it changed"
            self.say(said, hint="esc back", while_same=lambda: self.line.text)
        await self._load(detail.command.id)

    def action_copy(self) -> None:
        """Copy the line, as `curator log` prints it."""
        if (row := self.list.current_row) is not None:
            self.copy(queries.line_of(row.command))

    # Undo

    def action_undo_this(self) -> None:
        """Undo the command under the cursor, or redo it."""
        current, row = self.list.current, self.list.current_row
        if current is not None and not self.reports_problem():
            if row is not None and row.command.count > verbs.SLOW_ABOVE:
                self.say(f"changing {counted(row.command.count)} …")
            self.writing += 1
            self.begin(partial(self._take_back, current), "writes", exclusive=False)

    async def _take_back(self, command_id: int) -> None:
        try:
            context = self.context
            again, command, name = await context.run(
                "writes", queries.undo_or_redo, context.store, command_id, context.undo_state.describe
            )
            if again:
                context.undo_state.redone(command)
        except ReliedOn as error:
            self._mark_dependents(error.command, error.commands[::-1])
            shown = ", ".join(map(str, self._dependents[:3]))
            more = f" and {len(self._dependents) - 3:,} more" if len(self._dependents) > 3 else ""
            problem = f"later commands depend on {self._refused}: undo {shown}{more} first"
            self.say(problem, Tone.BAD, self._to(self._dependents[0]), lambda: self._dependents)
            return
        except StoreError as error:
            self.say(str(error), Tone.BAD)
            return
        finally:
            self.writing -= 1
        done, other = ("redone", "undo") if again else ("undone", "redo")
        hint, before = f"{first_key(self.app, other)} {other}", self._dependents
        self._mark_dependents(
            None if command.id == self._refused else self._refused,
            tuple(dependent for dependent in before if dependent != command.id),
        )
        if self._dependents != before and self._refused is not None:
            hint = (
                self._to(self._dependents[0])
                if self._dependents
                else f"now it can be undone, {self._to(self._refused)}"
            )
        self.say(f"{done}: {name}", Tone.GOOD, hint)
        self.follow()

    def _to(self, command: int) -> str:
        return f"{first_key(self.app, 'find-conflict')} goes to {command}"

    def _mark_dependents(self, refused: int | None, dependents: tuple[int, ...]) -> None:
        """Highlight the commands that must be undone before `refused`."""
        self._refused, self._dependents = refused, dependents if refused is not None else ()
        if self.list.dependents != frozenset(self._dependents):
            self.list.dependents = frozenset(self._dependents)
            self.list.refresh()
        self._show_detail()
        self.screen.refresh_bindings()

    def action_find_conflict(self) -> None:
        """Cycle through the commands that must be undone first, and the refused command."""
        if self._refused is None:
            return
        steps = (*self._dependents, self._refused)
        current = self.list.current
        index = steps.index(current) + 1 if current in steps else 0
        command = steps[index % len(steps)]
        try:
            self.list.move_to(self.list.ids.index(command))
        except ValueError:  # the filter hides it
            self.search_for("")
            self.say("filter cleared: it hid this command")
            self.begin(partial(self._load, command), "ids")
