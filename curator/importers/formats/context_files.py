"""Context files, the instructions for assistants: CLAUDE.md, AGENTS.md, GEMINI.md, QWEN.md, and rules.

Rules are those of Cursor, Windsurf and Cline, and the instructions of Copilot. Each list item or short paragraph
becomes a memory, with the headings above it as context. Code, commands, tables, comments and Curator's own block are
not read.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from curator.importers.factory import redacted
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, ReadyMemory, Skipped, whole_text
from curator.importers.log_format import Format, LogFormat, Options
from curator.secrets import is_only_secret
from curator.text import content_key
from curator.text.markers import BEGIN, END
from store.model import Kind, NewEvidence, NewMemory, Origin

LARGEST = 1 << 20
"""Maximum bytes of a file."""
LONGEST, SHORTEST = 300, 8
"""Maximum and minimum characters of a memory."""
_NAMES = {
    "claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "qwen.md",
    "copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules",
}  # fmt: skip
_ENDINGS = (".mdc", ".instructions.md")
_RULES = {".windsurf", ".clinerules"}  # folders with rules under any name
_FOLDERS = _RULES | {".cursor", ".github", ".claude"}  # settings folders of a project
_HOMES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME")
_LINE = 2_000  # maximum characters of a line; longer lines are data
_LEAD = 80  # maximum characters of a line that introduces the items below it
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_NO_TEXT = re.compile(r"[ \t]*(?:\||<|>|@\S+$|!\[|\$ |\[[^\]]+\]:|(?:[-*_][ \t]*){3,}$|=+$)")
_COMMAND = re.compile(r"`[^`]*\s[^`]*`\s*(?:$|[:—–-])|`[^`]*`$")
_MARKUP = ((re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"), (re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1"), r"\2"))
_RULE = (
    r"(?:always|never|do not|don't|must|avoid|only|no|use|run|write|keep|follow|add|put|ensure|make|check|test|format"
    r"|name|ask|stop|commit|be|return|leave|document|update|read|treat|remember)\b|.*\b(?:must|never|always)\b"
)
_KINDS = (
    (Kind.PREFERENCE, re.compile(r"(?:i |we )?(?:prefer|like|love|favou?r)\b", re.IGNORECASE)),
    (Kind.IDENTITY, re.compile(r"(?:i am|i'm|my name is|call me|the user is)\b", re.IGNORECASE)),
    (Kind.DECISION, re.compile(r"(?:we|i) (?:chose|decided|picked|agreed|settled)\b", re.IGNORECASE)),
    (Kind.CONSTRAINT, re.compile(_RULE, re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class FilePassage:
    """A list item or paragraph: its original words, its line number, and the text that introduces it."""

    words: str
    line: int
    headings: tuple[str, ...] = ()
    lead: str = ""


def is_context_file(path: PurePath) -> bool:
    """Return True if assistants read instructions from a file at this path."""
    name = path.name.lower()
    in_rules = name.endswith(".md") and bool(_RULES & set(path.parts[-3:-1]))
    return name in _NAMES or name.endswith(_ENDINGS) or in_rules


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield a memory for each passage of these files."""
    for log in files:
        text = whole_text(log, progress, LARGEST)
        yield from [text] if isinstance(text, Problem) else (item_of(passage, log) for passage in passages(text))


def item_of(passage: FilePassage, log: LogFile) -> Item:
    """Return the memory of a passage, or the reason for skipping it."""
    place = f"{log.path or log.name}:{passage.line}"
    if len(passage.words) > 4 * LONGEST:  # first, since patterns would be slow
        return Skipped("wordy", place)
    text = passage.words
    for pattern, kept in _MARKUP:
        text = pattern.sub(kept, text)
    if passage.lead:
        text = f"{passage.lead} {text}"
    text = redacted(text)
    for reason, applies in (
        ("code", _COMMAND.match(passage.words)),
        ("secret", is_only_secret(text)),
        ("question", text.endswith("?")),
        ("vague", text.endswith(":")),
        ("too_short", len(text) < SHORTEST or len(text.split()) < 2),
        ("wordy", len(text) > LONGEST),
    ):
        if applies:
            return Skipped(reason, place)
    quote = redacted(passage.words)
    said = NewEvidence(
        quote,
        0,
        len(quote),
        reference=redacted(str(log.path or log.name)),
        source=redacted(place),
        title=redacted(" › ".join(passage.headings)) or None,
    )
    kind = next((kind for kind, pattern in _KINDS if pattern.match(text)), Kind.FACT)
    key, source = content_key(text), Format.CONTEXT
    memory = NewMemory(text=text, key=key, kind=kind, origin=Origin.IMPORT, source=source, evidence=(said,))
    return ReadyMemory(memory, folder=None if log.path is None else folder_of(log.path))


