"""LM Studio: one file per chat, `conversations/*.conversation.json`, without ids or dates of messages.

A message has several versions, one of them selected; an answer has steps. Based on public files and their readers.
"""

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
from curator.importers.log_format import Format, LogFormat, Options, has_messages
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, chat, result, split_thought, thought
from store import check_no_record
from store.model import Channel, Role

_SUFFIX = ".conversation"


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the chat of each of these files."""
    for log in files:
        for record in records(log, progress, ("messages",)):
            fields = {} if isinstance(record, Problem) else as_dict(record.value)
            if isinstance(record, Problem):
                yield record
            elif "messages" not in fields:
                yield Problem(record.place, "not a chat of LM Studio")
            else:
                yield chat(
                    Format.LM_STUDIO,
                    log.inner.stem.removesuffix(_SUFFIX),
                    list(turns(fields)),
                    record.place,
                    title=as_str(fields.get("name")),
                    created_at=as_time(fields.get("createdAt")),
                )


def turns(record: JsonObject) -> Iterator[LogMessage]:
    """Yield the versions of each message; only the selected one was shown."""
    prompt = as_str(record.get("systemPrompt"))
    yield LogMessage([MessagePart(Role.SYSTEM, Channel.INJECTED, prompt, hidden=True)])
    for message in as_dicts(record.get("messages")):
        selected = message.get("currentlySelected", 0)
        for number, version in enumerate(as_dicts(message.get("versions"))):
            yield LogMessage(list(pieces(version)), active=number == selected)


def pieces(version: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a version of a message."""
    content = as_dicts(version.get("content"))
    match version.get("role"):
        case "user":
            yield MessagePart(Role.USER, Channel.SPOKEN, join_lines(map(text_of, content)))
        case "assistant":
            said: list[str] = []
            steps = as_dicts(version.get("steps")) or [{"type": "contentBlock", "content": content}]
            for step in steps:
                if step.get("type") != "contentBlock":
                    continue  # states of tools and other notes of the program
                thinks = as_dict(step.get("style")).get("type") == "thinking"
                text = join_lines(as_str(one.get("text")) for one in as_dicts(step.get("content")))
                thinking, text = (text, "") if thinks else split_thought(text)
                yield thought(thinking)
                said.append(text)
                for one in as_dicts(step.get("content")):
                    if one.get("type") == "toolCallRequest":
                        yield call(first_text(one, "name"), one.get("parameters"))
                    elif one.get("type") == "toolCallResult":
                        yield result(one.get("content"))
            yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, join_lines(said, "\n\n"))
        case _:
            yield MessagePart(Role.SYSTEM, Channel.INJECTED, join_lines(map(text_of, content)), hidden=True)


def text_of(block: JsonObject) -> str:
    """Return a text, or the mention of a file."""
    if block.get("type") == "file":
        return attachment(first_text(block, "fileName", "name", "fileIdentifier"))
    return as_str(block.get("text"))


def places() -> Iterator[Path]:
    """Yield the folder of chats, whose path may be in a file in the home folder."""
    home = Path.home()
    pointer = home / ".lmstudio-home-pointer"
    try:
        check_no_record(pointer)
        pointed = Path(pointer.read_text(encoding="utf-8").strip()) if pointer.is_file() else home / ".lmstudio"
    except (OSError, ValueError):
        pointed = home / ".lmstudio"
    for folder in dict.fromkeys((pointed, home / ".cache" / "lm-studio")):
        if any((folder / "conversations").rglob(f"*{_SUFFIX}.json")):
            yield folder / "conversations"


FORMAT = LogFormat(
    Format.LM_STUDIO, "an LM Studio chat", read, fits=has_messages("versions", "currentlySelected"), places=places
)
