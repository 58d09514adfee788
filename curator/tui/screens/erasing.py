"""Before a purge: what it does, and a word that has to be typed."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Label

from curator.export.plain import visible
from curator.tui.actions import LAYER, bindings
from curator.tui.screens.layer import Layer
from curator.tui.text import one_line
from curator.tui.widgets.fields import Signs

WORD = "purge"
_EXPECTED = f"Type {WORD} and press enter, or esc to leave."
_SHOWN = 20  # characters of a wrong word that are shown


class ConfirmPurge(Layer[bool]):
    """Asks for the word `purge` in a field that has the focus: nothing else does it."""

    BINDINGS = bindings(LAYER)
    AUTO_FOCUS = "Input"

    def __init__(self, question: str, consequence: str) -> None:
        super().__init__(classes="asking")
        self._question, self._consequence = question, consequence

    def compose(self) -> ComposeResult:
        """What goes, that it cannot come back, the field, and the way out."""
        with Vertical():
            yield Label(Content.styled(visible(self._question), "bold $bad"))
            yield Label(Content(visible(self._consequence)))
            yield Label("There is no undo, not even from a copy the program made by itself.")
            yield Label(Content.styled(_EXPECTED, "$muted"), id="hint")
            field = Input(highlighter=Signs())
            field.cursor_blink = False
            yield field
            with Horizontal(classes="buttons"):
                yield Button("Cancel", id="cancel", compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Only the whole word does it; of anything else it is said what is missing."""
        word = one_line(event.value.strip())
        if word == WORD:
            self.dismiss(True)
            return
        given = (
            f"“{word[:_SHOWN]}{'…' if len(word) > _SHOWN else ''}” is not {WORD}" if word else "nothing is typed yet"
        )
        told = Content.styled(f"{given}: nothing is erased. {_EXPECTED}", "$bad")
        self.query_one("#hint", Label).update(told)

    def on_button_pressed(self) -> None:
        """The way out."""
        self.dismiss(False)

    def action_leave(self) -> None:
        """The way out."""
        self.dismiss(False)
