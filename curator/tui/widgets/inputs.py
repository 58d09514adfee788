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

    def action_delete_to_start_of_line(self) -> None:
        """Delete all before the cursor up to a line break, as a shell does; `TextArea` stops at a wrapped row."""
        row, column = self.cursor_location
        if column and self.selection.is_empty and not self.read_only:
            self.delete((row, 0), (row, column), maintain_selection_offset=False)
        else:
            super().action_delete_to_start_of_line()

    async def action_delete_to_end_of_line_or_delete_line(self) -> None:
        """Delete all after the cursor up to a line break."""
        row, column = self.cursor_location
        end = len(self.document.get_line(row))
        if column < end and self.selection.is_empty and not self.read_only:
            self.delete((row, column), (row, end), maintain_selection_offset=False)
        else:
            await super().action_delete_to_end_of_line_or_delete_line()
