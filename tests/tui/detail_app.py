"""An app that holds the detail pane only."""

from dataclasses import dataclass

from textual.app import App, ComposeResult

from curator.tui.glyphs import UNICODE, Glyphs
from curator.tui.memories.detail_pane import MemoryPane
from curator.tui.memories.detail_queries import Details
from curator.tui.themes import DEFAULT, shipped


class Pane(App[None]):
    """App with a detail pane and a theme."""

    def __init__(self, theme: str = DEFAULT, signs: Glyphs = UNICODE, inbox: bool = False) -> None:
        super().__init__()
        for known in shipped()[0]:
            self.register_theme(known)
        self.theme = theme
        self._signs, self._inbox = signs, inbox

    def compose(self) -> ComposeResult:
        yield MemoryPane(self._signs, self._inbox)

    @property
    def detail(self) -> MemoryPane:
        return self.query_one(MemoryPane)

    def lines(self) -> list[str]:
        """Return the text on the screen, a string per line."""
        strips = self.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


@dataclass(frozen=True)
class Shown:
    """Content of a pane; `flat` is its text on one line with single spaces."""

    lines: list[str]
    styles: dict[str, str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def flat(self) -> str:
        return " ".join(self.text.split())


async def shown(
    details: Details | None, leading: bool = False, size: tuple[int, int] = (70, 90), theme: str = DEFAULT
) -> Shown:
    """Show details in a pane of `size` (columns, lines); `styles` maps each piece of text to its style."""
    app = Pane(theme, inbox=leading)
    async with app.run_test(size=size) as pilot:
        app.detail.show_details(details)
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        styles = {segment.text.strip(): str(segment.style) for strip in strips for segment in strip}
        return Shown(app.lines(), styles)
