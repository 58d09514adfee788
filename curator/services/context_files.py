"""Memories as text for files that assistants read, and for the two fields of ChatGPT's settings.

The lines pass the same gates as a recall block.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum

from curator import safety
from curator.config import settings
from curator.curation.disclosure import Disclosure
from curator.models.tokens import token_counter
from curator.recall.block import attributed, exclusion_reason
from curator.recall.project_block import KINDS
from curator.safety import concerns
from store import Filter, Sort, Store, clock
from store.model import Given, Kind, Memory, Review, Tier

FIELD = 1_500
"""Characters of each of ChatGPT's two fields, counted as a browser does: an emoji is two."""
_PERSON, _PROJECT = "## What is known about the person", "## Rules and facts of this project"
_HEADINGS = {
    Kind.PROJECT: "Project",
    Kind.DECISION: "Decisions",
    Kind.CONSTRAINT: "Rules",
    Kind.COMMITMENT: "Commitments",
    Kind.TASK: "Tasks",
    Kind.PREFERENCE: "Preferences",
    Kind.SKILL: "Skills",
    Kind.ENTITY: "Names and things",
    Kind.FACT: "Facts",
    Kind.RELATIONSHIP: "People",
    Kind.IDENTITY: "About the person",
    Kind.TRAIT: "Traits",
    Kind.EVENT: "Events",
    Kind.CONTEXT: "Context",
}
_ANSWERS = frozenset({Kind.PREFERENCE, Kind.CONSTRAINT})
_ABOUT_ANSWERS = re.compile(
    r"\b(answer|repl|respon|explain|write|format|tone|short|long|units?|language|code|call me|when you|emoji"
    r"|bullet|spell)",
    re.I,
)


class Format(StrEnum):
    """Formats of `curator export`."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"
    CLAUDE = "claude-md"
    AGENTS = "agents-md"
    GEMINI = "gemini-md"
    CURSOR = "cursor"
    CHATGPT = "chatgpt"


FILES = {
    Format.CLAUDE: "CLAUDE.md",
    Format.AGENTS: "AGENTS.md",
    Format.GEMINI: "GEMINI.md",
    Format.CURSOR: ".cursor/rules/curator.mdc",
}
"""Names of the files that assistants look for, in the folder they work in."""


def given(store: Store, project: str | None) -> list[Memory]:
    """Return the memories of a project, or those that hold everywhere, as a model may be given them.

    Validated and pinned ones only, the most important first: a file is read long after it was written, and always.
    """
    own = (Filter(projects=(project or "",)), Filter(scopes=(f"project:{project}",)))
    filters = own if project else (Filter(scopes=("global",)),)
    ids = dict.fromkeys(number for one in filters for number in store.list_ids(one, Sort.MATTERS))
    disclosure, now = Disclosure(store), clock.now()
    return [
        memory
        for memory in store.get_many(list(ids))
        if (memory.review is Review.VALIDATED or memory.pinned)
        and exclusion_reason(memory, now) is None
        and disclosure.words(memory.text)
    ]


def markdown(memories: Sequence[Memory]) -> str:
    """Return memories as Markdown, a section for each kind, under a heading that says if all are of a project."""
    wishes = any(memory.kind in _ANSWERS for memory in memories)
    if all(memory.in_project for memory in memories):
        keep = " Keep to its rules and preferences." if wishes else ""
        parts = [_PROJECT, "", f"Confirmed by the person who works on it.{keep}"]
    else:
        keep = "Keep to their preferences; none" if wishes else "None"
        parts = [_PERSON, "", f"Confirmed by the person. {keep} of this is part of the repository."]
    for kind in KINDS:
        lines = [line_of(memory) for memory in memories if memory.kind is kind]
        parts += ["", f"### {_HEADINGS[kind]}", "", *lines] if lines else []
    return "\n".join(parts)


def fitting(memories: Sequence[Memory], budget: int | None) -> Sequence[Memory]:
    """Return the first memories whose text has at most `budget` tokens; all of them if it is None."""
    if budget is None:
        return memories
    return memories[: bisect_right(range(1, len(memories) + 1), budget, key=lambda n: tokens_of(memories[:n]))]


def tokens_of(memories: Sequence[Memory]) -> int:
    """Count the tokens of memories as Markdown."""
    return token_counter(settings().recall.tokenizer)(markdown(memories))


def line_of(memory: Memory) -> str:
    """Return the line of a memory; two hyphens could end the block's marker."""
    return f"- {attributed(memory).replace('--', '–')}"


def chatgpt(memories: Sequence[Memory]) -> tuple[str, str]:
    """Return the two fields of ChatGPT's settings, about the person and how to answer, of 1,500 characters at most.

    What is always given and no matter of safety is an order. Matters of safety come first, the severe and own before
    others, then what is always given, then what is core; each in the given order.
    """
    risky = {one.id for one in memories if safety.states(one.text)}
    how = [
        one
        for one in memories
        if one.kind in _ANSWERS
        and one.id not in risky
        and (one.given is Given.ALWAYS or _ABOUT_ANSWERS.search(one.text))
    ]
    first = sorted(memories, key=lambda one: (one.given is Given.ALWAYS, one.tier is Tier.CORE), reverse=True)
    first.sort(key=lambda one: concerns.rank(one.text), reverse=True)
    return _field([one for one in first if one not in how]), _field([one for one in first if one in how])


def _field(memories: Sequence[Memory]) -> str:
    lines: list[str] = []
    for memory in memories:
        line = line_of(memory)
        if len("\n".join((*lines, line)).encode("utf-16-le")) // 2 <= FIELD:
            lines.append(line)
    return "\n".join(lines)
