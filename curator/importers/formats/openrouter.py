"""OpenRouter chats exported by its page: `{version: "orpg.3.0", title, characters, messages, items}`.

`messages` are by id, and their texts are in the `items` they name; in versions 1 and 2 they are in the message itself.
Several models may answer a prompt. The file has no id, so the id of the first message identifies the chat.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import (
    JsonObject,
    Record,
    as_dict,
    as_dicts,
    as_str,
    first_text,
    items,
    join_lines,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, attachment, call, chat, result, thought
from curator.importers.session_files import fallback_id, time_of
from store.model import Channel, Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return every chat of these files."""
    return items(files, progress, chat_of, ("messages",))


def chat_of(record: Record) -> Item:
    """Return a chat with its messages in order of time."""
    fields = as_dict(record.value)
    if not fits(fields):
        return Problem(record.place, "not an OpenRouter chat")
    known = fields.get("messages")
    named = (
        [(id_, one) for id_, one in known.items() if isinstance(one, dict)]
        if isinstance(known, dict)
        else [(first_text(one, "id"), one) for one in as_dicts(known)]
    )
    ordered = sorted(named, key=lambda one: time_of(one[1], "createdAt", "created_at", "updatedAt") or 0)
    stored = as_dict(fields.get("items"))
    turns = [
        LogMessage(list(pieces_of(message, stored)), id_, time_of(message, "createdAt", "created_at", "updatedAt"))
        for id_, message in ordered
    ]
    first = next((id_ for id_, _ in ordered if id_), "") or fallback_id(turns)
    return chat(Format.OPENROUTER, first, turns, record.place, title=as_str(fields.get("title")))


def pieces_of(message: JsonObject, stored: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a message."""
    is_person = message.get("type") == "user" or message.get("characterId") == "USER"
    role = Role.USER if is_person else Role.SYSTEM if message.get("type") == "system" else Role.ASSISTANT
    said: list[str] = [as_str(message.get("content"))]
    data = [as_dict(as_dict(stored.get(as_str(one.get("id")))).get("data")) for one in as_dicts(message.get("items"))]
    for number, one in enumerate(data):
        content = one.get("content")
        texts = [as_str(part.get("text")) for part in as_dicts(content)]
        match as_str(one.get("type")):
            case "message":
                said += [as_str(content), *texts]
                said += [attachment(first_text(part, "filename", "name")) for part in as_dicts(content)]
            case "reasoning":
                summed = (as_str(part.get("text")) for part in as_dicts(one.get("summary")))
                yield thought(join_lines(chain(texts, summed), "\n\n"), number)
            case "function_call" | "tool_call" | "web_search_call":
                yield call(first_text(one, "name", "type"), one.get("arguments", one.get("action")), number)
            case "function_call_output" | "tool_result":
                yield result(one.get("output"), number)
    hidden = role is Role.SYSTEM
    yield MessagePart(role, Channel.INJECTED if hidden else Channel.SPOKEN, join_lines(said), hidden=hidden)
    reasoned = as_dict(message.get("metadata")).get("reasoning") or message.get("reasoning")
    yield thought(as_str(reasoned), len(data))


def fits(record: JsonObject) -> bool:
    """Return True for an exported chat."""
    return as_str(record.get("version")).startswith("orpg") and "messages" in record


FORMAT = LogFormat(Format.OPENROUTER, "an OpenRouter chat", read, fits=fits, exported=True)
