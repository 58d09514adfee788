"""Kiro CLI sessions: `SESSION.jsonl` with `{kind, data}` per line, and `SESSION.json` with the title.

Locations: `~/.kiro/sessions`, in `cli` or a folder per project. The format is undocumented; this follows readers of
other programs.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, ReadProgress, Skipped
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
from curator.importers.session_files import Session, read_sessions, sidecar_json, time_of, typed
from store.model import Channel, Role

_KINDS = ("Prompt", "AssistantMessage", "ToolResults", "Compaction", "Clear")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the session of each file; title and folder are in the file next to it."""
    titles = [one for one in files if one.inner.suffix.lower() == ".json"]
    yield from (Skipped("not_a_message", one.name) for one in titles)
    yield from read_sessions(
        [one for one in files if one not in titles], progress, options, Format.KIRO, fits, session_of
    )


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return a session."""
    kept = sidecar_json(log, f"{log.inner.stem}.json")
    turns = []
    for line in lines:
        data = as_dict(line.get("data"))
        at = time_of(line, "timestamp", "created_at") or time_of(as_dict(data.get("meta")), "timestamp")
        turns.append(LogMessage(list(pieces_of(as_str(line.get("kind")), data)), as_str(data.get("message_id")), at))
    return Session(
        first_text(kept, "session_id") or log.inner.stem,
        turns,
        title=as_str(kept.get("title")),
        created_at=as_time(kept.get("created_at")),
        folder=as_str(kept.get("cwd")),
        sidechain=bool(first_text(kept, "parent_session_id")),
    )


def pieces_of(kind: str, data: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a line."""
    content = data.get("content")
    blocks = [{"kind": "text", "data": content}] if isinstance(content, str) else as_dicts(content)
    said: list[str] = []
    for number, block in enumerate(blocks):
        inner = as_dict(block.get("data"))
        match as_str(block.get("kind")):
            case "text":
                said.append(as_str(block.get("data")))
            case "thinking" | "reasoning":
                yield thought(as_str(block.get("data")) or first_text(inner, "text"), number)
            case "toolUse":
                yield call(first_text(inner, "name"), inner.get("input"), number)
            case "toolResult":
                given = inner.get("content")
                texts = [output_text(as_dict(one).get("data", one)) for one in as_list(given)]
                yield result(texts or given, number)
            case "image":
                said.append("[image]")
    match kind:
        case "Prompt":
            yield from typed(join_lines(said))
        case "AssistantMessage":
            yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, join_lines(said, "\n\n"))
        case "Compaction":
            summary = join_lines(said) or first_text(data, "summary")
            yield MessagePart(Role.ASSISTANT, Channel.SUMMARY, summary, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for a line of a session, or for the file next to one."""
    if record.get("kind") in _KINDS and isinstance(record.get("data"), dict):
        return True
    return "session_id" in record and "session_state" in record and "messages" not in record


def places() -> Iterator[Path]:
    """Yield the folder of sessions, if there are any."""
    folder = Path.home() / ".kiro" / "sessions"
    if any(folder.glob("*/*.jsonl")):
        yield folder


FORMAT = LogFormat(Format.KIRO, "a Kiro session", read, fits=fits, places=places)
