"""GitHub Copilot CLI sessions: a log of events `{type, data, id, timestamp, parentId}`, one a line.

A sub-agent's events name the tool call that began it. Until autumn 2025 a session was one object with `chatMessages`.

Places: `session-state/SESSION/events.jsonl` in `$COPILOT_HOME` or `~/.copilot`, early `session-state/SESSION.jsonl` and
`history-session-state`; `workspace.yaml` beside the events has the title. After the event types of
github/copilot-sdk.
"""

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.factory import Identities, conversation, headline
from curator.importers.gemini_parts import Piece
from curator.importers.inputs import Item, Meter, Part, Problem, Skipped, Unreadable
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    compact,
    first_text,
    join_lines,
    line_records,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.whole_files import known_mark, new_mark
from curator.paths import expanded
from store.model import Channel, NewConversation, NewMessage, Role

_FIELD = re.compile(r"^(name|summary|cwd): *[\"']?(.*?)[\"']? *$", re.MULTILINE)
_TYPES = ("session.", "user.", "assistant.", "tool.", "system.", "subagent.", "skill.", "hook.", "permission.", "abort")
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}


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
        if not any(piece.text for piece in _pieces(event)):
            self.other += 1
        self._events[as_str(event.get("id")) or f"#{len(self._events)}"] = event  # also one that a rewind may name

    def conversation(self) -> NewConversation | Skipped:
        """Return the session."""
        inner, beside = self.part.inner, {}
        if self.part.path:
            with contextlib.suppress(OSError):
                text = self.part.path.with_name("workspace.yaml").read_text("utf-8", "replace")
                beside = {name: value for name, value in _FIELD.findall(text) if value not in ("|", ">", "|-", ">-")}
        name = as_str(self._start.get("sessionId"))
        name = name or (inner.parent.name if inner.stem == "events" else inner.stem)
        folder = self._folder or beside.get("cwd", "")
        messages = list(self._messages(f"{Format.COPILOT_CLI}:{name}"))
        asked = (one.text for one in messages if one and one.role is Role.USER and one.channel is Channel.SPOKEN)
        return conversation(
            f"{Format.COPILOT_CLI}:{name}",
            Format.COPILOT_CLI,
            messages,
            self.part.name,
            external_id=name,
            title=self._title or beside.get("name") or beside.get("summary") or headline(next(asked, "")),
            created_at=as_time(self._start.get("startTime")),
            project=folder.replace("\\", "/").rstrip("/").rpartition("/")[2],
            agent=True,
            folder=folder,
        )

    def _messages(self, identity: str) -> Iterator[NewMessage | None]:
        identities = Identities(identity)
        for id_, event in self._events.items():
            data = as_dict(event.get("data"))
            of_agent = bool(first_text(data, "parentToolCallId") or first_text(event, "agentId"))
            for piece in _pieces(event):
                own = "" if id_.startswith("#") else f"{id_}{piece.suffix}"
                yield piece.message(
                    identities.of_message(own or None, piece.role, piece.text),
                    own,
                    as_time(event.get("timestamp")),
                    id_ not in self._gone,
                    of_agent,
                )


def _pieces(event: JsonObject) -> Iterator[Piece]:
    """Yield the messages of an event, or of a message of the early form."""
    data = as_dict(event.get("data"))
    said = as_str(data.get("content"))
    match as_str(event.get("type")):
        case "user.message":
            named = (first_text(one, "displayName", "path") for one in as_dicts(data.get("attachments")))
            typed = join_lines((said, *(f"[attachment: {name.rpartition('/')[2]}]" for name in named if name)))
            is_typed = as_str(data.get("source")) in ("", "user") and not said.lstrip().startswith("<")
            yield Piece(Role.USER, Channel.SPOKEN if is_typed else Channel.INJECTED, typed)
        case "assistant.message":
            yield Piece(Role.ASSISTANT, Channel.THINKING, as_str(data.get("reasoningText")), "#thinking")
            yield Piece(Role.ASSISTANT, Channel.SPOKEN, said)
            for number, call in enumerate(as_dicts(data.get("toolRequests"))):
                text = f"{as_str(call.get('name'))} {compact(call.get('arguments'))}"
                yield Piece(Role.ASSISTANT, Channel.TOOL, text, f"#call.{number}")
        case "assistant.reasoning":
            yield Piece(Role.ASSISTANT, Channel.THINKING, said)
        case "tool.execution_complete":
            result, error = data.get("result"), as_dict(data.get("error"))
            given = as_str(result) or first_text(as_dict(result), "content", "detailedContent")
            yield Piece(Role.TOOL, Channel.TOOL, given or as_str(error.get("message")))
        case "system.message":
            yield Piece(Role.SYSTEM, Channel.INJECTED, said)
        case "skill.invoked":
            yield Piece(Role.USER, Channel.INJECTED, said)
        case "session.compaction_complete":
            yield Piece(Role.ASSISTANT, Channel.SUMMARY, as_str(data.get("summaryContent")))
        case "":
            role = _ROLES.get(as_str(event.get("role")), Role.SYSTEM)
            channel = {Role.TOOL: Channel.TOOL, Role.SYSTEM: Channel.INJECTED}.get(role, Channel.SPOKEN)
            yield Piece(role, channel, as_str(event.get("content")))
            for call in as_dicts(event.get("tool_calls")):
                function = as_dict(call.get("function"))
                text = f"{as_str(function.get('name'))} {as_str(function.get('arguments'))}"
                yield Piece(Role.ASSISTANT, Channel.TOOL, text)


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
