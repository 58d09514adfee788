"""Transcripts in Markdown or plain text, told apart by how a turn begins. One way is chosen for a whole file, so that
`User:` inside an answer splits nothing there; nothing splits inside a code fence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curator.importers.coerce import at_local
from curator.importers.factory import conversation, headline, message
from curator.importers.ids import Names, opening
from curator.importers.inputs import Part
from curator.importers.json_stream import LIMIT
from curator.importers.types import Format, Item, Meter, Problem, Unreadable
from store.model import Channel, Role

_NAMES = {
    Role.USER: "user|you|human|me|prompt",
    Role.ASSISTANT: (r"assistant|ai|bot|chatgpt|gpt(?:-?[\w.]+)?|claude(?:[ -][\w.]+)*|gemini|copilot|model|response"),
    Role.SYSTEM: "system|developer|system prompt",
    Role.TOOL: "tool|function|tool result",
}
_NAME = "|".join(f"(?P<{role.name}>{names})" for role, names in _NAMES.items())
_STAMP = r"(?:[ \t]*[\(\[—–,-][ \t]*[^\n]{0,40}?\d[^\n]{0,40}?[\)\]]?)?"
_WAYS = {
    "heading": rf"#{{1,6}}[ \t]+(?:[^\w\s#*]+[ \t]*)?\**(?:{_NAME})(?: said)?:?\**:?{_STAMP}[ \t]*(?:$)",
    "bold": rf"(?:[-*][ \t]+)?(?:\*\*|__)(?:[^\w\s*]+[ \t]*)?(?:{_NAME})(?: said)?{_STAMP}:?(?:\*\*|__):?(?=[ \t]|$)",
    "colon": rf"(?:\[[^\]\n]{{4,40}}\][ \t]*)?(?:{_NAME})(?: said)?{_STAMP}:(?=[ \t]|$)",
}
_MARKS = {way: re.compile(rf"^{pattern}", re.IGNORECASE) for way, pattern in _WAYS.items()}
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_AIDER = re.compile(r"^# aider chat started at (.+)$")


@dataclass(slots=True)
class _Turn:
    role: Role
    lines: list[str]


def is_transcript(text: str) -> bool:
    """Whether a text (or its beginning) has turns of a person and of a model."""
    lines = text.splitlines()
    return _way(lines, _unfenced(lines)) is not None


def read(parts: Sequence[Part], meter: Meter) -> Iterator[Item]:
    """The conversation of each file; Aider histories hold several."""
    for part in parts:
        if part.size > LIMIT:
            yield Problem(part.name, f"longer than {LIMIT >> 20} MB")
            continue
        try:
            with part.open(meter) as stream:
                text = stream.read().decode("utf-8-sig", "replace")
        except Unreadable as error:
            yield Problem(part.name, f"cannot be read: {error}")
            continue
        yield from _conversations(text, part)


def _conversations(text: str, part: Part) -> Iterator[Item]:
    lines = text.splitlines()
    open_ = _unfenced(lines)
    way = _way(lines, open_)
    if way is None:
        yield Problem(part.name, "no turns found (User: / Assistant:, **You:**, ## Human, > quotes, #### prompts)")
        return
    starts = [number for number in open_ if way == "aider" and _AIDER.match(lines[number])] or [0]
    seen: dict[str, int] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        here = [number for number in open_ if start <= number < end]
        title = next((lines[n].lstrip("# ").strip() for n in here if re.match(r"# \S", lines[n])), "")
        turns = [
            turn for turn in _turns(lines[start:end], {n - start for n in here}, way) if "".join(turn.lines).strip()
        ]
        said = [(turn.role, "\n".join(turn.lines).strip()) for turn in turns]
        key = opening(title, said)
        seen[key] = seen.get(key, 0) + 1
        identity = f"{Format.MARKDOWN}:{key}" + (f":{seen[key]}" if seen[key] > 1 else "")
        names = Names(identity)
        aider = _AIDER.match(lines[start]) if lines else None
        at = at_local(aider[1].strip(), "%Y-%m-%d %H:%M:%S") if aider else None
        messages = [message(names.of(None, role, text), role, text, _CHANNELS[role]) for role, text in said]
        first = next((one.text for one in messages if one and one.role is Role.USER), part.inner.stem)
        yield conversation(
            identity,
            Format.MARKDOWN,
            messages,
            part.name,
            title=title if title and not aider else headline(first),
            created_at=at,
        )


_CHANNELS = {
    Role.USER: Channel.SPOKEN,
    Role.ASSISTANT: Channel.SPOKEN,
    Role.TOOL: Channel.TOOL,
    Role.SYSTEM: Channel.INJECTED,
}


def _unfenced(lines: Sequence[str]) -> list[int]:
    """The numbers of the lines outside of code fences. A fence that is never closed is none."""
    outside: list[int] = []
    unclosed: dict[str, int] = {}  # by sign: no fence of this length or longer is closed from here on
    number = 0
    while number < len(lines):
        mark = _FENCE.match(lines[number])
        end = None
        if mark and len(mark[1]) < unclosed.get(mark[1][0], 1 << 30):
            end = _closing(lines, number, mark[1])
            if end is None:
                unclosed[mark[1][0]] = len(mark[1])
        if end is None:
            outside.append(number)
        number = number + 1 if end is None else end + 1
    return outside


def _closing(lines: Sequence[str], start: int, fence: str) -> int | None:
    closer = re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    return next((n for n in range(start + 1, len(lines)) if closer.match(lines[n])), None)


def _way(lines: Sequence[str], outside: Sequence[int]) -> str | None:
    """How turns begin in this text: the way with the most beginnings, if both sides speak."""
    if any(_AIDER.match(lines[number]) for number in outside):
        return "aider"
    counts: dict[str, int] = {}
    for way, mark in _MARKS.items():
        roles = [_speaker(found) for number in outside if (found := mark.match(lines[number]))]
        if Role.USER in roles and Role.ASSISTANT in roles:
            counts[way] = len(roles)
    if counts:
        return max(counts, key=lambda way: counts[way])
    return "quote" if _quoted(lines, outside) else None


def _quoted(lines: Sequence[str], outside: Sequence[int]) -> bool:
    """Prompts as `>` quotes: the text begins with one (after a title), and at least two are answered."""
    shape = ""
    for number in outside:
        line = lines[number].strip()
        if line and not line.startswith("# "):
            sign = ">" if line.startswith(">") else "a"
            if not shape.endswith(sign):
                shape += sign
    return shape.startswith(">a>a")


def _speaker(found: re.Match[str]) -> Role:
    return next(role for role in _NAMES if found[role.name])


def _turns(lines: Sequence[str], outside: set[int], way: str) -> Iterator[_Turn]:
    turn: _Turn | None = None
    for number, line in enumerate(lines):
        role, rest = _begins(line, way) if number in outside else (None, line)
        if way in ("quote", "aider") and number in outside:
            role = role or Role.ASSISTANT
            if turn.role is role or not line.strip() if turn else role is Role.ASSISTANT:
                role = None
        if role is not None:
            if turn:
                yield turn
            turn = _Turn(role, [rest])
        elif turn:
            turn.lines.append(rest)
    if turn:
        yield turn


def _begins(line: str, way: str) -> tuple[Role | None, str]:
    """Who begins to speak in this line, if anybody, and what is left of it."""
    if way == "quote":
        return (Role.USER, line.lstrip()[1:].removeprefix(" ")) if line.lstrip().startswith(">") else (None, line)
    if way == "aider":
        if line.startswith("#### "):
            return Role.USER, line[5:]
        if line.startswith("> "):
            return Role.TOOL, line[2:]
        return None, "" if _AIDER.match(line) else line
    found = _MARKS[way].match(line)
    return (_speaker(found), line[found.end() :].strip()) if found else (None, line)
