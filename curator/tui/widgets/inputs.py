"""Fields that may contain text from a log: it is shown safely, and kept as it is."""

from rich.highlighter import Highlighter
from rich.text import Text
from textual.widgets import TextArea

from curator.tui.text_format import signed


class Signs(Highlighter):
    """For Textual's `Input`: shows a sign for characters that act or hide."""

    def highlight(self, text: Text) -> None:
        """Change the text in place."""
        text.plain = signed(text.plain)


class Words(TextArea):
    """A field of several lines that does the same."""

    def get_line(self, line_index: int) -> Text:
        """Return a line as it is drawn."""
        return Text(signed(self.document.get_line(line_index)), end="", no_wrap=True)
