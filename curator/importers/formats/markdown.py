"""Transcripts in Markdown or plain text, in several styles of turn markers.

One style is chosen per file, so that `User:` inside an answer does not split it. Code fences are never split.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from curator.importers.factory import Identities, conversation, conversation_key, headline, message, redacted
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, whole_text
from curator.importers.json_stream import LIMIT, as_time
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.projects import known_projects
from store.model import Channel, Role

_NAMES = {
    Role.USER: "user|you|human|me|prompt",
    Role.ASSISTANT: (r"assistant|ai|bot|chatgpt|gpt(?:-?[\w.]+)?|claude(?:[ -][\w.]+)*|gemini|copilot|model|response"),
    Role.SYSTEM: "system|developer|system prompt",
    Role.TOOL: "tool|function|tool result",
}
_NAME = "|".join(f"(?P<{role.name}>{names})" for role, names in _NAMES.items())
_STAMP = r"(?:[ \t]*[\(\[—–,-][ \t]*[^\n]{0,40}?\d[^\n]{0,40}?[\)\]]?)?"
_STYLES = {
    "heading": rf"#{{1,6}}[ \t]+(?:[^\w\s#*]+[ \t]*)?\**(?:{_NAME})(?: said)?:?\**:?{_STAMP}[ \t]*(?:$)",
    "bold": rf"(?:[-*][ \t]+)?(?:\*\*|__)(?:[^\w\s*]+[ \t]*)?(?:{_NAME})(?: said)?{_STAMP}:?(?:\*\*|__):?(?=[ \t]|$)",
    "colon": rf"(?:\[[^\]\n]{{4,40}}\][ \t]*)?(?:{_NAME})(?: said)?{_STAMP}:(?=[ \t]|$)",
}
_MARKS = {style: re.compile(rf"^{pattern}", re.IGNORECASE) for style, pattern in _STYLES.items()}
_CHANNELS = {
    Role.USER: Channel.SPOKEN,
    Role.ASSISTANT: Channel.SPOKEN,
    Role.TOOL: Channel.TOOL,
    Role.SYSTEM: Channel.INJECTED,
}
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_COMMAND = re.compile(r"/(\w[\w-]*)(?:\s+|$)")
_ASKING = ("ask", "code", "architect", "context")
"""aider commands with a prompt as argument."""
_AIDER = re.compile(r"^# aider chat started at (.+)$")


def is_transcript(text: str) -> bool:
    """Return True if a text (or its beginning) has turns of a person and of a model."""
    return _Transcript(text).style is not None


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversation of each file; Aider histories may have several."""
    for log in files:
        text = whole_text(log, progress, LIMIT)
        yield from [text] if isinstance(text, Problem) else _Transcript(text).conversations(log)


