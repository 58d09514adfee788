"""A page of plain text to read and copy: what went wrong, or all that came of an import."""

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from curator.export.sanitize import visible
from curator.tui.actions import PAGE, bindings
from curator.tui.screens.modal import Layer


class Page(Layer[None]):
    """The text as it is."""

    BINDINGS = bindings(PAGE)
    AUTO_FOCUS = ""

    def __init__(self, text: str, title: str = "What went wrong") -> None:
        super().__init__(classes="asking")
        self._text, self._title = text, visible(title)

    def compose(self) -> ComposeResult:
        """The title with the keys, and the text."""
        with Vertical(classes="page"):
            yield Label(Content.assemble((self._title, "bold"), ("   y copies it · esc closes", "$muted")))
            with VerticalScroll(can_focus=False):
                yield Static(Content(visible(self._text)))

    def action_copy(self) -> None:
        """The text, for a report."""
        self.app.copy_to_clipboard(visible(self._text))
        self.query_one(Label).update(Content.assemble((self._title, "bold"), ("   copied · esc closes", "$muted")))

    def action_scroll(self, lines: int) -> None:
        """Move through the page."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_leave(self) -> None:
        """Back to where it went wrong."""
        self.dismiss(None)
