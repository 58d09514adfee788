"""Evidence: its place, the messages around it, and the quote marked in its own."""

from collections.abc import Iterator

from textual.content import Content

from curator.export.sanitize import visible
from curator.tui.glyphs import Glyphs
from curator.tui.labels import SPEAKERS, shortened, source
from curator.tui.memories.detail_queries import Quoted
from curator.tui.text_format import day, one_line
from store.model import Message

TURN = 160  # characters of a surrounding turn
BESIDE = 120  # characters of the quoted message before and after the quote
QUOTE = 800  # characters of a quote; its conversation has the rest


def evidence(quoted: Quoted, glyphs: Glyphs, width: int) -> Iterator[Content]:
    """Yield one quote with its messages, each after a bar."""
    yield _place(quoted)
    for turn, is_quoted in _turns(quoted):
        bar = Content.styled(f"{glyphs.quote} ", "$quote" if is_quoted else "$rule")
        yield from (bar + line for line in turn.wrap(max(width - 2, 10)))


def _place(quoted: Quoted) -> Content:
    said = quoted.evidence
    parts = [source(said.source), said.title or said.reference, None if said.said_at is None else day(said.said_at)]
    return Content.styled(one_line(" · ".join(part for part in parts if part)) or "source unknown", "$muted")


def _turns(quoted: Quoted) -> Iterator[tuple[Content, bool]]:
    """Yield each message, and True for the one with the quote."""
    if not quoted.around:
        yield Content.styled(f"“{shortened(quoted.evidence.quote, QUOTE)}”", "$quote"), True
    for turn in quoted.around:
        if turn.id == quoted.evidence.message:
            yield Content.assemble(_speaker(turn), *_marked(turn.text, quoted)), True
        else:
            text = one_line(turn.text, TURN) + ("…" if len(turn.text) > TURN else "")
            yield Content.assemble(_speaker(turn), (text, "$muted")), False


def _speaker(turn: Message) -> tuple[str, str]:
    return f"{SPEAKERS[turn.role]}: ", "$muted"


def _marked(text: str, quoted: Quoted) -> list[tuple[str, str]]:
    """Return the quoted message with the quote in its own colour."""
    start, end = quoted.evidence.start, quoted.evidence.end
    quote = f"“{shortened(quoted.evidence.quote, QUOTE)}”"
    if text[start:end] != quoted.evidence.quote:
        return [(quote, "bold $quote")]
    before, after = text[max(start - BESIDE, 0) : start], text[end : end + BESIDE]
    return [
        ("…" * (start > BESIDE) + visible(before), "$muted"),
        (quote, "bold $quote"),
        (visible(after) + "…" * (len(text) > end + BESIDE), "$muted"),
    ]
