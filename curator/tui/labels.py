"""Labels, numbers and line layout of the detail panes. Text from logs is sanitised here (I10)."""

from collections.abc import Iterable, Iterator, Mapping

from textual.content import Content

from curator.log_formats import Format
from curator.terminal_text import visible
from curator.tui.text_format import one_line
from store.model import Actor, Given, Life, Memory, Origin, Relation, Review, Role, Tier

ORIGINS = {
    Origin.RULES: "found by rule",
    Origin.MODEL: "found by a model",
    Origin.PERSON: "typed by you",
    Origin.IMPORT: "imported as a memory",
    Origin.AGENT: "proposed by an agent",
    Origin.SHARED: "said by a member of a shared project",
}
TIERS = {Tier.CORE: "central to who you are or how you work", Tier.MEDIUM: "useful, not central", Tier.LOW: "a detail"}
GIVEN = {
    Given.ALWAYS: "with every prompt, first",
    Given.RELEVANT: "when a prompt is about it",
    Given.NEVER: "to no model; you can search it",
}
REVIEWS: Mapping[str, str] = {Review.OPEN: "not reviewed", Review.VALIDATED: "validated", Review.REJECTED: "rejected"}
_SOURCES = {str(log_format): log_format.display_name for log_format in Format}
SPEAKERS = {
    Role.USER: "you",
    Role.ASSISTANT: "reply",
    Role.TOOL: "tool",
    Role.SYSTEM: "system",
    Role.OTHER: "other",
}
ACTORS = {Actor.PERSON: "you", Actor.SWEEP: "a sweep", Actor.MODEL: "a model", Actor.SERVER: "a program"}
RELATIONS = {
    Relation.DUPLICATE: "duplicate",
    Relation.UPDATE: "update",
    Relation.CONTRADICTION: "contradiction",
    Relation.UNSURE: "undecided",
}
"""Display names of the relations that are conflicts."""


def source(name: str | None) -> str | None:
    """Return the display name of a source."""
    return None if name is None else _SOURCES.get(name, name)


def maker(label: str) -> tuple[str, str]:
    """Return the model and the prompt from a label such as `extract/1 qwen3:4b@0123456789ab`."""
    parts = one_line(label).split()
    model = next((part for part in parts if "@" in part), "")
    prompt = next((part for part in parts if part != model), "")
    return model.rpartition("@")[0] or "a model", prompt


def listed_under(memory: Memory) -> str | None:
    """Return the filter that lists a memory; None if no filter is needed."""
    if memory.review is Review.REJECTED:
        return "is:rejected"
    return None if memory.life is Life.LIVE else f"is:{memory.life}"


def share(value: float) -> str:
    """Return a score from 0 to 1 as a percentage: `83%`."""
    return f"{value:.0%}"


def shortened(text: str, limit: int) -> str:
    """Return the sanitised start of a text, about `limit` characters, and the number of characters left out."""
    kept = min(len(text), limit)
    shown = visible(text[:kept])
    if len(shown) > limit:  # escapes are longer than the invisible characters they replace
        kept = kept * limit // len(shown)
        shown = visible(text[:kept])
    return shown if kept == len(text) else f"{shown}… {len(text) - kept:,} more characters"


def muted(text: str) -> Content:
    """Return a text in the muted colour."""
    return Content.styled(text, "$muted")


def heading(name: str, what: str = "") -> Content:
    """Return the heading of a section."""
    return Content.assemble((name, "bold $muted"), (f"  {what}" if what else "", "$muted"))


def hung(first: Content, text: Content, width: int) -> Iterator[Content]:
    """Wrap a text with a hanging indent after `first`."""
    indent = first.cell_length
    lines = text.wrap(max(width - indent, 10)) or [Content()]
    yield first + lines[0]
    yield from (Content(" " * indent) + line for line in lines[1:])


def flow(parts: Iterable[Content], width: int) -> Iterator[Content]:
    """Join parts with dots, breaking lines only between parts."""
    dot = Content.styled(" · ", "$muted")
    line: Content | None = None
    for part in parts:
        if line is None:
            line = part
        elif line.cell_length + dot.cell_length + part.cell_length <= width:
            line = line + dot + part
        else:
            yield line
            line = part
    if line is not None:
        yield line
