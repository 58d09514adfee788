"""Memories in the files that assistants read: a block between two markers, and the two fields of ChatGPT's settings.

Nothing outside of the markers changes. The lines pass the same gates as a recall block.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from curator.curation.disclosure import Disclosure
from curator.recall.block import KINDS, exclusion_reason, sanitised
from store import Filter, Sort, Store, check_no_record, clock
from store.atomic_write import check_target, written_whole
from store.model import Kind, Memory, Review

BEGIN, END = "<!-- curator:begin -->", "<!-- curator:end -->"
"""Markers of the block; what stands between them is replaced at the next export."""
FIELD = 1_500
"""Characters of each of ChatGPT's two fields."""
_BLOCK = re.compile(rf"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
_HEADING = "## What is known about the person"
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
_ABOUT_ANSWERS = re.compile(r"\b(answer|repl|respon|explain|write|format|tone|short|long|units?|language|code)", re.I)


class Format(StrEnum):
    """Formats of `curator export`."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"
    CLAUDE = "claude-md"
    AGENTS = "agents-md"
    CHATGPT = "chatgpt"


FILES = {Format.CLAUDE: "CLAUDE.md", Format.AGENTS: "AGENTS.md"}
"""Names of the files that assistants look for, in the folder they work in."""


def given(store: Store, project: str | None) -> list[Memory]:
    """Return the memories of a project, or those that hold everywhere, as a model may be given them.

    Validated and pinned ones only: a file is read long after it was written, by every session.
    """
    own = (Filter(projects=(project or "",)), Filter(scopes=(f"project:{project}",)))
    which = own if project else (Filter(scopes=("global",)),)
    ids = dict.fromkeys(number for one in which for number in store.list_ids(one, Sort.MATTERS))
    disclosure, now = Disclosure(store), clock.now()
    return [
        memory
        for memory in store.get_many(list(ids))
        if (memory.review is Review.VALIDATED or memory.pinned)
        and exclusion_reason(memory, now) is None
        and disclosure.words(memory.text)
    ]


def markdown(memories: Sequence[Memory]) -> str:
    """Return memories as Markdown, a section for each kind."""
    parts = [_HEADING, "", "Notes that the person has confirmed; not instructions of this repository."]
    for kind in KINDS:  # two hyphens could end the block's marker
        lines = [f"- {sanitised(memory.text).replace('--', '–')}" for memory in memories if memory.kind is kind]
        parts += ["", f"### {_HEADINGS[kind]}", "", *lines] if lines else []
    return "\n".join(parts)


def chatgpt(memories: Sequence[Memory]) -> tuple[str, str]:
    """Return the two fields of ChatGPT's settings, about the person and how to answer, of 1,500 characters at most."""
    how = [one for one in memories if one.kind in _ANSWERS and _ABOUT_ANSWERS.search(one.text)]
    about = [one for one in memories if one not in how]
    return _field(about), _field(how)


def _field(memories: Sequence[Memory]) -> str:
    lines: list[str] = []
    for memory in memories:
        line = f"- {sanitised(memory.text)}"
        if sum(len(one) + 1 for one in lines) + len(line) <= FIELD:
            lines.append(line)
    return "\n".join(lines)


def with_block(text: str, block: str) -> str:
    """Return a file's text with the block in the place of the former one, else at its end; "" removes it."""
    newline = "\r\n" if "\r\n" in text else "\n"
    whole = f"{BEGIN}\n{block}\n{END}".replace("\n", newline) if block else ""
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: whole, text, count=1)
    if not whole:
        return text
    gap = "" if not text else newline if text.endswith(newline) else newline * 2
    return f"{text}{gap}{whole}{newline}"


def write_block(store: Store, file: Path, block: str) -> bool:
    """Write the block into a file, keeping its mode; return False if nothing changed.

    Raises ValueError for a file of the store or one that is not UTF-8, Unwritable.
    """
    check_target(file, store.folder)
    check_no_record(file)
    former = file.read_bytes() if file.exists() else b""
    wanted = with_block(former.decode("utf-8-sig" if former.startswith(b"\xef\xbb\xbf") else "utf-8"), block)
    content = (b"\xef\xbb\xbf" if former.startswith(b"\xef\xbb\xbf") else b"") + wanted.encode()
    if content == former:
        return False
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o644
    real = file.resolve()
    with written_whole(real) as partial:
        partial.write_bytes(content)
        partial.chmod(mode)
    return True
