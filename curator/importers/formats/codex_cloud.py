"""Codex cloud tasks: `codex.json` in a ChatGPT export, each `{id, title, turns}`, without dates."""

from collections.abc import Iterator, Sequence

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import JsonObject, Record, as_dict, as_dicts, as_str, first_text, items, join_lines
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, attachment
from curator.importers.session_files import Session, conversation_of
from store.model import Channel, Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return every task of these files."""
    return items(files, progress, task_of, ("turns",))


def task_of(record: Record) -> Item:
    """Return the conversation of a task."""
    task = as_dict(record.value)
    if not fits(task):
        return Problem(record.place, "not a task of Codex")
    turns = [LogMessage(list(pieces_of(one)), first_text(one, "id")) for one in as_dicts(task.get("turns"))]
    return conversation_of(
        Format.CODEX_CLOUD, Session(first_text(task, "id"), turns, title=as_str(task.get("title"))), record.place
    )


def pieces_of(turn: JsonObject) -> Iterator[MessagePart]:
    """Yield the text of a turn, and the files that it cites."""
    is_person = turn.get("role") == "user"
    listed = as_dicts(turn.get("input_items" if is_person else "output_items"))
    parts = [part for one in listed for part in as_dicts(one.get("content"))]
    said = [as_str(part.get("text")) or attachment(first_text(part, "path")) for part in parts]
    yield MessagePart(Role.USER if is_person else Role.ASSISTANT, Channel.SPOKEN, join_lines(said))


def fits(record: JsonObject) -> bool:
    """Return True for a task."""
    return first_text(record, "id").startswith("task_") and isinstance(record.get("turns"), list)


FORMAT = LogFormat(Format.CODEX_CLOUD, "a list of Codex's cloud tasks", read, fits=fits, exported=True)
