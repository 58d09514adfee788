"""The list of commands, and the detail of one."""

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from curator.tui import text_format
from curator.tui.cursor import place_of
from curator.tui.dispatch import ErrorBoundary
from curator.tui.glyphs import Glyphs
from curator.tui.history.queries import CommandDetail, Line, Listing
from curator.tui.history.render import content
from curator.tui.widgets.virtual_list import Cells, VirtualList
from store.model import Actor

WHO = {Actor.PERSON: "you", Actor.SWEEP: "sweep", Actor.MODEL: "model", Actor.SERVER: "program"}
_WIDE = 56  # columns from which there is room for who did it
_NUMBERED = 66  # from which it has its number, by which others name it
_WORDY = 100  # from which the count has its noun


class CommandRows(VirtualList[Line]):
    """Commands: a sign, number, age, actor, verb, count, subject, and whether it was undone."""

    def __init__(self, glyphs: Glyphs, now: int) -> None:
        super().__init__(glyphs)
        self.now = now  # microseconds; ages are counted from here
        self.way: frozenset[int] = frozenset()  # commands that must be undone before another

    def show(self, listing: Listing, sought: bool = False) -> None:
        """Show a list. The cursor stays on its command, and new ones are seen where the newest were.

        A list that is still being read begins anew; with `sought`, the cursor goes where the list says.
        """
        if sought or not listing.whole:
            self.show_rows(listing.ids, listing.lines, listing.cursor)
            return
        top, line = round(self.scroll_y), self.cursor - round(self.scroll_y)
        in_view = 0 <= line < self.page
        cursor = listing.cursor if self.current is None else place_of(listing.ids, (self.current,), listing.cursor)
        line = cursor if top == 0 and cursor < self.page else line
        self.show_rows(listing.ids, listing.lines, cursor, line if in_view else None, still=not in_view)

    def cells(self, number: int, row: Line | None, width: int) -> Cells:
        """Return the cells of a command: actor and count where there is room; at the right, whether it was undone."""
        if row is None:
            return [("   ", "muted"), (text_format.fit("…", width - 3), "muted")]
        command = row.command
        gone = command.undone is not None
        since = self.glyphs.undone if gone else " "
        sign = (f"{self.glyphs.alert} ", "warn") if number in self.way else (f"{since} ", "muted")
        who = f"{WHO[command.actor]:<8}" if width >= _WIDE else ""
        mark = f"{number:>{len(str(self.ids[0]))}}  " if width >= _NUMBERED else ""
        counted = self._counted(command.count, width)
        verb = text_format.fit(text_format.one_line(command.verb), 10)
        end = "  undone " if gone else "" if command.undoable else "  no undo " if width >= _WIDE else ""
        front: Cells = [sign, (f"{mark}{text_format.age(command.at, self.now):>5}  {who}", "muted")]
        front += [(verb, "muted" if gone else "strong"), (counted, "muted")]
        room = width - len(end) - sum(cell_len(piece) for piece, _ in front)
        return [*front, *_about(row, max(room, 0), gone), (end, "muted")]

    def _counted(self, count: int, width: int) -> str:
        if width >= _WORDY:
            return f"{text_format.counted(count) if count else '':>17}  "
        short = f"{count:,}" if count < 100_000 else f"{count // 1000:,}k"
        return f"{short if count else '':>6}  "


def _about(row: Line, room: int, gone: bool) -> Cells:
    """Return what a command was about: its target, its summary, and the first memory, in `room` cells."""
    first = row.command.summary
    if row.of is not None:
        first = f"command {row.of.id}, {row.of.verb}"
    words = text_format.one_line(first)
    quoted = f"“{text_format.one_line(row.about)}”" if row.about else ""
    if not words:
        return [(text_format.fit(quoted, room), "muted" if gone else "plain")]
    ahead = f"{words}  " if quoted else words
    if cell_len(ahead) >= room:
        return [(text_format.fit(words, room), "muted" if gone else "plain")]
    rest = room - cell_len(ahead)
    return [(ahead, "muted" if gone else "plain"), (text_format.fit(quoted, rest), "muted")]


class CommandPane(ErrorBoundary, VerticalScroll, can_focus=False):
    """The detail of a command; scrolls without being focused."""

    DEFAULT_CSS = """
    CommandPane { background: $background; padding: 0 1 0 2; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    CommandPane > Static { height: auto; width: 1fr; color: $text; }
    """

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs
        self.detail: CommandDetail | None = None
        self._way: tuple[int, ...] = ()
        self._otherwise = ""
        self._drawn: tuple[CommandDetail | None, tuple[int, ...], str, int] = (None, (), "", 0)

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        yield Static(markup=False)

    def show(self, detail: CommandDetail | None, way: tuple[int, ...] = (), otherwise: str = "") -> None:
        """Show a command, or words where there is none; the same again keeps its scroll position.

        `way` are the later commands that must be undone first.
        """
        former, self.detail, self._way, self._otherwise = self.detail, detail, way, otherwise
        self.on_resize()
        if former is None or detail is None or former.command.id != detail.command.id:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap again."""
        detail, width = self.detail, self.scrollable_content_region.width
        drawing = (detail, self._way, self._otherwise, width)
        if drawing[1:] == self._drawn[1:] and detail is self._drawn[0]:
            return
        self._drawn = drawing
        text = Content.styled(self._otherwise, "$muted")
        self.query_one(Static).update(text if detail is None else content(detail, self._glyphs, width, self._way))
