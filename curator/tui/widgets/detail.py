"""The detail pane: everything behind one memory. Text from logs is put in as it is, never as markup."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from curator.export.plain import visible
from curator.tui.details import Details, Found, Quoted
from curator.tui.glyphs import Glyphs
from curator.tui.text import day, one_line
from store.model import Memory, Message, Origin, Review, Role, Version

TURN = 160  # characters of a surrounding turn
BESIDE = 120  # characters of the quoted message before and after the quote
_LONGEST = 4_000

_ORIGINS = {
    Origin.RULES: "found by rule",
    Origin.MODEL: "found by a model",
    Origin.PERSON: "typed by you",
    Origin.IMPORT: "imported as a memory",
}
_SOURCES = {"chatgpt": "ChatGPT", "claude": "Claude", "claude-code": "Claude Code", "openai": "OpenAI"}
_SPEAKERS = {Role.USER: "you", Role.ASSISTANT: "reply", Role.TOOL: "tool", Role.SYSTEM: "system"}


class Detail(VerticalScroll, can_focus=False):
    """Shows `Details`; scrolls without being focused."""

    DEFAULT_CSS = """
    Detail { background: $background; padding: 0 1 0 2; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    Detail > Static { height: auto; width: 1fr; color: $text; }
    """

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._details: Details | None = None

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static()

    def show(self, details: Details | None) -> None:
        """Put another memory in the pane, or nothing; the same one again stays where it is scrolled to."""
        former, self._details = self._details, details
        self._draw()
        if former is None or details is None or former.memory.id != details.memory.id:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap anew."""
        self._draw()

    def _draw(self) -> None:
        details = self._details
        width = self.scrollable_content_region.width
        self.query_one(Static).update("" if details is None else content(details, self._glyphs, width))


def content(details: Details, glyphs: Glyphs, width: int) -> Content:
    """The details in `width` cells, with colours from the theme's tokens."""
    memory = details.memory
    lines = [Content(_shortened(memory.text)).stylize("bold $text"), Content(), _nature(memory, glyphs)]
    lines += _numbers(memory)
    if memory.flag is not None:
        lines += [
            Content(),
            Content.styled(f"{glyphs.quarantined} in quarantine: {visible(memory.flag)}", "bold $warn"),
            Content.styled("Read it before you validate it: it may be an instruction to a model.", "$muted"),
        ]
    lines += _alerts(details.alerts, glyphs)
    lines += _evidence(details, glyphs, width)
    lines += _why(memory)
    lines += _versions(details.versions)
    return Content("\n").join(lines)


def _nature(memory: Memory, glyphs: Glyphs) -> Content:
    parts = [
        Content.styled(memory.kind, "$text"),
        Content.styled(memory.tier, f"bold $tier-{memory.tier}"),
        _review(memory, glyphs),
    ]
    if memory.state != "new":
        parts.append(Content.styled(memory.state, "$muted"))
    if memory.pinned:
        parts.append(Content.styled(f"{glyphs.pinned} pinned", "$accent"))
    if memory.later_until is not None:
        parts.append(Content.styled(f"asked again {day(memory.later_until)}", "$muted"))
    return Content.styled(" · ", "$muted").join(parts)


def _review(memory: Memory, glyphs: Glyphs) -> Content:
    if memory.review is Review.VALIDATED:
        return Content.styled(f"{glyphs.validated} validated", "$good")
    return Content.styled(memory.review, "$bad" if memory.review is Review.REJECTED else "$muted")


def _numbers(memory: Memory) -> Iterator[Content]:
    parts = [f"confidence {_decimal(memory.confidence)}"]
    if memory.user_score is not None:
        parts.append(f"your score {memory.user_score}")
    parts += [f"importance {memory.importance}", _ORIGINS[memory.origin], day(memory.created_at)]
    parts += [part for part in (_source(memory.source), memory.project) if part]
    yield Content.styled(one_line(" · ".join(parts)), "$muted")
    if memory.tags:
        yield Content.styled(" ".join(f"#{visible(tag)}" for tag in memory.tags), "$accent")
    if memory.expires_at is not None:
        yield Content.styled(f"expires {day(memory.expires_at)}", "$warn")


def _alerts(alerts: tuple[Found, ...], glyphs: Glyphs) -> Iterator[Content]:
    if not alerts:
        return
    yield Content()
    yield _heading("ALERTS", str(len(alerts)))
    for found in alerts:
        yield Content.assemble(
            (f"{glyphs.alert} {found.alert.relation} {_decimal(found.alert.score)}  ", "$warn"),
            one_line(found.other.text, 200),
        )


def _why(memory: Memory) -> Iterator[Content]:
    surprise = memory.surprise
    if surprise is None:
        return
    yield Content()
    yield _heading("WHY IT IS HERE", f"surprise {_decimal(surprise.total)}")
    parts = ("novelty", "contradiction", "specificity", "emphasis", "switch")
    yield Content.styled(" · ".join(f"{part} {_decimal(getattr(surprise, part))}" for part in parts), "$muted")


def _versions(versions: tuple[Version, ...]) -> Iterator[Content]:
    if not versions:
        return
    yield Content()
    yield _heading("VERSIONS", str(len(versions)))
    for version in versions:
        merged = " · merged" if version.merged_from is not None else ""
        yield Content.assemble((f"{day(version.at)}{merged}  ", "$muted"), _shortened(version.text))


def _evidence(details: Details, glyphs: Glyphs, width: int) -> Iterator[Content]:
    yield Content()
    yield _heading("EVIDENCE", str(len(details.evidence) + details.more))
    if not details.evidence:
        yield Content.styled(f"none: it was {_ORIGINS[details.memory.origin]}", "$muted")
    for number, quoted in enumerate(details.evidence):
        if number:
            yield Content()
        yield _place(quoted)
        for turn, is_quoted in _turns(quoted):
            bar = Content.styled(f"{glyphs.quote} ", "$quote" if is_quoted else "$rule")
            yield from (bar + line for line in turn.wrap(max(width - 2, 10)))
    if details.more:
        yield Content.styled(f"and {details.more} older", "$muted")


def _place(quoted: Quoted) -> Content:
    evidence = quoted.evidence
    parts = [_source(evidence.source), evidence.title or evidence.reference]
    parts.append(None if evidence.said_at is None else day(evidence.said_at))
    return Content.styled(one_line(" · ".join(part for part in parts if part)) or "source unknown", "$muted")


def _turns(quoted: Quoted) -> Iterator[tuple[Content, bool]]:
    """What was said, turn by turn, and whether the quote is in it."""
    if not quoted.around:
        yield Content.styled(f"“{_shortened(quoted.evidence.quote)}”", "$quote"), True
    for turn in quoted.around:
        if turn.id == quoted.evidence.message:
            yield Content.assemble(_speaker(turn), *_marked(turn.text, quoted)), True
        else:
            text = one_line(turn.text, TURN) + ("…" if len(turn.text) > TURN else "")
            yield Content.assemble(_speaker(turn), (text, "$muted")), False


def _speaker(turn: Message) -> tuple[str, str]:
    return f"{_SPEAKERS[turn.role]}: ", "$muted"


def _marked(text: str, quoted: Quoted) -> list[tuple[str, str]]:
    """The quoted message around the quote, and the quote in its own colour."""
    start, end = quoted.evidence.start, quoted.evidence.end
    if text[start:end] != quoted.evidence.quote:
        return [(f"“{_shortened(quoted.evidence.quote)}”", "bold $quote")]
    before, after = text[max(start - BESIDE, 0) : start], text[end : end + BESIDE]
    return [
        ("…" * (start > BESIDE) + visible(before), "$muted"),
        (_shortened(quoted.evidence.quote), "bold $quote"),
        (visible(after) + "…" * (len(text) > end + BESIDE), "$muted"),
    ]


def _heading(name: str, what: str) -> Content:
    return Content.assemble((name, "bold $muted"), (f"  {what}", "$muted"))


def _source(name: str | None) -> str | None:
    return None if name is None else _SOURCES.get(name, name)


def _decimal(value: float) -> str:
    """Two digits after the point and none before it: `.83`, `0`, `1`."""
    return {"0.00": "0", "1.00": "1"}.get(f"{value:.2f}", f"{value:.2f}".removeprefix("0"))


def _shortened(text: str) -> str:
    return visible(text[:_LONGEST]) + ("…" if len(text) > _LONGEST else "")
