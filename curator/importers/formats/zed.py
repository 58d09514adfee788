"""Zed: `threads.db`, a table of threads as JSON, some compressed with zstd.

Messages are `{"User": …}` and `{"Agent": …}`; before version 0.3.0 they have a role and segments. They have no dates.
Format: `crates/agent/src/{db,thread,legacy_thread}.rs` of the program.
"""

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath

from curator.importers.database import read_databases_only, rows
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Unreadable, decompressed, readable
from curator.importers.json_stream import (
    LIMIT,
    TOO_LONG,
    JsonObject,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    first_text,
    join_lines,
    parse,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, chat, result, thought
from curator.paths import data_home
from store.model import Channel, Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return the threads of these databases."""
    return read_databases_only("Zed", files, progress, options, stored)


def stored(connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
    """Yield the threads of a database, one at a time."""
    for (id_,) in connection.execute("SELECT id FROM threads ORDER BY id").fetchall():
        place = f"{log.name}: thread {id_}"
        for fields in rows(connection, "SELECT * FROM threads WHERE id = ?", id_):
            data = fields.get("data")
            try:
                raw = data if isinstance(data, bytes) else as_str(data).encode()
                if fields.get("data_type") == "zstd":
                    with readable(), decompressed(partial(BytesIO, raw), len(raw)) as stream:
                        raw = stream.read(LIMIT + 1)
                if len(raw) > LIMIT:
                    raise ValueError(TOO_LONG)
                thread = as_dict(parse(raw))
            except (ValueError, Unreadable) as error:
                yield Problem(place, f"damaged: {error}")
                continue
            snapshots = as_dicts(as_dict(thread.get("initial_project_snapshot")).get("worktree_snapshots"))
            folder = as_str(fields.get("folder_paths")).partition("\n")[0]
            yield chat(
                Format.ZED,
                str(id_),
                list(turns(thread)),
                place,
                title=first_text(fields, "summary") or first_text(thread, "title", "summary"),
                created_at=as_time(fields.get("created_at")) or as_time(fields.get("updated_at")),
                folder=folder or next((first_text(one, "worktree_path") for one in snapshots), ""),
                agent=True,
                sidechain=bool(fields.get("parent_id") or thread.get("subagent_context")),
            )


def turns(thread: JsonObject) -> Iterator[LogMessage]:
    """Yield the messages of a thread, and the program's summary of it."""
    for one in as_list(thread.get("messages")):
        record = as_dict(one)
        if "User" in record:
            message = as_dict(record["User"])
            yield LogMessage(list(typed(as_dicts(message.get("content")))), first_text(message, "id"))
        elif "Agent" in record:
            yield LogMessage(list(answered(as_dict(record["Agent"]))))
        elif record:
            yield LogMessage(list(legacy(record)))
    summary = thread.get("detailed_summary") or as_dict(thread.get("detailed_summary_state")).get("Generated")
    text = as_str(summary) or first_text(as_dict(summary), "text")
    yield LogMessage([MessagePart(Role.ASSISTANT, Channel.SUMMARY, text, hidden=True)])


def typed(content: Sequence[JsonObject]) -> Iterator[MessagePart]:
    """Yield the text typed by the person, and the files and other things it mentions."""
    said: list[str] = []
    for number, block in enumerate(content):
        if "Mention" in block:
            mention = as_dict(block["Mention"])
            target = next((as_dict(one) for one in as_dict(mention.get("uri")).values()), {})
            path = first_text(target, "abs_path", "path").replace("\\", "/")
            said.append(attachment(PurePosixPath(path).name or first_text(target, "name", "url")))
            text = as_str(mention.get("content"))
            yield MessagePart(Role.USER, Channel.ATTACHMENT, text, f"#mention.{number}", hidden=True)
        elif "Image" in block:
            said.append("[image]")
        else:
            said.append(as_str(block.get("Text")))
    yield MessagePart(Role.USER, Channel.SPOKEN, join_lines(said))


def answered(record: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of an answer, and the output of its tools."""
    said: list[str] = []
    for number, block in enumerate(as_dicts(record.get("content"))):
        if "Thinking" in block:
            yield thought(first_text(as_dict(block["Thinking"]), "text"), number)
        elif "ToolUse" in block:
            use = as_dict(block["ToolUse"])
            yield call(first_text(use, "name"), use.get("input") or use.get("raw_input"), number)
        else:
            said.append(as_str(block.get("Text")))
    yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, join_lines(said, "\n\n"))
    for number, one in enumerate(as_dict(record.get("tool_results")).values()):
        content = as_dict(one).get("content")
        listed = content if isinstance(content, list) else [content]
        yield result([as_dict(part).get("Text") or part for part in listed], number)


def legacy(record: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a message with a role."""
    role = {"user": Role.USER, "assistant": Role.ASSISTANT}.get(as_str(record.get("role")), Role.SYSTEM)
    segments = as_dicts(record.get("segments")) or [{"type": "text", "text": record.get("text")}]
    for number, segment in enumerate(segments):
        if segment.get("type") == "thinking":
            yield thought(as_str(segment.get("text")), number)
    for number, use in enumerate(as_dicts(record.get("tool_uses"))):
        yield call(first_text(use, "name"), use.get("input"), number)
    text = join_lines(as_str(one.get("text")) for one in segments if one.get("type") != "thinking")
    channel = Channel.INJECTED if role is Role.SYSTEM else Channel.SPOKEN
    yield MessagePart(role, channel, text, hidden=role is Role.SYSTEM)
    yield MessagePart(Role.USER, Channel.ATTACHMENT, as_str(record.get("context")), "#context", hidden=True)
    for number, one in enumerate(as_dicts(record.get("tool_results"))):
        yield result(one.get("content"), number)


def places() -> Iterator[Path]:
    """Yield the database."""
    folder = data_home() / ("Zed" if sys.platform in ("darwin", "win32") else "zed")
    if (folder / "threads" / "threads.db").is_file():
        yield folder / "threads" / "threads.db"


FORMAT = LogFormat(
    Format.ZED,
    "a Zed thread",
    read,
    fits_tables=lambda tables: {"threads"} <= tables <= {"threads", "migrations", "sqlite_sequence", "sqlite_stat1"},
    places=places,
)
