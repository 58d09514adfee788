"""Sessions of Cursor's agent: `store.db` in `chats/*/ID`, and transcripts with a message per line.

The root in `store.db`, in protobuf, lists messages in JSON. Transcripts repeat sessions of the agent and of the editor
without dates; therefore equal texts of a conversation are the same message, whatever file they are from.
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, Unreadable, text_beside
from curator.importers.json_stream import (
    as_dict,
    as_dicts,
    as_str,
    as_time,
    first_text,
    join_lines,
    line_records,
    parse,
)
from curator.importers.log_format import Format
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, chat, result, thought
from store.model import Channel, NewConversation, Role

_QUERY = re.compile(r"<user_query>(.*?)(?:</user_query>|\Z)", re.DOTALL)
_ADDED = re.compile(r"\s*<(?!user_query)[a-z][^<>]*>")
_WORKSPACE = re.compile(r"(?:Workspace Path: |workspacePath=)([^\n\r]+)")


def item(
    id_: str,
    turns: Sequence[LogMessage],
    place: str,
    *,
    title: str = "",
    created_at: int | None = None,
    folder: str = "",
    sidechain: bool = False,
) -> NewConversation | Skipped:
    """Return a conversation of Cursor."""
    return chat(
        Format.CURSOR,
        id_,
        turns,
        place,
        title=title,
        created_at=created_at,
        folder=folder,
        agent=True,
        sidechain=sidechain,
    )


def typed(text: str) -> Iterator[MessagePart]:
    """Yield the text typed by the person, and the text that the program added around it."""
    said = join_lines((one.strip() for one in _QUERY.findall(text)), "\n\n")
    added = _QUERY.sub("", text).strip()
    if not said and not _ADDED.match(text):
        said, added = text, ""
    yield MessagePart(Role.USER, Channel.SPOKEN, said)
    yield MessagePart(Role.USER, Channel.INJECTED, added, hidden=True)


def blocks(role: str, content: object) -> Iterator[MessagePart]:
    """Yield the parts of a message of the agent, in the format of transcripts or `store.db`."""
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else as_dicts(content):
        text = first_text(block, "text", "thinking")
        match role, as_str(block.get("type")):
            case "user", "text":
                yield from typed(text)
            case "assistant", "text":
                yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, text.replace("[REDACTED]", "").strip())
            case "assistant", "thinking" | "reasoning":
                yield thought(text)
            case "assistant", "tool_use" | "tool-call":
                arguments = block.get("input", block.get("args"))
                yield call(first_text(block, "name", "toolName"), arguments)
            case _, "tool_result" | "tool-result":
                yield result(block.get("content", block.get("result")))
            case "user", "image" | "file" as kind:
                name = first_text(block, "filename")
                yield MessagePart(Role.USER, Channel.SPOKEN, attachment(name) if name else f"[{kind}]")
            case "system", "text":
                yield MessagePart(Role.SYSTEM, Channel.INJECTED, text, hidden=True)


def transcript(log: LogFile, progress: ReadProgress) -> Iterator[Item]:
    """Yield the session of a transcript, which is in a folder named by its id; those of sub-agents are below it."""
    turns: list[LogMessage] = []
    other = 0
    try:
        with log.open(progress) as stream:
            for record in line_records(stream, log.name, growing=True):
                if isinstance(record, Problem):
                    yield record
                    continue
                fields = as_dict(record.value)
                role = as_str(fields.get("role"))
                if role:
                    turns.append(LogMessage(list(blocks(role, as_dict(fields.get("message")).get("content")))))
                else:
                    other += 1
    except Unreadable as error:
        yield Problem(log.name, f"cannot be read any further: {error}")
    if other:
        yield Skipped("not_a_message", log.name, other)
    if turns:
        above = log.inner.parts[:-1]
        sidechain = "subagents" in above
        id_ = above[above.index("subagents") - 1] if sidechain and above[0] != "subagents" else log.inner.stem
        folder = ""
        if log.path and "agent-transcripts" in log.path.parts:
            level = len(log.path.parts) - log.path.parts.index("agent-transcripts")
            folder = match_in_file(log.path.parents[level - 1] / "worker.log", _WORKSPACE)
        yield item(id_, turns, log.name, folder=folder, sidechain=sidechain)


def match_in_file(path: Path, pattern: re.Pattern[str]) -> str:
    """Return the match of a pattern in the first 64 KB of a file next to a log; empty without one."""
    found = pattern.search(text_beside(path))
    return found[1].strip() if found else ""


def local(address: object) -> str:
    """Return the path of a `file://` URL or of a workspace's `uri`."""
    if isinstance(address, Mapping):
        return first_text(as_dict(address), "fsPath", "path") or local(as_str(as_dict(address).get("external")))
    text = unquote(as_str(address).removeprefix("file://"))
    return text[1:] if re.match(r"/[A-Za-z]:", text) else text


def stored_session(connection: sqlite3.Connection, log: LogFile) -> Iterator[Item]:
    """Yield the session of the agent's `store.db`: `meta` is JSON in hexadecimal, its root lists the messages."""
    row = connection.execute("SELECT value FROM meta WHERE key = '0'").fetchone()
    try:
        meta = as_dict(parse(bytes.fromhex(as_str(row[0]) if row else "")))
    except ValueError:
        meta = {}
    root = as_str(meta.get("latestRootBlobId"))
    if not root:
        yield Skipped("no_messages", log.name)
        return

    def blob(id_: str) -> bytes:
        found = connection.execute("SELECT data FROM blobs WHERE id = ?", (id_,)).fetchone()
        return bytes(found[0]) if found and isinstance(found[0], bytes) else b""

    turns: list[LogMessage] = []
    folder = ""
    for number, value in wire_fields(blob(root)):
        if number == 1 and len(value) == 32:
            try:
                fields = as_dict(parse(blob(value.hex())))
            except ValueError as error:
                yield Problem(f"{log.name}: message {value.hex()[:12]}", f"not valid JSON: {error}")
                continue
            role = as_str(fields.get("role"))
            pieces = list(blocks(role, fields.get("content")))
            turns.append(LogMessage(pieces))
            if role == "user" and not folder:
                found = _WORKSPACE.search(join_lines(one.text for one in pieces))
                folder = found[1].strip() if found else ""
        elif number == 9:
            folder = local(value.decode("utf-8", "replace"))
    sidecar = log.path.with_name("meta.json") if log.path else Path()
    yield item(
        first_text(meta, "agentId") or log.inner.parent.name,
        turns,
        log.name,
        title=as_str(meta.get("name")),
        created_at=as_time(meta.get("createdAt")),
        folder=folder,
        sidechain=bool(log.path and match_in_file(sidecar, re.compile(r'("isSubagent"\s*:\s*true)'))),
    )


def wire_fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and value of the length-delimited fields of a protobuf message, up to the first damage."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while at < len(data) and shift < 64:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                break
        return value

    while at < len(data):
        key = varint()
        match key & 7:
            case 0:
                varint()
            case 1:
                at += 8
            case 2:
                size = varint()
                yield key >> 3, data[at : at + size]
                at += size
            case 5:
                at += 4
            case _:
                return
