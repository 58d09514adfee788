"""Continue: one file per session, `sessions/ID.json`; `sessions.json` lists them with dates, which messages lack.

Files and other context added by the person are stored next to the text of a message. Format: `core/index.d.ts` of the
program.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    first_text,
    join_lines,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, chat, result, split_thought, thought
from curator.paths import expanded
from store.model import Channel, Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the sessions of these files."""
    listed: dict[str, JsonObject] = {}
    for log in sorted(files, key=lambda one: one.inner.name != "sessions.json"):
        for record in records(log, progress, ("history",)):
            fields = {} if isinstance(record, Problem) else as_dict(record.value)
            id_ = first_text(fields, "sessionId")
            if isinstance(record, Problem):
                yield record
            elif id_ and "history" in fields:
                folder = first_text(fields, "workspaceDirectory").removeprefix("file://")
                yield chat(
                    Format.CONTINUE,
                    id_,
                    list(turns(as_dicts(fields["history"]))),
                    record.place,
                    title=as_str(fields.get("title")),
                    created_at=as_time(listed.get(id_, {}).get("dateCreated")) or as_time(fields.get("dateCreated")),
                    folder=folder,
                    agent=True,
                )
            elif id_ and "dateCreated" in fields:
                listed[id_] = fields
            else:
                yield Problem(record.place, "not a session of Continue")


def turns(history: Sequence[JsonObject]) -> Iterator[LogMessage]:
    """Yield the messages of a session."""
    for one in history:
        message = as_dict(one.get("message"))
        content = message.get("content")
        text = content if isinstance(content, str) else join_lines(map(text_of, as_dicts(content)))
        pieces: list[MessagePart] = []
        match message.get("role"):
            case "user":
                context = as_dicts(one.get("contextItems"))
                names = (attachment(first_text(item, "name")) for item in context)
                pieces.append(MessagePart(Role.USER, Channel.SPOKEN, join_lines((text, *names))))
                pieces += (
                    MessagePart(Role.USER, Channel.ATTACHMENT, as_str(item.get("content")), hidden=True)
                    for item in context
                )
            case "assistant":
                thinking, text = split_thought(text)
                pieces.append(thought(join_lines((first_text(as_dict(one.get("reasoning")), "text"), thinking))))
                pieces.append(MessagePart(Role.ASSISTANT, Channel.SPOKEN, text))
                for use in as_dicts(message.get("toolCalls")):
                    function = as_dict(use.get("function"))
                    pieces.append(call(first_text(function, "name"), function.get("arguments")))
            case "thinking":
                pieces.append(thought(text))
            case "tool":
                pieces.append(result(text))
            case _:
                pieces.append(MessagePart(Role.SYSTEM, Channel.INJECTED, text, hidden=True))
        summary = as_str(one.get("conversationSummary"))
        pieces.append(MessagePart(Role.ASSISTANT, Channel.SUMMARY, summary, hidden=True))
        yield LogMessage(pieces)


def text_of(block: JsonObject) -> str:
    """Return a text, or the mention of a picture."""
    return "[image]" if "image" in as_str(block.get("type")) else as_str(block.get("text"))


def fits(record: JsonObject) -> bool:
    """Return True for a session, or an entry of the list of sessions."""
    return "sessionId" in record and (
        isinstance(record.get("history"), list) or ("dateCreated" in record and "workspaceDirectory" in record)
    )


def places() -> Iterator[Path]:
    """Yield the folder of sessions."""
    configured = os.environ.get("CONTINUE_GLOBAL_DIR")
    folder = (expanded(configured) if configured else Path.home() / ".continue") / "sessions"
    if any(folder.glob("*.json")):
        yield folder


FORMAT = LogFormat(Format.CONTINUE, "a Continue session", read, fits=fits, places=places)
