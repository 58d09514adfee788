"""Before a purge: what it does, and a word that has to be typed."""

from collections.abc import Sequence
from typing import Literal

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Label

from curator import curation
from curator.export.sanitize import visible
from curator.tui.actions import LAYER, bindings
from curator.tui.formatting import one_line
from curator.tui.screens.modal import Layer
from curator.tui.widgets.inputs import Signs
from store import Place

WORD = "purge"
ALL = "purge all"
_EXPECTED = f"Type {WORD} and press enter, or esc to leave."
_EITHER = f"Type {WORD} and press enter, {ALL} to erase the other writings, too, or esc to leave."
_LISTED = 5  # places with other writings
_CUT = 60  # characters of a place
_SHOWN = 20  # characters of a wrong word that are shown


class ConfirmPurge(Layer[Literal["", "exact", "all"]]):
    """Ask for the word `purge` in a field that has the focus: nothing else does it.

    Answers `all` if places with other writings of the words are to be erased, too, and nothing for no.
    """

    BINDINGS = bindings(LAYER)
    AUTO_FOCUS = "Input"

    def __init__(
        self, question: str, consequence: str, places: Sequence[Place] = (), copies: Sequence[str] = ()
    ) -> None:
        super().__init__(classes="asking")
        self._question, self._consequence = question, consequence
        self._places, self._copies = places, copies
        self._expected = _EITHER if places else _EXPECTED

    def compose(self) -> ComposeResult:
        """What goes, that it cannot come back, the field, and the way out."""
        with Vertical():
            yield Label(Content.styled(visible(self._question), "bold $bad"))
            yield Label(Content(visible(self._consequence)))
            yield Label("There is no undo, not even from a copy the program made by itself.")
            if self._copies:
                yield Label(Content(visible(f"Also deletes, in backups/: {', '.join(self._copies)}")))
            if self._places:
                yield Label(Content(self._written_differently()))
            yield Label(Content.styled(self._expected, "$muted"), id="hint")
            field = Input(highlighter=Signs())
            field.cursor_blink = False
            yield field
            with Horizontal(classes="buttons"):
                yield Button("Cancel", id="cancel", compact=True)

    def _written_differently(self) -> str:
        """Say where the words also stand, with the first places."""
        listed = [f"  {place.kind} {place.id or ''}  {one_line(place.words, _CUT)}" for place in self._places[:_LISTED]]
        more = [f"  and {len(self._places) - _LISTED:,} more"] if len(self._places) > _LISTED else []
        told = f"Also stands, written differently, in: {curation.counted_places(self._places)}"
        return "\n".join((told, *listed, *more))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Only the whole word does it; of anything else it is said what is missing."""
        word = one_line(event.value.strip())
        if word == WORD or (word == ALL and self._places):
            self.dismiss("exact" if word == WORD else "all")
            return
        given = (
            f"“{word[:_SHOWN]}{'…' if len(word) > _SHOWN else ''}” is not {WORD}" if word else "nothing is typed yet"
        )
        told = Content.styled(f"{given}: nothing is erased. {self._expected}", "$bad")
        self.query_one("#hint", Label).update(told)

    def on_button_pressed(self) -> None:
        """The way out."""
        self.dismiss("")

    def action_leave(self) -> None:
        """The way out."""
        self.dismiss("")
