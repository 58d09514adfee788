"""Sessions of Factory's Droid: `{type: session_start, id, title, cwd}`, then messages as in Anthropic's API.

Locations: `sessions/FOLDER/SESSION.jsonl` in `$FACTORY_HOME` or `~/.factory`. The format is undocumented; this follows
readers of other programs. Text that it adds to a prompt is in `<system-reminder>`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_str, first_text
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart
from curator.importers.session_files import (
    Session,
    blocks_of,
    on_branch,
    read_sessions,
    time_of,
)
from curator.paths import program_folder
from store.model import Channel, Role

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "system": Role.SYSTEM}
_TASK = "# Task Tool Invocation"  # the start of a sub-agent's prompt


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the session of each file."""
    return read_sessions(files, progress, options, Format.DROID, fits, session_of)


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return a session. Without parents of messages (early versions), all messages are on the active branch."""
    start = next((one for one in lines if one.get("type") == "session_start"), {})
    linked = any(one.get("parentId") for one in lines)
    shown = on_branch([one for one in lines if one.get("type") == "message"]) if linked else set()
    turns = [
        LogMessage(
            list(pieces_of(one)),
            as_str(one.get("id")) if one.get("type") == "message" else "",
            time_of(one, "timestamp"),
            active=not linked or as_str(one.get("id")) in shown,
        )
        for one in lines
    ]
    asked = next((piece.text for turn in turns for piece in turn.pieces if piece.text), "")
    return Session(
        first_text(start, "id") or log.inner.stem,
        turns,
        title=first_text(start, "sessionTitle", "title"),
        folder=next(filter(None, (as_str(one.get("cwd")) for one in lines)), ""),
        sidechain=bool(first_text(start, "callingSessionId")) or asked.startswith(_TASK),
    )


def pieces_of(line: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a line."""
    message = as_dict(line.get("message"))
    role = _ROLES.get(as_str(message.get("role")))
    if line.get("type") == "message" and role:
        unseen = role is Role.USER and message.get("visibility", "both") not in ("both", "all", "user", "user_only")
        for piece in blocks_of(message, role):
            added = unseen and piece.channel is Channel.SPOKEN  # added by the program for the model
            yield piece._replace(channel=Channel.INJECTED, suffix="#added", hidden=True) if added else piece
    elif line.get("type") in ("compaction_state", "compaction"):
        summary = first_text(line, "summaryText", "summary")
        yield MessagePart(Role.ASSISTANT, Channel.SUMMARY, summary, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for the first line of a session, or a message of one."""
    if record.get("type") == "session_start":
        return "id" in record and bool({"owner", "sessionTitle", "cwd"} & record.keys())
    message = as_dict(record.get("message"))
    return record.get("type") == "message" and message.get("role") in ("user", "assistant") and "content" in message


def places() -> Iterator[Path]:
    """Yield the folder of sessions, if there are any."""
    folder = program_folder("FACTORY_HOME", Path.home() / ".factory") / "sessions"
    if any(folder.rglob("*.jsonl")):
        yield folder


FORMAT = LogFormat(Format.DROID, "a Factory Droid session", read, fits=fits, places=places)
