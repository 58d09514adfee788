"""GitHub Copilot chats of VS Code: stored in a workspace, or exported ("Chat: Export Chat...").

A chat is an object with `requests`, each with a prompt and the parts of the answer. Since 2026 it is stored as a log of
changes, one per line: `kind` 0 is the whole chat, 1 sets the value at the path `k`, 2 truncates the list there to `i`
elements and appends those of `v`, and 3 removes it.

Locations: `User/workspaceStorage/*/chatSessions` and `User/globalStorage/emptyWindowChatSessions` of VS Code and its
relatives; `workspace.json` next to `chatSessions` names the folder. Based on `chatModel.ts` and `objectMutationLog.ts`
of microsoft/vscode.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from curator.importers.factory import conversation_key, headline, redacted
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, text_beside
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    first_text,
    join_lines,
    line_records,
    parse,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, chat, thought
from curator.importers.whole_files import each_file
from curator.paths import config_home
from store.model import Channel, NewConversation, Role

_RELATIVES = ("Code", "Code - Insiders", "VSCodium", "Code - OSS")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return every chat of these files."""

    def chats(log: LogFile) -> Iterator[Item]:
        for found in _chats(log, progress):
            if isinstance(found, Problem):
                yield found
            elif "requests" in found:
                yield _Chat(log, found).conversation()

    return each_file(sorted(files, key=lambda one: one.name), progress, options, chats)


def _chats(log: LogFile, progress: ReadProgress) -> Iterator[JsonObject | Problem]:
    """Yield the chats of a file, applying a log of changes if it is one."""
    if log.inner.suffix.lower() != ".jsonl":
        for record in records(log, progress, ("requests",)):
            yield record if isinstance(record, Problem) else as_dict(record.value)
        return
    chat: Any = {}
    with log.open(progress) as stream:
        for record in line_records(stream, log.name, growing=True):
            if isinstance(record, Problem):
                yield record
                continue
            change = as_dict(record.value)
            try:
                chat = changed(chat, change)
            except (LookupError, TypeError, AttributeError, ValueError):
                yield Problem(record.place, "changes what is not there")
    yield as_dict(chat)


def changed(chat: Any, change: JsonObject) -> Any:
    """Return a chat after a change.

    Raises LookupError, TypeError, AttributeError or ValueError if it has no such place.
    """
    kind, value = change.get("kind"), change.get("v")
    path: Any = as_list(change.get("k"))
    if kind == 0 or "requests" in change:
        return value if kind == 0 else change
    holder = chat
    for key in path[:-1]:
        holder = holder[key]
    last = path[-1]
    match kind:
        case 1 if isinstance(holder, list) and last == len(holder):
            holder.append(value)
        case 1:
            holder[last] = value
        case 2:
            target = holder[last] if isinstance(holder, list) else holder.setdefault(last, [])
            cut = change.get("i")
            del target[cut if isinstance(cut, int) else len(target) :]
            target.extend(as_list(value))
        case 3:
            del holder[last]
    return chat


class _Chat:
    """One chat."""

    def __init__(self, log: LogFile, chat: JsonObject) -> None:
        self.log = log
        self.chat = chat

    def conversation(self) -> NewConversation | Skipped:
        """Return the chat."""
        turns = [
            LogMessage(
                list(pieces_of(request)),
                as_str(request.get("requestId")),
                as_time(request.get("timestamp")),
                not (request.get("shouldBeRemovedOnSend") or request.get("isHidden")),
            )
            for request in as_dicts(self.chat.get("requests"))
        ]
        said = [(one.role, one.text) for turn in turns for one in turn.pieces if one.channel is Channel.SPOKEN]
        asked = next((text for role, text in said if role is Role.USER and text.strip()), "")
        return chat(
            Format.COPILOT_CHAT,
            as_str(self.chat.get("sessionId")) or conversation_key("", said),
            turns,
            self.log.name,
            title=first_text(self.chat, "customTitle", "computedTitle") or headline(redacted(asked)),
            created_at=as_time(self.chat.get("creationDate")),
            folder=self._folder(),
            agent=True,
        )

    def _folder(self) -> str:
        """Return the folder of the chat's workspace, if it is stored next to it."""
        for above in self.log.path.parents if self.log.path else ():
            if above.name == "chatSessions":
                with contextlib.suppress(ValueError):
                    kept = as_dict(parse(text_beside(above.parent / "workspace.json").encode()))
                    address = urlsplit(as_str(kept.get("folder")))
                    path = unquote(address.path)
                    return path[1:] if path[2:3] == ":" else path  # /c:/work
        return ""


