"""Base classes of views with a list: cursor movement, filter bar, and marks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from textual.content import Content

from curator.filters import BadFilter
from curator.tui.context import AppContext
from curator.tui.keymap import key_hint
from curator.tui.messages import Tone
from curator.tui.screens.dialogs import Confirm
from curator.tui.view import View
from curator.tui.widgets.filter_bar import FilterBar
from curator.tui.widgets.virtual_list import VirtualList


class ListView(View):
    """A view with a list that the movement keys act on."""

    list: VirtualList[Any]

    @property
    def moving(self) -> VirtualList[Any]:
        """The list that the movement keys act on."""
        return self.list

    async def fill_rows(
        self, rows: VirtualList[Any], pages: Iterable[Sequence[int]], read: Callable[[Sequence[int]], Mapping[int, Any]]
    ) -> None:
        """Read the missing rows of a list, page by page, in a thread."""
        for page in pages:
            rows.fill(await self.context.run("rows", read, page))

    def action_move(self, lines: int) -> None:
        """Move the cursor."""
        self.moving.move(lines)

    def action_page(self, pages: float) -> None:
        """Move the cursor by screens."""
        self.moving.move(round(self.moving.page * pages))

    def action_first(self) -> None:
        """Go to the beginning."""
        self.moving.move_to(0)

    def action_last(self) -> None:
        """Go to the end."""
        self.moving.move_to(len(self.moving.ids) - 1)


class FilteredView(View):
    """A view with a filter bar, which shows the current filter."""

    def __init__(self, context: AppContext, hint: str) -> None:
        super().__init__(context)
        self.line = FilterBar(hint)

    def take_keys(self) -> None:
        """Take the focus back from the filter bar."""
        self.focus()

    def search_for(self, text: str) -> None:
        """Replace the text of the filter bar, as if it had been typed."""
        self.line.put(text)
        self.line.show_field(False)

    def clear_search(self) -> None:
        """Empty the filter bar, and show everything."""
        self.search_for("")
        self.follow()

    def leave_field(self) -> None:
        """Keep the typed text, and leave the filter bar."""
        self.line.show_field(False)
        self.take_keys()

    def action_search(self) -> None:
        """Focus the filter bar."""
        self.remove_class("-reading")
        self.line.open()

    def parse(self, text: str) -> object:
        """Parse a filter; override in views with a filter language. Raises BadFilter."""
        return text

    def refuse(self, error: BadFilter) -> None:
        """Show the problem with the typed filter."""
        self.line.chips((), problem=str(error))
        self.line.count(Content.styled("invalid filter", "$muted"))

    def reports_problem(self) -> bool:
        """Report if the list does not match the typed filter; return True then."""
        if self.line.problem:
            self.say(f"invalid filter: {self.line.problem}", Tone.BAD)
        return bool(self.line.problem)

    def on_input_submitted(self) -> None:
        """Leave the filter bar; an invalid filter keeps the focus."""
        try:
            self.parse(self.line.text)
        except BadFilter as error:
            self.line.refuse(str(error))
        else:
            self.leave_field()


class FilteredListView(FilteredView, ListView):
    """A list with a filter bar above it."""

    def take_keys(self) -> None:
        """Focus the list."""
        self.list.focus()

    def read_closely(self) -> None:
        """Show the detail pane full screen."""
        self.add_class("-reading")
        self.focus()
        self.screen.refresh_bindings()

    def leave_detail(self) -> None:
        """Go back from the detail to the list."""
        self.remove_class("-reading")
        self.take_keys()

    def widen(self) -> None:
        """Remove the restrictions of the list."""
        if self.line.text:
            self.clear_search()

    def update_bars(self) -> None:
        """Update the filter bar, the counts and the enabled keys."""
        self.screen.refresh_bindings()

    def action_back(self) -> None:
        """Close the field, else the detail, else remove the marks, else the restrictions of the list."""
        if self.line.typing:
            if self.line.problem:  # drop an invalid filter with the field
                self.clear_search()
            self.leave_field()
        elif self.has_class("-reading"):
            self.leave_detail()
        elif self.list.marks:
            self.list.mark(())
        else:
            self.widen()
        self.update_bars()


class MarkableListView(FilteredListView):
    """A list in which several rows can be marked."""

    def say_of_marks(self, text: str) -> None:
        """Show a message on the status bar until other rows are marked."""
        self.say(text, while_same=lambda: self.list.state_of_marks)

    def ask_first(self, question: str, work: Callable[[], None]) -> None:
        """Run work on many rows as one command, after confirmation."""
        sure = Confirm(question, f"One undo step ({key_hint(self.app, 'undo')}).")
        self.app.push_screen(sure, lambda yes: work() if yes else None)

    def action_mark(self) -> None:
        """Mark or unmark the row, and move down."""
        if not self.reports_problem():
            self.list.toggle_mark()
            self.list.move(1)

    def action_range(self) -> None:
        """Mark a range from here to the cursor."""
        if not self.reports_problem():
            self.list.begin_range()

    def action_extend(self, lines: int) -> None:
        """Mark this row, then move and mark."""
        if not self.reports_problem():
            if not self.list.ranging:
                self.list.begin_range()
            self.list.move(lines)

    def action_mark_all(self) -> None:
        """Mark every row, or none."""
        if not self.reports_problem():
            self.list.mark_all()
