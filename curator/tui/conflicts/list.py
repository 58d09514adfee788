"""The list of conflicts beside the two sides of one, on wide screens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from textual.content import Content
from textual.events import Click, Resize
from textual.message import Message
from textual.widget import Widget
from textual.worker import Worker

from curator.curation import Pair
from curator.tui.conflicts import queries
from curator.tui.context import AppContext
from curator.tui.dispatch import ErrorBoundary
from curator.tui.text_format import age, fit, one_line
from store import StoreError
from store.model import Relation

LISTED_FROM = 120  # columns from which the list is shown
_LINES = 2  # of a conflict
_CLASSES = {
    Relation.CONTRADICTION: "contra",
    Relation.UPDATE: "update",
    Relation.DUPLICATE: "double",
    Relation.UNSURE: "unsure",
}


class ConflictList(ErrorBoundary, Widget, can_focus=False):
    """Both texts of each conflict in view, with class and age; the one on the screen is highlighted.

    It makes room for a draft, and a single conflict needs no list. It reads what is in view only, and has no scroll
    position of its own: it follows the cursor of the queue.
    """

    DEFAULT_CSS = "ConflictList { background: $background; color: $text; }"

    @dataclass
    class Pointed(Message):
        """A conflict was clicked, at this place of the queue."""

        place: int

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._app_context = context
        self._ids: Sequence[int] = ()
        self._place = 0
        self._rows: dict[int, Pair] = {}
        self._unread: set[int] = set()

    def follow(self, ids: Sequence[int], place: int) -> None:
        """Show the queue with the cursor at a place; one that was read again is another object, and read here too."""
        if ids is not self._ids:
            self._ids, self._rows, self._unread = ids, {}, set()
        self._place = place
        self._read()
        self.refresh()

    @property
    def window(self) -> range:
        """The places in view: the cursor is in the middle, except near the ends."""
        shown = max(self.size.height // _LINES, 1)
        first = max(min(self._place - shown // 2, len(self._ids) - shown), 0)
        return range(first, min(first + shown, len(self._ids)))

    def on_resize(self, event: Resize) -> None:
        """Read what has come into view."""
        self._read()

    def on_click(self, event: Click) -> None:
        """Ask for the conflict under the mouse."""
        place = self.window.start + event.y // _LINES
        if place in self.window:
            self.post_message(self.Pointed(place))

    def render(self) -> Content:
        """Draw the conflicts in view."""
        glyphs, width = self._app_context.glyphs, max(self.size.width - 2, 1)
        lines: list[Content] = []
        for place in self.window:
            here, pair = place == self._place, self._rows.get(self._ids[place])
            bar = (f"{glyphs.cursor if here else ' '} ", "$accent")
            look = "bold $text" if here else "$text"
            if pair is None:
                unread = self._ids[place] in self._unread
                text = ("could not be read", "$bad") if unread else ("…", "$muted")
                lines += [Content.assemble(bar, text), Content.assemble(bar)]
                continue
            said = pair.b.created_at
            old = "–" if said is None else age(said, self._app_context.now())
            end = f" {_CLASSES.get(pair.alert.relation, ''):<6} {old:>5}"
            words = fit(one_line(pair.b.text), max(width - len(end), 0))
            lines.append(Content.assemble(bar, (fit(one_line(pair.a.text), width), look)))
            lines.append(Content.assemble(bar, (words, look), (end[:7], "$warn"), (end[7:], "$muted")))
        return Content("\n").join(lines)

    def _read(self) -> None:
        missing = [alert for alert in (self._ids[place] for place in self.window) if alert not in self._rows]
        if missing and self.size:
            work = partial(self._fetch, self._rows, missing)
            _: Worker[None] = self.app.run_worker(work, group="conflict list", exclusive=True, exit_on_error=False)

    async def _fetch(self, rows: dict[int, Pair], alerts: list[int]) -> None:
        try:
            rows |= await self._app_context.run("rows", queries.listed, self._app_context.store, alerts)
        except StoreError:
            self._unread |= set(alerts)
            raise  # the app shows it on the status bar
        finally:
            self.refresh()
