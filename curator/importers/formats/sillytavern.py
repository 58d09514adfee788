"""SillyTavern chats with an assistant; chats with characters are refused, since role play is fiction.

A chat is JSONL: a header with `chat_metadata`, whose names are "unused" in newer versions, and messages with `mes`,
`is_user` and a `send_date` in several forms, in local time (read as UTC). Only the displayed swipe of an answer is
read.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from curator.importers.factory import Entry, Text, conversation, conversation_key, headline, in_sequence, redacted
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
from store import clock
from store.model import Channel, Role

_ASSISTANT = re.compile(
    r"\b(?:assistant|chatgpt|gpt-?\d\w*|claude|gemini|deepseek|grok|copilot|llama|mistral|qwen)\b", re.IGNORECASE
)
_STAMP = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the chat of each file."""
    for log in files:
        entries: list[Entry] = []
        name = ""
        fiction = False  # a group may start with an assistant and have characters later
        for record in records(log, progress):
            fields = {} if isinstance(record, Problem) else as_dict(record.value)
            if isinstance(record, Problem):
                yield record
            elif fiction := fiction or is_roleplay(fields):
                continue
            elif "mes" in fields:
                message = _Message(fields)
                entries.append(Entry("", None, message.time(), list(message.texts())))
            elif "chat_metadata" in fields or "character_name" in fields:
                name = first_text(as_dict(fields.get("chat_metadata")), "integrity")
            else:
                yield Problem(record.place, "neither a message nor the header of a chat")
        if fiction:
            yield Problem(log.name, "a roleplay, which is fiction: no memories are made of it")
        if fiction or not entries:
            continue
        said = [(text.role, text.text) for entry in entries for text in entry.texts]
        identity = f"{Format.SILLYTAVERN}:{name or conversation_key('', said)}"
        asked = next((text for role, text in said if role is Role.USER), "")
        yield conversation(
            identity,
            Format.SILLYTAVERN,
            in_sequence(identity, entries),
            log.name,
            external_id=name or None,
            title=headline(redacted(asked)),
        )


class _Message:
    """A message of the person, of the assistant, or of the program."""

    def __init__(self, fields: JsonObject) -> None:
        self.fields = fields
        self.extra = as_dict(fields.get("extra"))

    def time(self) -> int | None:
        value = self.fields.get("send_date")
        if (micros := as_time(value)) is not None:
            return micros
        try:
            if stamp := _STAMP.match(as_str(value)):
                year, month, day, hour, minute, second = map(int, stamp.groups())
                at = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
            else:
                at = datetime.strptime(as_str(value), "%B %d, %Y %I:%M%p").replace(tzinfo=UTC)
            return clock.from_seconds(at.timestamp())
        except ValueError:
            return None

    def texts(self) -> Iterator[Text]:
        files = [*as_dicts(self.extra.get("files")), as_dict(self.extra.get("file"))]
        names = (first_text(one, "name") for one in files)
        picture = "[image]" if self.extra.get("image") else ""
        text = join_lines(
            (as_str(self.fields.get("mes")), *(f"[attachment: {name}]" for name in names if name), picture)
        )
        yield Text(Role.ASSISTANT, as_str(self.extra.get("reasoning")), Channel.THINKING)
        if self.fields.get("is_user") is True:
            yield Text(Role.USER, text)
        elif self.fields.get("is_system") is True or self.extra.get("type") == "narrator":
            yield Text(Role.SYSTEM, text, Channel.INJECTED)
        else:
            yield Text(Role.ASSISTANT, text)


def character(record: JsonObject) -> str:
    """Return the person's partner, from a header or an answer; empty if the record does not name one."""
    if "chat_metadata" in record or "character_name" in record:
        name = as_str(record.get("character_name"))
        return "" if name == "unused" else name
    told = "mes" in record and record.get("is_user") is False and record.get("is_system") is not True
    return (as_str(record.get("name")) or "?") if told else ""


def is_roleplay(record: JsonObject) -> bool:
    """Return True for a record of a chat with a character."""
    name = character(record)
    return bool(name) and not _ASSISTANT.search(name)


def fits(record: JsonObject) -> bool:
    """Return True for a record of a chat with an assistant."""
    return bool(_ASSISTANT.search(character(record)))


def places() -> Iterator[Path]:
    """Yield the folders of chats with an assistant, at the places suggested by installer and manual."""
    for name in ("SillyTavern", "sillytavern", "SillyTavern-Launcher/SillyTavern"):
        for folder in sorted((Path.home() / name / "data").glob("*/chats/*")):
            if _ASSISTANT.search(folder.name) and any(folder.glob("*.jsonl")):
                yield folder


FORMAT = LogFormat(Format.SILLYTAVERN, "a SillyTavern chat", read, fits=fits, places=places)
