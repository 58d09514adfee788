"""GitHub Copilot CLI sessions: a log of events `{type, data, id, timestamp, parentId}`, one per line.

A sub-agent's events name the tool call that started it. Until autumn 2025 a session was one object with `chatMessages`.

Locations: `session-state/SESSION/events.jsonl` in `$COPILOT_HOME` or `~/.copilot`, early `session-state/SESSION.jsonl`
and `history-session-state`; `workspace.yaml` next to the events has the title. Based on the event types of
github/copilot-sdk.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, ReadProgress, text_beside
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_str, as_time, first_text, join_lines
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, result, thought
from curator.importers.session_files import Session, read_sessions
from curator.paths import program_folder
from store.model import Channel, Role

_FIELD = re.compile(r"^(name|summary|cwd): *[\"']?(.*?)[\"']?(?<! ) *$", re.MULTILINE)
_TYPES = ("session.", "user.", "assistant.", "tool.", "system.", "subagent.", "skill.", "hook.", "permission.", "abort")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversation of each file."""
    return read_sessions(files, progress, options, Format.COPILOT_CLI, fits, session_of)


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return the session of a file, with title and folder, which may be in a file next to it."""
    early = next((one for one in lines if isinstance(one.get("chatMessages"), list)), None)
    data = [as_dict(one.get("data")) for one in lines]
    start = early or next((one for one, line in zip(data, lines, strict=True) if _is_kind(line, "session.start")), {})
    contexts = (
        as_dict(one.get("context")) or (one if _is_kind(line, "session.context_changed") else {})
        for one, line in zip(data, lines, strict=True)
    )
    titles = [
        first_text(one, "title", "name")
        for one, line in zip(data, lines, strict=True)
        if _is_kind(line, "session.title_changed")
    ]
    kept: dict[str, str] = {}
    if log.path:
        text = text_beside(log.path.with_name("workspace.yaml"))
        kept = {name: value for name, value in _FIELD.findall(text) if value not in ("|", ">", "|-", ">-")}
    folder = next(filter(None, (as_str(one.get("cwd")) for one in contexts)), "")
    inner = log.inner
    return Session(
        as_str(start.get("sessionId")) or (inner.parent.name if inner.stem == "events" else inner.stem),
        list(turns_of(as_dicts(early.get("chatMessages")) if early else lines)),
        title=next(filter(None, reversed(titles)), "") or kept.get("name") or kept.get("summary") or "",
        created_at=as_time(start.get("startTime")),
        folder=folder or kept.get("cwd", ""),
    )


def _is_kind(event: JsonObject, kind: str) -> bool:
    """Return True for an event of this type."""
    return event.get("type") == kind


def turns_of(events: Sequence[JsonObject]) -> Iterator[LogMessage]:
    """Yield the events of a session; rewound events are not active."""
    named = {as_str(event.get("id")): number for number, event in enumerate(events)}
    kept: list[int] = []  # the previous events that are not rewound
    for number, event in enumerate(events):
        if _is_kind(event, "session.snapshot_rewind"):
            upto = named.get(first_text(as_dict(event.get("data")), "upToEventId"), number)
            while kept and kept[-1] >= upto:
                kept.pop()
        kept.append(number)
    shown = set(kept)
    for number, event in enumerate(events):
        found = list(pieces_of(event))
        if first_text(as_dict(event.get("data")), "parentToolCallId") or first_text(event, "agentId"):
            found = [one._replace(channel=Channel.SIDECHAIN, hidden=True) for one in found]
        yield LogMessage(found, as_str(event.get("id")), as_time(event.get("timestamp")), number in shown)


def pieces_of(event: JsonObject) -> Iterator[MessagePart]:
    """Yield the messages of an event, or of a message in the early format."""
    data = as_dict(event.get("data"))
    said = as_str(data.get("content"))
    match as_str(event.get("type")):
        case "user.message":
            named = (first_text(one, "displayName", "path") for one in as_dicts(data.get("attachments")))
            typed = join_lines((said, *(attachment(name.rpartition("/")[2]) for name in named)))
            is_typed = as_str(data.get("source")) in ("", "user") and not said.lstrip().startswith("<")
            channel = Channel.SPOKEN if is_typed else Channel.INJECTED
            yield MessagePart(Role.USER, channel, typed, hidden=not is_typed)
        case "assistant.message":
            yield thought(as_str(data.get("reasoningText")))
            yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, said)
            for number, one in enumerate(as_dicts(data.get("toolRequests"))):
                yield call(as_str(one.get("name")), one.get("arguments"), number)
        case "assistant.reasoning":
            yield thought(said)
        case "tool.execution_complete":
            given, error = data.get("result"), as_dict(data.get("error"))
            yield result(as_str(given) or first_text(as_dict(given), "content") or as_str(error.get("message")))
        case "system.message" | "skill.invoked":
            yield MessagePart(Role.SYSTEM, Channel.INJECTED, said, hidden=True)
        case "session.compaction_complete":
            yield MessagePart(Role.ASSISTANT, Channel.SUMMARY, as_str(data.get("summaryContent")), hidden=True)
        case "":
            text, calls = as_str(event.get("content")), as_dicts(event.get("tool_calls"))
            match as_str(event.get("role")):
                case "user":
                    yield MessagePart(Role.USER, Channel.SPOKEN, text)
                case "assistant":
                    yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, text)
                    for number, function in enumerate(as_dict(one.get("function")) for one in calls):
                        yield call(as_str(function.get("name")), function.get("arguments"), number)
                case "tool":
                    yield result(text)
                case _:
                    yield MessagePart(Role.SYSTEM, Channel.INJECTED, text, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for an event of a session, or a session in the early format."""
    if isinstance(record.get("chatMessages"), list):
        return "sessionId" in record
    return as_str(record.get("type")).startswith(_TYPES) and isinstance(record.get("data"), dict)


def places() -> Iterator[Path]:
    """Yield the non-empty folders of sessions."""
    home = program_folder("COPILOT_HOME", Path.home() / ".copilot")
    for name in ("session-state", "history-session-state"):
        if any((home / name).rglob("*.json*")):
            yield home / name


FORMAT = LogFormat(Format.COPILOT_CLI, "a GitHub Copilot CLI session", read, fits=fits, places=places)
