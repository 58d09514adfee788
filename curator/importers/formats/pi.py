"""Sessions of Pi and its relatives Oh My Pi, OpenClaw and QClaw: a tree of entries, one per line.

The first line is the session, `{type: session, id, cwd}`, then entries with `id` and `parentId` (none before version
2). The last entry is the end of the active branch. A fork copies entries with their ids and times.

Locations: `~/.pi/agent/sessions`, `~/.omp/agent/sessions`, `~/.openclaw/agents`, `~/.qclaw/agents`. Based on
packages/coding-agent/docs/session.md of badlogic/pi-mono.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, ReadProgress, Skipped
from curator.importers.json_stream import JsonObject, as_dict, as_str, as_time, compact, digest, first_text
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, call, output_text, result
from curator.importers.session_files import Session, blocks_of, fallback_id, on_branch, read_sessions, time_of
from store.model import Channel, Role

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "toolResult": Role.TOOL}
_ENTRIES = ("compaction", "branch_summary", "custom_message", "model_change", "thinking_level_change", "session_info")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the session of each file; OpenClaw's trace files, which repeat them, are skipped."""
    traces = [one for one in files if any(sign in one.inner.name for sign in (".trajectory", ".checkpoint"))]
    yield from (Skipped("not_a_message", one.name) for one in traces)
    yield from read_sessions(
        [one for one in files if one not in traces], progress, options, Format.PI, fits, session_of
    )


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return a session. An entry is the same in all forks: it is identified by time and id (or text)."""
    start = next((one for one in lines if one.get("type") == "session"), {})
    titles = [first_text(one, "name") for one in lines if one.get("type") == "session_info"]
    shown = on_branch(lines[1:] if start else lines)
    turns = [turn_of(one, shown) for one in lines]
    return Session(
        first_text(start, "id") or log.inner.stem.rpartition("_")[2] or fallback_id(turns),
        turns,
        title=next(filter(None, reversed(titles)), ""),
        created_at=as_time(start.get("timestamp")),
        folder=as_str(start.get("cwd")),
        scope=str(Format.PI),
    )


def turn_of(entry: JsonObject, shown: set[str]) -> LogMessage:
    """Return an entry with its parts."""
    id_, message = as_str(entry.get("id")), as_dict(entry.get("message"))
    name = id_ or digest(compact(message)) if entry.get("type") != "session" else ""
    said_at = as_str(entry.get("timestamp"))
    return LogMessage(
        list(pieces_of(entry, message)),
        f"{name}@{said_at}" if name and said_at else "",
        time_of(entry, "timestamp") or time_of(message, "timestamp"),
        active=not id_ or id_ in shown,
    )


def pieces_of(entry: JsonObject, message: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of an entry."""
    match as_str(entry.get("type")), as_str(message.get("role")):
        case "message", ("user" | "assistant" | "toolResult") as role:
            yield from blocks_of(message, _ROLES[role])
        case "message", "bashExecution":
            yield call("bash", message.get("command"))
            yield result(message.get("output"))
        case "message", ("branchSummary" | "compactionSummary"):
            yield MessagePart(Role.ASSISTANT, Channel.SUMMARY, as_str(message.get("summary")), hidden=True)
        case (("compaction" | "branch_summary"), _):
            yield MessagePart(Role.ASSISTANT, Channel.SUMMARY, as_str(entry.get("summary")), hidden=True)
        case (("message" | "custom_message"), _):  # added by an extension
            added = output_text(message.get("content", entry.get("content")))
            yield MessagePart(Role.SYSTEM, Channel.INJECTED, added, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for the first line of a session, or an entry of one."""
    kind = record.get("type")
    if kind == "session":
        return "id" in record and bool({"cwd", "version", "modelId"} & record.keys())
    if kind == "message":
        message = as_dict(record.get("message"))
        return message.get("role") in ("toolResult", "bashExecution") or ("api" in message and "provider" in message)
    return kind in _ENTRIES and "parentId" in record


def places() -> Iterator[Path]:
    """Yield the non-empty folders of sessions."""
    home = Path.home()
    for name in (".pi/agent/sessions", ".omp/agent/sessions", ".openclaw/agents", ".qclaw/agents"):
        if any((home / name).rglob("*.jsonl")):
            yield home / name


FORMAT = LogFormat(Format.PI, "a session of Pi, Oh My Pi or OpenClaw", read, fits=fits, places=places)
