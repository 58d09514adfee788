"""Base classes of views with a list: moving its cursor, a filter bar above it, and marks."""

from collections.abc import Callable
from typing import Any

from curator.filters.memories import BadFilter
from curator.tui.context import AppContext
from curator.tui.keymap import key_hint
from curator.tui.messages import Tone
from curator.tui.screens.dialogs import Confirm
from curator.tui.view import View
from curator.tui.widgets.filter_bar import FilterBar
from curator.tui.widgets.virtual_list import VirtualList


class ListView(View):
    """A view with a list that the movement keys act on."""

    @property
    def rows(self) -> VirtualList[Any]:
        """The list."""
        raise NotImplementedError

    @property
    def moving(self) -> VirtualList[Any]:
        """The list that the movement keys act on."""
        return self.rows

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
    """A view with a filter bar, which says what is shown."""

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
        """Keep what is typed, and leave the filter bar."""
        self.line.show_field(False)
        self.take_keys()

    def action_search(self) -> None:
        """Focus the filter bar."""
        self.remove_class("-reading")
        self.line.open()

    def parse(self, text: str) -> object:
        """Parse a filter. Raises BadFilter. For views with a filter language."""
        return text

    def problem_of(self, text: str) -> str:
        """Return why a text cannot be searched for; empty if it can."""
        try:
            self.parse(text)
        except BadFilter as error:
            return str(error)
        return ""

    @property
    def filter_problem(self) -> str:
        """The reason that what is shown does not match what is typed; empty if it does."""
        return self.line.problem and f"invalid filter: {self.line.problem}"

    def reports_problem(self) -> bool:
        """Return whether what is shown does not match what is typed, and say so."""
        if self.filter_problem:
            self.say(self.filter_problem, Tone.BAD)
        return bool(self.filter_problem)

    def on_input_submitted(self) -> None:
        """Leave the filter bar; a text that is not a filter keeps the focus."""
        problem = self.problem_of(self.line.text)
        if problem:
            self.line.refuse(problem)
        else:
            self.leave_field()


class FilteredListView(FilteredView, ListView):
    """A list with a filter bar above it."""

    def take_keys(self) -> None:
        """Focus the list."""
        self.rows.focus()

    def read_closely(self) -> None:
        """Give the whole screen to the pane beside the list."""
        self.add_class("-reading")
        self.focus()
        self.screen.refresh_bindings()

    def leave_detail(self) -> None:
        """Go back from the detail to the list."""
        self.remove_class("-reading")
        self.take_keys()

    def widen(self) -> None:
        """Remove what restricts the list."""
        if self.line.text:
            self.clear_search()

    def update_bars(self) -> None:
        """Show what is listed, how much of it there is, and which keys work."""
        self.screen.refresh_bindings()

    def action_back(self) -> None:
        """Close one layer: the field, the detail, the marks, then what restricts the list."""
        if self.line.typing:
            if self.line.problem:  # it goes with the field
                self.clear_search()
            self.leave_field()
        elif self.has_class("-reading"):
            self.leave_detail()
        elif self.rows.marks:
            self.rows.mark(())
        else:
            self.widen()
        self.update_bars()


class MarkableListView(FilteredListView):
    """A list in which several rows can be marked."""

    def ask_first(self, question: str, work: Callable[[], None]) -> None:
        """Run work on many rows, as one step, if the person says yes."""
        sure = Confirm(question, f"One undo step ({key_hint(self.app, 'app.undo')}).")
        self.app.push_screen(sure, lambda yes: work() if yes else None)

    def action_mark(self) -> None:
        """Mark or unmark, and go on."""
        if not self.reports_problem():
            self.rows.toggle_mark()
            self.rows.move(1)

    def action_range(self) -> None:
        """Mark from here to wherever the cursor goes."""
        if not self.reports_problem():
            self.rows.begin_range()

    def action_extend(self, lines: int) -> None:
        """Mark this row and the next."""
        if not self.reports_problem():
            if not self.rows.ranging:
                self.rows.begin_range()
            self.rows.move(lines)

    def action_mark_all(self) -> None:
        """Mark every row, or none."""
        if not self.reports_problem():
            self.rows.mark_all()
