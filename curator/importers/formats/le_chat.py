"""Mistral Le Chat exports: a zip with `chat-<uuid>.json` for each conversation, a bare list of messages.

The messages are unordered, and a conversation has no title.
"""

from collections.abc import Iterator, Sequence

from curator.importers.factory import ROLES, Entry, Text, conversation, headline, in_sequence, redacted
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    compact,
    first_text,
    join_lines,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, Role

_CHANNELS = {Role.USER: Channel.SPOKEN, Role.ASSISTANT: Channel.SPOKEN, Role.TOOL: Channel.TOOL}


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversation of each file (or several, if its messages have different conversation ids)."""
    for log in files:
        chats: dict[str, list[Entry]] = {}
        for record in records(log, progress):
            if isinstance(record, Problem):
                yield record
            elif fits(fields := as_dict(record.value)):
                name = as_str(fields.get("chatId")) or log.inner.stem.removeprefix("chat-")
                at = as_time(fields.get("createdAt"))
                chats.setdefault(name, []).append(
                    Entry(as_str(fields.get("id")), None, at, list(_Message(fields).texts()))
                )
            else:
                yield Problem(record.place, "not a message of Le Chat")
        for name, entries in chats.items():
            identity = f"{Format.LE_CHAT}:{name}"
            entries.sort(key=lambda entry: entry.time or 0)
            asked = (text.text for entry in entries for text in entry.texts if text.role is Role.USER)
            yield conversation(
                identity,
                Format.LE_CHAT,
                in_sequence(identity, entries),
                log.name,
                external_id=name,
                title=headline(redacted(next(asked, ""))),
            )


class _Message:
    """A message with text (whole or in chunks), files and canvases."""

    def __init__(self, fields: JsonObject) -> None:
        self.fields = fields
        self.role = ROLES.get(as_str(fields.get("role")).lower(), Role.SYSTEM)
        self.chunks = as_dicts(fields.get("contentChunks"))

    def texts(self) -> Iterator[Text]:
        said = [as_str(chunk.get("text")) for chunk in self.chunks if chunk.get("type") == "text"]
        for chunk in self.chunks:
            match chunk.get("type"):
                case "tool_call":
                    call = f"{first_text(chunk, 'name', 'toolType')} {as_str(chunk.get('publicArguments'))}"
                    yield Text(Role.ASSISTANT, call, Channel.TOOL)
                    result = chunk.get("publicResult")
                    if result is not None:
                        yield Text(Role.TOOL, as_str(result) or compact(result), Channel.TOOL)
                case "thinking":
                    thought = join_lines(as_str(one.get("text")) for one in as_dicts(chunk.get("thinking")))
                    yield Text(Role.ASSISTANT, thought or first_text(chunk, "thinking", "text"), Channel.THINKING)
                case "image_url":
                    said.append("\n[image]")
        for canvas in as_dicts(self.fields.get("canvas")):
            yield Text(Role.ASSISTANT, join_lines(first_text(canvas, n) for n in ("title", "content")), Channel.TOOL)
        names = (first_text(one, "name") for one in as_dicts(self.fields.get("files")))
        text = "".join(said) or as_str(self.fields.get("content"))
        text = join_lines((text, *(f"[attachment: {name}]" for name in names if name)))
        yield Text(self.role, text, _CHANNELS.get(self.role, Channel.INJECTED))


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    return "contentChunks" in record or ("chatId" in record and "content" in record)


FORMAT = LogFormat(Format.LE_CHAT, "a Mistral Le Chat export", read, fits=fits, exported=True)
