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
        self._otherwise = ""
        self._drawn: tuple[Deed | None, tuple[int, ...], str, int] = (None, (), "", 0)

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(markup=False)

    def show(self, deed: Deed | None, way: tuple[int, ...] = (), otherwise: str = "") -> None:
        """Put another command in the pane, or words where there is none; the same again stays where it is scrolled to.

        `way` are the later commands that keep it from being taken back.
        """
        former, self.deed, self._way, self._otherwise = self.deed, deed, way, otherwise
        self._draw()
        if former is None or deed is None or former.command.id != deed.command.id:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap anew."""
        self._draw()

    def _draw(self) -> None:
        deed, width = self.deed, self.scrollable_content_region.width
        drawing = (deed, self._way, self._otherwise, width)
        if drawing[1:] == self._drawn[1:] and deed is self._drawn[0]:
            return
        self._drawn = drawing
        text = Content.styled(self._otherwise, "$muted")
        self.query_one(Static).update(text if deed is None else content(deed, self._glyphs, width, self._way))
