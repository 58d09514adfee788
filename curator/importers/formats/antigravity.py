"""Google Antigravity: stored transcripts of conversations, and transcripts exported as Markdown.

A transcript has a step per line, `{step_index, source, type, content}`; `transcript_full.jsonl` next to
`transcript.jsonl` is the same without truncation. An export has the headings `### User Input` and `### Planner
Response`. Its databases and `.pb` files have no documented form.

Locations: `brain/CONVERSATION/.system_generated/logs` in `~/.gemini/antigravity` and its relatives. Based on readers of
other programs.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, whole_text
from curator.importers.json_stream import LIMIT, JsonObject, as_dicts, as_str, as_time, first_text
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, call, thought
from curator.importers.session_files import (
    Session,
    call_input,
    conversation_of,
    fallback_id,
    read_sessions,
    typed,
)
from store.model import Channel, Role

_TYPED = re.compile(r"<USER_REQUEST>(.*?)(?:</USER_REQUEST>|\Z)", re.DOTALL)
_HEADING = re.compile(r"^### (User Input|Planner Response)[ \t]*$", re.MULTILINE)
_ACTIVITY = re.compile(
    r"^\*(?:Viewed|Listed|Searched|Read|Edited|Checked|Grep searched|User accepted)\b[^\n]*\*[ \t]*$"
)
_RELATIVES = ("antigravity", "antigravity-cli", "antigravity-ide")
_CONTEXT = ("CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "SYSTEM_MESSAGE", "CHECKPOINT")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversation of each transcript (its full form if there is one), and of each export."""
    texts = [one for one in files if one.inner.suffix.lower() in (".md", ".markdown", ".txt")]
    whole = {one.inner.parent for one in files if one.inner.name == "transcript_full.jsonl"}
    cut = [one for one in files if one.inner.name == "transcript.jsonl" and one.inner.parent in whole]
    yield from (Skipped("not_a_message", one.name) for one in cut)
    logs = [one for one in files if one not in texts and one not in cut]
    yield from read_sessions(logs, progress, options, Format.ANTIGRAVITY, fits, session_of)
    for log in texts:
        text = whole_text(log, progress, LIMIT)
        if isinstance(text, Problem):
            yield text
            continue
        turns = list(sections(text))
        yield conversation_of(Format.ANTIGRAVITY, Session(fallback_id(turns), turns), log.name)


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return a conversation; its id is in the folder of its transcript."""
    above = (log.path or log.inner).parent.parts
    turns = [
        LogMessage(list(pieces_of(one)), f"step-{first_text(one, 'step_index')}", as_time(one.get("created_at")))
        for one in lines
    ]
    named = above[-3] if above[-2:] == (".system_generated", "logs") and len(above) > 2 else ""
    return Session(named or fallback_id(turns), turns)


def pieces_of(step: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a step."""
    kind, source, text = as_str(step.get("type")), as_str(step.get("source")), as_str(step.get("content"))
    match kind:
        case "USER_INPUT" if source in ("", "USER_EXPLICIT"):
            asked = _TYPED.search(text)
            yield from typed(asked[1].strip() if asked else text)
            rest = _TYPED.sub("", text).strip() if asked else ""
            yield MessagePart(Role.USER, Channel.INJECTED, rest, "#added", hidden=True)
        case "PLANNER_RESPONSE":
            yield thought(as_str(step.get("thinking")))
            yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, text)
        case _ if kind in _CONTEXT or kind == "USER_INPUT" or source == "SYSTEM":
            yield MessagePart(Role.SYSTEM, Channel.INJECTED, text, hidden=True)
        case _:  # output of a tool
            yield MessagePart(Role.TOOL, Channel.TOOL, text)
    for number, one in enumerate(as_dicts(step.get("tool_calls"))):
        yield call(first_text(one, "name"), call_input(one), number)


def sections(text: str) -> Iterator[LogMessage]:
    """Yield the sections of an export, and the notes about tools between the lines of an answer."""
    found = list(_HEADING.finditer(text))
    for start, end in zip(found, [*found[1:], None], strict=True):
        body = text[start.end() : end.start() if end else len(text)].strip()
        if start[1] == "User Input":
            yield LogMessage(list(typed(body)))
            continue
        lines = body.split("\n")
        noted = "\n".join(line for line in lines if _ACTIVITY.match(line))
        said = "\n".join(line for line in lines if not _ACTIVITY.match(line)).strip()
        yield LogMessage(
            [
                MessagePart(Role.ASSISTANT, Channel.SPOKEN, said),
                MessagePart(Role.ASSISTANT, Channel.TOOL, noted, "#noted"),
            ]
        )


def fits(record: JsonObject) -> bool:
    """Return True for a step of a transcript."""
    return "step_index" in record and "type" in record and bool({"source", "created_at", "content"} & record.keys())


def fits_text(text: str, name: str) -> bool:
    """Return True for an exported conversation."""
    return [found[1] for found in _HEADING.finditer(text)][:1] == ["User Input"]


def places() -> Iterator[Path]:
    """Yield the folders of conversations with a transcript."""
    for name in _RELATIVES:
        folder = Path.home() / ".gemini" / name / "brain"
        if any(folder.glob("*/.system_generated/logs/transcript*.jsonl")):
            yield folder


FORMAT = LogFormat(
    Format.ANTIGRAVITY, "an Antigravity transcript", read, fits=fits, fits_text=fits_text, places=places, exported=True
)
