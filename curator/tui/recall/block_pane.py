"""The recall block as a model receives it, under the tokens it takes."""

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from curator.export.sanitize import visible
from curator.tui.error_boundary import ErrorBoundary
from curator.tui.recall import queries
from curator.tui.recall.queries import Answer


class BlockPane(ErrorBoundary, Vertical):
    """Shows the block of an `Answer`; scrolls without being focused."""

    DEFAULT_CSS = """
    BlockPane { background: $background; padding: 0 1 0 1; }
    BlockPane > #tokens { height: auto; max-height: 3; color: $muted; border-bottom: solid $rule; }
    BlockPane > VerticalScroll { scrollbar-size-vertical: 1; }
    BlockPane #block { height: auto; width: 1fr; color: $quote; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._tokens, self._block = Static(id="tokens", markup=False), Static(id="block", markup=False)
        self.scroll = VerticalScroll(self._block, can_focus=False)

    def compose(self) -> ComposeResult:
        """The numbers and the text."""
        yield self._tokens
        yield self.scroll

    def show(self, answer: Answer | None) -> None:
        """Another block, or none."""
        if answer is None:
            self._tokens.update("")
            self._block.update("")
            return
        self._tokens.update(Content.styled(queries.summary(answer), "$muted"))
        nothing = Content.styled("A model would be given nothing.", "$muted")
        self._block.update(Content(visible(answer.block.text)) if answer.block.text else nothing)
