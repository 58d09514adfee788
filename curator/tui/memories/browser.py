"""A list of memories, the one under the cursor in full, and the verbs: what Inbox and Memories have in common."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widget import Widget

from curator.filters.memories import BadFilter
from curator.tui import verbs
from curator.tui.actions import LISTS, VERBS, bindings
from curator.tui.context import AppContext
from curator.tui.formatting import counted
from curator.tui.list_view import MarkableListView
from curator.tui.memories import queries
from curator.tui.memories.detail_loader import DetailLoader
from curator.tui.memories.facets import Facets
from curator.tui.memories.list import MemoryList
from curator.tui.memories.list_state import Named, Wanted, near
from curator.tui.memories.verb_runner import ListVerbs
from curator.tui.verbs import Verb
from curator.tui.view import Back, Target
from curator.tui.widgets.virtual_list import VirtualList
from store import Sort
from store.filter import split_terms
from store.model import Life, Memory

_ON_ONE = frozenset("open source past copy related".split())
_ON_LIST = frozenset("move page first last mark range extend mark_all scroll_detail".split())


class Browser(MarkableListView):
    """The list, the facets, the detail, the filter line and the verbs."""

    BINDINGS = bindings((*VERBS, *LISTS))
    BASE: ClassVar[str] = ""  # terms of the filter language that always hold
    ORDER: ClassVar[Sort] = Sort.CREATED
    HINT: ClassVar[str] = "search"
    GROUPED: ClassVar[bool] = False  # several ways to say one thing stand under the first

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, self.HINT)
        self._facets = Facets(context)
        self.list = MemoryList(context.glyphs, context.now())
        self._returns = False  # whether esc leads back to the area one came from
        self.wanted = Wanted(self.BASE, self.ORDER, self.GROUPED, context.now())
        self.unfolded: set[int] = set()  # memories of groups of which each has a line
        self._whole = False
        self.gone: Mapping[Life, int] | None = None  # memories that are live no more, once nothing is listed
        self._asking_anew = False  # what was typed is not what is listed yet
        self._sort: object = False  # of what is under the cursor
        self.verbs = ListVerbs(self)
        self.detail = DetailLoader(self, leading=bool(self.BASE))

    def compose(self) -> ComposeResult:
        """The panes."""
        yield self.line
        with Container(classes="panes"):
            yield self._facets
            yield self.list
            yield self.detail.pane

    def on_mount(self) -> None:
        """Read the first screenful, then all."""
        self.begin(partial(self._load_new, 0), "ids")

    def open(self, target: Target | None) -> None:
        """Come to the front; a target sets the filter, or finds a memory wherever it is."""
        self.remove_class("-reading")
        self._returns = target is not None and target.returns
        if target is not None:
            self.wanted.only = Named(target.title, target.memories) if target.memories else None
            self.search_for(target.terms or "")
            self.list.mark(target.memories if target.marked else ())
            near = () if target.memory is None else (target.memory,)
            self.begin(partial(self.load, near, fresh=True), "ids")
        self.list.focus()

    # Reading

    @property
    def busy(self) -> bool:
        """While verbs or a list are on their way, what is shown is about to change anyway."""
        return bool(self.verbs.writing) or self.reading("ids")

    @property
    def bare(self) -> bool:
        """Whether there is nothing listed though nothing narrows the list down."""
        return self._whole and not self.list.ids and not self.line.text.strip() and self.wanted.only is None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return self.bare

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read again, the cursor staying, or going to what was touched: there to where it was, else to the first."""
        if touched:
            self.verbs.left.clear()
        stood = [] if self.verbs.stood is None else [self.verbs.stood]
        self.begin(partial(self.load, stood if touched else (), touched=touched), "ids")

    def filled(self) -> None:
        """The facets can be counted, and what is related looked for: LanceDB takes a second to load."""
        self.count_facets()
        self.detail.filled()

    def count_facets(self) -> None:
        """Count the values of what is listed anew."""
        self._facets.follow(self.BASE, self.line.text, self.wanted.query.only)

    def _ask(self) -> bool:
        """Take what is typed and chosen as the query; False, and said, if it is no filter."""
        try:
            self.wanted.ask(self.line.text, self.context.now())
        except BadFilter as error:
            self.line.chips((), problem=str(error))
            self.line.count(Content.styled("invalid filter", "$muted"))
            self._asking_anew = False
            return False
        ahead = "" if self.wanted.only is None else self.wanted.only.title
        self.line.chips(split_terms(self.line.text), self.wanted.order, ahead=ahead)
        return True

    def problem_of(self, text: str) -> str:
        """Why a text is no filter."""
        try:
            self.wanted.filter_of(text, self.context.now())
        except BadFilter as error:
            return str(error)
        return ""

    async def _load_new(self, wait: float) -> None:
        """Show a list from its beginning: at once what fits the screen, then the rest."""
        await asyncio.sleep(wait)
        if self._ask():
            context = self.context
            found = await context.executors["ids"].run(
                partial(queries.first, context.store, context.analytics, self.wanted.query)
            )
            self._show(found)
            await self.load(())

    async def load(self, near: Sequence[int], fresh: bool = False, touched: Sequence[int] = ()) -> None:
        """Read the list again; the cursor goes to the first of `near` that is listed, else it stays."""
        if not self._ask():
            return
        if not self.verbs.writing:
            self.verbs.left.clear()
        context, place = self.context, self.list.place(near, fresh, self.unfolded, touched)
        work = partial(queries.whole, context.store, context.analytics, self.wanted.query, place)
        self._show(await context.executors["ids"].run(work))

    def _show(self, found: queries.Listing) -> None:
        self._whole, self._asking_anew = found.whole, False
        self.gone = found.gone if found.whole and not found.ids else None
        self.list.now, self.list.sought = self.context.now(), self.wanted.query.filter.text
        self.list.show(found, self.verbs.left)
        if found.whole:
            self.seen = found.seq
            self.count_facets()
        self.update_bars()

    def update_bars(self) -> None:
        """Say how much is listed and marked, and which keys work."""
        self.line.count(self._counted())
        self._hand_keys()
        self.set_class(self.empty, "-empty")
        if self.empty and self.line.typing:
            self.leave_field()
        self.screen.refresh_bindings()

    def _hand_keys(self) -> None:
        """While there is nothing to list, the area has the keys of the list, which has them back afterwards."""
        if self.bare and (self.list.has_focus or self._facets.has_focus):
            self.focus()
        elif self.has_focus and not self.bare:
            self.call_after_refresh(self._take_keys)

    def _take_keys(self) -> None:
        if self.has_focus and not self.has_class("-reading"):
            self.list.focus()

    def _number(self) -> str:
        """How many are listed; of those that stand on one line with others, each."""
        lines, hidden = len(self.list.ids), self.list.hidden(self.verbs.left)
        return f"{lines + hidden:,} in {counted(lines, 'row')}" if hidden else f"{lines:,}"

    def _counted(self) -> Content:
        listed, marked = len(self.list.ids), len(self.list.marks)
        number = self._number() if self._whole else f"{listed:,}+"
        if marked:
            return Content.assemble((f"{marked:,} marked", "bold $mark"), (f" of {number}", "$muted"))
        found = f"{number} found" if self.line.text.strip() or self.wanted.only else number
        return Content.styled(found + (" · enter goes to the list" if self.line.typing else ""), "$muted")

    @on(VirtualList.Wanted)
    def rows_wanted(self, event: VirtualList.Wanted) -> None:
        """Read the rows that the list lacks."""
        if event.rows is self.list:
            self.begin(partial(self._fetch, event.pages), "rows")

    async def _fetch(self, pages: tuple[tuple[int, ...], ...]) -> None:
        for page in pages:
            self.list.take(await self.context.executors["rows"].run(partial(self.context.store.get_many, page)))

    @on(VirtualList.Moved)
    def cursor_moved(self, event: VirtualList.Moved) -> None:
        """Show the memory under the cursor once it rests there."""
        if event.rows is self.list:
            self.detail.begin()
            self._refresh_keys()

    def _refresh_keys(self) -> None:
        """Show the keys anew where the cursor has come to another sort: with an alert or none, in a group or not."""
        here, current = self.list, self.list.current
        sort = current is not None and (current in here.alerted, bool(here.folded(current)), bool(here.group(current)))
        if sort != self._sort:
            self._sort = sort
            self.screen.refresh_bindings()

    @on(VirtualList.Marked)
    def marks_changed(self) -> None:
        """Say how many are marked."""
        self.update_bars()

    # What works now

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Verbs need a memory they suit, esc something to go back from."""
        if not self.is_mounted:
            return True
        some, current = bool(self.list.ids), self.list.current
        match action:
            case "back":
                layers = (self.line.text, self.list.marks, self.wanted.only, self._returns)
                return any(layers) or self.line.typing or self._facets.has_focus or self.has_class("-reading")
            case "decide":
                live = current is None or (row := self.list.row(current)) is None or row.life == "live"
                marked = bool(self.list.marks)
                if parameters == ("restore",):
                    return some and (not live or (marked and self.wanted.query.filter.lives != (Life.LIVE,)))
                return some and (live or marked)
            case "take_wording" | "drop_wording":
                return self.detail.proposed is not None
            case "repeat":
                return some and self.context.last_verb is not None
            case "open":
                return some and not (self.line.typing or self.has_class("-reading"))
            case "conflict":
                return bool(self.list.alerted)
            case "versus":
                return current in self.list.alerted
            case "search" | "facets" | "sort":
                return not self.empty
            case "demo":
                return self.empty
        return some or action not in _ON_LIST | _ON_ONE

    # Moving

    @property
    def rows(self) -> VirtualList[Any]:
        """The list."""
        return self.list

    @property
    def moving(self) -> VirtualList[Any]:
        """The facets while they have the keys, else the list."""
        return self._facets if self._facets.has_focus else self.list

    @property
    def scrolled(self) -> Widget:
        """The detail."""
        return self.detail.pane

    def action_pane(self) -> None:
        """To the facets and back; where they have no room, to the menu of them."""
        if self._facets.has_focus or self.line.typing:
            self.list.focus()
        else:
            self.action_facets()

    def action_open(self) -> None:
        """The memory on the whole screen; in the facets, the value under the cursor."""
        if self._facets.has_focus:
            self._facets.choose()
        else:
            self.read_closely()

    def action_back(self) -> None:
        """Close one layer; of the facets, these first."""
        if self._facets.has_focus:
            self.list.focus()
            self.update_bars()
        else:
            super().action_back()

    def widen(self) -> None:
        """Go back to where the person came from, or list everything."""
        if self._returns:
            self._returns = False
            self.post_message(Back())
        elif self.wanted.only is not None:
            self.wanted.only = None
            self.follow()
        else:
            super().widen()

    # Filter and order

    def on_input_changed(self) -> None:
        """Search once the typing pauses."""
        self._asking_anew = True
        self.begin(partial(self._load_new, self.context.timings.typing), "ids")

    def action_facets(self) -> None:
        """To the facets, beside the list or over it."""
        self.add_class("-facets")
        self._facets.focus()

    def on_facets_left(self) -> None:
        """They are over the list only while they have the keys."""
        self.remove_class("-facets")

    def on_facets_picked(self, event: Facets.Picked) -> None:
        """A value was chosen or taken off: the filter changes as if it were typed."""
        self.search_for(event.text)
        self.begin(partial(self.load, (), fresh=True), "ids")

    def action_sort(self) -> None:
        """Ask for the order; the same again turns it round."""

        def order(chosen: str | None) -> None:
            if chosen is not None:
                self.wanted.turn(chosen)
                self.begin(partial(self.load, (), fresh=True), "ids")

        self.app.push_screen(self.wanted.orders(), order)

    def action_conflict(self) -> None:
        """To the next memory with an alert."""
        if not self.list.next_alerted():
            self.say("no memory in this list has a conflict")

    def action_versus(self) -> None:
        """The conflicts of the memory under the cursor, each side by side."""
        if self.list.current is not None:
            self.go("conflicts", Target(memory=self.list.current))

    def action_related(self) -> None:
        """List what is near the memory under the cursor in meaning."""
        memory = self.list.current
        if memory is not None:
            self.say("searching for similar memories …")
            self.begin(partial(self._find_related, memory), "related")

    async def _find_related(self, memory: int) -> None:
        found = await near(self.context, memory)
        if found is None:
            self.say("no similar memories found")
            return
        self.wanted.only = found
        self.say(f"{counted(len(found.memories) - 1)} with similar meaning, closest first", hint="esc back")
        await self.load((memory,), fresh=True)

    # Marking

    def action_mark(self) -> None:
        """Mark and go on; in the facets, choose the value under the cursor."""
        if self._facets.has_focus:
            self._facets.choose()
        else:
            super().action_mark()

    def action_mark_all(self) -> None:
        """Mark all that is listed, or nothing; of a list that is not whole yet, nothing."""
        if self._whole:
            super().action_mark_all()
        else:
            self.list.mark(())

    # Deciding

    def action_decide(self, name: str) -> None:
        """Do a verb to the marked, else to the one under the cursor."""
        if self._asking_anew:
            self.say("still searching: try again in a moment")
        elif not self.refuses():
            self.verbs.decide(name, self.concerned())

    def action_repeat(self) -> None:
        """The last verb again."""
        if not self._asking_anew and not self.refuses():
            self.verbs.repeat(self.concerned())

    def action_take_wording(self) -> None:
        """Give the memory under the cursor the words that are proposed."""
        if (proposed := self.detail.proposed) is not None:
            self.verbs.start(verbs.reworded(proposed.wording.text), [proposed.wording.memory])

    def action_drop_wording(self) -> None:
        """Leave it as it is worded."""
        if (proposed := self.detail.proposed) is not None:
            self.verbs.start(verbs.DROP_WORDING, [proposed.wording.memory])

    def concerned(self) -> list[int]:
        """The marked memories in the order of the list, else the one under the cursor; none while some are not listed.

        A list that is still being read may lack them, or may lose their marks: a part of them is not what is meant.
        """
        current, marks = self.list.current, self.list.marks
        if not marks:
            return [] if current is None else [current]
        meant = [memory for memory in self.list.ids if memory in marks]
        if len(meant) < len(marks):
            self.say("still loading the marked memories: try again in a moment")
            return []
        return meant

    def together(self, verb: Verb, memories: list[int]) -> tuple[Verb, list[int]]:
        """What a verb does, and to which memories, where some stand for others too."""
        return verb, memories

    def decided(self, verb: Verb, memories: list[int]) -> None:
        """A verb was done to memories, of which it changed some."""

    # Looking closer

    @property
    def memory(self) -> Memory | None:
        """The memory under the cursor, once it is read."""
        current = self.list.current
        return None if current is None else self.list.row(current)

    def action_copy(self) -> None:
        """The text of the memory under the cursor, or of the marked, to the terminal's clipboard."""
        if concerned := self.concerned():
            self.begin(partial(self._copy, concerned), "copy")

    async def _copy(self, memories: list[int]) -> None:
        found = await self.context.executors["rows"].run(partial(self.context.store.get_many, memories))
        self.copy("\n".join(memory.text for memory in found), f"copied {counted(len(found))}")

    def unsourced(self, memory: int, quoted: bool) -> str:
        """It is the memory under the cursor, so there is room to say why."""
        if quoted:
            return "its conversation is not in this store"
        return "no conversation: it was typed, or imported as a memory"
