"""Filter bar above a list: terms, sort order and count."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from curator.tui.text_format import one_line
from curator.tui.widgets.inputs import Signs
from curator.tui.widgets.text_pane import TextLine


class FilterBar(Horizontal):
    """Shows the terms as chips, or as an input field while they are edited."""

    DEFAULT_CSS = """
    FilterBar { height: 1; padding: 0 1; background: $background; }
    FilterBar > #slash { width: 2; color: $accent; text-style: bold; }
    FilterBar > Input { width: 1fr; background: $background; color: $text; }
    FilterBar > Input:focus { background-tint: $background 0%; }
    FilterBar > #chips { width: 1fr; color: $muted; text-wrap: nowrap; text-overflow: ellipsis; }
    FilterBar.-problem { height: auto; max-height: 4; }
    FilterBar.-problem > #chips { height: auto; text-wrap: wrap; }
    FilterBar.-refused { layout: grid; grid-size: 2; grid-columns: 2 1fr; grid-rows: 1 auto; }
    FilterBar.-refused > #chips { column-span: 2; }
    FilterBar.-refused > #count { display: none; }
    FilterBar > #count { width: auto; padding-left: 1; color: $muted; text-align: right; }
    """

    def __init__(self, hint: str) -> None:
        super().__init__()
        self._hint = hint
        self._field = Input(highlighter=Signs(), compact=True)
        self._chips = Static(hint, id="chips", markup=False)
        self._count = TextLine("count")
        self.problem = ""  # why the text is not a valid filter

    def compose(self) -> ComposeResult:
        """Lay out the slash, the field or the chips, and the count."""
        return (Static("/", id="slash", markup=False), self._field, self._chips, self._count)

    def on_mount(self) -> None:
        """Hide the field."""
        self.show_field(False)

    @property
    def text(self) -> str:
        """The text of the filter."""
        return self._field.value

    @property
    def typing(self) -> bool:
        """True while the field has the focus."""
        return self._field.has_focus

    def open(self) -> None:
        """Show and focus the field, with its text selected."""
        self.show_field(True)
        self.screen.set_focus(self._field)  # at once: `focus` would let the keys typed next reach the list
        self._field.selection = Selection(0, len(self._field.value))

    def put(self, text: str) -> None:
        """Change the text without posting a message."""
        with self.prevent(Input.Changed):
            self._field.value = text

    def show_field(self, shown: bool) -> None:
        """Show the field, or the chips."""
        self.remove_class("-refused")
        self._field.display = shown
        self._chips.display = not shown

    def refuse(self, problem: str) -> None:
        """Show the problem of the text below the field, which keeps the focus."""
        self.chips((), problem=problem)
        self.add_class("-refused")
        self._chips.display = True

    def chips(self, terms: Sequence[str], order: str = "", problem: str = "", ahead: str = "") -> None:
        """Show the terms, a sort order that is not the default, or a problem."""
        self.problem = problem
        if self.has_class("-refused") and not problem:
            self.show_field(self.typing)
        parts = [(f"{one_line(ahead)}  " if ahead else "", "$accent")]
        for term, following in zip(terms, (*terms[1:], ":"), strict=False):
            gap = "  " if ":" in term + following else " "  # words keep their single space
            parts += [(one_line(term), "$accent" if ":" in term else "bold $text"), (gap, "$muted")]
        parts += [("" if terms or ahead else self._hint, "$muted"), (f"  sort: {order}" if order else "", "$muted")]
        if problem:
            parts = [(one_line(problem), "$bad")]
        self.set_class(bool(problem), "-problem")  # may need more than a line
        self._chips.update(Content.assemble(*parts), layout=bool(problem))

    def count(self, content: Content) -> None:
        """Show the count."""
        self._count.show(content, layout=True)
