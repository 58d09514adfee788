"""The line above the list: what is filtered and searched for, in what order, and how much of it is listed."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from curator.tui.formatting import one_line
from curator.tui.widgets.inputs import Signs


class FilterBar(Horizontal):
    """The terms as chips; a field while they are typed."""

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
        self._count = Static(id="count", markup=False)
        self._counted = 0  # cells
        self.problem = ""  # why what is typed is no filter

    def compose(self) -> ComposeResult:
        """The sign, the field or the chips, and the numbers."""
        yield Static("/", id="slash", markup=False)
        yield self._field
        yield self._chips
        yield self._count

    def on_mount(self) -> None:
        """Nothing is searched for at first."""
        self.show_field(False)

    @property
    def text(self) -> str:
        """What is searched for, in the filter language."""
        return self._field.value

    @property
    def typing(self) -> bool:
        """Whether the field has the keys."""
        return self._field.has_focus

    def open(self) -> None:
        """Show the field and give it the keys, the cursor at the end; what is typed replaces what is there."""
        self.show_field(True)
        self._field.focus()
        self._field.selection = Selection(0, len(self._field.value))

    def put(self, text: str) -> None:
        """Search for something else, without a message."""
        with self.prevent(Input.Changed):
            self._field.value = text

    def show_field(self, shown: bool) -> None:
        """The field, or the chips."""
        self.remove_class("-refused")
        self._field.display = shown
        self._chips.display = not shown

    def refuse(self, problem: str) -> None:
        """Show below the field, which keeps the keys, why what is typed there is no filter."""
        self.chips((), problem=problem)
        self.add_class("-refused")
        self._chips.display = True

    def chips(self, terms: Sequence[str], order: str = "", problem: str = "", ahead: str = "") -> None:
        """Show the terms, an order that is not the usual, and what is wrong with them."""
        self.problem = problem
        if self.has_class("-refused") and not problem:
            self.show_field(self.typing)
        parts: list[tuple[str, str]] = [(f"{one_line(ahead)}  ", "$accent")] if ahead else []
        for term in terms:
            parts += [(one_line(term), "$accent" if ":" in term else "bold $text"), ("  ", "$muted")]
        if not terms and not ahead:
            parts.append((self._hint, "$muted"))
        if order:
            parts.append((f"  sort: {order}", "$muted"))
        if problem:
            parts = [(one_line(problem), "$bad")]
        self.set_class(bool(problem), "-problem")  # which may need more than a line
        self._chips.update(Content.assemble(*parts), layout=bool(problem))

    def count(self, content: Content) -> None:
        """Say how much is listed."""
        self._count.update(content, layout=content.cell_length != self._counted)  # a layout costs as much as a key
        self._counted = content.cell_length
