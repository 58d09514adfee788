"""Panes of a conflict: the two memories, and the draft of a merge."""

from dataclasses import dataclass
from functools import partial

from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.worker import Worker

from curator.curation import MergeDraft, Side
from curator.tui.conflicts import render
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.dispatch import ErrorBoundary
from curator.tui.glyphs import Glyphs
from curator.tui.model_draft import ModelDraft
from curator.tui.widgets.text_pane import TextPane

_SIDES: tuple[Side, Side] = ("a", "b")


class Pane(TextPane, can_focus=False):
    """Pane with a side or the draft; a click highlights it."""

    DEFAULT_CSS = """
    Pane { padding: 0 1; scrollbar-gutter: auto; width: 1fr; height: 1fr; }
    """

    @dataclass
    class Pointed(Message):
        """The pane was clicked."""

        choice: str

    def __init__(self, choice: str) -> None:
        super().__init__(id=f"side-{choice}")
        self._choice = choice

    def on_click(self) -> None:
        """Ask for the highlight."""
        self.post_message(self.Pointed(self._choice))


class PairPane(ErrorBoundary, Container):
    """Both sides and the draft; `choice` is the highlighted one: a, b or draft.

    While there is a draft, `suggested` is the chat model's draft.
    """

    class Suggested(Message):
        """The chat model was asked for its draft, or has answered."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="pair")
        self.choice = "b"
        self.draft: MergeDraft | None = None
        self.suggested: ModelDraft | None = None
        self._survivor: Side = "b"  # the side whose text the draft replaces
        self._detail: ConflictDetail | None = None
        self._glyphs = glyphs
        self._panes = {choice: Pane(choice) for choice in (*_SIDES, "draft")}

    def compose(self) -> ComposeResult:
        """Lay out the sides, and the draft beside or below them."""
        return (Container(*(self._panes[side] for side in _SIDES), id="sides"), self._panes["draft"])

    @property
    def side(self) -> Side:
        """The highlighted side; the newer if the draft is highlighted."""
        return "a" if self.choice == "a" else "b"

    def show(self, detail: ConflictDetail | None) -> None:
        """Show a conflict; each pane keeps its scroll position if the conflict is the same."""
        self._detail = detail
        self.choose(self.choice)

    def show_draft(self, suggested: ModelDraft, survivor: Side) -> None:
        """Show and highlight the rules' draft, which replaces a side, and ask the chat model for its own."""
        self.draft, self.suggested, self._survivor = suggested.rules, suggested, survivor
        self.choose("draft")
        asking = partial(suggested.ask, lambda: self.post_message(self.Suggested()))
        _: Worker[None] = self.run_worker(asking, group="suggestion", exclusive=True, exit_on_error=False)

    def drop_draft(self) -> None:
        """Hide the draft, and stop asking the chat model."""
        self.workers.cancel_group(self, "suggestion")
        self.draft = self.suggested = None
        self.choose("b" if self.choice == "draft" else self.choice)

    @property
    def other(self) -> MergeDraft | None:
        """The alternative draft: the chat model's or, after a swap, the rules'."""
        if self.draft is None or self.suggested is None or self.suggested.draft is None:
            return None
        return self.suggested.rules if self.draft.by else self.suggested.draft

    def take_other(self) -> None:
        """Swap both drafts."""
        self.draft = self.other or self.draft
        self.choose("draft")

    def choose(self, choice: str) -> None:
        """Highlight a side or the draft."""
        self.choice = choice
        detail, draft = self._detail, self.draft
        shown = None if detail is None else detail.pair.alert.id
        for side in _SIDES:
            self._panes[side].show(shown, partial(render.side, detail, side, side == choice, self._glyphs))
        other: MergeDraft | str = self.other or ""
        if self.suggested is not None and self.suggested.model and self.suggested.draft is None:
            other = self.suggested.problem or f"asking {self.suggested.model} for its wording …"
        text = partial(render.draft, draft, other, self._survivor, choice == "draft", self._glyphs)
        self._panes["draft"].show((draft, other), text)

    def step(self, by: int) -> None:
        """Move the highlight by `by` panes, wrapping around."""
        choices = [*_SIDES, *(["draft"] if self.draft is not None else [])]
        self.choose(choices[(choices.index(self.choice) + by) % len(choices)])

    @property
    def highlighted(self) -> Pane:
        """The highlighted pane."""
        return self._panes[self.choice]
