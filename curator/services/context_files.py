"""Memories as text for instruction files of assistants, and for the two fields of ChatGPT's settings.

Memories are excluded by the same rules as in a recall block.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum

from curator import safety
from curator.config import settings
from curator.curation.disclosure import Disclosure
from curator.curation.expiry import is_past_plan
from curator.models.tokens import token_counter
from curator.recall.block import exclusion_reason, text_with_author
from curator.recall.project_block import KINDS
from curator.safety import concerns
from store import Filter, Sort, Store, clock
from store.model import Given, Kind, Memory, Review, Tier

FIELD_CHARACTERS = 1_500
"""Limit of each of ChatGPT's two fields in UTF-16 code units, as a browser counts: an emoji is two."""
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


class ExportFormat(StrEnum):
    """Formats of `curator export`."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"
    CLAUDE = "claude-md"
    AGENTS = "agents-md"
    GEMINI = "gemini-md"
    CURSOR = "cursor"
    CHATGPT = "chatgpt"


DEFAULT_FILES = {
    ExportFormat.CLAUDE: "CLAUDE.md",
    ExportFormat.AGENTS: "AGENTS.md",
    ExportFormat.GEMINI: "GEMINI.md",
    ExportFormat.CURSOR: ".cursor/rules/curator.mdc",
}
"""Paths of the files that assistants read, relative to the working folder."""


def confirmed_memories(store: Store, project: str | None) -> list[Memory]:
    """Return the memories of a project, or the global ones for None, that may be written to a file, best first.

    Only validated and pinned memories are included, because the file is read with every prompt for a long time, and no
    plan whose day has passed.
    """
    own = (Filter(projects=(project or "",)), Filter(scopes=(f"project:{project}",)))
    filters = own if project else (Filter(scopes=("global",)),)
    ids = dict.fromkeys(
        memory_id for memory_filter in filters for memory_id in store.list_ids(memory_filter, Sort.MATTERS)
    )
    disclosure, now = Disclosure(store), clock.now()
    return [
        memory
        for memory in store.get_many(list(ids))
        if (memory.review is Review.VALIDATED or memory.pinned)
        and exclusion_reason(memory, now) is None
        and not is_past_plan(memory, now)
        and disclosure.words(memory.text)
    ]


def markdown(memories: Sequence[Memory]) -> str:
    """Return memories as Markdown with a section per kind; the heading tells project memories from global ones."""
    wishes = any(_kind(memory) in _ANSWERS for memory in memories)
    if all(memory.in_project for memory in memories):
        keep = " Keep to its rules and preferences." if wishes else ""
        parts = [_PROJECT, "", f"Confirmed by the person who works on it.{keep}"]
    else:
        keep = "Keep to their preferences; none" if wishes else "None"
        parts = [_PERSON, "", f"Confirmed by the person. {keep} of this is part of the repository."]
    for kind in KINDS:
        lines = [memory_line(memory) for memory in memories if _kind(memory) is kind]
        parts += ["", f"### {_HEADINGS[kind]}", "", *lines] if lines else []
    return "\n".join(parts)


def _kind(memory: Memory) -> Kind:
    """Return the kind under which a memory is listed: preference for an order to the assistant that is always given.

    The kind of what the person asked to remember is that of a statement, not of an order.
    """
    if memory.given is not Given.ALWAYS or memory.kind in _ANSWERS or safety.states(memory.text):
        return memory.kind
    from curator.compare.wordings import begins_as_order
    from curator.distill.requests.standing_orders import is_standing_order

    text = memory.text
    ordered = begins_as_order(text) or is_standing_order(text, asked=False, by_score=False)
    return Kind.PREFERENCE if ordered else memory.kind


def fit_to_budget(memories: Sequence[Memory], budget: int | None) -> Sequence[Memory]:
    """Return the longest prefix of `memories` whose Markdown fits into `budget` tokens (None: no limit)."""
    if budget is None:
        return memories
    return memories[: bisect_right(range(1, len(memories) + 1), budget, key=lambda n: count_tokens(memories[:n]))]


def count_tokens(memories: Sequence[Memory]) -> int:
    """Return the number of tokens of the memories' Markdown."""
    return token_counter(settings().recall.tokenizer)(markdown(memories))


def memory_line(memory: Memory) -> str:
    """Return a memory as a list item, without double hyphens, which could close the block's comment marker."""
    return f"- {text_with_author(memory).replace('--', '–')}"


def chatgpt_fields(memories: Sequence[Memory]) -> tuple[str, str]:
    """Return the texts of ChatGPT's two fields: about the person, and how to answer.

    Preferences and constraints that are always given, or are about answers, go to the second field unless they are
    facts about health. Within a field, safety matters come first by `concerns.rank`, then memories that are always
    given, then core ones. Memories that do not fit are skipped.
    """
    risky = {memory.id for memory in memories if safety.states(memory.text, tuple(safety.FACTS))}
    how = {
        memory.id
        for memory in memories
        if _kind(memory) in _ANSWERS
        and memory.id not in risky
        and (memory.given is Given.ALWAYS or _ABOUT_ANSWERS.search(memory.text))
    }
    first = sorted(memories, key=lambda memory: (memory.given is Given.ALWAYS, memory.tier is Tier.CORE), reverse=True)
    first.sort(key=lambda memory: concerns.rank(memory.text), reverse=True)
    about = [memory for memory in first if memory.id not in how]
    return _field(about), _field([memory for memory in first if memory.id in how])


def _field(memories: Sequence[Memory]) -> str:
    lines: list[str] = []
    for memory in memories:
        line = memory_line(memory)
        if len("\n".join((*lines, line)).encode("utf-16-le")) // 2 <= FIELD_CHARACTERS:
            lines.append(line)
    return "\n".join(lines)
