"""The line above the list: what is searched for, and how much of it is listed and marked."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static


class SearchLine(Horizontal):
    """A field that is there while something is searched for."""

    DEFAULT_CSS = """
    SearchLine { height: 1; padding: 0 1; background: $background; }
    SearchLine > #slash { width: 2; color: $accent; text-style: bold; }
    SearchLine > Input { width: 1fr; background: $background; color: $text; }
    SearchLine > Input:focus { background-tint: $background 0%; }
    SearchLine > #hint { width: 1fr; color: $muted; }
    SearchLine > #count { width: 36; color: $muted; text-align: right; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._field = Input(compact=True)
        self._hint = Static("search", id="hint", markup=False)
        self._count = Static(id="count", markup=False)

    def compose(self) -> ComposeResult:
        """The sign, the field or what opens it, and the numbers."""
        yield Static("/", id="slash", markup=False)
        yield self._field
        yield self._hint
        yield self._count

    def on_mount(self) -> None:
        """Nothing is searched for at first."""
        self._show_field(False)

    @property
    def text(self) -> str:
        """What is searched for."""
        return self._field.value

    @property
    def typing(self) -> bool:
        """Whether the field has the keys."""
        return self._field.has_focus

    def open(self) -> None:
        """Show the field and give it the keys."""
        self._show_field(True)
        self._field.focus()

    def close(self) -> None:
        """Search for nothing."""
        with self.prevent(Input.Changed):
            self._field.value = ""
        self._show_field(False)

    def count(self, listed: int, marked: int, complete: bool) -> None:
        """Say how many were found, and how many of what is listed are marked."""
        number = f"{listed:,}" if complete else f"{listed:,}+"
        found = f"{number} found" if self.text.strip() else ""
        if found and self.typing:
            found += " · enter to the list"
        content = Content.styled(found, "$muted")
        if marked:
            content = Content.assemble((f"{marked:,} marked", "bold $mark"), (f" of {number}", "$muted"))
        self._count.update(content, layout=False)

    def _show_field(self, shown: bool) -> None:
        self._field.display = shown
        self._hint.display = not shown
