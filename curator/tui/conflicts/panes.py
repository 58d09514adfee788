"""Panes of a conflict: the two memories, and the draft of a merge."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from curator.curation import Draft, Side
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.dispatch import ErrorBoundary
from curator.tui.glyphs import Glyphs
from curator.tui.labels import flow, heading, hung, shortened
from curator.tui.memories.detail_render import evidence, in_quarantine, nature, numbers, scope_of, tags_of
from curator.tui.text_diff import Part, Share
from curator.tui.text_format import counted, one_line, said
from store.model import Memory

TEXT = 4_000  # characters of a memory's text
T = TypeVar("T")
_SIDES: tuple[Side, Side] = ("a", "b")


class Pane(ErrorBoundary, VerticalScroll, Generic[T], can_focus=False):
    """A text with a heading, highlighted if `enter` would choose it; scrolls without focus."""

    DEFAULT_CSS = """
    Pane { background: $background; padding: 0 1; scrollbar-size-vertical: 1; width: 1fr; height: 1fr; }
    Pane > Static { height: auto; width: 1fr; color: $text; }
    """

    @dataclass
    class Pointed(Message):
        """The pane was clicked."""

        choice: str

    def __init__(self, glyphs: Glyphs, choice: str) -> None:
        super().__init__(id=f"side-{choice}")
        self._choice = choice
        self._glyphs = glyphs
        self._chosen = False
        self.shown: T | None = None
        self._drawn: tuple[object, ...] | None = None

    def compose(self) -> ComposeResult:
        """Create the text widget."""
        yield Static(markup=False)

    def show(self, shown: T | None, still: bool = False) -> None:
        """Show `shown`, scrolled to the top unless `still`."""
        self.shown = shown
        self.draw()
        if not still:
            self.scroll_home(animate=False)

    def choose(self, chosen: bool) -> None:
        """Set whether this pane is highlighted."""
        self._chosen = chosen
        self.draw()

    def on_resize(self) -> None:
        """Wrap for the new width."""
        self.draw()

    def on_click(self) -> None:
        """Ask for the highlight."""
        self.post_message(self.Pointed(self._choice))

    def draw(self) -> None:
        """Redraw if the content, the highlight or the width has changed."""
        width = self.scrollable_content_region.width
        drawing = (self.shown, self._chosen, width)
        if drawing != self._drawn and self.is_mounted:
            self._drawn = drawing
            lines = () if self.shown is None else self.lines(self.shown, max(width, 10))
            self.query_one(Static).update(Content("\n").join(lines))

    def lines(self, shown: T, width: int) -> Iterator[Content]:
        """Yield the lines of `shown`, in `width` cells."""
        raise NotImplementedError

    def headed(self, name: str, what: str, width: int) -> Iterator[Content]:
        """Yield the heading, with a sign and a colour if it is highlighted."""
        sign = self._glyphs.cursor if self._chosen else " "
        look = "bold $accent" if self._chosen else "bold $muted"
        yield from hung(
            Content.assemble((f"{sign} ", "$accent"), (name, look)), Content.styled(f" {what}", "$muted"), width
        )


class SidePane(Pane[ConflictDetail]):
    """One of the two memories of a conflict."""

    def __init__(self, glyphs: Glyphs, side: Side) -> None:
        super().__init__(glyphs, side)
        self._side = side

    def lines(self, shown: ConflictDetail, width: int) -> Iterator[Content]:
        """Yield the text with its differences, its state and its quotes."""
        side = shown.on(self._side)
        memory, texts = side.memory, shown.texts
        apart = " · no words in common" if texts.apart else ""
        older = "older" if self._side == "a" else "newer"
        yield from self.headed(self._side.upper(), f"· {older} · {said(memory.created_at)}{apart}", width)
        parts = texts.a if self._side == "a" else texts.b
        yield from marked(memory, parts, self._glyphs, texts.apart).wrap(width)
        yield Content()
        yield from flow(nature(memory, self._glyphs), width)
        yield from flow([*numbers(memory, side.uses), *scope_of(memory)], width)
        yield from tags_of(memory, width)
        yield from in_quarantine(memory, self._glyphs)
        for quoted in side.quotes:
            yield Content()
            yield from evidence(quoted, self._glyphs, width)
        if side.more:
            yield Content.styled(f"and {counted(side.more, 'older quote')}", "$muted")


def marked(memory: Memory, parts: Sequence[Part], glyphs: Glyphs, apart: bool) -> Content:
    """Return a text with its own words bracketed and coloured, and words that the other has elsewhere underlined."""
    if len(memory.text) > TEXT:
        return Content.styled(shortened(memory.text, TEXT), "bold $text")
    pieces: list[tuple[str, str]] = []
    for part in parts:
        text = shortened(part.text, TEXT)
        if part.share is Share.OWN and text.strip() and not apart:
            start, end = len(text) - len(text.lstrip()), len(text.rstrip())
            words = f"{glyphs.own[0]}{text[start:end]}{glyphs.own[1]}"
            pieces += [(text[:start], "bold $text"), (words, "bold $diff-new"), (text[end:], "bold $text")]
        else:
            pieces.append((text, "bold underline $text" if part.share is Share.MOVED else "bold $text"))
    return Content.assemble(*pieces)


class DraftPane(Pane[tuple[Draft, Side]]):
    """The draft of a merge, and the side whose text it replaces."""

    def lines(self, shown: tuple[Draft, Side], width: int) -> Iterator[Content]:
        """Yield the draft, and the sentences that it leaves out."""
        draft, survivor = shown
        yield from self.headed("draft", f"· suggested merge, replaces {survivor.upper()}", width)
        yield from Content.styled(shortened(draft.text, TEXT), "bold $text").wrap(width)
        yield Content()
        yield from flow((Content.styled(word, "$muted") for word in (draft.kind, draft.tier, "validated")), width)
        if draft.left_out:
            yield Content()
            yield heading("NOT IN THE DRAFT")
            for sentence in draft.left_out:
                yield from hung(Content("  "), Content.styled(one_line(sentence), "$warn"), width)


class PairPane(ErrorBoundary, Container):
    """Both sides and the draft; `choice` is the highlighted one: a, b or draft."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="pair")
        self.choice = "b"
        self.draft: Draft | None = None
        self._sides = {side: SidePane(glyphs, side) for side in _SIDES}
        self._draft_pane = DraftPane(glyphs, "draft")

    def compose(self) -> ComposeResult:
        """Lay out the sides, and the draft beside or below them."""
        with Container(id="sides"):
            yield from self._sides.values()
        yield self._draft_pane

    @property
    def side(self) -> Side:
        """The highlighted side; the newer if the draft is highlighted."""
        return "a" if self.choice == "a" else "b"

    def show(self, detail: ConflictDetail | None) -> None:
        """Show a conflict; each pane keeps its scroll position if the conflict is the same."""
        for pane in self._sides.values():
            former = pane.shown
            still = former is not None and detail is not None and former.pair.alert.id == detail.pair.alert.id
            pane.show(detail, still)

    def show_draft(self, draft: Draft, survivor: Side) -> None:
        """Show a draft that replaces a side, and highlight it."""
        self.draft = draft
        self._draft_pane.show((draft, survivor))
        self.choose("draft")

    def drop_draft(self) -> None:
        """Hide the draft."""
        self.draft = None
        self._draft_pane.show(None)
        if self.choice == "draft":
            self.choose("b")

    def choose(self, choice: str) -> None:
        """Highlight a side or the draft."""
        self.choice = choice
        for side, pane in self._sides.items():
            pane.choose(side == choice)
        self._draft_pane.choose(choice == "draft")

    def step(self, by: int) -> None:
        """Move the highlight by `by` panes, wrapping around."""
        choices = [*_SIDES, *(["draft"] if self.draft is not None else [])]
        self.choose(choices[(choices.index(self.choice) + by) % len(choices)])

    @property
    def highlighted(self) -> VerticalScroll:
        """The highlighted pane."""
        return self._draft_pane if self.choice == "draft" else self._sides[self.side]
