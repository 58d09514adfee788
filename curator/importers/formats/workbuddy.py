"""Sessions of Tencent's WorkBuddy and CodeBuddy: items in the format of OpenAI's Responses API, with `sessionId`.

Locations: `~/.workbuddy/projects` and `~/.codebuddy/projects`, with a folder per project, and sub-agents in
`subagents`. The formats are undocumented; this follows readers of other programs. A prompt may be in `<user_query>`,
surrounded by text of the program.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, ReadProgress
from curator.importers.json_stream import JsonObject, as_dicts, as_str, as_time, first_text, join_lines
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, call, result, thought
from curator.importers.session_files import Session, read_sessions, typed
from store.model import Channel, Role

_TYPES = ("message", "function_call", "function_call_result", "reasoning")
_QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the session of each file."""
    return read_sessions(files, progress, options, Format.WORKBUDDY, fits, session_of)


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return a session; the last title counts."""
    titles = [first_text(one, "aiTitle", "customTitle") for one in lines]
    is_agent = "subagents" in log.inner.parts[:-1]
    named = next(filter(None, (first_text(one, "sessionId") for one in lines)), "")
    return Session(
        log.inner.stem if is_agent else named or log.inner.stem,
        [LogMessage(list(pieces_of(one)), as_str(one.get("id")), as_time(one.get("timestamp"))) for one in lines],
        title=next(filter(None, reversed(titles)), ""),
        folder=next(filter(None, (as_str(one.get("cwd")) for one in lines)), ""),
        sidechain=is_agent,
    )


def pieces_of(item: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of an item."""
    blocks = as_dicts(item.get("content"))
    text = as_str(item.get("content")) or join_lines(as_str(one.get("text")) for one in blocks)
    match as_str(item.get("type")), as_str(item.get("role")):
        case "message", "user":
            queries = [found.strip() for found in _QUERY.findall(text)]
            if queries:
                yield MessagePart(Role.USER, Channel.SPOKEN, join_lines(queries))
                yield MessagePart(Role.USER, Channel.INJECTED, _QUERY.sub("", text).strip(), "#added", hidden=True)
            else:
                yield from typed(text)
        case "message", "assistant":
            yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, text)
        case "message", _:
            yield MessagePart(Role.SYSTEM, Channel.INJECTED, text, hidden=True)
        case "reasoning", _:
            yield thought(join_lines(as_str(one.get("text")) for one in as_dicts(item.get("rawContent"))) or text)
        case "function_call", _:
            yield call(first_text(item, "name"), item.get("arguments"))
        case "function_call_result", _:
            output = item.get("output")
            yield result([output] if isinstance(output, dict) else output)


def fits(record: JsonObject) -> bool:
    """Return True for an item of a session."""
    if record.get("type") == "ai-title":
        return "aiTitle" in record and "timestamp" in record and not {"uuid", "parentUuid"} & record.keys()
    return record.get("type") in _TYPES and "sessionId" in record and "timestamp" in record and "message" not in record


def places() -> Iterator[Path]:
    """Yield the non-empty folders of projects."""
    for name in (".workbuddy", ".codebuddy"):
        if any((Path.home() / name / "projects").rglob("*.jsonl")):
            yield Path.home() / name / "projects"


FORMAT = LogFormat(Format.WORKBUDDY, "a session of WorkBuddy or CodeBuddy", read, fits=fits, places=places)
