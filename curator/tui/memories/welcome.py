"""What an empty store shows in the place of the list."""

from textual.content import Content
from textual.widgets import Static

_WAYS = (
    ("I", "Import a chat log", "from ChatGPT, Claude, Claude Code …"),
    ("D", "Try the demo", "two years of chat logs, in a separate store"),
    ("A", "Add a memory", "in your own words"),
)


class Welcome(Static):
    """Three lines and three keys."""

    DEFAULT_CSS = """
    Welcome { width: 1fr; height: 1fr; content-align: center middle; }
    """

    def on_mount(self) -> None:
        """Say what can be done."""
        lines = [Content.styled("No memories yet.", "bold $text"), Content()]
        for key, what, how in _WAYS:
            lines.append(Content.assemble((key, "bold $accent"), f"  {what:<21}", (how, "$muted")))
        width = max(line.cell_length for line in lines)
        self.update(Content("\n").join(line.pad_right(width - line.cell_length) for line in lines))
