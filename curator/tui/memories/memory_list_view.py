"""Base view of a list of memories with filter bar, facets and detail pane: reading and movement."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.events import DescendantBlur, Resize

from curator.display import counted
from curator.filters import BadFilter, parse_filter, with_topics
from curator.text import plain_words
from curator.tui.context import AppContext
from curator.tui.keymap import key_hint
from curator.tui.memories import queries
from curator.tui.memories.detail_pane import DetailPane
from curator.tui.memories.facets import Facets
from curator.tui.memories.list import MemoryList
from curator.tui.memories.queries import Query
from curator.tui.memories.verb_view import VerbView
from curator.tui.messages import Back, Target
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.widgets.text_pane import TextLine
from curator.tui.widgets.virtual_list import VirtualList
from store import Filter, Sort
from store.filter import split_terms
from store.model import Life, Memory

ROOMY = 150  # columns from which the facets are always beside the list
_ORDERS = (
    Option("m", Sort.MATTERS, "most important to review first"),
    Option("n", Sort.CREATED, "newest first"),
    Option("a", Sort.ADDED, "latest import first"),
    Option("c", Sort.CONFIDENCE, "most confident first"),
    Option("i", Sort.IMPORTANCE, "most important first"),
    Option("u", Sort.USED, "most recalled first"),
    Option("t", Sort.TEXT, "A to Z"),
)


class MemoryListView(VerbView):
    """Shows a list of memories, and the one under the cursor in full."""

    BASE: ClassVar[str] = ""  # filter terms that are always applied
    ORDER: ClassVar[Sort] = Sort.CREATED
    HINT: ClassVar[str] = "search"
    GROUPED: ClassVar[bool] = False  # lists duplicates under the first of their group

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, self.HINT)
        self.reader = queries.ListReader(context.store, context.analytics)
        self.wanted = Query(self.parse(""), self.ORDER, grouped=self.GROUPED)
        self.given_marks: frozenset[int] = frozenset()  # marks set by the target
        self.list: MemoryList = MemoryList(context.glyphs, context.now())
        self.scrolled = self.pane = DetailPane(context, inbox=bool(self.BASE))
        self.unfolded: set[int] = set()  # memories of unfolded groups
        self.store_is_empty = False
        self.not_live: Mapping[Life, int] | None = None  # counts of matches that are not live, if nothing is listed
        self.removed: set[int] = set()  # memories removed from the list before it is read again
        self.facets = Facets(context)
        self._legend = TextLine("legend", in_parts=True)
        self.returns = False  # esc returns to another view
        self.full = False  # the list is fully read
        self.outdated = False  # the list does not match the typed text yet
        self.nearest = False  # the list has the memories nearest to the typed words
        self._row_state: object = False  # properties of the current row that enable keys

    def compose(self) -> ComposeResult:
        """Lay out the panes."""
        lists = Vertical(self.list, self._legend, classes="lists")
        return (self.line, Container(self.facets, lists, self.pane, classes="panes"))

    def on_mount(self) -> None:
        """Read the first screenful, then all."""
        self.begin(partial(self._load_new, 0), "ids")

    def on_resize(self, event: Resize) -> None:
        """Show the facets beside a list that is wide enough."""
        self.set_class(event.size.width >= ROOMY, "-roomy")

    def open(self, target: Target | None) -> None:
        """Show the view; a target sets the filter, or the cursor on a memory."""
        self.remove_class("-reading")
        self.returns = target is not None and target.returns
        if target is not None:
            self.nearest, self.wanted = False, replace(self.wanted, only=target.memories or None, title=target.title)
            self.search_for(target.terms or "")
            self.list.mark(target.marked)
            self.given_marks = frozenset(target.marked)
            if target.status:
                marked = bool(target.marked)
                self.say(
                    target.status,
                    hint=target.hint,
                    while_same=lambda: (self.wanted.only, marked and self.list.state_of_marks),
                )
            self.reload(() if target.memory_id is None else (target.memory_id,), fresh=True)
        elif self.wanted.only is not None and self.full and not self.list.ids:  # all of them were decided
            self.wanted = replace(self.wanted, only=None, title="")
            self.follow()
        self.list.focus()

    # Reading

    @property
    def nothing_listed(self) -> bool:
        """True if nothing is listed although no filter is set."""
        return self.full and not self.list.ids and not self.line.text.strip() and self.wanted.only is None

    @property
    def nothing_to_search(self) -> bool:
        """True if there is nothing to search."""
        return self.nothing_listed

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read again; the cursor stays, or returns to its row if that was touched, else goes to the first touched."""
        if touched:
            self.removed.clear()
        near = [] if self.before is None or not touched else [self.before]
        self.begin(partial(self.load, near, touched=touched), "ids")

    def filled(self) -> None:
        """Count the facets and search for related memories once analytics are filled (LanceDB loads slowly)."""
        self.count_facets()
        self.pane.look_for_related()

    def count_facets(self) -> None:
        """Count the facets of the list again."""
        self.facets.follow(self.BASE, self.line.text, self.wanted.only)

    def parse(self, text: str) -> Filter:
        """Parse a filter, combined with `BASE`. Raises BadFilter."""
        return parse_filter(f"{self.BASE} {text}", now=self.context.now())

    async def _apply_filter(self) -> bool:
        """Update the query from the filter bar; if the filter is invalid, show the problem and return False."""
        context = self.context
        try:
            memory_filter = self.parse(self.line.text)
            if memory_filter.topics:
                self.line.count(Content.styled("finding topics …", "$muted"))
                memory_filter = await context.run("ids", with_topics, context.store, memory_filter)
            self.wanted = replace(self.wanted, filter=memory_filter)
        except BadFilter as error:
            self.refuse(error)
            self.outdated = False
            return False
        query = self.wanted
        order = f"{query.sort}{'' if query.descending else ' ↑'}"
        usual = query.sort is self.ORDER and query.descending
        ahead = "" if query.only is None else query.title
        self.line.chips(split_terms(self.line.text), "" if usual else order, ahead=ahead)
        return True

    async def _load_new(self, wait: float) -> None:
        """Show a new list: first the rows that fit the screen, then the rest."""
        await asyncio.sleep(wait)
        if await self._apply_filter():
            context = self.context
            self.show_listing(await context.run("ids", self.reader.first_page, self.wanted))
            await self.load(())
            if self.full and not self.list.ids and self.wanted.only is None and self.wanted.filter.words:
                await self.list_nearest()

    async def list_nearest(self) -> None:
        """List the memories nearest to words that no memory contains all of; not for a phrase in quotes."""
        words, memory_filter = " ".join(self.wanted.filter.words), replace(self.wanted.filter, words=())
        if '"' in self.line.text or not plain_words(words):
            return
        self.line.count(Content.styled("no exact match; looking for similar memories …", "$muted"))
        ids, also = await self.context.run("slow", queries.nearest, self.context.store, words, memory_filter)
        if ids:
            self.nearest = True
            self.wanted = replace(self.wanted, only=ids, title="")
            await self.load((ids[0],), fresh=True)
            hint = f"also searched for: {', '.join(also)}" if also else "showing the closest"
            self.say(f"no exact match; {hint}", hint="esc back", while_same=lambda: self.wanted.only)
        else:
            self.update_bars()

    async def load(self, near: Sequence[int], fresh: bool = False, touched: Sequence[int] = ()) -> None:
        """Read the list again; the cursor goes to the first of `near` that is listed, else stays."""
        if not await self._apply_filter():
            return
        if not self.writing:
            self.removed.clear()
        context, state = self.context, self.list.state(near, fresh, self.unfolded, touched)
        self.show_listing(await context.run("ids", self.reader.full_list, self.wanted, state))

    def reload(self, near: Sequence[int] = (), fresh: bool = False) -> None:
        """Read the list again in the background."""
        self.begin(partial(self.load, near, fresh=fresh), "ids")

    def show_listing(self, listing: queries.Listing) -> None:
        """Show a list, or the beginning of one."""
        self.full, self.outdated = listing.full, False
        self.not_live = listing.not_live if listing.full and not listing.ids else None
        self.store_is_empty = listing.store_is_empty
        self.list.now, self.list.highlight = self.context.now(), self.wanted.filter.words
        self.list.show(listing, self.removed)
        if listing.full:
            self.seen = listing.seq
            self.count_facets()
        self.update_bars()

    def update_bars(self) -> None:
        """Show the number of listed and marked memories, and the enabled keys."""
        self.line.count(self._counted())
        if self.nothing_listed and (self.list.has_focus or self.facets.has_focus):
            self.focus()  # while nothing is listed, the view handles the list's keys
        elif self.has_focus and not self.nothing_listed:
            self.call_after_refresh(self._focus_list)
        self.set_class(self.nothing_to_search, "-empty")
        if self.nothing_to_search and self.line.typing:
            self.leave_field()
        self.screen.refresh_bindings()

    def _focus_list(self) -> None:
        if self.has_focus and not self.has_class("-reading"):
            self.list.focus()

    def counts(self) -> list[str]:
        """Return the number of memories in the list, then the number that are folded."""
        lines, hidden = len(self.list.ids), self.list.hidden(self.removed)
        return [f"{lines + hidden:,}", f"{counted(hidden, 'duplicate')} folded"] if hidden else [f"{lines:,}"]

    def _counted(self) -> Content:
        number = " · ".join(self.counts()) if self.full else f"{len(self.list.ids):,}+"
        if marked := len(self.list.marks):
            return Content.assemble((f"{marked:,} marked", "bold $mark"), (f" of {number}", "$muted"))
        text = f"{number} found" if self.line.text.strip() or self.wanted.only else number
        if self.line.text.strip() and self.wanted.only is None:
            text = " · ".join([text, *(f"{count:,} is:{life}" for life, count in (self.not_live or {}).items())])
        return Content.styled(text + (" · enter goes to the list" if self.line.typing else ""), "$muted")

    @on(VirtualList.RowsNeeded)
    def fetch_rows(self, event: VirtualList.RowsNeeded) -> None:
        """Read the rows that the list lacks."""
        if event.rows is self.list:
            self.begin(partial(self._fetch, event.pages), "rows")

    async def _fetch(self, pages: tuple[tuple[int, ...], ...]) -> None:
        for page in pages:
            self.list.take(await self.context.run("rows", self.context.store.get_many, page))
        self._explain()

    @on(VirtualList.Moved)
    def cursor_moved(self, event: VirtualList.Moved) -> None:
        """Explain the current row, show its memory once the cursor rests, and update the keys."""
        if event.rows is not self.list:
            return
        here, current = self.list, self.list.current
        self.pane.read(current)
        self._explain()
        row_state = current is not None and (
            current in here.alerted,
            bool(here.folded(current)),
            bool(here.group(current)),
        )
        if row_state != self._row_state:
            self._row_state = row_state
            self.screen.refresh_bindings()

    def _explain(self) -> None:
        """Show the meaning of the signs in the row under the cursor."""
        self._legend.show(self.list.legend(key_hint(self.app, "side-by-side")))

    @on(VirtualList.Marked)
    def marks_changed(self) -> None:
        """Show the number of marked memories."""
        self.update_bars()

    # Moving

    @property
    def moving(self) -> VirtualList[Any]:
        """The facets while they have the focus, else the list."""
        return self.facets if self.facets.has_focus else self.list

    def action_next_pane(self) -> None:
        """Switch between the facets and the list."""
        if self.facets.has_focus or self.line.typing:
            self.list.focus()
        else:
            self.action_filter()

    def action_open(self) -> None:
        """Show the memory full screen; in the facets, choose the value under the cursor."""
        if self.facets.has_focus:
            self.facets.choose()
        else:
            self.read_closely()

    def action_back(self) -> None:
        """Leave the facets if they have the focus, else close the innermost part; ignore marks set by the target."""
        if self.facets.has_focus:
            self.list.focus()
            self.update_bars()
        else:
            opened_with = self.returns and self.list.marks == self.given_marks
            if opened_with and not (self.line.typing or self.has_class("-reading")):
                self.list.mark(())
            super().action_back()

    def widen(self) -> None:
        """Return to the previous view, or list everything."""
        if self.returns:
            self.returns = False
            self.wanted = replace(self.wanted, only=None, title="")
            self.clear_search()
            self.post_message(Back())
        elif self.wanted.only is not None and not self.nearest:
            self.wanted = replace(self.wanted, only=None)
            self.follow()
        else:
            if self.nearest:
                self.nearest, self.wanted = False, replace(self.wanted, only=None)
            super().widen()

    # Filter and order

    def on_input_changed(self) -> None:
        """Search when typing pauses."""
        self.outdated = True
        if self.nearest:  # further typing searches all memories
            self.nearest, self.wanted = False, replace(self.wanted, only=None)
        self.begin(partial(self._load_new, self.context.timings.typing), "ids")

    def action_filter(self) -> None:
        """Focus the facets, beside the list or over it."""
        self.add_class("-facets")
        self.facets.focus()

    def on_descendant_blur(self, event: DescendantBlur) -> None:
        """Hide facets that cover the list."""
        if event.widget is self.facets:
            self.remove_class("-facets")

    def on_facets_picked(self, event: Facets.Picked) -> None:
        """Set the filter with the chosen value, as if it were typed."""
        self.search_for(event.text)
        self.reload(fresh=True)

    def action_sort(self) -> None:
        """Choose the sort order; choosing the current one reverses it."""

        def order(chosen: str | None) -> None:
            if chosen is not None:
                self.wanted = self.wanted.sorted_by(Sort(chosen))
                self.reload(fresh=True)

        self.app.push_screen(Menu("Sort by (choose again to reverse)", _ORDERS, self.wanted.sort), order)

    # Rows

    @property
    def memory(self) -> Memory | None:
        """The memory under the cursor, if it is read."""
        return self.list.current_row

    def loaded_row(self, memory_id: int) -> Memory | None:
        """Return a row of the list."""
        return self.list.row(memory_id)
