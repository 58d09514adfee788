"""The list of commands."""

from rich.cells import cell_len

from curator.tui import formatting
from curator.tui.glyphs import Glyphs
from curator.tui.history.queries import Line, Listing
from curator.tui.widgets.virtual_list import Cells, VirtualList, find
from store.model import Actor

WHO = {Actor.PERSON: "you", Actor.SWEEP: "sweep", Actor.MODEL: "model", Actor.SERVER: "program"}
_WIDE = 56  # columns from which there is room for who did it
_NUMBERED = 66  # from which it has its number, by which others name it
_WORDY = 100  # from which the count has its noun


class CommandRows(VirtualList[Line]):
    """Commands: a sign, number, age, who, verb, how many memories, what about, and what became of it since."""

    def __init__(self, glyphs: Glyphs, now: int) -> None:
        super().__init__(glyphs)
        self.now = now  # microseconds; ages are counted from here
        self.way: frozenset[int] = frozenset()  # commands that stand in the way of taking another back

    def show(self, listing: Listing, sought: bool = False) -> None:
        """Take a list. The cursor stays on its command, and new ones are seen where the newest were.

        A list that is still being read begins anew; with `sought`, the cursor goes where the list says.
        """
        if sought or not listing.whole:
            self.show_rows(listing.ids, listing.lines, listing.cursor)
            return
        top, line = round(self.scroll_y), self.cursor - round(self.scroll_y)
        in_view = 0 <= line < self.page
        cursor = listing.cursor if self.current is None else find(listing.ids, (self.current,), listing.cursor)
        line = cursor if top == 0 and cursor < self.page else line
        self.show_rows(listing.ids, listing.lines, cursor, line if in_view else None, still=not in_view)

    def cells(self, number: int, row: Line | None, width: int) -> Cells:
        """Whoever and count where there is room; what was taken back says so in words, at the right."""
        if row is None:
            return [("   ", "muted"), (formatting.fit("…", width - 3), "muted")]
        command = row.command
        gone = command.undone is not None
        since = self.glyphs.undone if gone else " "
        sign = (f"{self.glyphs.alert} ", "warn") if number in self.way else (f"{since} ", "muted")
        who = f"{WHO[command.actor]:<8}" if width >= _WIDE else ""
        mark = f"{number:>{len(str(self.ids[0]))}}  " if width >= _NUMBERED else ""
        counted = self._counted(command.count, width)
        verb = formatting.fit(formatting.one_line(command.verb), 10)
        end = "  taken back " if gone else "" if command.undoable else "  no undo " if width >= _WIDE else ""
        front: Cells = [sign, (f"{mark}{formatting.age(command.at, self.now):>5}  {who}", "muted")]
        front += [(verb, "muted" if gone else "strong"), (counted, "muted")]
        room = width - len(end) - sum(cell_len(piece) for piece, _ in front)
        return [*front, *_about(row, max(room, 0), gone), (end, "muted")]

    def _counted(self, count: int, width: int) -> str:
        if width >= _WORDY:
            return f"{formatting.counted(count) if count else '':>17}  "
        short = f"{count:,}" if count < 100_000 else f"{count // 1000:,}k"
        return f"{short if count else '':>6}  "


def _about(row: Line, room: int, gone: bool) -> Cells:
    """What it was of, its summary, and the words of the first memory, in `room` cells."""
    first = row.command.summary
    if row.of is not None:
        first = f"command {row.of.id}, {row.of.verb}"
    words = formatting.one_line(first)
    quoted = f"“{formatting.one_line(row.about)}”" if row.about else ""
    if not words:
        return [(formatting.fit(quoted, room), "muted" if gone else "plain")]
    ahead = f"{words}  " if quoted else words
    if cell_len(ahead) >= room:
        return [(formatting.fit(words, room), "muted" if gone else "plain")]
    rest = room - cell_len(ahead)
    return [(ahead, "muted" if gone else "plain"), (formatting.fit(quoted, rest), "muted")]
