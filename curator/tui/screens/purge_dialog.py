"""Confirmation of a purge, with a word that must be typed."""

from collections.abc import Sequence
from typing import Literal

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Label

from curator import curation
from curator.terminal_text import visible
from curator.tui.actions import DIALOG, bindings
from curator.tui.screens.dialogs import Dialog
from curator.tui.text_format import one_line
from curator.tui.widgets.inputs import Signs
from store import WordVariant

WORD = "purge"
ALL = "purge all"
_EXPECTED = f"Type {WORD} and press enter, or esc to cancel."
_EITHER = f"Type {WORD} and press enter, {ALL} to erase variants too, or esc to cancel."
_LISTED = 5  # places with variants listed
_CUT = 60  # characters of a place's words
_SHOWN = 20  # characters shown of a wrong word


class ConfirmPurge(Dialog[Literal["", "exact", "all"]]):
    """Dialog that only the word `purge`, typed into its field, confirms.

    The answer is `all` if variants of the words are to be erased too, and empty if cancelled.
    """

    BINDINGS = bindings(DIALOG)
    AUTO_FOCUS = "Input"

    def __init__(
        self, question: str, consequence: str, places: Sequence[WordVariant] = (), copies: Sequence[str] = ()
    ) -> None:
        super().__init__(classes="asking")
        self._question, self._consequence = question, consequence
        self._places, self._copies = places, copies
        self._expected = _EITHER if places else _EXPECTED

    def compose(self) -> ComposeResult:
        """Lay out the consequence, the warning, the field, and the cancel button."""
        with Vertical():
            yield Label(Content.styled(visible(self._question), "bold $bad"))
            yield Label(Content(visible(self._consequence)))
            yield Label("This cannot be undone, not even from automatic backups.")
            if self._copies:
                yield Label(Content(visible(f"Also deletes from backups/: {', '.join(self._copies)}")))
            if self._places:
                listed = [f"  {place.kind} {place.id or ''}  {one_line(place.words, _CUT)}" for place in self._places]
                more = [f"  and {len(listed) - _LISTED:,} more"] if len(listed) > _LISTED else []
                title = f"Variants of these words are also in {curation.counted_places(self._places)}"
                yield Label(Content("\n".join((title, *listed[:_LISTED], *more))))
            yield Label(Content.styled(self._expected, "$muted"), id="hint")
            field = Input(highlighter=Signs())
            field.cursor_blink = False
            yield field
            with Horizontal(classes="buttons"):
                yield Button("Cancel", id="cancel", compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Accept the complete word only; otherwise show what is missing."""
        word = one_line(event.value.strip())
        if word == WORD or (word == ALL and self._places):
            self.dismiss("exact" if word == WORD else "all")
            return
        given = f"“{word[:_SHOWN]}{'…' if len(word) > _SHOWN else ''}” is not {WORD}" if word else "Nothing typed yet"
        self.query_one("#hint", Label).update(Content.styled(f"{given}: nothing was erased. {self._expected}", "$bad"))

    def on_button_pressed(self) -> None:
        """Cancel."""
        self.dismiss("")
