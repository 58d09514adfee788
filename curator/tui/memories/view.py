"""The area Memories: every memory there is."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from curator.tui.actions import WELCOME, bindings
from curator.tui.memories.browser import Browser
from curator.tui.memories.welcome import Welcome


class Memories(Browser):
    """The live ones, newest first, until a filter says otherwise; in an empty store the ways to begin."""

    BINDINGS = bindings(WELCOME)
    NAME: ClassVar[str] = "memories"
    HINT: ClassVar[str] = "search, or filter: kind:preference tier:core age:<90d is:forgotten"

    def compose(self) -> ComposeResult:
        """The panes, and what stands there while there is nothing."""
        yield from super().compose()
        yield Welcome()
        yield Static(id="gone", markup=False)

    @property
    def empty(self) -> bool:
        """Whether there is no memory at all: what is live no more can be looked for."""
        return self.bare and self.gone == {}

    def update_bars(self) -> None:
        """Say how much is listed, and where nothing is, how to find what is live no more."""
        super().update_bars()
        gone = self.gone if self.bare else None
        self.set_class(bool(gone), "-gone")
        if gone:
            told = [f"{count:,} is:{life}" for life, count in gone.items()]
            self.query_one("#gone", Static).update(Content(" · ".join(["no active memories", *told])))

    def action_demo(self) -> None:
        """Leave, to come back in the demo's store."""
        self.app.exit("demo")
