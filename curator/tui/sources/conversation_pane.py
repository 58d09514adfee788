"""Conversation pane of the Sources view: title, transcript, and a note about the mark under the cursor."""

import asyncio
from collections import Counter
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker

from curator.display import counted, short_date
from curator.tui.context import AppContext
from curator.tui.dispatch import ErrorBoundary
from curator.tui.labels import source
from curator.tui.sources.queries import MarkedConversation, PassageFate, PassageMark, TranscriptLocation
from curator.tui.sources.transcript import Transcript
from curator.tui.sources.transcript_layout import PlacedLayout, TranscriptLayout, layout_at
from curator.tui.text_format import one_line
from curator.tui.widgets.virtual_list import VirtualList
from store.model import Life, Review


class ConversationPane(ErrorBoundary, Vertical):
    """Reads a conversation on an executor, and shows it with the cursor on the requested passage."""

    DEFAULT_CSS = """
    ConversationPane { background: $background; }
    ConversationPane > Static { height: 1; padding: 0 1; color: $muted; text-wrap: nowrap; text-overflow: ellipsis; }
    ConversationPane > #note { height: 3; border-top: solid $rule; }
    """

    class Changed(Message):
        """Another conversation is shown, or the cursor is on another line or mark."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.context = context
        self.lines = Transcript(context.glyphs)
        self._title, self._note = Static(markup=False), Static(id="note", markup=False)
        self.location: TranscriptLocation | None = None  # shown, or being read
        self._shown: TranscriptLocation | None = None  # the location that is shown
        self._laid: PlacedLayout | None = None
        self._toggled: frozenset[int] = frozenset()  # messages folded or unfolded by hand
        self._described: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """Lay out the title, the lines, and the note about the line under the cursor."""
        return (self._title, self.lines, self._note)

    # Content

    @property
    def marked(self) -> MarkedConversation | None:
        """The conversation on the screen."""
        return None if self._laid is None else self._laid.layout.marked

    def show(self, location: TranscriptLocation | None, wait: float = 0.0) -> None:
        """Show a conversation, or nothing, after `wait` seconds, unless another one is requested first."""
        if location is None or self.location is None or location.conversation != self.location.conversation:
            self._toggled = frozenset()
        self.location = location
        self._begin(wait)

    def follow(self) -> None:
        """Read the conversation again; the cursor stays where it is in the text, and on its line on the screen."""
        self._begin(0, stays=True)

    def words(self) -> str:
        """Return the original text of the passage under the cursor, else of its message."""
        laid, lines = self._laid, self.lines
        if laid is None or not lines.ids:
            return ""
        message_id, _ = laid.layout.location(lines.cursor)
        (text,) = (message.text for message in laid.layout.marked.messages if message.id == message_id)
        mark = lines.mark_here
        return text if mark is None else text[mark.start : mark.end]

    def _begin(self, wait: float, stays: bool = False) -> None:
        work = partial(self._show, wait, stays)
        _: Worker[None] = self.app.run_worker(work, group=f"marked {id(self)}", exclusive=True, exit_on_error=False)

    async def _show(self, wait: float, stays: bool) -> None:
        await asyncio.sleep(wait)
        location, lines, former = self.location, self.lines, self._laid
        if location is not None and not lines.columns:
            return  # until it is visible
        if former is None or location != self._shown or not lines.ids:
            stays = False
        laid = None
        if location is not None:
            laid = await self.context.run(
                "rows", layout_at, self.context.store, location, lines.columns, self._toggled, former
            )
        self._shown, self._laid = location, laid
        if laid is None:
            self._title.update("" if location is None else "This conversation is gone.", layout=False)
            lines.show(None)
        else:
            self._title.update(title(laid.layout.marked), layout=False)
            if stays and former is not None:
                self._show_again(former.layout, laid.layout)
            else:
                lines.show(laid.layout, laid.line, laid.mark, lines.page // 3)
        self._update_note()

    def _show_again(self, former: TranscriptLayout, layout: TranscriptLayout) -> None:
        """Replace the layout; the cursor stays where it is in the text."""
        lines = self.lines
        message, offset = former.location(lines.cursor)
        under, line = lines.mark_here, lines.cursor - round(lines.scroll_y)
        spots = [(mark.message, mark.start, mark.end) for mark in layout.marked.marks]
        spot = None if under is None else (under.message, under.start, under.end)
        mark = spots.index(spot) if spot in spots else None
        elsewhere = former.width == layout.width and not 0 <= line < lines.page
        lines.show(layout, layout.find(message, offset) or 0, mark, line, still=elsewhere)

    @on(Transcript.Sized)
    def cut_anew(self) -> None:
        """Wrap for the new width, also when the pane becomes visible with a location requested meanwhile."""
        if self.location is not None and (
            self._laid is None or self._laid.layout.width != self.lines.columns or self.location != self._shown
        ):
            self.follow()

    # Moving

    def toggle(self) -> None:
        """Fold or unfold the message under the cursor."""
        if self._laid is not None and self.lines.ids:
            message, _ = self._laid.layout.location(self.lines.cursor)
            self._toggled ^= {message}
            self.follow()

    @on(VirtualList.Moved)
    def cursor_moved(self, event: VirtualList.Moved) -> None:
        """Describe the line under the cursor."""
        event.stop()
        self._update_note()

    # Title and note

    def _update_note(self) -> None:
        marked, lines = self.marked, self.lines
        mark = lines.mark_here
        described = (marked, lines.mark_number, lines.at_heading)
        if described != self._described:
            self._described = described
            self._note.update(Content() if marked is None else note(marked, mark), layout=False)
            self.post_message(self.Changed())


def title(marked: MarkedConversation) -> Content:
    """Return the title of a conversation, its source, date, project and length."""
    about = marked.conversation
    parts = [source(about.source), None if about.created_at is None else short_date(about.created_at)]
    parts += [about.project and f"project {about.project}", counted(len(marked.messages), "message")]
    rest = one_line(" · ".join(part for part in parts if part))
    return Content.assemble((one_line(about.name), "bold $text"), (f" · {rest}", "$muted"))


def note(marked: MarkedConversation, mark: PassageMark | None) -> Content:
    """Return two lines about the mark under the cursor; without one, the numbers of admitted and refused passages."""
    if mark is None:
        signs = Counter(mark.fate for mark in marked.marks)
        words = {PassageFate.KEPT: "kept", PassageFate.INACTIVE: "of inactive memories", PassageFate.REFUSED: "refused"}
        parts = [f"{signs[sign]:,} {words[sign]}" for sign in PassageFate if signs[sign]]
        return Content.styled(" · ".join(parts) or "no memories or refused passages here", "$muted")
    if mark.memory is None:
        reason = "" if mark.refusal is None else one_line(mark.refusal.reason).replace("_", " ")
        why = "" if mark.why == reason else mark.why
        return Content.assemble(("refused", "bold $warn"), (f" · {reason}", "$muted"), "\n", (why, "$text"))
    memory = mark.memory
    live, about = memory.life is Life.LIVE, f" · {memory.kind} · {memory.tier}"
    status = "" if live else f"{memory.life} "
    if memory.review is (Review.VALIDATED if live else Review.REJECTED):
        status = f"{memory.review} "
    return Content.assemble(
        (f"{status}memory", "bold $quote" if live else "bold $warn"),
        (about, "$muted"),
        "\n",
        (one_line(memory.text), "$text"),
    )
