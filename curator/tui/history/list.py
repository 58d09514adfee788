"""List of commands, and the pane with the detail of a command."""

from rich.cells import cell_len

from curator.display import counted
from curator.history_text import shown_summary, shown_verb
from curator.tui.cursor import cursor_index
from curator.tui.glyphs import Glyphs
from curator.tui.history.queries import CommandRow, Listing
from curator.tui.text_format import age, fit, one_line
from curator.tui.widgets.text_pane import TextPane
from curator.tui.widgets.virtual_list import Cells, VirtualList
from store.model import Actor

WHO = {Actor.PERSON: "you", Actor.SWEEP: "sweep", Actor.MODEL: "model", Actor.SERVER: "program"}
_ACTOR_FROM = 56  # columns from which the actor is shown
_NUMBER_FROM = 66  # columns from which the number is shown
_NOUN_FROM = 100  # columns from which the count has a noun


class CommandRows(VirtualList[CommandRow]):
    """Rows of commands: sign, number, age, actor, verb, count, subject, and whether it was undone."""

    def __init__(self, glyphs: Glyphs, now: int) -> None:
        super().__init__(glyphs, now)
        self.dependents: frozenset[int] = frozenset()  # commands that must be undone before another

    def show(self, listing: Listing, sought: bool = False) -> None:
        """Show a list. The cursor stays on its command; a list scrolled to the top stays there, so that new commands
        show.

        With `sought`, or while the list is still being read, the cursor goes to `listing.cursor`.
        """
        fresh, cursor = sought or not listing.full, listing.cursor
        if not fresh and self.current is not None:
            cursor = cursor_index(listing.ids, (self.current,), cursor)
        at_top = round(self.scroll_y) == 0 and cursor < self.page
        self.show_again(listing.ids, listing.lines, cursor, fresh or at_top)

    def cells(self, row_id: int, row: CommandRow | None, width: int) -> Cells:
        """Return the cells of a command, with actor, number and noun if there is room, and `undone` at the right."""
        if row is None:
            return [("   ", "muted"), (fit("…", width - 3), "muted")]
        command = row.command
        gone = command.undone is not None
        since = self.glyphs.undone if gone else " "
        sign = (f"{self.glyphs.alert} ", "warn") if row_id in self.dependents else (f"{since} ", "muted")
        who = f"{WHO[command.actor]:<8}" if width >= _ACTOR_FROM else ""
        mark = f"{row_id:>{len(str(self.ids[0]))}}  " if width >= _NUMBER_FROM else ""
        count = f"{command.count:,}" if command.count < 100_000 else f"{command.count // 1000:,}k"
        if width >= _NOUN_FROM:
            count = counted(command.count)
        number_of = f"{count if command.count else '':>{17 if width >= _NOUN_FROM else 6}}  "
        verb = fit(one_line(shown_verb(command.verb)), 10)
        end = "  undone " if gone else "" if command.undoable else "  no undo " if width >= _ACTOR_FROM else ""
        front: Cells = [sign, (f"{mark}{age(command.at, self.now):>5}  {who}", "muted")]
        front += [(verb, "muted" if gone else "strong"), (number_of, "muted")]
        room = width - len(end) - sum(cell_len(piece) for piece, _ in front)
        quoted = f"“{one_line(row.about)}”" if row.about else ""
        what = shown_summary(command) if row.of is None else f"command {row.of.id}, {shown_verb(row.of.verb)}"
        about = one_line(what) or quoted
        ahead = f"{about}  "
        if about == quoted or cell_len(ahead) >= room:
            ahead, quoted = fit(about, max(room, 0)), ""
        behind = fit(quoted, room - cell_len(ahead)) if cell_len(ahead) < room else ""
        return [*front, (ahead, "muted" if gone else "plain"), (behind, "muted"), (end, "muted")]


class CommandPane(TextPane, can_focus=False):
    """The detail of a command."""
