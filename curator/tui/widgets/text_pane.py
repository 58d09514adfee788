"""Widgets for styled text: a line, and a pane that wraps to its width."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from curator.tui.dispatch import ErrorBoundary

DOT = " · "
"""Separator between the parts of a line."""


class TextLine(Static):
    """A line of text; an unchanged text is not drawn again."""

    def __init__(self, id: str, in_parts: bool = False) -> None:
        super().__init__(id=id, markup=False)
        self._drawn = Content()
        self._in_parts = in_parts

    def show(self, text: Content, layout: bool = False) -> None:
        """Show a text; pass `layout` if its width may change."""
        if not text.is_same(self._drawn):
            self.update(text, layout=layout and text.cell_length != self._drawn.cell_length)
            self._drawn = text

    def render(self) -> Content:
        """Draw the text; if it is `in_parts` and does not fit, whole parts at the end are omitted."""
        text = self._drawn
        while self._in_parts and text.cell_length > self.size.width and (end := text.plain.rfind(DOT)) > 0:
            text = text[:end]
        return text


class TextPane(ErrorBoundary, VerticalScroll, can_focus=False):
    """A pane of text that scrolls without focus."""

    DEFAULT_CSS = """
    TextPane { background: $background; padding: 0 1 0 2; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    TextPane > Static { height: auto; width: 1fr; color: $text; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._about: object = None
        self._text: Callable[[int], Content] = lambda width: Content()
        self._drawn, self._room = Content(), Size()

    def compose(self) -> ComposeResult:
        """Create the text widget."""
        yield Static(markup=False)

    def show(self, about: object, text: Callable[[int], Content]) -> None:
        """Show the text returned by `text(width)`; keep the scroll position if `about` is unchanged and not None."""
        former, self._about, self._text = self._about, about, text
        self.on_resize()
        if former is None or former != about:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap for the new width."""
        size = self.scrollable_content_region.size
        if not size.width:  # not laid out yet: a narrow text would be shown for a moment
            return
        text = self._text(size.width)
        if size != self._room or not text.is_same(self._drawn):
            self._drawn, self._room = text, size
            static = self.query_one(Static)
            stays = bool(size) and static.size.height == size.height >= text.get_height({}, size.width)
            static.update(text, layout=not stays)  # a layout takes as long as handling a key
