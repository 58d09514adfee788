"""The pane beside the list of commands: what one of them did."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from curator.tui.error_boundary import ErrorBoundary
from curator.tui.glyphs import Glyphs
from curator.tui.history.queries import CommandDetail
from curator.tui.history.render import content


class CommandPane(ErrorBoundary, VerticalScroll, can_focus=False):
    """Shows a `CommandDetail`; scrolls without being focused."""

    DEFAULT_CSS = """
    CommandPane { background: $background; padding: 0 1 0 2; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    CommandPane > Static { height: auto; width: 1fr; color: $text; }
    """

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs
        self.detail: CommandDetail | None = None
        self._way: tuple[int, ...] = ()
        self._otherwise = ""
        self._drawn: tuple[CommandDetail | None, tuple[int, ...], str, int] = (None, (), "", 0)

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(markup=False)

    def show(self, detail: CommandDetail | None, way: tuple[int, ...] = (), otherwise: str = "") -> None:
        """Put another command in the pane, or words where there is none; the same again stays where it is scrolled to.

        `way` are the later commands that keep it from being taken back.
        """
        former, self.detail, self._way, self._otherwise = self.detail, detail, way, otherwise
        self._draw()
        if former is None or detail is None or former.command.id != detail.command.id:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap anew."""
        self._draw()

    def _draw(self) -> None:
        detail, width = self.detail, self.scrollable_content_region.width
        drawing = (detail, self._way, self._otherwise, width)
        if drawing[1:] == self._drawn[1:] and detail is self._drawn[0]:
            return
        self._drawn = drawing
        text = Content.styled(self._otherwise, "$muted")
        self.query_one(Static).update(text if detail is None else content(detail, self._glyphs, width, self._way))
