"""Grok CLI sessions: `chat_history.jsonl`, a message per line, without dates; `summary.json` has the title.

Locations: `sessions/FOLDER/SESSION` in `$GROK_HOME` or `~/.grok`, where FOLDER is the URL-encoded path of the project.
Messages of the person have no `synthetic_reason`. Based on readers of other programs.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from curator.importers.inputs import Item, LogFile, ReadProgress
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    first_text,
    join_lines,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, call, output_text, result, thought
from curator.importers.session_files import Session, fallback_id, read_sessions, sidecar_json
from curator.paths import program_folder
from store.model import Channel, Role

_TYPES = ("user", "assistant", "tool_result", "reasoning", "system", "backend_tool_call")
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FIELDS = {"content", "summary", "encrypted_content", "tool_calls", "kind"}


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the session of each file."""
    return read_sessions(files, progress, options, Format.GROK_CLI, fits, session_of)


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return a session. Its id is in the file next to it; it is also the name of the folder, unless that was copied."""
    turns = [LogMessage(list(pieces_of(line)), "", as_time(line.get("timestamp"))) for line in lines]
    kept = sidecar_json(log, "summary.json")
    above = (log.path or log.inner).parent.parts
    project = "".join(above[-2:-1])
    info = as_dict(kept.get("info"))
    named = above[-1] if log.inner.stem == "chat_history" and ("%" in project or _ID.fullmatch(above[-1])) else ""
    return Session(
        first_text(info, "id") or named or fallback_id(turns),
        turns,
        title=first_text(kept, "session_summary", "generated_title"),
        created_at=as_time(kept.get("created_at")),
        folder=as_str(info.get("cwd")) or (unquote(project) if "%2F" in project else ""),
        sidechain=as_str(kept.get("session_kind")).startswith("subagent"),
    )


def pieces_of(line: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a message."""
    text = output_text(line.get("content"))
    match as_str(line.get("type")):
        case "user" if line.get("synthetic_reason") or text.lstrip().startswith("<system-reminder>"):
            yield MessagePart(Role.USER, Channel.INJECTED, text, hidden=True)
        case "user":
            typed = text.strip().removeprefix("<user_query>").removesuffix("</user_query>")
            yield MessagePart(Role.USER, Channel.SPOKEN, typed.strip())
        case "assistant":
            yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, text)
            for number, one in enumerate(as_dicts(line.get("tool_calls"))):
                function = as_dict(one.get("function")) or one
                yield call(as_str(function.get("name")), function.get("arguments"), number)
        case "reasoning":
            summary = line.get("summary")
            parts = (as_str(one) or first_text(as_dict(one), "text", "summary_text") for one in as_list(summary))
            yield thought(as_str(summary) or join_lines(parts))
        case "tool_result":
            yield result(line.get("content"))
        case "system":
            yield MessagePart(Role.SYSTEM, Channel.INJECTED, text, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for a line of a session."""
    others = {"uuid", "sessionId", "message", "payload", "data", "role", "parts", "id", "ts"}
    is_line = record.get("type") in _TYPES and bool(_FIELDS & record.keys())
    return is_line and ("synthetic_reason" in record or not others & record.keys())


def places() -> Iterator[Path]:
    """Yield the folder of sessions, if there are any."""
    folder = program_folder("GROK_HOME", Path.home() / ".grok") / "sessions"
    if any(folder.glob("*/*/chat_history.jsonl")):
        yield folder


FORMAT = LogFormat(Format.GROK_CLI, "a Grok CLI session", read, fits=fits, places=places)
