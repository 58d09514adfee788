"""List of conflicts, shown next to the open conflict on wide screens."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from textual.content import Content
from textual.events import Click, Resize
from textual.message import Message
from textual.widget import Widget
from textual.worker import Worker

from curator.curation import Pair
from curator.tui.conflicts import queries
from curator.tui.conflicts.queue import ConflictQueue
from curator.tui.context import AppContext
from curator.tui.dispatch import ErrorBoundary
from curator.tui.text_format import age, fit, one_line
from store import StoreError
from store.model import Relation

LISTED_FROM = 120  # columns from which the list is shown
LINES = 2  # per conflict
_CLASSES = {
    Relation.CONTRADICTION: "contra",
    Relation.UPDATE: "update",
    Relation.DUPLICATE: "duplicate",
    Relation.UNSURE: "unsure",
}


@dataclass(frozen=True, slots=True)
class _Row:
    """A conflict, or the heading of a group."""

    index: int
    top: int  # its first line
    heading: int = 0  # number of conflicts of the group; 0 for a conflict
    folded: bool = False

    @property
    def lines(self) -> int:
        return 1 if self.heading else LINES


class ConflictList(ErrorBoundary, Widget, can_focus=False):
    """List with both texts of each conflict, class and age; the open conflict is highlighted.

    Conflicts about the same change are under a heading, the only line of a folded group. The list is hidden while a
    draft is shown, or if there is only one conflict. It reads only rows in view, and follows the cursor of the queue
    instead of having its own scroll position.
    """

    DEFAULT_CSS = "ConflictList { background: $background; color: $text; }"

    @dataclass
    class Pointed(Message):
        """A conflict was clicked, at this index of the queue."""

        index: int

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._app_context = context
        self._queue = ConflictQueue()
        self._ids: Sequence[int] = ()
        self._layout: list[_Row] = []
        self._revision = -1  # of the queue that is laid out
        self._known: dict[int, Pair] = {}
        self._titles: dict[int, str] = {}
        self._unread: set[int] = set()

    def follow(self, queue: ConflictQueue) -> None:
        """Show the queue with its cursor; if the queue was read again, read the rows again too."""
        if queue.ids is not self._ids:
            self._ids, self._known, self._titles, self._unread = queue.ids, {}, {}, set()
        if queue.revision != self._revision:  # 12 ms for 20,000 conflicts
            self._layout, self._revision = list(laid_out(queue)), queue.revision
        self._queue = queue
        self._read()
        self.refresh()

    @property
    def window(self) -> list[_Row]:
        """The rows in view: the cursor is in the middle, except near the ends."""
        height, rows = max(self.size.height, LINES), self._layout
        at = bisect_left(rows, self._queue.cursor, key=lambda row: row.index)
        here = next((row for row in rows[at : at + 2] if self._is_current(row)), None)
        if here is None:
            return []
        total = rows[-1].top + rows[-1].lines
        first = max(min(here.top - height // 2 + 1, total - height), 0)
        top = bisect_left(rows, first, key=lambda row: row.top)
        return [row for row in rows[top : top + height] if row.top + row.lines <= first + height]

    def _is_current(self, row: _Row) -> bool:
        """Return True if the cursor is on a row; for a heading, only if its group is folded."""
        return row.index == self._queue.cursor and (row.folded or not row.heading)

    def on_resize(self, event: Resize) -> None:
        """Read the rows that came into view."""
        self._read()

    def on_click(self, event: Click) -> None:
        """Ask for the conflict under the mouse."""
        window = self.window
        found = [row for row in window if row.top - window[0].top <= event.y < row.top - window[0].top + row.lines]
        if found:
            self.post_message(self.Pointed(found[0].index))

    def render(self) -> Content:
        """Draw the conflicts in view."""
        return Content("\n").join(line for row in self.window for line in self._drawn(row))

    def _drawn(self, row: _Row) -> Iterator[Content]:
        glyphs, width = self._app_context.glyphs, max(self.size.width - 2, 1)
        alert, here = self._ids[row.index], self._is_current(row)
        bar, look = (f"{glyphs.cursor if here else ' '} ", "$accent"), "bold $text" if here else "$text"
        pair, title = self._known.get(alert), self._titles.get(alert, "…")
        if row.heading:
            sign, count = glyphs.folded if row.folded else glyphs.unfolded, f" · {row.heading}"
            end = f"{count} pairs" if len(title) + len(count) + 8 <= width else count
            words = fit(one_line(title), max(width - len(end) - 2, 0)).rstrip()
            yield Content.assemble(bar, (f"{sign} ", "$accent"), (words, "bold $text"), (end, "$muted"))
        elif pair is None:
            unread = alert in self._unread
            yield Content.assemble(bar, ("could not be read", "$bad") if unread else ("…", "$muted"))
            yield Content.assemble(bar)
        else:
            created = pair.b.created_at
            old = "–" if created is None else age(created, self._app_context.now())
            label = f" {_CLASSES.get(pair.alert.relation, '')} "
            end = f"{label}{old:>5}"
            words = fit(one_line(pair.b.text), max(width - len(end), 0))
            yield Content.assemble(bar, (fit(one_line(pair.a.text), width), look))
            yield Content.assemble(bar, (words, look), (label, "$warn"), (end[len(label) :], "$muted"))

    def _read(self) -> None:
        window = self.window if self.size else []
        alerts = [self._ids[row.index] for row in window if not row.heading]
        missing = [alert for alert in alerts if alert not in self._known]
        heads = [self._ids[row.index] for row in window if row.heading]
        groups = [self._queue.group(head) for head in heads if head not in self._titles]
        if missing or groups:
            work = partial(self._fetch, self._known, self._titles, missing, groups)
            _: Worker[None] = self.app.run_worker(work, group="conflict list", exclusive=True, exit_on_error=False)

    async def _fetch(
        self, rows: dict[int, Pair], titles: dict[int, str], alerts: list[int], groups: list[tuple[int, ...]]
    ) -> None:
        context = self._app_context
        try:
            rows |= await context.run("rows", queries.listed, context.store, alerts)
            titles |= await context.run("rows", queries.titles, context.store, groups) if groups else {}
        except StoreError:
            self._unread |= set(alerts)
            raise  # the app shows it on the status bar
        finally:
            self.refresh()


def laid_out(queue: ConflictQueue) -> Iterator[_Row]:
    """Yield the rows of a queue from the top."""
    top = 0
    for index, alert in enumerate(queue.ids):
        group, folded = queue.group(alert), queue.folded(alert)
        if group and group[0] == alert:
            yield (row := _Row(index, top, len(group), folded))
            top += row.lines
        if not folded:
            yield (row := _Row(index, top))
            top += row.lines
