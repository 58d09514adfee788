"""Before a purge: what it does, and a word that has to be typed."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Label

from curator.tui.actions import LAYER, bindings
from curator.tui.screens.layer import Layer
from curator.tui.widgets.fields import Signs

WORD = "purge"


class ConfirmPurge(Layer[bool]):
    """Asks for the word `purge`; the focus is on Cancel."""

    BINDINGS = bindings(LAYER)
    AUTO_FOCUS = "#cancel"

    def __init__(self, question: str, consequence: str) -> None:
        super().__init__(classes="asking")
        self._question, self._consequence = question, consequence

    def compose(self) -> ComposeResult:
        """What goes, that it cannot come back, the field, and the way out."""
        with Vertical():
            yield Label(Content.styled(self._question, "bold $bad"))
            yield Label(Content(self._consequence))
            yield Label("There is no undo, not even from a copy the program made by itself.")
            yield Label(Content.styled(f"Type {WORD} and press enter, or leave.", "$muted"))
            yield Input(highlighter=Signs(), compact=True)
            with Horizontal(classes="buttons"):
                yield Button("Cancel", id="cancel", compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Only the whole word does it."""
        if event.value.strip() == WORD:
            self.dismiss(True)

    def on_button_pressed(self) -> None:
        """The way out."""
        self.dismiss(False)

    def action_leave(self) -> None:
        """The way out."""
        self.dismiss(False)
