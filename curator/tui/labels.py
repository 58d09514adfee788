"""The words, numbers and lines that the detail of a memory is made of. Text from logs becomes plain text here (I10)."""

from collections.abc import Iterable, Iterator

from textual.content import Content

from curator.export.sanitize import visible
from curator.tui.formatting import one_line
from store.model import Actor, Life, Memory, Origin, Relation, Review, Role

ORIGINS = {
    Origin.RULES: "found by rule",
    Origin.MODEL: "found by a model",
    Origin.PERSON: "typed by you",
    Origin.IMPORT: "imported as a memory",
}
SOURCES = {"chatgpt": "ChatGPT", "claude": "Claude", "claude-code": "Claude Code", "openai": "OpenAI"}
SPEAKERS = {Role.USER: "you", Role.ASSISTANT: "reply", Role.TOOL: "tool", Role.SYSTEM: "system"}
ACTORS = {Actor.PERSON: "you", Actor.SWEEP: "a sweep", Actor.MODEL: "a model", Actor.SERVER: "a program"}
RELATIONS = {
    Relation.DUPLICATE: "duplicate",
    Relation.UPDATE: "may be an update",
    Relation.CONTRADICTION: "may contradict",
}
"""What a finding by rule is worth saying of two memories that are near; the other relations say nothing."""


def source(name: str | None) -> str | None:
    """What a format is called by people."""
    return None if name is None else SOURCES.get(name, name)


def maker(label: str) -> tuple[str, str]:
    """The model and the prompt that a mark like `extract/1 qwen3:4b@0123456789ab` names; both as far as they do."""
    parts = one_line(label).split()
    model = next((part for part in parts if "@" in part), "")
    prompt = next((part for part in parts if part != model), "")
    return model.rpartition("@")[0] or "a model", prompt


def listed_under(memory: Memory) -> str | None:
    """The filter under which a memory is listed."""
    if memory.review is Review.REJECTED:
        return "is:rejected"
    return None if memory.life is Life.LIVE else f"is:{memory.life}"


def decimal(value: float) -> str:
    """Two digits after the point and none before it: `.83`, `0`, `1`."""
    return {"0.00": "0", "1.00": "1"}.get(f"{value:.2f}", f"{value:.2f}".removeprefix("0"))


def shortened(text: str, limit: int) -> str:
    """The beginning of a text, safe to look at, in about `limit` characters, and how many more there are."""
    kept = min(len(text), limit)
    shown = visible(text[:kept])
    if len(shown) > limit:  # signs for what hides are longer than what they stand for
        kept = kept * limit // len(shown)
        shown = visible(text[:kept])
    return shown if kept == len(text) else f"{shown}… {len(text) - kept:,} more characters"


def heading(name: str, what: str = "") -> Content:
    """The line above a part of the detail."""
    return Content.assemble((name, "bold $muted"), (f"  {what}" if what else "", "$muted"))


def hung(first: Content, text: Content, width: int) -> Iterator[Content]:
    """A text beside what stands before its first line; the other lines stand under the first."""
    indent = first.cell_length
    lines = text.wrap(max(width - indent, 10)) or [Content()]
    yield first + lines[0]
    yield from (Content(" " * indent) + line for line in lines[1:])


def flow(parts: Iterable[Content], width: int) -> Iterator[Content]:
    """Parts with dots between them, in lines that end between two parts."""
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