def pieces_of(request: JsonObject) -> Iterator[MessagePart]:
    """Yield the prompt with the names of attachments, thoughts, tool calls, and the answer."""
    asked = request.get("message")
    variables = as_dicts(as_dict(request.get("variableData")).get("variables"))
    files = (as_str(one.get("name")) for one in variables if one.get("kind") in ("file", "image", "directory", "paste"))
    said = as_str(asked) or as_str(as_dict(asked).get("text"))
    yield MessagePart(Role.USER, Channel.SPOKEN, join_lines((said, *map(attachment, files))))
    runs = [""]  # texts of the answer between tool calls
    for number, part in enumerate(as_list(request.get("response"))):
        fields = as_dict(part)
        match as_str(fields.get("kind")):
            case "" | "markdownContent" | "markdownVuln":
                runs[-1] += as_str(part) or _marked(fields.get("value")) or _marked(fields.get("content"))
            case "inlineReference":
                named = as_dict(fields.get("inlineReference"))
                path = first_text(named, "path", "fsPath") or first_text(as_dict(named.get("uri")), "path", "fsPath")
                runs[-1] += f"`{first_text(fields, 'name') or first_text(named, 'name') or path.rpartition('/')[2]}`"
            case "thinking":
                value = fields.get("value")
                yield thought(as_str(value) or join_lines(map(as_str, as_list(value))), number)
            case "toolInvocationSerialized" | "toolInvocation":
                runs.append("")
                did = _marked(fields.get("pastTenseMessage")) or _marked(fields.get("invocationMessage"))
                data = as_dict(fields.get("toolSpecificData"))
                given = as_dict(data.get("commandLine")) or data.get("rawInput")
                yield call(first_text(fields, "toolId"), given or did, number)
                output = as_dicts(as_dict(fields.get("resultDetails")).get("output"))
                text = join_lines(as_str(one.get("value")) for one in output)
                yield MessagePart(Role.TOOL, Channel.TOOL, text, f"#tool_result.{number}")
            case "textEditGroup":
                runs.append("")
                yield call("edit", first_text(as_dict(fields.get("uri")), "path", "fsPath"), number)
    yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, join_lines(map(str.strip, runs), "\n\n"), "#answer")


def _marked(text: object) -> str:
    """Return a text, which may be wrapped in a Markdown object."""
    return as_str(text) or as_str(as_dict(text).get("value"))


def fits(record: JsonObject) -> bool:
    """Return True for a chat, or the first line of its log of changes."""
    chat = as_dict(record.get("v")) if record.get("kind") == 0 else record
    return isinstance(chat.get("requests"), list) and bool(
        {"responderUsername", "creationDate", "initialLocation"} & chat.keys()
    )


def user_folders() -> Iterator[Path]:
    """Yield the user data folders of VS Code and its relatives."""
    yield from (config_home() / name / "User" for name in _RELATIVES)


def places() -> Iterator[Path]:
    """Yield the non-empty folders of chats."""
    for folder in user_folders():
        if any((folder / "workspaceStorage").glob("*/chatSessions/*.json*")):
            yield folder / "workspaceStorage"
        if any((folder / "globalStorage" / "emptyWindowChatSessions").glob("*.json*")):
            yield folder / "globalStorage" / "emptyWindowChatSessions"


FORMAT = LogFormat(Format.COPILOT_CHAT, "a Copilot chat of VS Code", read, fits=fits, places=places, exported=True)
