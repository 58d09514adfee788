"""Open WebUI: exports of all chats or of one (JSON), and its database `webui.db`.

A chat is a tree of messages by id (`history.messages`), with the active branch ending at `history.currentId`; old chats
have only a list. Reasoning and tool calls are `<details>` in the text, or typed elements of `output`. Newer databases
keep messages in the table `chat_message` too. Format: `backend/open_webui/models` and `utils/middleware.py` of the
program.
"""

import html
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from curator.importers.database import read_databases, rows, split_databases
from curator.importers.factory import Node, active, conversation, conversation_key, ordered
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped
from curator.importers.json_stream import (
    JsonObject,
    Record,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    digest,
    first_text,
    join_lines,
    parse,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import MessagePart, attachment, build, call, result, split_thought, thought, unpacked
from curator.paths import expanded
from store.model import Channel, NewConversation, Role

_DETAILS = re.compile(r"<details\b(?=[^<>]*?\btype=\")([^<>]*+)>(.*?)(?:</details>|\Z)", re.DOTALL)
_ATTRIBUTE = re.compile(r'\b(\w+)="([^"]*)"')
_SUMMARY = re.compile(r"(?<!\s)\s*<summary>[^<]*</summary>\s*")
_OTHERS = "it holds the chats of {} people; in Open WebUI, export yours under Settings › Data controls, and import that"
_MESSAGES = ("chat.messages", "chat.history.messages", "messages", "history.messages")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield every chat of these files, and from a database also the person's saved memories and system prompt."""
    databases, others = split_databases(files)
    for log in others:
        found = (as_dict(one.value) for one in records(log, ReadProgress()) if isinstance(one, Record))
        owners = {as_str(one.get("user_id")) for one in found if not _is_shared(one)}
        if len(owners - {""}) > 1:
            yield Problem(log.name, _OTHERS.format(len(owners - {""})))
            progress.done += log.size
            continue
        for record in records(log, progress, _MESSAGES):
            if isinstance(record, Problem):
                yield record
            elif fits(fields := as_dict(record.value)) or "messages" in fields:
                yield _Chat(fields).conversation(record.place)
            else:
                yield Problem(record.place, "not a chat of Open WebUI")
    yield from read_databases(databases, progress, options, _Database(options).read)


class _Chat:
    """A chat with or without its wrapper."""

    def __init__(self, record: JsonObject, rows: Mapping[str, JsonObject] | None = None, folder: str = "") -> None:
        chat = record.get("chat")
        self.record, self.folder = record, folder
        self.chat = as_dict(chat) or (record if chat is None else {})
        self.owner = as_str(record.get("user_id"))
        history = as_dict(self.chat.get("history"))
        self.current = as_str(history.get("currentId"))
        self.messages: dict[str, JsonObject] = dict(rows or {})
        self.messages |= {id_: as_dict(one) for id_, one in as_dict(history.get("messages")).items()}
        if not self.messages:
            before: str | None = None
            for number, one in enumerate(as_dicts(self.chat.get("messages"))):
                id_ = first_text(one, "id") or f"#{number}"
                self.messages[id_] = {"parentId": before, **one}
                before = id_

    def conversation(self, place: str) -> NewConversation | Skipped:
        if _is_shared(self.record):
            return Skipped("not_a_message", place)
        nodes = [
            Node(id_, first_text(one, "parentId") or None, as_time(one.get("timestamp")))
            for id_, one in self.messages.items()
        ]
        shown = active(nodes, self.current)
        key = first_text(self.record, "id") or first_text(self.chat, "id")
        if not key:
            said = (piece for id_ in ordered(nodes) for piece in self.pieces(self.messages[id_]))
            key = conversation_key("", [(piece.role, piece.text) for piece in said])
        identity = f"{Format.OPEN_WEBUI}:{key}"
        prompt = as_str(as_dict(self.chat.get("params")).get("system")) or as_str(self.chat.get("system"))
        system = MessagePart(Role.SYSTEM, Channel.INJECTED, prompt, f"#system.{digest(prompt)}", hidden=True)
        created = self.record.get("created_at") or self.chat.get("timestamp") or self.record.get("timestamp")
        return conversation(
            identity,
            Format.OPEN_WEBUI,
            (
                *build([system], identity, None, None),
                *(
                    message
                    for id_ in ordered(nodes)
                    for message in build(
                        self.pieces(self.messages[id_]),
                        f"{identity}:{id_}",
                        id_,
                        as_time(self.messages[id_].get("timestamp")),
                        id_ in shown,
                    )
                ),
            ),
            place,
            external_id=key,
            title=first_text(self.record, "title") or first_text(self.chat, "title"),
            created_at=as_time(created),
            project=self.folder or None,
        )

    def pieces(self, record: JsonObject) -> Iterator[MessagePart]:
        """Yield the parts of a message in order of creation, and last the summary that replaces them."""
        content = record.get("content")
        text = content if isinstance(content, str) else join_lines(as_str(one.get("text")) for one in as_dicts(content))
        match as_str(record.get("role")).lower():
            case "user":
                author = first_text(record, "user_id") or first_text(as_dict(record.get("user")), "id")
                foreign = bool(author and self.owner and author != self.owner)  # a chat with several people
                names = (
                    "[image]"
                    if one.get("type") == "image"
                    else attachment(first_text(one, "name") or first_text(as_dict(one.get("file")), "filename"))
                    for one in as_dicts(record.get("files"))
                )
                channel = Channel.INJECTED if foreign else Channel.SPOKEN
                yield MessagePart(Role.USER, channel, join_lines((text, *names)), hidden=foreign)
            case "assistant":
                listed = as_dicts(record.get("output"))
                yield from self.listed(listed, text) if listed else self.marked(text)
            case "tool":
                yield result(content)
            case _:
                yield MessagePart(Role.SYSTEM, Channel.INJECTED, text, hidden=True)
        summary = first_text(record, "contextSummary", "context_summary")
        yield MessagePart(Role.ASSISTANT, Channel.SUMMARY, summary, "#summary", hidden=True)

    def listed(self, output: Sequence[JsonObject], text: str) -> Iterator[MessagePart]:
        """Yield the elements of `output` and their text; `text` repeats that text, or is empty."""
        said: list[str] = []
        for number, one in enumerate(output):
            inner = join_lines(as_str(part.get("text")) for part in as_dicts(one.get("content")))
            match as_str(one.get("type")):
                case "message":
                    said.append(inner)
                case "reasoning":
                    summary = join_lines(as_str(part.get("text")) for part in as_dicts(one.get("summary")))
                    yield thought(inner or summary, number)
                case "function_call":
                    yield call(as_str(one.get("name")), one.get("arguments"), number)
                case "function_call_output":
                    yield result(one.get("output"), number)
                case "open_webui:code_interpreter":
                    yield call("code_interpreter", one.get("code"), number)
                    yield result(one.get("output"), number)
        if any(said):
            yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, join_lines(said))
        else:
            yield from (piece for piece in self.marked(text) if not piece.suffix)

    def marked(self, text: str) -> Iterator[MessagePart]:
        """Yield the `<details>` of a text, then the text without them."""
        thinking, text = split_thought(text) if "</think>" in text else ("", text)
        yield thought(thinking)
        said: list[str] = []
        at = 0
        for number, match in enumerate(_DETAILS.finditer(text), 1):
            said.append(text[at : match.start()].strip())
            at = match.end()
            fields = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(match[1])}
            inner = html.unescape(_SUMMARY.sub("", match[2], count=1)).strip()
            match fields["type"]:
                case "reasoning":
                    yield thought(re.sub(r"^> ?", "", inner, flags=re.MULTILINE), number)
                case "tool_calls":
                    yield call(fields.get("name", ""), fields.get("arguments"), number)
                    yield result(unpacked(fields.get("result")) or inner, number)
                case "code_interpreter":
                    yield call("code_interpreter", inner, number)
                    yield result(fields.get("output", ""), number)
                case _:
                    said.append(match[0])
        yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, join_lines((*said, text[at:].strip()), "\n\n"))


