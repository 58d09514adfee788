"""Reader of coding sessions stored as one file each, with an event or message per line."""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from curator.importers.factory import Node, active, conversation_key, headline, redacted
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, text_beside
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    first_text,
    join_lines,
    line_records,
    parse,
    records,
)
from curator.importers.log_format import Fits, Options
from curator.importers.pieces import LogMessage, MessagePart, call, chat, result, thought
from curator.importers.whole_files import each_file
from store.model import Channel, NewConversation, Role

_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Session:
    """A session read from its lines, with one turn for each line with text.

    Without a title, the first prompt is the title. `scope` is the prefix of message identities if other files can have
    copies of the messages; the default is the session.
    """

    id: str
    turns: Sequence[LogMessage]
    title: str = ""
    created_at: int | None = None
    folder: str = ""
    sidechain: bool = False
    scope: str = ""


SessionOf = Callable[[LogFile, Sequence[JsonObject]], Session]


def read_sessions(
    files: Sequence[LogFile], progress: ReadProgress, options: Options, source: str, fits: Fits, session_of: SessionOf
) -> Iterator[Item]:
    """Return the conversation of each file, built by `session_of` from its lines if one of them `fits`."""

    def read(log: LogFile) -> Iterator[Item]:
        lines: list[JsonObject] = []
        for record in lines_of(log, progress):
            if isinstance(record, Problem):
                yield record
            else:
                lines.append(record)
        session = session_of(log, lines) if any(map(fits, lines)) else None
        turns = [turn for turn in session.turns if turn.has_text] if session else []
        if (other := len(lines) - len(turns)) > 0:
            yield Skipped("not_a_message", log.name, other)
        if session is not None:
            yield conversation_of(source, replace(session, turns=turns), log.name)

    return each_file(sorted(files, key=lambda one: one.name), progress, options, read)


def lines_of(log: LogFile, progress: ReadProgress) -> Iterator[JsonObject | Problem]:
    """Yield the lines of a file, or the elements of a list; values that are not objects become empty objects."""
    if log.inner.suffix.lower() == ".jsonl":
        with log.open(progress) as stream:
            for line in line_records(stream, log.name, growing=True):
                yield line if isinstance(line, Problem) else as_dict(line.value)
        return
    for record in records(log, progress):
        if isinstance(record, Problem):
            yield record
        else:
            yield from as_dicts(record.value) or [as_dict(record.value)]


def conversation_of(source: str, session: Session, place: str) -> NewConversation | Skipped:
    """Return the conversation of a session."""
    asked = (one.text for turn in session.turns for one in turn.pieces if one.role is Role.USER and not one.hidden)
    return chat(
        source,
        session.id,
        session.turns,
        place,
        title=session.title or headline(redacted(next(filter(None, asked), ""))),
        created_at=session.created_at,
        folder=session.folder,
        agent=True,
        sidechain=session.sidechain,
        scope=session.scope,
    )


def sidecar_json(log: LogFile, name: str) -> JsonObject:
    """Return the object in the file `name` next to a log; empty in an archive or without such a file."""
    text = text_beside(log.path.parent / name, most=1 << 20) if log.path else ""
    with contextlib.suppress(ValueError):
        return as_dict(parse(text.encode()) if text else None)
    return {}


def fallback_id(turns: Sequence[LogMessage]) -> str:
    """Return an id for a session without one: a digest of its messages up to the first answer."""
    pieces = (one for turn in turns for one in turn.pieces)
    return conversation_key("", [(one.role, one.text) for one in pieces if one.channel is Channel.SPOKEN and one.text])


def blocks_of(message: JsonObject, role: Role) -> Iterator[MessagePart]:
    """Yield the parts of a message in the format of Anthropic's API, or with tool calls in that of OpenAI.

    In messages of the person, reminders added by the program become separate parts.
    """
    content = message.get("content")
    said: list[str] = []
    for number, block in enumerate([{"text": content}] if isinstance(content, str) else as_dicts(content)):
        match as_str(block.get("type")):
            case "" | "text" | "input_text" | "output_text":
                said.append(as_str(block.get("text")))
            case "thinking" | "reasoning" | "think":
                yield thought(first_text(block, "thinking", "text", "reasoning", "think"), number)
            case "tool_use" | "toolCall" | "tool-call":
                yield call(first_text(block, "name", "toolName"), call_input(block), number)
            case "tool_result" | "tool-result":
                yield result(block.get("content") or block.get("result") or block.get("output"), number)
            case "image" | "image_url":
                said.append("[image]")
    for number, one in enumerate(as_dicts(message.get("tool_calls")), len(said) + 1_000):
        function = as_dict(one.get("function")) or one
        yield call(as_str(function.get("name")), call_input(function), number)
    text = join_lines(said, "\n" if role is Role.USER else "\n\n")
    if role is Role.TOOL:
        yield result(text)
    elif role is Role.USER:
        yield from typed(text)
    else:
        hidden = role is Role.SYSTEM
        yield MessagePart(role, Channel.INJECTED if hidden else Channel.SPOKEN, text, hidden=hidden)


def call_input(fields: JsonObject) -> object:
    """Return the arguments of a tool call."""
    return next((fields[name] for name in ("input", "arguments", "args", "params") if name in fields), None)


def typed(text: str) -> Iterator[MessagePart]:
    """Yield the text typed by the person, and the reminders around it as separate parts."""
    added = join_lines(_REMINDER.findall(text))
    yield MessagePart(Role.USER, Channel.SPOKEN, _REMINDER.sub("", text).strip() if added else text)
    yield MessagePart(Role.USER, Channel.INJECTED, added, "#reminder", hidden=True)


def time_of(record: JsonObject, *names: str) -> int | None:
    """Return the first of these fields that is a time, in microseconds."""
    return next((at for name in names if (at := as_time(record.get(name))) is not None), None)


def on_branch(lines: Sequence[JsonObject]) -> set[str]:
    """Return the ids of the lines on the branch that ends at the last line, linked by `id` and `parentId`.

    A line with a missing parent follows the line before it.
    """
    known = {as_str(one.get("id")) for one in lines} - {""}
    nodes: list[Node] = []
    for line in lines:
        name, above = as_str(line.get("id")), as_str(line.get("parentId"))
        if name:
            nodes.append(Node(name, above if above in known else nodes[-1].id if above and nodes else None, None))
    return active(nodes, nodes[-1].id) if nodes else set()
