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

    def compose(self) -> ComposeResult:
        """The sign, the field or what opens it, and the numbers."""
        yield Static("/", id="slash", markup=False)
        yield Input(compact=True)
        yield Static("search", id="hint", markup=False)
        yield Static(id="count", markup=False)

    def on_mount(self) -> None:
        """Nothing is searched for at first."""
        self.close()

    @property
    def text(self) -> str:
        """What is searched for."""
        return self.query_one(Input).value

    @property
    def typing(self) -> bool:
        """Whether the field has the keys."""
        return self.query_one(Input).has_focus

    def open(self) -> None:
        """Show the field and give it the keys."""
        self._show_field(True)
        self.query_one(Input).focus()

    def close(self) -> None:
        """Search for nothing."""
        field = self.query_one(Input)
        with self.prevent(Input.Changed):
            field.value = ""
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
        self.query_one("#count", Static).update(content, layout=False)

    def _show_field(self, shown: bool) -> None:
        self.query_one(Input).display = shown
        self.query_one("#hint").display = not shown
