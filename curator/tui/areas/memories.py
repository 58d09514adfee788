"""The area Memories: every memory there is."""

from typing import ClassVar

from textual.app import ComposeResult

from curator.tui.actions import WELCOME, bindings
from curator.tui.areas.browser import Browser
from curator.tui.widgets.welcome import Welcome


class Memories(Browser):
    """The live ones, newest first, until a filter says otherwise; in an empty store the ways to begin."""

    BINDINGS = bindings(WELCOME)
    NAME: ClassVar[str] = "memories"
    HINT: ClassVar[str] = "search, or filter: kind:preference tier:core age:<90d is:forgotten"

    def compose(self) -> ComposeResult:
        """The panes, and what stands there while there is nothing."""
        yield from super().compose()
        yield Welcome()

    def action_demo(self) -> None:
        """Leave, to come back in the demo's store."""
        self.app.exit("demo")