def folder_of(file: Path) -> str | None:
    """Return the project folder of a file; None for a global file, as in `~/.claude`."""
    folder, home = file.parent, Path.home()
    named = {Path(os.path.abspath(value)) for name in _HOMES if (value := os.environ.get(name))}  # noqa: PTH100
    hidden = folder.name.startswith(".") and folder.parent in (home, home / ".config")
    if folder in (home, *named) or hidden or folder.parent == home / ".config":
        return None
    inside = next((place for place, name in enumerate(folder.parts) if name in _FOLDERS), len(folder.parts))
    folder = Path(*folder.parts[:inside])
    return None if folder == home else str(folder)


@dataclass(slots=True)
class _Reading:
    """The passage being read, and the headings and items above it."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    leads: list[tuple[int, str]] = field(default_factory=list)  # items that end with a colon, with their indent
    lines: list[str] = field(default_factory=list)
    first: int = 0
    indent: int = -1  # of a list item; -1 for a paragraph

    def end(self) -> Iterator[FilePassage]:
        """Yield the passage, unless it only introduces the items below it."""
        words, self.lines = " ".join(" ".join(self.lines).split()), []
        if not words:
            return
        self.leads = [(indent, text) for indent, text in self.leads if indent < self.indent]
        if words.endswith(":") and len(words) <= _LEAD:
            self.leads.append((self.indent, words))
            return
        lead = self.leads[-1][1] if self.leads and self.indent >= 0 else ""
        yield FilePassage(words, self.first, tuple(text for _, text in self.headings), lead)


def passages(text: str) -> Iterator[FilePassage]:
    """Yield the list items and paragraphs of a Markdown text."""
    now, fence, until, blank = _Reading(), "", "", True
    lines = text.splitlines()
    if lines[:1] == ["---"] and "---" in lines[1:]:  # front matter
        lines[: lines.index("---", 1) + 1] = [""] * (lines.index("---", 1) + 1)
    for number, whole in enumerate(lines, 1):
        line = whole if len(whole) <= _LINE else ""
        plain = line.strip()
        mark, item, heading = _FENCE.match(line), _ITEM.match(line), _HEADING.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and plain == mark[1] else fence
        elif until:
            until = "" if until in line else until
        elif mark:
            yield from now.end()
            fence = mark[1]
        elif plain.startswith("<!--"):
            yield from now.end()
            until = END if plain == BEGIN else "-->"
            until = "" if plain != BEGIN and "-->" in plain else until
        elif heading:
            yield from now.end()
            level = len(heading[1])
            now.leads = []
            now.headings = [
                *((high, name) for high, name in now.headings if high < level),
                (level, heading[2].rstrip(" \t#")),
            ]
        elif not plain:
            yield from now.end()
        elif item and (now.indent >= 0 or not line.startswith(("    ", "\t")) or not blank):
            yield from now.end()
            now.lines, now.first, now.indent = [item[2]], number, len(item[1].expandtabs(4))
        elif now.lines and not _NO_TEXT.match(line):
            now.lines.append(plain)
        elif not _NO_TEXT.match(line) and not (line.startswith(("    ", "\t")) and blank):
            if not line.startswith(" "):
                now.indent = -1
            now.lines, now.first = [plain], number
        else:
            yield from now.end()
        blank = not plain
    yield from now.end()


FORMAT = LogFormat(Format.CONTEXT, "a context file", read)  # recognised by name, and only on request
