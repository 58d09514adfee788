"""Input fields for text that may be from a log: displayed sanitised, stored unchanged."""

from rich.highlighter import Highlighter
from rich.text import Text
from textual.widgets import TextArea

from curator.tui.text_format import signed


class Signs(Highlighter):
    """Highlighter for Textual's `Input` that shows signs for control and invisible characters."""

    def highlight(self, text: Text) -> None:
        """Replace the characters in place."""
        text.plain = signed(text.plain)


class Words(TextArea):
    """Multi-line field with the same signs."""

    def get_line(self, line_index: int) -> Text:
        """Return a line for drawing."""
        return Text(signed(self.document.get_line(line_index)), end="", no_wrap=True)