class _Transcript:
    """The lines of a file, the numbers of those outside of code fences, and the style of its turn markers."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.outside = self._unfenced()
        self.style = self._find_style()

    def _unfenced(self) -> list[int]:
        """Return the numbers of the lines outside of code fences. An unclosed fence is not a fence."""
        lines = self.lines
        outside: list[int] = []
        unclosed: dict[str, int] = {}  # fence character -> shortest fence without a closing line from here on
        number = 0
        while number < len(lines):
            mark = _FENCE.match(lines[number])
            end: int | None = None
            if mark and len(mark[1]) < unclosed.get(mark[1][0], 1 << 30):
                closer = re.compile(rf"^ {{0,3}}{re.escape(mark[1][0])}{{{len(mark[1])},}}[ \t]*$")
                end = next((at for at in range(number + 1, len(lines)) if closer.match(lines[at])), None)
                if end is None:
                    unclosed[mark[1][0]] = len(mark[1])
            if end is None:
                outside.append(number)
            number = number + 1 if end is None else end + 1
        return outside

    def _find_style(self) -> str | None:
        """Return the style with the most turn markers, of those with turns of both sides."""
        lines = [self.lines[number] for number in self.outside]
        if any(map(_AIDER.match, lines)):
            return "aider"
        counts: dict[str, int] = {}
        for style, mark in _MARKS.items():
            roles = [_speaker(found) for found in map(mark.match, lines) if found]
            if Role.USER in roles and Role.ASSISTANT in roles:
                counts[style] = len(roles)
        if counts:
            return max(counts, key=lambda style: counts[style])
        # prompts as `>` quotes: the text begins with one (after a title), and at least two are answered
        written = [line for line in map(str.strip, lines) if line and not line.startswith("# ")]
        shape = "".join(">" if line.startswith(">") else "a" for line in written)
        return "quote" if re.match(">+a+>+a", shape) else None

    def conversations(self, log: LogFile) -> Iterator[Item]:
        """Yield the conversations of a file."""
        lines = self.lines
        if self.style is None:
            yield Problem(log.name, "no turns found (User: / Assistant:, **You:**, ## Human, > quotes, #### prompts)")
            return
        starts = [number for number in self.outside if self.style == "aider" and _AIDER.match(lines[number])] or [0]
        if any(lines[number].startswith("#### ") for number in self.outside if number < starts[0]):
            starts = [0, *starts]  # the start of the history, with the date of its first session, is missing
        source = Format.AIDER if self.style == "aider" else Format.MARKDOWN
        identities = Identities(source)
        is_own = source is Format.AIDER and log.inner.name == ".aider.chat.history.md" and log.path is not None
        folder = str(log.path.parent) if is_own and log.path else ""
        for start, end in pairwise([*starts, len(lines)]):
            here = self.outside[bisect_left(self.outside, start) : bisect_left(self.outside, end)]
            title = next((lines[n].lstrip("# ").strip() for n in here if re.match(r"# \S", lines[n])), "")
            turns = [(role, "\n".join(said).strip()) for role, said in self._turns(start, end, set(here))]
            first = next((n for n in here if self._begins(lines[n])[0]), start)
            if before := sum(bool(line.strip()) and not line.startswith("# ") for line in lines[start:first]):
                yield Skipped("not_a_message", log.name, before)
            turns = [(role, text) for role, text in turns if text]
            identity = identities.of(conversation_key(title, turns))
            own = Identities(identity)
            aider = _AIDER.match(lines[start])
            messages = []
            for role, text in turns:
                command = _COMMAND.match(text) if source is Format.AIDER and role is Role.USER else None
                channel = Channel.INJECTED if command and command[1] not in _ASKING else _CHANNELS[role]
                said = text[command.end() :] if command and channel is Channel.SPOKEN else text
                identity_ = own.of_message(None, role, text)
                messages.append(message(identity_, role, said, channel, hidden=channel is Channel.INJECTED))
            prompt = next((one.said for one in messages if one and one.role is Role.USER and not one.hidden), "")
            yield conversation(
                identity,
                source,
                messages,
                log.name,
                title=title if title and not aider else headline(redacted(prompt or log.inner.stem)),
                created_at=as_time(aider[1]) if aider else None,
                project=folder.replace("\\", "/").rpartition("/")[2],
                agent=source is Format.AIDER,
                folder=folder,
            )

    def _turns(self, start: int, end: int, outside: set[int]) -> Iterator[tuple[Role, list[str]]]:
        """Yield the role and the lines of each turn."""
        speaker: Role | None = None
        said: list[str] = []
        for number in range(start, end):
            line = self.lines[number]
            role, rest = self._begins(line) if number in outside else (None, line)
            if self.style in ("quote", "aider") and number in outside:
                role = role or Role.ASSISTANT
                if speaker is role or not line.strip() if speaker else role is Role.ASSISTANT:
                    role = None
            if role is not None:
                if speaker:
                    yield speaker, said
                speaker, said = role, []
            said.append(rest)
        if speaker:
            yield speaker, said

    def _begins(self, line: str) -> tuple[Role | None, str]:
        """Return the role of the turn that begins on this line, if any, and the rest of the line."""
        if self.style == "quote":
            quoted = line.lstrip().startswith(">")
            return (Role.USER, line.lstrip()[1:].removeprefix(" ")) if quoted else (None, line)
        if self.style == "aider":
            if line.startswith("#### "):
                return Role.USER, line[5:]
            if line.startswith("> "):
                return Role.TOOL, line[2:]
            return None, "" if _AIDER.match(line) else line
        found = _MARKS[self.style or ""].match(line)
        return (_speaker(found), line[found.end() :].strip()) if found else (None, line)


def _speaker(found: re.Match[str]) -> Role:
    return next(role for role in _NAMES if found[role.name])


def histories() -> Iterator[Path]:
    """Yield the aider histories in the home folder and in known projects."""
    for folder in dict.fromkeys((Path.home(), *known_projects())):
        path = folder / ".aider.chat.history.md"
        if path.is_file() and not path.is_symlink():
            yield path


AIDER = LogFormat(
    Format.AIDER,
    "an aider history",
    read,
    fits_text=lambda text, name: any(_AIDER.match(line) for line in text.splitlines()[:50]),
    places=histories,
)
FORMAT = LogFormat(Format.MARKDOWN, "a Markdown transcript", read, fits_text=lambda text, name: is_transcript(text))
