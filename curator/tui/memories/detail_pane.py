"""The detail pane: everything behind one memory."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from curator.tui.glyphs import Glyphs
from curator.tui.memories.detail_queries import Details
from curator.tui.memories.detail_render import content


class MemoryPane(VerticalScroll, can_focus=False):
    """Shows `Details`; scrolls without being focused."""

    DEFAULT_CSS = """
    MemoryPane { background: $background; padding: 0 1 0 2; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    MemoryPane > Static { height: auto; width: 1fr; color: $text; }
    """

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._details: Details | None = None
        self._leading = False
        self._drawn: tuple[Details | None, bool, int] | None = None

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static()

    def show(self, details: Details | None, leading: bool = False) -> None:
        """Put another memory in the pane, or nothing; the same one again stays where it is scrolled to.

        `leading` is the form of the inbox: the text with air around it, then what a decision needs.
        """
        former, self._details, self._leading = self._details, details, leading
        self._draw()
        if former is None or details is None or former.memory.id != details.memory.id:
            self.scroll_home(animate=False)

    @property
    def details(self) -> Details | None:
        """What is shown."""
        return self._details

    def on_resize(self) -> None:
        """Wrap anew."""
        self._draw()

    def _draw(self) -> None:
        drawing = (self._details, self._leading, self.scrollable_content_region.width)
        if drawing == self._drawn:
            return
        self._drawn = drawing
        details, leading, width = drawing
        self.query_one(Static).update("" if details is None else content(details, self._glyphs, width, leading))
