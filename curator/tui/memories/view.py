"""The Memories view: every memory; in an empty store, the first steps."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from curator.tui.actions import WELCOME, bindings
from curator.tui.memories.browser import Browser
from curator.tui.memories.verb_view import key_of_distil, waiting

_FIRST_STEPS = (
    ("I", "Import a chat log", "from ChatGPT, Claude, Claude Code …"),
    ("D", "Try the demo", "two years of chat logs, in a separate store"),
    ("A", "Add a memory", "in your own words"),
)


class Welcome(Static):
    """Three first steps and their keys."""

    DEFAULT_CSS = """
    Welcome { width: 1fr; height: 1fr; content-align: center middle; }
    """

    def show_steps(self, undistilled: int) -> None:
        """Show the steps in one column, first the one that continues a stopped import."""
        lines = [
            Content.styled(f"{waiting(undistilled)}." if undistilled else "No memories yet.", "bold $text"),
            Content(),
        ]
        more = [(key_of_distil(self.app), "Continue the import", "distils what it has stored")] if undistilled else []
        for key, what, how in (*more, *_FIRST_STEPS):
            lines.append(Content.assemble((key, "bold $accent"), f"  {what:<21}", (how, "$muted")))
        width = max(line.cell_length for line in lines)
        self.update(Content("\n").join(line.pad_right(width - line.cell_length) for line in lines))


class Memories(Browser):
    """List of live memories, newest first, unless a filter selects others."""

    BINDINGS = bindings(WELCOME)
    NAME: ClassVar[str] = "memories"
    HINT: ClassVar[str] = "search, or filter: kind:preference tier:core age:<90d is:forgotten"

    def compose(self) -> ComposeResult:
        """Lay out the panes, and the texts for an empty list."""
        return (*super().compose(), Welcome(), Static(id="gone", markup=False))

    @property
    def nothing_to_search(self) -> bool:
        """True if there are no memories at all; memories that are not live can be searched."""
        return self.nothing_listed and self.not_live == {}

    def update_bars(self) -> None:
        """Update the bars; if no memory is live, show the filters that find the others."""
        super().update_bars()
        self.query_one(Welcome).show_steps(self.context.undistilled)
        gone = self.not_live if self.nothing_listed else None
        self.set_class(bool(gone), "-gone")
        if gone:
            counts = [f"{count:,} is:{life}" for life, count in gone.items()]
            self.query_one("#gone", Static).update(Content(" · ".join(["no active memories", *counts])))

    def action_demo(self) -> None:
        """Exit, to open the demo store."""
        self.app.exit("demo")
