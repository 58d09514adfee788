"""Kimi CLI: `wire.jsonl`, the events of a session.

The Python version writes `{timestamp, message: {type, payload}}`. The newer version writes `{type, time, …}`, with each
prompt twice: as `turn.prompt`, and in the input of the model with text added by the program. `state.json` next to it
has the title.

Locations: `sessions/FOLDER/SESSION` in `$KIMI_CODE_HOME`, `~/.kimi-code` or `~/.kimi`. Based on `src/kimi_cli/wire` of
MoonshotAI/kimi-cli, and on readers of other programs.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_str, first_text, join_lines
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, call, result, thought
from curator.importers.session_files import (
    Session,
    blocks_of,
    fallback_id,
    read_sessions,
    sidecar_json,
    time_of,
    typed,
)
from curator.paths import program_folder
from store.model import Channel, Role

_EVENTS = ("TurnBegin", "SteerInput", "ContentPart", "ToolCall", "ToolResult", "SubagentEvent", "StepBegin", "TurnEnd")
_NEWER = ("turn.prompt", "context.append_message", "context.append_loop_event")
_AGENTS = ("agents", "subagents")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the session of each file, and those of its sub-agents."""
    return read_sessions(files, progress, options, Format.KIMI, fits, session_of)


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return a session, which is named by its folder."""
    above = (log.path or log.inner).parent.parts
    within = above[-2] if above[-2:-1] and above[-2] in _AGENTS else ""
    whole = above[:-2] if within else above
    kept = sidecar_json(log, "../../state.json" if within else "state.json")
    is_agent = bool(within) and above[-1] not in ("root", "main")
    prompts = {text_of(one.get("input")).strip() for one in lines if one.get("type") == "turn.prompt"}
    turns = [LogMessage(list(pieces_of(one, prompts)), "", time_of(one, "timestamp", "time")) for one in lines]
    named = whole[-1] if "sessions" in whole[:-1] else ""
    id_ = first_text(kept, "id", "session_id") or named or fallback_id(turns)
    return Session(
        f"{id_}/{above[-1]}" if is_agent else id_,
        turns,
        title=first_text(kept, "custom_title", "title"),
        created_at=time_of(kept, "createdAt", "created_at"),
        folder=first_text(kept, "workDir", "work_dir"),
        sidechain=is_agent,
    )


def text_of(content: object) -> str:
    """Return the text of a prompt: a string, or parts with texts."""
    if isinstance(content, dict):
        return first_text(content, "text", "content")
    return as_str(content) or join_lines(as_str(one.get("text")) for one in as_dicts(content))


def pieces_of(line: JsonObject, prompts: set[str]) -> Iterator[MessagePart]:
    """Yield the parts of an event in either format; `prompts` are the texts typed by the person, if known."""
    event = as_dict(line.get("event"))
    match as_str(line.get("type")):
        case "turn.prompt":
            yield from typed(text_of(line.get("input")))
        case "context.append_message":
            message = as_dict(line.get("message"))
            role = {"assistant": Role.ASSISTANT, "tool": Role.TOOL, "system": Role.SYSTEM}.get(
                as_str(message.get("role")), Role.USER
            )
            if role is not Role.USER or not prompts:
                yield from blocks_of(message, role)
            elif (added := text_of(message.get("content"))).strip() not in prompts:
                yield MessagePart(Role.USER, Channel.INJECTED, added, hidden=True)
        case "context.append_loop_event":
            match as_str(event.get("type")):
                case "content.part":
                    yield part_of(as_dict(event.get("part")))
                case "tool.call":
                    yield call(first_text(event, "name"), event.get("args"))
                case "tool.result":
                    yield result(event.get("result", event.get("content")))
        case _:
            yield from wire_pieces(as_dict(line.get("message")))


def part_of(part: JsonObject) -> MessagePart:
    """Return a part of an answer."""
    if part.get("type") == "think":
        return thought(first_text(part, "think", "text"))
    return MessagePart(Role.ASSISTANT, Channel.SPOKEN, as_str(part.get("text")))


def wire_pieces(message: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of an event of the Python version."""
    payload = as_dict(message.get("payload"))
    match as_str(message.get("type")):
        case "TurnBegin" | "SteerInput":
            yield from typed(text_of(payload.get("user_input")))
        case "ContentPart":
            yield part_of(payload)
        case "ToolCall":
            function = as_dict(payload.get("function"))
            yield call(first_text(function, "name"), function.get("arguments"))
        case "ToolResult":
            given = as_dict(payload.get("return_value")) or as_dict(payload.get("result"))
            yield result(given.get("output") or given.get("message") or given)
        case "SubagentEvent":
            for piece in wire_pieces({**as_dict(payload.get("event"))}):
                if piece.role is not Role.USER:
                    yield piece._replace(channel=Channel.SIDECHAIN, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for the first line of a session, or an event of one."""
    message = as_dict(record.get("message"))
    return (
        (record.get("type") == "metadata" and "protocol_version" in record)
        or (record.get("type") in _NEWER and bool({"input", "message", "event"} & record.keys()))
        or (message.get("type") in _EVENTS and "payload" in message)
    )


def places() -> Iterator[Path]:
    """Yield the non-empty folders of sessions."""
    for home in dict.fromkeys((program_folder("KIMI_CODE_HOME", Path.home() / ".kimi-code"), Path.home() / ".kimi")):
        if any((home / "sessions").rglob("wire.jsonl")):
            yield home / "sessions"


FORMAT = LogFormat(Format.KIMI, "a Kimi session", read, fits=fits, places=places)
