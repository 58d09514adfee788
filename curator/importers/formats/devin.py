"""Devin CLI: `sessions.db`, in which messages form a tree and a session names the end of its branch.

Locations: `devin/cli` in `$XDG_DATA_HOME`, `~/.local/share` or `%APPDATA%`. The format is undocumented; this follows
readers of other programs. Hidden sessions are internal.
"""

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.database import orphans, read_databases_only, rows
from curator.importers.factory import ROLES, Node, active
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_str, as_time, first_text
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, thought, unpacked
from curator.importers.session_files import Session, blocks_of, conversation_of
from curator.paths import config_home, xdg_data_home
from store.model import Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return the sessions of these databases."""
    return read_databases_only("Devin", files, progress, options, stored)


def stored(connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
    """Yield the sessions of a database, one at a time."""
    for one in rows(connection, "SELECT * FROM sessions ORDER BY id"):
        place = f"{log.name}: session {first_text(one, 'id')}"
        found = rows(connection, "SELECT * FROM message_nodes WHERE session_id = ? ORDER BY node_id", one.get("id"))
        nodes = [
            Node(first_text(row, "node_id"), first_text(row, "parent_node_id") or None, as_time(row.get("created_at")))
            for row in found
        ]
        shown = active(nodes, first_text(one, "main_chain_id"))
        turns: list[LogMessage] = []
        for node, row in zip(nodes, found, strict=True):
            message = as_dict(unpacked(row.get("chat_message")))
            if not message:
                yield Problem(f"{place}: message {node.id}", "not valid JSON")
            turns.append(LogMessage(list(pieces_of(message)), node.id, node.time, node.id in shown))
        session = Session(
            first_text(one, "id"),
            turns,
            title=as_str(one.get("title")),
            created_at=as_time(one.get("created_at")),
            folder=as_str(one.get("working_directory")),
            sidechain=bool(one.get("hidden")),
        )
        yield conversation_of(Format.DEVIN, session, place)
    yield from orphans(connection, log, "message_nodes", "session_id", "sessions")


def pieces_of(message: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a message."""
    thinking = message.get("thinking")
    yield thought(as_str(thinking) or first_text(as_dict(thinking), "thinking"))
    yield from blocks_of(message, ROLES.get(as_str(message.get("role")), Role.SYSTEM))


def places() -> Iterator[Path]:
    """Yield the database."""
    path = (config_home() if sys.platform == "win32" else xdg_data_home()) / "devin" / "cli" / "sessions.db"
    if path.is_file():
        yield path


FORMAT = LogFormat(
    Format.DEVIN,
    "a Devin session",
    read,
    fits_tables=lambda tables: {"sessions", "message_nodes"} <= tables,
    places=places,
)
