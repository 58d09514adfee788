"""opencode: a folder of JSON files, its SQLite database, and `opencode export`.

The files are `session/PROJECT/SESSION.json`, `message/SESSION/MESSAGE.json` and `part/MESSAGE/PART.json`; the tables
`session`, `message` and `part` have the same records. A part is a text, reasoning, a tool call with its output, or a
file. In messages of the user, texts added by the program are `synthetic`. Programs derived from opencode write the same
format. Format: `packages/opencode/src/session/{message-v2,session.sql}.ts` of the program.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.database import orphans, read_databases, split_databases
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    first_text,
    join_lines,
    parse,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, chat, result, thought, unpacked
from curator.paths import xdg_data_home
from store.model import Channel, NewConversation, Role

Message = tuple[JsonObject, Sequence[JsonObject]]  # with its parts


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the sessions of these files, one at a time."""
    databases, others = split_databases(files)
    folders: defaultdict[str, list[LogFile]] = defaultdict(list)
    sessions: dict[str, LogFile | None] = {}
    for log in others:
        above, stem = log.inner.parent.name, log.inner.stem
        if stem.startswith("ses_"):
            sessions[stem] = log
        elif above.startswith(("ses_", "msg_")):
            folders[above].append(log)
            if above.startswith("ses_"):
                sessions.setdefault(above, None)
        else:
            yield from loose(log, progress)
    for id_, head in sessions.items():
        problems: list[Item] = []

        def load(listed: Sequence[LogFile], problems: list[Item] = problems) -> list[JsonObject]:
            loaded: list[JsonObject] = []
            for one in listed:
                for record in records(one, progress):
                    if isinstance(record, Problem):
                        problems.append(record)
                    else:
                        loaded.append({"id": one.inner.stem, **as_dict(record.value)})
            return loaded

        found = load([head]) if head else []
        messages = [(one, load(folders.pop(first_text(one, "id"), []))) for one in load(folders.pop(id_, []))]
        yield from problems
        yield session(found[0] if found else {"id": id_}, messages, head.name if head else id_)
    for orphan in folders.values():  # parts with a missing message
        yield Skipped("not_a_message", orphan[0].name, len(orphan))
        progress.done += sum(log.size for log in orphan)
    yield from read_databases(databases, progress, options, stored)


def loose(log: LogFile, progress: ReadProgress) -> Iterator[Item]:
    """Yield the sessions of an export, and count records without a session."""
    for record in records(log, progress, ("messages",)):
        if isinstance(record, Problem):
            yield record
            continue
        fields = as_dict(record.value)
        if "messages" in fields and "info" in fields:
            messages = [(as_dict(one.get("info")), as_dicts(one.get("parts"))) for one in as_dicts(fields["messages"])]
            yield session(as_dict(fields["info"]), messages, record.place)
        elif fits(fields):
            yield Skipped("not_a_message", record.place)
        else:
            yield Problem(record.place, "not a record of opencode")


