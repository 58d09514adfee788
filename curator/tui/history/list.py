"""The list of commands, and the detail of one."""

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from curator.tui.cursor import place_of
from curator.tui.error_boundary import ErrorBoundary
from curator.tui.glyphs import Glyphs
from curator.tui.history.queries import CommandDetail, Line, Listing
from curator.tui.history.render import content
from curator.tui.text_format import age, counted, fit, one_line
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
            return [("   ", "muted"), (fit("…", width - 3), "muted")]
        command = row.command
        gone = command.undone is not None
        since = self.glyphs.undone if gone else " "
        sign = (f"{self.glyphs.alert} ", "warn") if number in self.way else (f"{since} ", "muted")
        who = f"{WHO[command.actor]:<8}" if width >= _WIDE else ""
        mark = f"{number:>{len(str(self.ids[0]))}}  " if width >= _NUMBERED else ""
        count = f"{command.count:,}" if command.count < 100_000 else f"{command.count // 1000:,}k"
        if width >= _WORDY:
            count = counted(command.count)
        number_of = f"{count if command.count else '':>{17 if width >= _WORDY else 6}}  "
        verb = fit(one_line(command.verb), 10)
        end = "  undone " if gone else "" if command.undoable else "  no undo " if width >= _WIDE else ""
        front: Cells = [sign, (f"{mark}{age(command.at, self.now):>5}  {who}", "muted")]
        front += [(verb, "muted" if gone else "strong"), (number_of, "muted")]
        room = width - len(end) - sum(cell_len(piece) for piece, _ in front)
        quoted = f"“{one_line(row.about)}”" if row.about else ""
        about = one_line(command.summary if row.of is None else f"command {row.of.id}, {row.of.verb}") or quoted
        ahead = f"{about}  "
        if about == quoted or cell_len(ahead) >= room:
            ahead, quoted = fit(about, max(room, 0)), ""
        behind = fit(quoted, room - cell_len(ahead)) if cell_len(ahead) < room else ""
        return [*front, (ahead, "muted" if gone else "plain"), (behind, "muted"), (end, "muted")]


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