class _Database:
    """The chats of one person in `webui.db`."""

    def __init__(self, options: Options) -> None:
        self.options = options

    def read(self, connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
        """Yield the chats, the saved memories and the system prompt of the person, or of the only person."""
        people = {first_text(row, "id"): row for row in rows(connection, "SELECT * FROM user")}
        owners = [as_str(row[0]) for row in connection.execute("SELECT DISTINCT user_id FROM chat").fetchall()]
        owners = [one for one in owners if not _is_shared({"user_id": one})]
        if len(owners) > 1:
            mine = [
                one for one in owners if self.options.own_names(as_str(people.get(one, {}).get(key)) for key in _NAMES)
            ]
            if len(mine) != 1:
                yield Problem(log.name, _OTHERS.format(len(owners)))
                return
            owners = mine
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        folders = (
            {first_text(row, "id"): as_str(row.get("name")) for row in rows(connection, "SELECT * FROM folder")}
            if "folder" in tables
            else {}
        )
        for owner in owners:
            listed = connection.execute("SELECT id FROM chat WHERE user_id = ? ORDER BY id", (owner,)).fetchall()
            for (id_,) in listed:
                place = f"{log.name}: chat {id_}"
                for row in rows(connection, "SELECT * FROM chat WHERE id = ?", id_):  # none if deleted meanwhile
                    record = self.decoded(row)
                    if not isinstance(record.get("chat"), dict):
                        yield Problem(place, "not valid JSON")
                        continue
                    folder = as_str(folders.get(as_str(record.get("folder_id"))))
                    found = (
                        rows(connection, "SELECT * FROM chat_message WHERE chat_id = ?", id_)
                        if "chat_message" in tables
                        else []
                    )
                    messages = {
                        as_str(one.get("id")).removeprefix(f"{id_}-"): {
                            "parentId": one.get("parent_id"),
                            "timestamp": one.get("created_at"),
                            **one,
                        }
                        for one in map(self.decoded, found)
                    }
                    yield _Chat(record, messages, folder).conversation(place)
            yield self.saved(connection, owner, people.get(owner, {}), f"{log.name}: memory", "memory" in tables)

    @staticmethod
    def decoded(row: JsonObject) -> JsonObject:
        """Return a row with decoded JSON columns."""
        record: dict[str, object] = dict(row)
        for name in _JSON & record.keys():
            value = record[name]
            try:
                record[name] = parse(value.encode("utf-8", "surrogatepass")) if isinstance(value, str) else value
            except ValueError:
                continue
        return record

    def saved(
        self, connection: sqlite3.Connection, owner: str, person: JsonObject, place: str, remembers: bool
    ) -> NewConversation | Skipped:
        """Return the memories and system prompt that the program stores about its person."""
        settings = person.get("settings")
        try:
            decoded = as_dict(parse(settings.encode())) if isinstance(settings, str) else {}
        except ValueError:
            decoded = {}
        prompt = as_str(as_dict(decoded.get("ui")).get("system"))
        query = "SELECT * FROM memory WHERE user_id = ? ORDER BY created_at, id"
        saved = rows(connection, query, owner) if remembers else []
        identity = f"{Format.OPEN_WEBUI}:memory:{owner}"
        instructions = MessagePart(
            Role.USER, Channel.INSTRUCTIONS, prompt, f"#instructions.{digest(prompt)}", hidden=True
        )
        return conversation(
            identity,
            Format.OPEN_WEBUI,
            (
                *build([instructions], identity, None, None),
                *(
                    message
                    for row in saved
                    for message in build(
                        [MessagePart(Role.ASSISTANT, Channel.SAVED, as_str(row.get("content")), hidden=True)],
                        f"{identity}:{row.get('id')}",
                        first_text(row, "id"),
                        as_time(row.get("created_at")),
                    )
                ),
            ),
            place,
            title="Open WebUI memory",
        )


_NAMES = ("id", "name", "email", "username")
_JSON = {"chat", "meta", "content", "output", "files"}


def _is_shared(record: JsonObject) -> bool:
    """Return True for the public copy of a shared chat."""
    return as_str(record.get("user_id")).startswith("shared-")


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    return isinstance(record.get("chat"), dict) or "currentId" in as_dict(record.get("history"))


def places() -> Iterator[Path]:
    """Yield the database of a server on this machine: in `DATA_DIR`, or at the place its manual suggests."""
    configured = os.environ.get("DATA_DIR", "")
    for folder in [expanded(configured)] if configured else [Path.home() / ".open-webui"]:
        if (folder / "webui.db").is_file():
            yield folder / "webui.db"


FORMAT = LogFormat(
    Format.OPEN_WEBUI,
    "an Open WebUI export",
    read,
    fits=fits,
    fits_tables=lambda tables: {"chat", "auth", "user"} <= tables,
    places=places,
    exported=True,
)
