"""An area with a list: the keys that move its cursor, those to the field above it, and those that mark."""

from typing import Any

from curator.tui.context import AppContext
from curator.tui.view import Tone, View
from curator.tui.widgets.filter_bar import FilterBar
from curator.tui.widgets.virtual_list import VirtualList


class ListView(View):
    """The keys move the cursor of `moving`, which is the list unless an area says otherwise."""

    @property
    def rows(self) -> VirtualList[Any]:
        """The list. Every area says which."""
        raise NotImplementedError

    @property
    def moving(self) -> VirtualList[Any]:
        """What has the keys that move a cursor."""
        return self.rows

    def action_move(self, lines: int) -> None:
        """Move the cursor."""
        self.moving.move(lines)

    def action_page(self, pages: float) -> None:
        """Move the cursor by screens."""
        self.moving.move(round(self.moving.page * pages))

    def action_first(self) -> None:
        """To the beginning."""
        self.moving.move_to(0)

    def action_last(self) -> None:
        """To the end."""
        self.moving.move_to(len(self.moving.ids) - 1)


class FilteredListView(ListView):
    """A list with a field above it, which says what is listed."""

    def __init__(self, context: AppContext, hint: str) -> None:
        super().__init__(context)
        self.line = FilterBar(hint)

    def search_for(self, text: str) -> None:
        """Put something else in the field, and show it as it is after typing."""
        self.line.put(text)
        self.line.show_field(False)

    def leave_field(self) -> None:
        """Keep what is typed, and give the keys to the list."""
        self.line.show_field(False)
        self.rows.focus()

    def read_closely(self) -> None:
        """Give the whole screen to what stands beside the list."""
        self.add_class("-reading")
        self.focus()
        self.screen.refresh_bindings()

    def take_keys(self) -> None:
        """Give the keys to the list."""
        self.rows.focus()

    def leave_detail(self) -> None:
        """Go back from the detail to the list."""
        self.remove_class("-reading")
        self.take_keys()

    def clear_search(self) -> None:
        """Empty the field, and list everything."""
        self.search_for("")
        self.follow()

    def widen(self) -> None:
        """Take off what narrows the list down."""
        if self.line.text:
            self.clear_search()

    def update_bars(self) -> None:
        """Show what is listed, how much of it there is, and which keys work."""
        self.screen.refresh_bindings()

    def action_back(self) -> None:
        """Close one layer: the field, the detail, the marks, then what narrows the list down."""
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

    def action_search(self) -> None:
        """Type what to look for."""
        self.remove_class("-reading")
        self.line.open()

    def problem_of(self, text: str) -> str:
        """Why a text cannot be looked for; empty if it can. An area with a filter language says."""
        return ""

    @property
    def unmeant(self) -> str:
        """Why what is listed is not what is typed, so that nothing may be done to it; empty if it is."""
        return self.line.problem and f"invalid filter: {self.line.problem}"

    def refuses(self) -> bool:
        """Whether what is listed is not what is typed: that is said."""
        if self.unmeant:
            self.say(self.unmeant, Tone.BAD)
        return bool(self.unmeant)

    def on_input_submitted(self) -> None:
        """Keep what was found; what is no filter keeps the field."""
        problem = self.problem_of(self.line.text)
        if problem:
            self.line.refuse(problem)
        else:
            self.leave_field()


class MarkableListView(FilteredListView):
    """A list of which several rows can be meant: those with a mark."""

    def action_mark(self) -> None:
        """Mark and go on."""
        if not self.refuses():
            self.rows.toggle_mark()
            self.rows.move(1)

    def action_range(self) -> None:
        """Mark from here to where the cursor goes."""
        if not self.refuses():
            self.rows.begin_range()

    def action_extend(self, lines: int) -> None:
        """Mark this one and the next."""
        if self.refuses():
            return
        if not self.rows.ranging:
            self.rows.begin_range()
        self.rows.move(lines)

    def action_mark_all(self) -> None:
        """Mark all that is listed, or nothing."""
        if not self.refuses():
            self.rows.mark_all()
