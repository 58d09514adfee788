"""Sessions of Vercel's fx: `events.jsonl` with a turn per event, and `session.json` next to it.

Locations: `~/.fx/sessions/SESSION`. The format is undocumented; this follows readers of other programs.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_str, as_time, first_text, join_lines
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, call, result
from curator.importers.session_files import Session, fallback_id, read_sessions, sidecar_json, typed
from store.model import Channel, Role

_COMMITTED = "history_turn_committed"


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the session of each file."""
    return read_sessions(files, progress, options, Format.FX, fits, session_of)


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return a session. Its id is in its start event, else in the file next to it."""
    kept = sidecar_json(log, "session.json")
    start = next((_payload_of(one) for one in lines if one.get("kind") == "session_started"), {})
    turns = [LogMessage(list(pieces_of(one)), "", as_time(one.get("timestamp_ms"))) for one in lines]
    return Session(
        first_text(start, "id") or first_text(kept, "id") or fallback_id(turns),
        turns,
        created_at=as_time(start.get("created_at_ms")) or as_time(kept.get("created_at_ms")),
        folder=first_text(start, "workspace_root") or first_text(kept, "workspace_root"),
    )


def _payload_of(event: JsonObject) -> JsonObject:
    """Return the payload of an event in either format."""
    nested = as_dict(event.get("event")).get(as_str(event.get("kind")))
    return as_dict(event.get("payload")) or as_dict(nested)


def pieces_of(event: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a turn: the prompt, the steps with their tools, the answer."""
    turn = as_dict(_payload_of(event).get("turn")) if event.get("kind") == _COMMITTED else {}
    kind = next(iter(turn), "")
    value = as_dict(turn.get(kind))
    if kind == "compacted_summary":
        yield MessagePart(Role.ASSISTANT, Channel.SUMMARY, first_text(value, "summary"), hidden=True)
        return
    yield from typed(first_text(as_dict(value.get("user")), "text"))
    said: list[str] = []
    number = 0
    for step in as_dicts(as_dict(value.get("execution")).get("tool_steps")):
        said.append(as_str(step.get("assistant")))
        for one in as_dicts(step.get("tool_calls")):
            yield call(first_text(one, "name"), one.get("arguments_json"), number := number + 1)
        for one in as_dicts(step.get("tool_results")):
            yield result(one.get("output"), number := number + 1)
    said.append(as_str(value.get("assistant")))
    yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, join_lines(said, "\n\n"))


def fits(record: JsonObject) -> bool:
    """Return True for an event of a session."""
    return (
        "timestamp_ms" in record and isinstance(record.get("kind"), str) and bool({"payload", "event"} & record.keys())
    )


def places() -> Iterator[Path]:
    """Yield the folder of sessions, if there are any."""
    folder = Path.home() / ".fx" / "sessions"
    if any(folder.glob("*/events.jsonl")):
        yield folder


FORMAT = LogFormat(Format.FX, "an fx session", read, fits=fits, places=places)
