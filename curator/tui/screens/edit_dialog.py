"""Dialog to edit the text of a memory or the draft of a merge."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Label
from textual.worker import Worker

from curator.curation import MAX_LENGTH
from curator.tui.actions import EDITING, bindings
from curator.tui.model_draft import ModelDraft
from curator.tui.screens.dialogs import Dialog
from curator.tui.text_format import one_line
from curator.tui.widgets.inputs import Words

Save = Callable[[str], Awaitable[str | None]]
"""Saves a text; returns the problem that prevented it, or None."""

_SHOWN = 6  # texts listed above a draft


class Edit(Dialog[None]):
    """Dialog for a text that enter saves; a text that cannot be saved stays in the field."""

    BINDINGS = bindings(EDITING, priority=True)

    def __init__(
        self,
        title: str,
        text: str,
        save: Save,
        above: Sequence[str] = (),
        problem: str = "",
        suggested: ModelDraft | None = None,
    ) -> None:
        super().__init__(classes="asking")
        self._suggested = suggested
        self._title, self._save, self._above, self._problem = title, save, above, problem
        self._text, self._warned = text, ""  # original text; text with a warning about discarding it
        self._field = Words(text, soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
        self._field.cursor_blink = False
        self._length, self._suggestion = Label(id="length"), Label(id="suggestion")
        self._keeping = False

    def compose(self) -> ComposeResult:
        """Lay out the title, the source texts, the field, and its length."""
        with Vertical(classes="editing"):
            yield Label(Content.styled(one_line(self._title), "bold"))
            if self._above:
                shown = [Content.styled(f"· {one_line(text)}", "$muted") for text in self._above[:_SHOWN]]
                if len(self._above) > _SHOWN:
                    shown.append(Content.styled(f"· and {len(self._above) - _SHOWN} more", "$muted"))
                yield Label(Content("\n").join(shown), id="above")
            yield self._field
            if self._suggested is not None:
                yield self._suggestion
            yield self._length

    def on_mount(self) -> None:
        """Put the cursor at the end, where most edits are."""
        self._field.move_cursor(self._field.document.end)
        self._measure(self._problem)
        self._suggest()
        if self._suggested is not None and self._suggested.draft is None:
            asking = partial(self._suggested.ask, self._suggest)
            _: Worker[None] = self.run_worker(asking, group="suggestion", exit_on_error=False)

    def _suggest(self) -> None:
        """Show the chat model's draft below the field, or why there is none."""
        other = self._suggested
        if other is None or not other.model:
            self._suggestion.display = False
            return
        text, look = f"asking {other.model} for its wording …", "$muted"
        if other.draft is not None:
            text, look = f"{other.model} suggests, ctrl+t takes it: {other.draft.text}", "$accent"
        elif other.problem:
            text, look = other.problem, "$bad"
        self._suggestion.update(Content.styled(one_line(text, 1_000), look))
        self._suggestion.display = True

    def action_swap(self) -> None:
        """Put the chat model's draft into the field; after that, swap with the rules' draft."""
        other = self._suggested
        if other is not None and other.draft is not None and not self._keeping:
            text = other.rules.text if self._field.text == other.draft.text else other.draft.text
            self._field.replace(text, (0, 0), self._field.document.end)

    def action_keep(self) -> None:
        """Save the text; a memory is one paragraph, so enter saves."""
        if not self._keeping:
            self._keeping = True
            _: Worker[None] = self.app.run_worker(self._keep, group="keep", exit_on_error=False)

    async def _keep(self) -> None:
        try:
            problem = await self._save(self._field.text)
        finally:
            self._keeping = False
        if problem is None:
            self.dismiss(None)
        else:
            self._measure(problem)

    def on_text_area_changed(self) -> None:
        """Show the length."""
        self._measure()

    def _measure(self, problem: str = "") -> None:
        length = len(" ".join(self._field.text.split()))
        count = f"{length} of {MAX_LENGTH} characters · enter saves · esc cancels"
        line = Content.styled(count, "$warn" if length > MAX_LENGTH else "$muted")
        if problem:
            line = Content("\n").join([Content.styled(one_line(problem), "$bad"), line])
        self._length.update(line)

    def action_leave(self) -> None:
        """Cancel, but not while saving; with unsaved changes, warn the first time."""
        if self._keeping:
            return
        if self._field.text not in (self._text, self._warned):
            self._warned = self._field.text
            self._measure("unsaved changes: esc again discards them, enter saves")
        else:
            self.dismiss(None)
