"""Both sides of a conflict, the draft where there is one, and which of them is highlighted."""

from textual.app import ComposeResult
from textual.containers import Container

from curator.curation import Draft, Side
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.conflicts.side_pane import DraftPane, Pane, SidePane
from curator.tui.error_boundary import ErrorBoundary
from curator.tui.glyphs import Glyphs

_SIDES: tuple[Side, Side] = ("a", "b")


class PairPane(ErrorBoundary, Container):
    """The panes; `choice` is what is highlighted: a, b or draft."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="pair")
        self.choice = "b"
        self.draft: Draft | None = None
        self._sides = {side: SidePane(glyphs, side) for side in _SIDES}
        self._draft_pane = DraftPane(glyphs)

    def compose(self) -> ComposeResult:
        """The sides, and the draft beside or below them."""
        with Container(id="sides"):
            yield from self._sides.values()
        yield self._draft_pane

    @property
    def side(self) -> Side:
        """The side that is highlighted; where the draft is, the newer."""
        return "a" if self.choice == "a" else "b"

    def show(self, closely: ConflictDetail | None) -> None:
        """Put a conflict in."""
        for pane in self._sides.values():
            pane.show(closely)

    def show_draft(self, draft: Draft, survivor: Side) -> None:
        """Put a draft in, which a side would say, and highlight it."""
        self.draft = draft
        self._draft_pane.show(draft, survivor.upper())
        self.choose("draft")

    def drop_draft(self) -> None:
        """Take the draft out."""
        self.draft = None
        self._draft_pane.show(None)
        if self.choice == "draft":
            self.choose("b")

    def choose(self, choice: str) -> None:
        """Highlight one."""
        self.choice = choice
        for side, pane in self._sides.items():
            pane.choose(side == choice)
        self._draft_pane.choose(choice == "draft")

    def step(self, by: int) -> None:
        """Highlight another, round to the first."""
        choices = [*_SIDES, *(["draft"] if self.draft is not None else [])]
        self.choose(choices[(choices.index(self.choice) + by) % len(choices)])

    @property
    def highlighted(self) -> Pane:
        """The pane that is highlighted."""
        return self._draft_pane if self.choice == "draft" else self._sides[self.side]
