"""Amp threads: one object each, `{v, id, created, messages, title, env}`, with blocks in the format of Anthropic's API.

Locations: `threads/T-*.json` in `$AMP_DATA_DIR`, `$XDG_DATA_HOME/amp` or `~/.local/share/amp`: copies of the threads on
Amp's servers. The format is undocumented; this follows readers of other programs.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    first_text,
    join_lines,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, call, chat, result, thought
from curator.paths import program_folder, xdg_data_home
from store.model import Channel, Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the thread of each file."""
    for log in sorted(files, key=lambda one: one.name):
        for record in records(log, progress, ("messages",)):
            if isinstance(record, Problem):
                yield record
                continue
            thread = as_dict(record.value)
            if not isinstance(thread.get("messages"), list):
                yield Problem(record.place, "not a thread of Amp")
                continue
            env = as_dict(as_dict(thread.get("env")).get("initial"))
            roots = (unquote(as_str(one.get("uri")).removeprefix("file://")) for one in as_dicts(env.get("trees")))
            yield chat(
                Format.AMP,
                first_text(thread, "id") or log.inner.stem,
                [turn_of(one) for one in as_dicts(thread.get("messages"))],
                record.place,
                title=as_str(thread.get("title")),
                created_at=as_time(thread.get("created")),
                folder=next(filter(None, roots), ""),
                agent=True,
            )


def turn_of(message: JsonObject) -> LogMessage:
    """Return a message with its parts."""
    is_person = message.get("role") == "user"
    pieces: list[MessagePart] = []
    said: list[str] = []
    for number, block in enumerate(as_dicts(message.get("content"))):
        match as_str(block.get("type")):
            case "text":
                said.append(as_str(block.get("text")))
            case "thinking":
                pieces.append(thought(as_str(block.get("thinking")), number))
            case "tool_use":
                pieces.append(call(as_str(block.get("name")), block.get("input"), number))
            case "tool_result":
                run = as_dict(block.get("run"))
                pieces.append(result(run.get("result", block.get("content")), number))
            case "image":
                said.append("[image]")
    role = Role.USER if is_person else Role.ASSISTANT
    pieces.append(MessagePart(role, Channel.SPOKEN, join_lines(said, "\n" if is_person else "\n\n")))
    meta, usage = as_dict(message.get("meta")), as_dict(message.get("usage"))
    return LogMessage(
        pieces, first_text(message, "messageId", "id"), as_time(meta.get("sentAt")) or as_time(usage.get("timestamp"))
    )


def fits(record: JsonObject) -> bool:
    """Return True for a thread."""
    return as_str(record.get("id")).startswith("T-") and isinstance(record.get("messages"), list)


def places() -> Iterator[Path]:
    """Yield the folder of threads, if there are any."""
    folder = program_folder("AMP_DATA_DIR", xdg_data_home() / "amp") / "threads"
    if any(folder.glob("T-*.json")):
        yield folder


FORMAT = LogFormat(Format.AMP, "an Amp thread", read, fits=fits, places=places)
