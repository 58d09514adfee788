"""GitHub Copilot CLI sessions: a log of events `{type, data, id, timestamp, parentId}`, one a line.

A sub-agent's events name the tool call that began it. Until autumn 2025 a session was one object with `chatMessages`.

Places: `session-state/SESSION/events.jsonl` in `$COPILOT_HOME` or `~/.copilot`, early `session-state/SESSION.jsonl` and
`history-session-state`; `workspace.yaml` beside the events has the title. After the event types of
github/copilot-sdk.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from curator.importers.factory import headline, redacted
from curator.importers.inputs import Item, Meter, Part, Problem, Skipped, Unreadable, text_beside
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    first_text,
    join_lines,
    line_records,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import Piece, Turn, attachment, call, chat, result, thought
from curator.importers.whole_files import known_mark, new_mark
from curator.paths import expanded
from store.model import Channel, NewConversation, Role

_FIELD = re.compile(r"^(name|summary|cwd): *[\"']?(.*?)[\"']? *$", re.MULTILINE)
_TYPES = ("session.", "user.", "assistant.", "tool.", "system.", "subagent.", "skill.", "hook.", "permission.", "abort")


def read(parts: Sequence[Part], meter: Meter, options: Options) -> Iterator[Item]:
    """Yield the conversation of each file."""
    for part in sorted(parts, key=lambda one: one.name):
        try:
            if mark := known_mark(part, meter, options):
                yield mark
                continue
            session = _Session(part)
            yield from session.read(meter)
            if session.other:
                yield Skipped("not_a_message", part.name, session.other)
            if session.is_log:
                yield session.conversation()
            if mark := new_mark(part, int(session.is_log)):
                yield mark
        except Unreadable as error:
            yield Problem(part.name, f"cannot be read any further: {error}")


class _Session:
    """The session of one file."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.other = 0
        self.is_log = False
        self._start: JsonObject = {}
        self._folder = self._title = ""
        self._events: dict[str, JsonObject] = {}
        self._gone: set[str] = set()

    def read(self, meter: Meter) -> Iterator[Problem]:
        """Read the file; yield what is damaged."""
        if self.part.inner.suffix.lower() == ".jsonl":
            with self.part.open(meter) as stream:
                for record in line_records(stream, self.part.name, growing=True):
                    if isinstance(record, Problem):
                        yield record
                    else:
                        self._take(as_dict(record.value))
            return
        for record in records(self.part, meter):
            if isinstance(record, Problem):
                yield record
                continue
            self._start = as_dict(record.value)
            for number, one in enumerate(as_dicts(self._start.get("chatMessages"))):
                self.is_log = True
                self._events[f"#{number}"] = one

    def _take(self, event: JsonObject) -> None:
        kind, data = as_str(event.get("type")), as_dict(event.get("data"))
        self.is_log = self.is_log or kind.startswith(_TYPES)
        match kind:
            case "session.start":
                self._start = self._start or data
            case "session.title_changed":
                self._title = first_text(data, "title", "name")
            case "session.snapshot_rewind":
                ids, upto = list(self._events), as_str(data.get("upToEventId"))
                self._gone.update(ids[ids.index(upto) :] if upto in ids else ())
        context = as_dict(data.get("context")) or (data if kind == "session.context_changed" else {})
        self._folder = self._folder or as_str(context.get("cwd"))
        if not any(piece.text for piece in pieces_of(event)):
            self.other += 1
        self._events[as_str(event.get("id")) or f"#{len(self._events)}"] = event  # also one that a rewind may name

    def conversation(self) -> NewConversation | Skipped:
        """Return the session."""
        inner, beside = self.part.inner, {}
        if self.part.path:
            text = text_beside(self.part.path.with_name("workspace.yaml"))
            beside = {name: value for name, value in _FIELD.findall(text) if value not in ("|", ">", "|-", ">-")}
        name = as_str(self._start.get("sessionId"))
        name = name or (inner.parent.name if inner.stem == "events" else inner.stem)
        turns = list(self._turns())
        asked = (one.text for turn in turns for one in turn.pieces if one.role is Role.USER and not one.hidden)
        return chat(
            Format.COPILOT_CLI,
            name,
            turns,
            self.part.name,
            title=self._title or beside.get("name") or beside.get("summary") or headline(redacted(next(asked, ""))),
            created_at=as_time(self._start.get("startTime")),
            folder=self._folder or beside.get("cwd", ""),
            agent=True,
        )

    def _turns(self) -> Iterator[Turn]:
        for id_, event in self._events.items():
            found = list(pieces_of(event))
            if first_text(as_dict(event.get("data")), "parentToolCallId") or first_text(event, "agentId"):
                found = [replace(one, channel=Channel.SIDECHAIN, hidden=True) for one in found]
            own = "" if id_.startswith("#") else id_
            yield Turn(found, own, as_time(event.get("timestamp")), id_ not in self._gone)


