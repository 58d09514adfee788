"""Cursor: the databases `state.vscdb` of its editor; sessions of its agent are read by `cursor_agent`.

A conversation ("composer") is in the table `cursorDiskKV`: `composerData:ID` lists its messages, each a row
`bubbleId:ID:MESSAGE`, or (older) contains them. The oldest format is `…aichat.chatdata` in the database of a workspace,
in `workspaceStorage` next to `globalStorage`. Based on public readers of these files.
"""

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from curator.importers.database import database, read_databases, rows, split_databases
from curator.importers.formats.cursor_agent import item, local, match_in_file, stored_session, transcript, typed
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, Unreadable
from curator.importers.json_stream import (
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
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, output_text, result, thought, unpacked
from curator.paths import config_home, expanded
from store.model import Channel, Role

_CHATDATA = "workbench.panel.aichat.view.aichat.chatdata"
_COMPOSERS = ("composer.composerHeaders", "composer.composerData")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversations of these files; with the editor's main database, also those of its workspaces."""
    databases, others = split_databases(files)
    beside: dict[Path, LogFile] = {}
    for log in databases:
        if log.path and log.path.parent.name == "globalStorage":
            for path in sorted(log.path.parents[1].glob("workspaceStorage/*/state.vscdb")):
                if any(one.is_symlink() for one in (path, path.parent, path.parents[1])):
                    continue  # a link to another place
                with contextlib.suppress(Unreadable):  # deleted meanwhile
                    beside[path] = LogFile.of_file(path, f"workspaceStorage/{path.parent.name}/{path.name}")
    named = {log.path for log in databases}
    databases += [log for path, log in beside.items() if path not in named]
    yield from read_databases(databases, progress, options, _Editor(databases).read)
    for log in others:
        yield from transcript(log, progress)


class _Editor:
    """The editor's databases. `headers` has title, times and folder by conversation, `children` those of sub-agents."""

    def __init__(self, states: Sequence[LogFile]) -> None:
        self.headers: dict[str, JsonObject] = {}
        self.folders: dict[str, str] = {}
        self.children: set[str] = set()
        for part in states:
            folder = self.folder(part)
            if not folder:
                continue
            try:
                with database(part) as connection:
                    for one in self.listed(connection):
                        self.folders.setdefault(first_text(one, "composerId"), folder)
            except (Unreadable, sqlite3.Error):
                continue  # reported when the file is read

    @staticmethod
    def folder(log: LogFile) -> str:
        """Return the folder of the workspace to which a database belongs; empty for the main one."""
        if log.path is None:
            return ""
        return local(
            match_in_file(log.path.with_name("workspace.json"), re.compile(r'"(?:folder|workspace)"\s*:\s*"([^"]+)"'))
        )

    def value(self, connection: sqlite3.Connection, table: str, key: str) -> JsonObject:
        """Return the object of a key; an empty object if it is missing or damaged."""
        found = connection.execute(f"SELECT value FROM {table} WHERE key = ?", (key,)).fetchone()
        return self.decoded(found[0] if found else None)

    @staticmethod
    def decoded(value: object) -> JsonObject:
        try:
            return as_dict(parse(value if isinstance(value, bytes) else as_str(value).encode("utf-8", "replace")))
        except ValueError:
            return {}

    def listed(self, connection: sqlite3.Connection) -> Iterator[JsonObject]:
        """Yield the conversations that a database lists."""
        for key in _COMPOSERS:
            yield from as_dicts(self.value(connection, "ItemTable", key).get("allComposers"))

    def read(self, connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
        """Yield the conversations of a database. Only the needed rows of one conversation are held at a time."""
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "blobs" in tables:
            yield from stored_session(connection, log)
            return
        folder, found = self.folder(log), False
        inline: dict[str, JsonObject] = {}
        for one in self.listed(connection):
            self.headers[first_text(one, "composerId")] = one
            if one.get("conversation"):
                inline[first_text(one, "composerId")] = one
        if "composerHeaders" in tables:
            for fields in rows(connection, "SELECT * FROM composerHeaders"):
                head = {**fields, **self.decoded(fields.get("value"))}
                self.headers[as_str(fields.get("composerId"))] = head
        keys = (
            [
                row[0]
                for row in connection.execute(
                    "SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key", _RANGE
                )
            ]
            if "cursorDiskKV" in tables
            else []
        )
        if keys:
            for row in connection.execute(_PARENTS, _RANGE).fetchall():
                listed = as_list(self.decoded(row[0]).get("subagentComposerIds"))
                self.children |= {one for one in listed if isinstance(one, str)}
        for key in keys:
            id_ = as_str(key).removeprefix("composerData:")
            data = self.value(connection, "cursorDiskKV", as_str(key))
            inline.pop(id_, None)
            found = True
            if not data:
                yield Problem(f"{log.name}: {key}", "not valid JSON")
                continue
            yield from self.composer(connection, id_, data, f"{log.name}: {key}", folder)
        for id_, data in inline.items():
            found = True
            yield from self.composer(None, id_, data, f"{log.name}: composer {id_}", folder)
        for tab in as_dicts(self.value(connection, "ItemTable", _CHATDATA).get("tabs")):
            found = True
            id_ = first_text(tab, "tabId", "id")
            turns = [LogMessage(list(self.bubble(one))) for one in as_dicts(tab.get("bubbles"))]
            yield item(
                id_,
                turns,
                f"{log.name}: tab {id_}",
                title=as_str(tab.get("chatTitle")),
                created_at=as_time(tab.get("lastSendTime")) or as_time(tab.get("timestamp")),
                folder=folder,
            )
        if not found:
            yield Skipped("other_file", log.name)

    def composer(
        self, connection: sqlite3.Connection | None, id_: str, data: JsonObject, place: str, folder: str
    ) -> Iterator[Item]:
        """Yield a conversation; messages that it no longer lists belong to abandoned branches."""
        head = self.headers.get(id_, {})
        bubbles = {
            first_text(one, "bubbleId") or f"#{n}": one for n, one in enumerate(as_dicts(data.get("conversation")))
        }
        bubbles |= {key: as_dict(one) for key, one in as_dict(data.get("conversationMap")).items()}
        if connection is not None:
            prefix = f"bubbleId:{id_}:"
            query = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ?"
            found = connection.execute(query, (prefix, f"{prefix[:-1]};")).fetchall()
            decoded = {as_str(key).removeprefix(prefix): self.decoded(value) for key, value in found}
            yield from (Problem(f"{place}: bubble {key}", "not valid JSON") for key, one in decoded.items() if not one)
            bubbles |= decoded
        order = [first_text(one, "bubbleId") for one in as_dicts(data.get("fullConversationHeadersOnly"))]
        order = order or [
            first_text(one, "bubbleId") or f"#{n}" for n, one in enumerate(as_dicts(data.get("conversation")))
        ]
        shown = dict.fromkeys(order)
        if missing := len(shown.keys() - bubbles.keys()):
            yield Skipped("not_a_message", place, missing)
        left = sorted((as_time(bubbles[key].get("createdAt")) or 0, key) for key in bubbles.keys() - shown.keys())
        workspace = as_dict(head.get("workspaceIdentifier")) or as_dict(data.get("workspaceIdentifier"))
        yield item(
            id_,
            [
                LogMessage(
                    list(self.bubble(bubbles[key])),
                    at=as_time(bubbles[key].get("createdAt")),
                    active=key in shown or not shown,
                )
                for key in (*shown, *(key for _, key in left))
                if key in bubbles
            ],
            place,
            title=first_text(data, "name") or first_text(head, "name"),
            created_at=as_time(data.get("createdAt")) or as_time(head.get("createdAt")),
            folder=local(workspace.get("uri")) or folder or self.folders.get(id_, ""),
            sidechain=id_ in self.children or bool(head.get("isSubagent") or head.get("subagentInfo")),
        )

    @staticmethod
    def bubble(record: JsonObject) -> Iterator[MessagePart]:
        """Yield the parts of a message of the editor."""
        text = first_text(record, "text", "rawText")
        if record.get("type") in (1, "user"):
            context = as_dict(record.get("context"))
            files = as_dicts(context.get("fileSelections")) or as_dicts(record.get("fileSelections"))
            names = (PurePosixPath(local(one.get("uri")).replace("\\", "/")).name for one in files)
            pictures = ["[image]" for _ in as_list(record.get("images"))]
            pieces = list(typed(text))
            said = join_lines((pieces[0].text, *map(attachment, names), *pictures))
            yield from (pieces[0]._replace(text=said), *pieces[1:])
            return
        thinking = record.get("thinking")
        yield thought(as_str(thinking) or first_text(as_dict(thinking), "text"))
        yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, text)
        tool = as_dict(record.get("toolFormerData"))
        if name := first_text(tool, "name", "tool"):
            yield call(name, tool.get("rawArgs") or tool.get("params"))
            yield result(output_text(unpacked(tool.get("result"))))


_PARENTS = """
SELECT value FROM cursorDiskKV
WHERE key >= ? AND key < ? AND CAST(value AS TEXT) LIKE '%"subagentComposerIds":%["%'
"""
_RANGE = ("composerData:", "composerData;")


def fits(record: JsonObject) -> bool:
    """Return True for a line of a transcript."""
    return "role" in record and "type" not in record and isinstance(record.get("message"), dict)


def places() -> Iterator[Path]:
    """Yield the editor's main database and the agent's sessions; transcripts only without them, as they repeat them."""
    state = config_home() / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    agent = expanded(os.environ.get("CURSOR_DATA_DIR") or str(Path.home() / ".cursor"))
    stores, transcripts = agent / "chats", agent / "projects"
    if state.is_file():
        yield state
    if any(stores.glob("*/*/store.db")):
        yield stores
    elif not state.is_file() and any(transcripts.glob("*/agent-transcripts")):
        yield transcripts


FORMAT = LogFormat(
    Format.CURSOR,
    "a Cursor chat",
    read,
    fits=fits,
    fits_tables=lambda tables: bool({"cursorDiskKV", "ItemTable"} & tables) or {"blobs", "meta"} <= tables,
    places=places,
    together=True,
)
