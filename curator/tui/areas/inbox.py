"""The area Inbox: what a distiller or an import made and nobody has looked at, the weightiest first."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from curator.tui.actions import INBOX, bindings
from curator.tui.areas.area import Target
from curator.tui.areas.browser import Browser
from curator.tui.deciding import Verb
from curator.tui.desk import Desk
from curator.tui.text import counted, lasted
from store import Sort
from store.model import Command


class Inbox(Browser):
    """One decision after the other; the detail leads, and a count says how far the person has come."""

    BINDINGS = bindings(INBOX)
    NAME: ClassVar[str] = "inbox"
    BASE: ClassVar[str] = "is:inbox"
    ORDER: ClassVar[Sort] = Sort.MATTERS
    HINT: ClassVar[str] = "what waits for you, where it matters most first"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._decided = 0
        self._began: int | None = None  # when the first decision of this sitting was made
        self._last = 0

    def compose(self) -> ComposeResult:
        """The panes, and what stands there when all is decided."""
        yield from super().compose()
        yield Static(id="nothing")

    def decided(self, verb: Verb, changed: int) -> None:
        """Count what has left the inbox by a decision."""
        if changed and verb.leaves(self.wanted.filter):
            now = self.desk.now()
            self._began = self._began or now
            self._decided, self._last = self._decided + changed, now

    def taken_back(self, command: Command) -> None:
        """An undone decision is none."""
        self._decided = max(self._decided - command.count, 0)

    def _counted(self) -> Content:
        if self._began is None or self.list.marks or self._line.typing:
            return super()._counted()
        left = len(self.list.ids)
        return Content.assemble(
            (f"{self._decided:,} done", "$good"), (f" · {left:,} left · {lasted(self._last - self._began)}", "$muted")
        )

    def count(self) -> None:
        super().count()
        if self.empty:
            done = f"{counted(self._decided, 'decision')} in this sitting. " if self._decided else ""
            words = Content.assemble(
                ("Nothing waits for you. ", "bold $text"),
                (done, "$good"),
                ("2 shows all memories, I imports a log.", "$muted"),
            )
            self.query_one("#nothing", Static).update(words)

    def action_refused(self) -> None:
        """What was refused at import, and why."""
        self.go("sources", Target(terms="refused"))