def stored(connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
    """Yield the sessions of a database."""

    def rows(query: str, *values: str) -> list[JsonObject]:
        """Return rows, with the fields of the JSON column `data` as columns."""
        found: list[JsonObject] = []
        for row in connection.execute(query, values).fetchall():
            fields = dict(row)
            try:
                found.append({**fields, **as_dict(parse(as_str(fields.get("data")).encode() or b"{}"))})
            except ValueError:
                found.append({**fields, "damaged": True})
        return found

    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for one in rows("SELECT * FROM session ORDER BY id"):
        id_ = first_text(one, "id")
        parts: defaultdict[str, list[JsonObject]] = defaultdict(list)
        messages = rows("SELECT * FROM message WHERE session_id = ?", id_)
        for piece in rows("SELECT * FROM part WHERE session_id = ? ORDER BY id", id_):
            parts[first_text(piece, "message_id")].append(piece)
        if not messages and "session_message" in tables:
            newer = rows("SELECT * FROM session_message WHERE session_id = ?", id_)
            messages = [
                {**row, "role": "user" if row.get("type") in ("user", "shell") else "assistant"} for row in newer
            ]
            parts.update({first_text(row, "id"): list(newer_parts(row)) for row in newer})
        damaged = [
            row for row in (*messages, *(row for listed in parts.values() for row in listed)) if "damaged" in row
        ]
        yield from (Problem(f"{log.name}: {first_text(row, 'id')}", "not valid JSON") for row in damaged)
        yield session(one, [(row, parts[first_text(row, "id")]) for row in messages], f"{log.name}: {id_}")
    yield from orphans(connection, log, "message", "session_id", "session")
    yield from orphans(connection, log, "part", "message_id", "message")


def newer_parts(row: JsonObject) -> Iterator[JsonObject]:
    """Yield the parts of a row of `session_message` (newer versions), converted to the older format."""
    match row.get("type"):
        case "user":
            yield {"type": "text", "id": "0", "text": row.get("text")}
            for number, file in enumerate(as_dicts(row.get("files")), 1):
                yield {"type": "file", "id": str(number), "filename": first_text(file, "name", "filename", "uri")}
        case "synthetic":
            yield {"type": "subtask", "id": "0", "prompt": row.get("text")}
        case "shell":
            yield {"type": "tool", "id": "0", "tool": "shell", "state": {"input": row.get("command"), **row}}
        case "compaction":
            yield {"type": "compacted", "id": "0", "text": row.get("summary")}
        case _:
            for number, block in enumerate(as_dicts(row.get("content"))):
                state = as_dict(block.get("state"))
                output = {"output": state.get("content") or as_dict(state.get("error")).get("message"), **state}
                yield {**block, "id": f"{number:06}", "tool": block.get("name"), "state": output}


def session(record: JsonObject, messages: Sequence[Message], place: str) -> NewConversation | Skipped:
    """Return a session; messages after a revert belong to an abandoned branch."""
    reverted = first_text(as_dict(unpacked(record.get("revert"))), "messageID")
    ordered = sorted(messages, key=lambda one: (_time(one[0]) or 0, first_text(one[0], "id")))
    turns = [
        LogMessage(
            list(pieces(info, parts)),
            first_text(info, "id"),
            _time(info),
            active=not reverted or first_text(info, "id") < reverted,
        )
        for info, parts in ordered
    ]
    folder = first_text(record, "directory")
    if not folder:
        folder = next((first_text(as_dict(info.get("path")), "cwd") for info, _ in ordered if info.get("path")), "")
    return chat(
        Format.OPENCODE,
        first_text(record, "id"),
        turns,
        place,
        title=as_str(record.get("title")),
        created_at=_time(record),
        folder=folder,
        agent=True,
        sidechain=bool(first_text(record, "parentID", "parent_id")),
    )


def _time(record: JsonObject) -> int | None:
    return as_time(as_dict(record.get("time")).get("created")) or as_time(record.get("time_created"))


def pieces(info: JsonObject, parts: Sequence[JsonObject]) -> Iterator[MessagePart]:
    """Yield the parts of a message."""
    user = info.get("role") == "user"
    said: list[str] = []
    for number, part in enumerate(sorted(parts, key=lambda one: first_text(one, "id"))):
        suffix = f"#{first_text(part, 'id') or number}"
        text = as_str(part.get("text"))
        match as_str(part.get("type")):
            case "text" if user and part.get("synthetic") is not True:
                said.append(text)
            case "text" if user:
                yield MessagePart(Role.USER, Channel.INJECTED, text, suffix, hidden=True)
            case "text" if info.get("summary") is True:
                yield MessagePart(Role.ASSISTANT, Channel.SUMMARY, text, suffix, hidden=True)
            case "text" if part.get("synthetic") is True:
                yield MessagePart(Role.ASSISTANT, Channel.INJECTED, text, suffix, hidden=True)
            case "text":
                yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, text, suffix)
            case "compacted":
                yield MessagePart(Role.ASSISTANT, Channel.SUMMARY, text, suffix, hidden=True)
            case "reasoning":
                yield thought(text)._replace(suffix=suffix)
            case "tool":
                state = as_dict(part.get("state"))
                yield call(first_text(part, "tool"), state.get("input"))._replace(suffix=suffix)
                output = result(state.get("output") or state.get("error"))
                yield output._replace(suffix=f"{suffix}.result")
            case "file":
                said.append(attachment(first_text(part, "filename") or first_text(part, "mime")))
            case "subtask":
                yield MessagePart(Role.USER, Channel.INJECTED, as_str(part.get("prompt")), suffix, hidden=True)
    yield MessagePart(Role.USER if user else Role.ASSISTANT, Channel.SPOKEN, join_lines(said))
    yield MessagePart(Role.SYSTEM, Channel.INJECTED, as_str(info.get("system")), "#system", hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for a session, a message or a part, or for an export of a session."""
    inner = as_dict(record.get("info")) if "messages" in record else record
    id_ = first_text(inner, "id")
    return (
        (id_.startswith("ses_") and ("directory" in inner or "projectID" in inner or "time" in inner))
        or ("sessionID" in record and "role" in record)
        or ("messageID" in record and "sessionID" in record and "type" in record)
    )


def places() -> Iterator[Path]:
    """Yield the databases of opencode and Kilo (derived from it), or the folders of older versions."""
    for name in ("opencode", "kilo"):
        folder = xdg_data_home() / name
        databases = sorted(folder.glob(f"{name}*.db"))
        yield from databases
        if not databases and (folder / "storage" / "message").is_dir():
            yield folder / "storage"


FORMAT = LogFormat(
    Format.OPENCODE,
    "an opencode session",
    read,
    fits=fits,
    fits_tables=lambda tables: {"session", "message", "part"} <= tables,
    places=places,
    together=True,
)
