"""Hermes Agent: its database `state.db`, and sessions as JSON (of older versions and exports).

The same session may be in both, so messages are identified by their text, not by row. In messenger chats with several
people, authors are unknown, so no message is the person's. Rewound messages are not active.

Locations: `state.db` and `sessions` in `$HERMES_HOME`, `~/.hermes` or `%LOCALAPPDATA%/hermes`, and in its `profiles`.
Based on `hermes_state.py` and `hermes_constants.py` of NousResearch/hermes-agent.
"""

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.database import damaged_text, orphans, read_databases, rows, split_databases
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_str, first_text, records
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, thought, unpacked
from curator.importers.session_files import Session, blocks_of, conversation_of, time_of
from curator.paths import data_home, program_folder
from store.model import Channel, Role

_ROLES = {"user": Role.USER, "human": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "system": Role.SYSTEM}
_ALONE = ("", "dm", "private", "direct")  # types of chats with only the person
_OF_PROGRAM = ("cron", "batch", "subagent")
_ADDED = (
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
)
_JSON = "\0json:"


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the sessions of these files, then those of the databases."""
    databases, others = split_databases(files)
    for log in others:
        for record in records(log, progress, ("messages",)):
            fields = as_dict(None if isinstance(record, Problem) else record.value)
            if isinstance(record, Problem):
                yield record
            elif fits(fields):
                yield conversation_of(Format.HERMES, session_of(fields, as_dicts(fields.get("messages"))), record.place)
            else:
                yield Problem(record.place, "not a session of Hermes")
    yield from read_databases(databases, progress, options, stored)


def stored(connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
    """Yield the sessions of a database."""
    for one in rows(connection, "SELECT * FROM sessions ORDER BY id"):
        id_ = first_text(one, "id")
        found = rows(connection, "SELECT * FROM messages WHERE session_id = ? ORDER BY id", one.get("id"))
        place = f"{log.name}: session {id_}"
        for row in found:
            yield from damaged_text(row, place)
        yield conversation_of(Format.HERMES, session_of(one, found), place)
    yield from orphans(connection, log, "messages", "session_id", "sessions")


def session_of(fields: JsonObject, messages: Sequence[JsonObject]) -> Session:
    """Return a session in either format."""
    source = first_text(fields, "source", "platform").lower()
    alone = first_text(fields, "chat_type").lower() in _ALONE
    return Session(
        first_text(fields, "session_id", "id"),
        [
            LogMessage(
                list(pieces_of(one, alone)),
                "",
                time_of(one, "timestamp"),
                active=one.get("active", 1) not in (0, False) or bool(one.get("compacted")),
            )
            for one in messages
        ],
        title=first_text(fields, "title", "display_name"),
        created_at=time_of(fields, "session_start", "started_at"),
        folder=first_text(fields, "cwd", "git_repo_root"),
        sidechain=source in _OF_PROGRAM,
    )


def pieces_of(message: JsonObject, alone: bool) -> Iterator[MessagePart]:
    """Yield the parts of a message; `alone` means that only the person writes to the agent."""
    role = _ROLES.get(as_str(message.get("role")).lower(), Role.SYSTEM)
    content = message.get("content")
    if isinstance(content, str) and content.startswith(_JSON):
        content = unpacked(content.removeprefix(_JSON))
    calls = unpacked(message.get("tool_calls"))
    yield thought(first_text(message, "reasoning_content", "reasoning"))
    for piece in blocks_of({"content": content, "tool_calls": calls}, role):
        if role is not Role.USER or piece.channel is not Channel.SPOKEN:
            yield piece
        elif piece.text.lstrip().startswith(_ADDED):
            yield piece._replace(channel=Channel.INJECTED, suffix="#added", hidden=True)
        else:
            yield piece if alone else piece._replace(role=Role.OTHER)


def fits(record: JsonObject) -> bool:
    """Return True for a session."""
    named = bool({"session_start", "last_updated", "platform"} & record.keys())
    return isinstance(record.get("session_id"), str) and isinstance(record.get("messages"), list) and named


def places() -> Iterator[Path]:
    """Yield the databases of all profiles, and the non-empty folders of sessions as JSON."""
    default = data_home() / "hermes" if sys.platform == "win32" else Path.home() / ".hermes"
    home = program_folder("HERMES_HOME", default)
    for folder in (home, *sorted((home / "profiles").glob("[!.]*"))):
        if (folder / "state.db").is_file():
            yield folder / "state.db"
        if any((folder / "sessions").glob("session_*.json")):
            yield folder / "sessions"


FORMAT = LogFormat(
    Format.HERMES,
    "a Hermes session",
    read,
    fits=fits,
    fits_tables=lambda tables: (
        {"sessions", "messages", "state_meta"} <= tables
        or (
            {"sessions", "messages", "schema_version"} <= tables
            and any(one.startswith("messages_fts") for one in tables)
        )
    ),
    places=places,
)
