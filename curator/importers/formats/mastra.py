"""Chats of MastraCode and other programs based on Mastra: the tables `mastra_threads`, `mastra_messages`.

A message's content is `{format: 2, parts}` as in Vercel's AI SDK, or in earlier versions a list of parts.

Locations: `mastra.db` in `$MASTRA_APP_DATA_DIR`, or in `mastracode` in the application data folder: `~/.local/share`,
`~/Library/Application Support`, `%APPDATA%`. After the readers of other programs, and the stores of mastra-ai/mastra.
"""

import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.database import damaged_text, orphans, read_databases_only, rows
from curator.importers.factory import ROLES
from curator.importers.inputs import Item, LogFile, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_str, as_time, first_text
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, call, result, unpacked
from curator.importers.session_files import Session, blocks_of, conversation_of
from curator.paths import config_home, data_home, expanded
from store.model import Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return the threads of these databases."""
    return read_databases_only("Mastra", files, progress, options, stored)


def stored(connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
    """Yield the threads of a database, one at a time."""
    for one in rows(connection, "SELECT * FROM mastra_threads ORDER BY id"):
        place = f"{log.name}: thread {first_text(one, 'id')}"
        kept = as_dict(unpacked(one.get("metadata")))
        found = rows(
            connection, "SELECT * FROM mastra_messages WHERE thread_id = ? ORDER BY createdAt, id", one.get("id")
        )
        for row in found:
            yield from damaged_text(row, place, packed=True)
        session = Session(
            first_text(one, "id"),
            [LogMessage(list(pieces_of(row)), first_text(row, "id"), as_time(row.get("createdAt"))) for row in found],
            title=as_str(one.get("title")),
            created_at=as_time(one.get("createdAt")),
            folder=first_text(kept, "projectPath", "cwd"),
        )
        yield conversation_of(Format.MASTRA, session, place)
    yield from orphans(connection, log, "mastra_messages", "thread_id", "mastra_threads")


def pieces_of(row: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a message."""
    content = unpacked(row.get("content"))
    parts = as_dicts(as_dict(content).get("parts")) or as_dicts(content)
    said = as_str(content) or as_str(as_dict(content).get("content"))
    for number, part in enumerate(parts):
        used = as_dict(part.get("toolInvocation"))
        if used:
            yield call(first_text(used, "toolName"), used.get("args"), 1_000 + number)
            yield result(used.get("result"), 1_000 + number)
    yield from blocks_of({"content": parts or said}, ROLES.get(as_str(row.get("role")), Role.SYSTEM))


def places() -> Iterator[Path]:
    """Yield the database."""
    own = os.environ.get("MASTRA_APP_DATA_DIR")
    base = config_home() if sys.platform == "win32" else data_home()
    folder = expanded(own) if own else base / "mastracode"
    if (folder / "mastra.db").is_file():
        yield folder / "mastra.db"


FORMAT = LogFormat(
    Format.MASTRA,
    "a Mastra thread",
    read,
    fits_tables=lambda tables: {"mastra_threads", "mastra_messages"} <= tables,
    places=places,
)
