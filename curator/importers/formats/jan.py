"""Jan: a folder for each thread, with `thread.json` and `messages.jsonl`. Format: `docs` of the program."""

import re
import sys
from collections import defaultdict
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
from curator.paths import config_home, data_home
from store.model import Channel, Role

_FILES = re.compile(r"(?<!\s)\s*\[ATTACHED_FILES\]((?:(?!\[ATTACHED_FILES\]).)*?)\[/ATTACHED_FILES\]", re.DOTALL)
_NAME = re.compile(r"\bname: ([^,\n]+)")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the threads of these files; a thread without its `thread.json` has no title."""
    heads: dict[str, JsonObject] = {}
    folders: defaultdict[str, list[LogFile]] = defaultdict(list)
    for log in sorted(files, key=lambda one: one.inner.suffix != ".json"):
        if log.inner.suffix.lower() != ".json":
            folders[str(log.inner.parent)].append(log)
            continue
        for record in records(log, progress):
            if isinstance(record, Problem):
                yield record
            elif as_dict(record.value).get("object") == "thread":
                heads[str(log.inner.parent)] = as_dict(record.value)
            elif "thread_id" in as_dict(record.value):
                folders[str(log.inner.parent)].append(log)
                break
            else:
                yield Problem(record.place, "neither a thread nor a message of Jan")
    for folder, members in folders.items():
        head = heads.get(folder, {})
        threads: defaultdict[str, list[LogMessage]] = defaultdict(list)
        for log in members:
            for record in records(log, progress):
                fields = {} if isinstance(record, Problem) else as_dict(record.value)
                if isinstance(record, Problem):
                    yield record
                elif "role" in fields:
                    at = as_time(fields.get("created_at") or fields.get("created"))
                    turn = LogMessage(list(pieces(fields)), first_text(fields, "id"), at)
                    threads[first_text(fields, "thread_id") or first_text(head, "id") or log.inner.parent.name].append(
                        turn
                    )
                else:
                    yield Problem(record.place, "not a message of Jan")
        for id_, turns in threads.items():
            yield chat(
                Format.JAN,
                id_,
                turns,
                members[0].name,
                title=first_text(head, "title") or first_text(as_dict(head.get("metadata")), "title"),
                created_at=as_time(head.get("created")),
            )


def pieces(record: JsonObject) -> Iterator[MessagePart]:
    """Yield the files of a message."""
    said: list[str] = []
    for number, block in enumerate(as_dicts(record.get("content"))):
        inner = block.get("text")
        text = as_str(inner) or as_str(as_dict(inner).get("value"))
        match as_str(block.get("type")):
            case "reasoning":
                yield thought(text, number)
            case "tool_call":
                yield call(first_text(block, "tool_name"), block.get("input"), number)
                yield result(block.get("output"), number)
            case "image_url" | "image":
                said.append("[image]")
            case _:
                said.append(text)
    for number, use in enumerate(as_dicts(as_dict(record.get("metadata")).get("tool_calls")), 1000):
        function = as_dict(as_dict(use.get("tool")).get("function"))
        yield call(first_text(function, "name"), function.get("arguments"), number)
        response = use.get("response")
        yield result(as_dict(response).get("content") or response, number)
    text = join_lines(said)
    match record.get("role"):
        case "user":
            names = [name for block in _FILES.findall(text) for name in _NAME.findall(block)]
            text = join_lines((_FILES.sub("", text), *map(attachment, names)))
            yield MessagePart(Role.USER, Channel.SPOKEN, text)
        case "assistant":
            thinking, text = split_thought(text)
            yield thought(thinking, 999)
            yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, text)
        case "tool":
            yield result(text)
        case _:
            yield MessagePart(Role.SYSTEM, Channel.INJECTED, text, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for a thread or a message."""
    return (
        record.get("object") == "thread.message"
        or (record.get("object") == "thread" and "assistants" in record)
        or ("thread_id" in record and "role" in record and isinstance(record.get("content"), list))
    )


def places() -> Iterator[Path]:
    """Yield the folder of threads of newer and older versions."""
    home = Path.home()
    base = config_home() if sys.platform == "win32" else data_home()
    for folder in (base / "Jan" / "data", home / ".config" / "Jan" / "data", home / "jan"):
        if any((folder / "threads").glob("*/messages.jsonl")):
            yield folder / "threads"


FORMAT = LogFormat(Format.JAN, "a Jan thread", read, fits=fits, places=places, together=True)
