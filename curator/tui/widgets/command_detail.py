"""The pane beside the list of commands: what one of them did."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from curator.tui.glyphs import Glyphs
from curator.tui.past import Deed
from curator.tui.surviving import Surviving
from curator.tui.telling import content


class CommandDetail(Surviving, VerticalScroll, can_focus=False):
    """Shows a `Deed`; scrolls without being focused."""

    DEFAULT_CSS = """
    CommandDetail { background: $background; padding: 0 1 0 2; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    CommandDetail > Static { height: auto; width: 1fr; color: $text; }
    """

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs
        self.deed: Deed | None = None
        self._way: tuple[int, ...] = ()
        self._drawn: tuple[Deed | None, tuple[int, ...], int] | None = None

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(markup=False)

    def show(self, deed: Deed | None, way: tuple[int, ...] = ()) -> None:
        """Put another command in the pane, or nothing; the same one again stays where it is scrolled to.

        `way` are the later commands that keep it from being taken back.
        """
        former, self.deed, self._way = self.deed, deed, way
        self._draw()
        if former is None or deed is None or former.command.id != deed.command.id:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap anew."""
        self._draw()

    def _draw(self) -> None:
        drawing = (self.deed, self._way, self.scrollable_content_region.width)
        if self._drawn is not None and all(one is other for one, other in zip(drawing, self._drawn, strict=True)):
            return
        self._drawn = drawing
        deed, way, width = drawing
        self.query_one(Static).update(Content() if deed is None else content(deed, self._glyphs, width, way))
