"""Goose: `sessions.db`, and the JSONL files of earlier versions, with a message per line after a session header.

A session has the same id in both; messages have no stable ids, so equal texts are the same message in either file.
Format: `crates/goose/src/session` and `conversation/message.rs` of the program.
"""

import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.database import orphans, read_databases, rows, split_databases
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Unreadable
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    first_text,
    join_lines,
    line_records,
    parse,
)
from curator.importers.log_format import Format, LogFormat, Options, has
from curator.importers.pieces import LogMessage, MessagePart, call, chat, result, thought
from curator.paths import config_home, expanded, xdg_data_home
from store.model import Channel, Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the sessions of these files."""
    databases, others = split_databases(files)
    for log in others:
        head: JsonObject = {}
        turns: list[LogMessage] = []
        try:
            with log.open(progress) as stream:
                for record in line_records(stream, log.name, growing=True):
                    if isinstance(record, Problem):
                        yield record
                    elif {"role", "content"} <= (fields := as_dict(record.value)).keys():
                        turns.append(LogMessage(list(pieces(fields)), at=as_time(fields.get("created"))))
                    elif "working_dir" in fields and "content" not in fields:
                        head = fields
                    else:
                        yield Problem(record.place, "not a message of Goose")
        except Unreadable as error:
            yield Problem(log.name, f"cannot be read any further: {error}")
        if head or turns:
            yield chat(
                Format.GOOSE,
                log.inner.stem,
                turns,
                log.name,
                title=as_str(head.get("description")),
                folder=as_str(head.get("working_dir")),
                agent=True,
            )
    yield from read_databases(databases, progress, options, stored)


def stored(connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
    """Yield the sessions of a database."""
    for one in rows(connection, "SELECT * FROM sessions ORDER BY id"):
        id_ = first_text(one, "id")
        place = f"{log.name}: session {id_}"
        turns: list[LogMessage] = []
        query = "SELECT * FROM messages WHERE session_id = ? ORDER BY id"
        for fields in rows(connection, query, id_):
            try:
                content = parse(as_str(fields.get("content_json")).encode())
                metadata = parse(as_str(fields.get("metadata_json")).encode() or b"{}")
            except ValueError as error:
                yield Problem(f"{place}: message {fields.get('id')}", f"not valid JSON: {error}")
                continue
            found = list(pieces({"role": fields.get("role"), "content": content, "metadata": metadata}))
            turns.append(LogMessage(found, at=as_time(fields.get("created_timestamp"))))
        yield chat(
            Format.GOOSE,
            id_,
            turns,
            place,
            title=first_text(one, "name", "description"),
            created_at=as_time(one.get("created_at")),
            folder=as_str(one.get("working_dir")),
            agent=True,
            sidechain=one.get("session_type") == "sub_agent",
        )
    yield from orphans(connection, log, "messages", "session_id", "sessions")


def pieces(record: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a message. A message visible only to the model is a summary of previous ones."""
    role = Role.USER if record.get("role") == "user" else Role.ASSISTANT
    unseen = as_dict(record.get("metadata")).get("userVisible") is False
    said: list[str] = []
    content = record.get("content")
    for number, block in enumerate(
        [{"type": "text", "text": content}] if isinstance(content, str) else as_dicts(content)
    ):
        match as_str(block.get("type")):
            case "text":
                said.append(as_str(block.get("text")))
            case "image":
                said.append("[image]")
            case "thinking":
                yield thought(as_str(block.get("thinking")), number)
            case "toolRequest" | "frontendToolRequest":
                value = as_dict(as_dict(block.get("toolCall")).get("value"))
                yield call(first_text(value, "name"), value.get("arguments"), number)
            case "toolResponse":
                value = as_dict(block.get("toolResult"))
                inner = value.get("value")
                yield result(as_dict(inner).get("content") or inner or value.get("error"), number)
            case "systemNotification":
                yield MessagePart(
                    Role.SYSTEM, Channel.INJECTED, as_str(block.get("msg")), f"#note.{number}", hidden=True
                )
    text = MessagePart(role, Channel.SPOKEN, join_lines(said))
    yield text._replace(channel=Channel.SUMMARY, hidden=True) if unseen else text


def places() -> Iterator[Path]:
    """Yield the folder of sessions."""
    root = os.environ.get("GOOSE_PATH_ROOT")
    if root:
        folder = expanded(root) / "data" / "sessions"
    elif sys.platform == "win32":
        folder = config_home() / "Block" / "goose" / "data" / "sessions"
    else:
        folder = xdg_data_home() / "goose" / "sessions"
    if (folder / "sessions.db").is_file() or any(folder.glob("*.jsonl")):
        yield folder


FORMAT = LogFormat(
    Format.GOOSE,
    "a Goose session",
    read,
    fits=lambda record: has("working_dir", "message_count")(record) or has("working_dir", "description")(record),
    fits_tables=lambda tables: {"sessions", "messages", "schema_version"} <= tables,
    places=places,
)