def pieces_of(event: JsonObject) -> Iterator[Piece]:
    """Yield the messages of an event, or of a message of the early form."""
    data = as_dict(event.get("data"))
    said = as_str(data.get("content"))
    match as_str(event.get("type")):
        case "user.message":
            named = (first_text(one, "displayName", "path") for one in as_dicts(data.get("attachments")))
            typed = join_lines((said, *(attachment(name.rpartition("/")[2]) for name in named)))
            is_typed = as_str(data.get("source")) in ("", "user") and not said.lstrip().startswith("<")
            channel = Channel.SPOKEN if is_typed else Channel.INJECTED
            yield Piece(Role.USER, channel, typed, hidden=not is_typed)
        case "assistant.message":
            yield thought(as_str(data.get("reasoningText")))
            yield Piece(Role.ASSISTANT, Channel.SPOKEN, said)
            for number, one in enumerate(as_dicts(data.get("toolRequests"))):
                yield call(as_str(one.get("name")), one.get("arguments"), number)
        case "assistant.reasoning":
            yield thought(said)
        case "tool.execution_complete":
            given, error = data.get("result"), as_dict(data.get("error"))
            yield result(as_str(given) or first_text(as_dict(given), "content") or as_str(error.get("message")))
        case "system.message" | "skill.invoked":
            yield Piece(Role.SYSTEM, Channel.INJECTED, said, hidden=True)
        case "session.compaction_complete":
            yield Piece(Role.ASSISTANT, Channel.SUMMARY, as_str(data.get("summaryContent")), hidden=True)
        case "":
            text, calls = as_str(event.get("content")), as_dicts(event.get("tool_calls"))
            match as_str(event.get("role")):
                case "user":
                    yield Piece(Role.USER, Channel.SPOKEN, text)
                case "assistant":
                    yield Piece(Role.ASSISTANT, Channel.SPOKEN, text)
                    for number, function in enumerate(as_dict(one.get("function")) for one in calls):
                        yield call(as_str(function.get("name")), function.get("arguments"), number)
                case "tool":
                    yield result(text)
                case _:
                    yield Piece(Role.SYSTEM, Channel.INJECTED, text, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for an event of a session, or a session of the early form."""
    if isinstance(record.get("chatMessages"), list):
        return "sessionId" in record
    return as_str(record.get("type")).startswith(_TYPES) and isinstance(record.get("data"), dict)


def places() -> Iterator[Path]:
    """Yield the folders of sessions that have any."""
    configured = os.environ.get("COPILOT_HOME")
    home = expanded(configured) if configured else Path.home() / ".copilot"
    for name in ("session-state", "history-session-state"):
        if any((home / name).rglob("*.json*")):
            yield home / name


FORMAT = LogFormat(Format.COPILOT_CLI, "a GitHub Copilot CLI session", read, fits=fits, places=places)
