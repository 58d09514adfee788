"""The panes of a conflict: one for each of the two memories, and one for what merging would make of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from curator.curation import Draft, Side
from curator.injection import describe_flag
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.error_boundary import ErrorBoundary
from curator.tui.formatting import counted, one_line, said
from curator.tui.glyphs import Glyphs
from curator.tui.labels import flow, heading, hung, shortened
from curator.tui.memories.detail_render import nature, numbers
from curator.tui.memories.evidence_render import evidence
from curator.tui.widgets.pair_diff import Part, Share
from store.model import Memory

TEXT = 4_000  # characters of a memory's text


class Pane(ErrorBoundary, VerticalScroll, can_focus=False):
    """A text under a heading that says whether this is what `enter` would take; scrolls without being focused."""

    DEFAULT_CSS = """
    Pane { background: $background; padding: 0 1; scrollbar-size-vertical: 1; width: 1fr; height: 1fr; }
    Pane > Static { height: auto; width: 1fr; color: $text; }
    """

    @dataclass
    class Pointed(Message):
        """The mouse has chosen this one."""

        choice: str

    def __init__(self, glyphs: Glyphs, choice: str) -> None:
        super().__init__(id=f"side-{choice}")
        self._choice = choice
        self._glyphs = glyphs
        self._chosen = False
        self._drawn: tuple[object, ...] | None = None

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(markup=False)

    def choose(self, chosen: bool) -> None:
        """Show whether this is the one that is highlighted."""
        self._chosen = chosen
        self.draw()

    def on_resize(self) -> None:
        """Wrap anew."""
        self.draw()

    def on_click(self) -> None:
        """Highlight this one."""
        self.post_message(self.Pointed(self._choice))

    def draw(self) -> None:
        """Draw again what has changed."""
        width = self.scrollable_content_region.width
        drawing = (self.shown, self._chosen, width)
        if drawing != self._drawn and self.is_mounted:
            self._drawn = drawing
            lines = list(self.lines(max(width, 10)))
            self.query_one(Static).update(Content("\n").join(lines))

    @property
    def shown(self) -> object:
        """What the text is made of."""
        raise NotImplementedError

    def lines(self, width: int) -> Iterator[Content]:
        """The text in `width` cells."""
        raise NotImplementedError

    def headed(self, name: str, what: str, width: int) -> Iterator[Content]:
        """The first line: what this is, in a sign and a colour if it is highlighted."""
        sign = self._glyphs.cursor if self._chosen else " "
        look = "bold $accent" if self._chosen else "bold $muted"
        yield from hung(
            Content.assemble((f"{sign} ", "$accent"), (name, look)), Content.styled(f" {what}", "$muted"), width
        )


class SidePane(Pane):
    """One of the two memories."""

    def __init__(self, glyphs: Glyphs, side: Side) -> None:
        super().__init__(glyphs, side)
        self._side = side
        self._closely: ConflictDetail | None = None

    def show(self, closely: ConflictDetail | None) -> None:
        """Put a conflict in; another one is seen from its beginning."""
        former, self._closely = self._closely, closely
        self.draw()
        if former is None or closely is None or former.pair.alert.id != closely.pair.alert.id:
            self.scroll_home(animate=False)

    @property
    def shown(self) -> object:
        return self._closely

    def lines(self, width: int) -> Iterator[Content]:
        if self._closely is None:
            return
        facing = self._closely.on(self._side)
        memory, texts = facing.memory, self._closely.texts
        apart = " · no words in common" if texts.apart else ""
        older = "older" if self._side == "a" else "newer"
        yield from self.headed(self._side.upper(), f"· {older} · {said(memory.created_at)}{apart}", width)
        parts = texts.a if self._side == "a" else texts.b
        yield from marked(memory, parts, self._glyphs, texts.apart).wrap(width)
        yield Content()
        yield from flow(nature(memory, self._glyphs), width)
        yield from flow([*numbers(memory, facing.uses), *_where(memory)], width)
        if memory.flag is not None:
            why = one_line(describe_flag(memory.flag, memory.text))
            yield Content.styled(f"{self._glyphs.quarantined} quarantined: {why}", "bold $warn")
        for quoted in facing.quotes:
            yield Content()
            yield from evidence(quoted, self._glyphs, width)
        if facing.more:
            yield Content.styled(f"and {counted(facing.more, 'older quote')}", "$muted")


def marked(memory: Memory, parts: Sequence[Part], glyphs: Glyphs, apart: bool) -> Content:
    """A text with what only it says in brackets and a colour, and underlined what the other says elsewhere."""
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


def _where(memory: Memory) -> Iterator[Content]:
    """Where it holds, and what is written beside it."""
    if memory.scope != "global":
        where, _, name = memory.scope.partition(":")
        yield Content.styled(one_line(f"only in {where} {name}"), "$accent")
    if memory.tags:
        yield Content.styled(" ".join(f"#{one_line(tag)}" for tag in memory.tags), "$accent")


class DraftPane(Pane):
    """What merging would make: there when it is asked for."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, "draft")
        self._draft: tuple[Draft, str] | None = None

    def show(self, draft: Draft | None, survivor: str = "") -> None:
        """Put a draft in, and which side would say it."""
        self._draft = None if draft is None else (draft, survivor)
        self.draw()
        self.scroll_home(animate=False)

    @property
    def shown(self) -> object:
        return self._draft

    def lines(self, width: int) -> Iterator[Content]:
        if self._draft is None:
            return
        draft, survivor = self._draft
        yield from self.headed("draft", f"· suggested merge, replaces {survivor}", width)
        yield from Content.styled(shortened(draft.text, TEXT), "bold $text").wrap(width)
        yield Content()
        yield from flow((Content.styled(word, "$muted") for word in (draft.kind, draft.tier, "validated")), width)
        if draft.left_out:
            yield Content()
            yield heading("NOT IN THE DRAFT")
            for sentence in draft.left_out:
                yield from hung(Content("  "), Content.styled(one_line(sentence), "$warn"), width)
