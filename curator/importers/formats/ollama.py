"""Ollama's desktop app: `db.sqlite` with the tables `chats`, `messages` and `tool_calls`.

The app rewrites the messages of a chat when it saves it, so their row numbers are not stable. The CLI stores only
`~/.ollama/history`, prompts without answers or dates. Format: `app/store` of the program.
"""

import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.database import damaged_text, orphans, read_databases_only, rows
from curator.importers.inputs import Item, LogFile, ReadProgress
from curator.importers.json_stream import JsonObject, as_str, as_time, first_text, join_lines
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, chat, result, split_thought, thought
from curator.paths import data_home
from store.model import Channel, Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return the chats of these databases."""
    return read_databases_only("Ollama", files, progress, options, stored)


def stored(connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
    """Yield the chats of a database, one at a time."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for fields in rows(connection, "SELECT * FROM chats ORDER BY id"):
        id_ = first_text(fields, "id")
        beside: dict[str, defaultdict[object, list[JsonObject]]] = {}
        for table in ("tool_calls", "attachments"):
            beside[table] = defaultdict(list)
            query = f"SELECT * FROM {table} WHERE message_id IN (SELECT id FROM messages WHERE chat_id = ?) ORDER BY id"
            for row in rows(connection, query, id_) if table in tables else ():
                beside[table][row.get("message_id")].append(row)
        turns = []
        for one in rows(connection, "SELECT * FROM messages WHERE chat_id = ? ORDER BY id", id_):
            yield from damaged_text(one, f"{log.name}: chat {id_}")
            names = [first_text(attached, "filename") for attached in beside["attachments"][one.get("id")]]
            found = list(pieces(one, beside["tool_calls"][one.get("id")], names))
            turns.append(LogMessage(found, at=as_time(one.get("created_at"))))
        yield chat(
            Format.OLLAMA,
            id_,
            turns,
            f"{log.name}: chat {id_}",
            title=as_str(fields.get("title")),
            created_at=as_time(fields.get("created_at")),
        )
    yield from orphans(connection, log, "messages", "chat_id", "chats")


def pieces(record: JsonObject, calls: Sequence[JsonObject], names: Sequence[str]) -> Iterator[MessagePart]:
    """Yield the parts of a message."""
    text = as_str(record.get("content"))
    match record.get("role"):
        case "user":
            yield MessagePart(Role.USER, Channel.SPOKEN, join_lines((text, *map(attachment, names))))
        case "assistant":
            thinking, said = split_thought(text)
            yield thought(join_lines((as_str(record.get("thinking")), thinking)))
            yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, said)
        case "tool":
            yield result(text or record.get("tool_result"))
        case _:
            yield MessagePart(Role.SYSTEM, Channel.INJECTED, text, hidden=True)
    for number, one in enumerate(calls):
        yield call(first_text(one, "function_name"), one.get("function_arguments"), number)
        yield result(one.get("function_result"), number)


def places() -> Iterator[Path]:
    """Yield the app's database."""
    folder = data_home() / "Ollama" if sys.platform in ("darwin", "win32") else Path.home() / ".ollama"
    if (folder / "db.sqlite").is_file():
        yield folder / "db.sqlite"


FORMAT = LogFormat(
    Format.OLLAMA,
    "an Ollama chat",
    read,
    fits_tables=lambda tables: {"chats", "messages", "tool_calls"} <= tables,
    places=places,
)
