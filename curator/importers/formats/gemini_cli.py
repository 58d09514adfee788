"""Gemini CLI sessions, and sessions of early versions of Qwen Code.

Until 0.39 a session was one object `{sessionId, projectHash, startTime, messages}`. Since then it is a log of events,
one per line: metadata; messages, of which the last with an id counts; `{"$set": {...}}`, which changes the metadata and
may contain messages (those of a compressed chat); and `{"$rewindTo": id}`, which removes that message and all later
ones.

Locations: `.gemini/tmp/PROJECT/chats` in `$GEMINI_CLI_HOME` or the home folder; sub-agents' sessions are in a folder
named like the main session. `.project_root` next to `chats` names the project's folder. A chat saved by name
(`checkpoint-*.json`) repeats its session, and is read only if the session is missing. Based on `chatRecordingTypes.ts`
of google-gemini/gemini-cli.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.factory import Identities, ParsedMessage, conversation, conversation_key, headline, redacted
from curator.importers.gemini_parts import call_piece, model_pieces, plain_text, response_text, user_pieces
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, text_beside
from curator.importers.json_stream import (
    JsonObject,
    Record,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    compact,
    digest,
    first_text,
    join_lines,
    line_records,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import MessagePart, build
from curator.importers.whole_files import each_file
from curator.paths import expanded
from store.model import Channel, NewConversation, Role

_MODELS = ("gemini", "qwen")
_NOTICES = ("info", "error", "warning")
_SAYS = ("content", "parts", "displayContent", "thoughts", "toolCalls")
_FOLDER = re.compile(r"(?:working in the directory: |Workspace Directories:\**\s+- )(\S.*)")
_HASH = re.compile(r"[0-9a-f]{64}")


def read(
    files: Sequence[LogFile], progress: ReadProgress, options: Options, source: Format = Format.GEMINI_CLI
) -> Iterator[Item]:
    """Yield the conversation of each file; sub-agents' come last."""
    recorded = any("chats" in log.inner.parts for log in files)

    def conversation_of(log: LogFile) -> Iterator[Item]:
        session = _Session(log, source)
        yield from session.read(progress)
        for id_ in session.damaged:
            yield Problem(f"{log.name}: message {id_}", "it has no content")
        if session.contents and recorded:
            yield Skipped("other_file", log.name)
            return
        if session.other:
            yield Skipped("not_a_message", log.name, session.other)
        if session.is_log:
            yield session.conversation()

    yield from each_file(
        sorted(files, key=lambda one: (is_agent(one), one.name)), progress, options, conversation_of, is_agent
    )


def is_agent(log: LogFile) -> bool:
    """Return True for the file of a sub-agent: it is in a folder named by its session, below `chats`."""
    return log.inner.parts[-3:-2] == ("chats",)


class _Session:
    """The session of one file."""

    def __init__(self, log: LogFile, source: Format) -> None:
        self.log = log
        self.source = source
        self.other = 0
        self.damaged: list[str] = []  # ids of messages of the person without content
        self.is_log = False
        self.contents: list[JsonObject] = []  # messages of a saved chat, without ids
        self._meta: dict[str, object] = {}
        self._records: dict[str, JsonObject] = {}
        self._gone: set[str] = set()
        self._shown: list[str] = []  # ids of active messages, in order of addition
        self._order: dict[str, int] = {}
        self._added = 0

    def read(self, progress: ReadProgress) -> Iterator[Problem]:
        """Read the file; yield problems."""
        if self.log.inner.suffix.lower() == ".jsonl":
            with self.log.open(progress) as stream:
                yield from self._take_all(line_records(stream, self.log.name, growing=True))
        else:
            yield from self._take_all(records(self.log, progress, ("messages", "history")))

    def _take_all(self, found: Iterator[Record | Problem]) -> Iterator[Problem]:
        for one in found:
            if isinstance(one, Problem):
                yield one
            else:
                self._take(as_dict(one.value))

    def _take(self, record: JsonObject) -> None:
        if "$rewindTo" in record:
            named = as_str(record["$rewindTo"])
            first = self._order.get(named, 0)
            while self._shown and self._order[self._shown[-1]] >= first:
                self._gone.add(self._shown.pop())
        elif "$set" in record:
            self._set(as_dict(record["$set"]))
        elif "type" in record and ("id" in record or "content" in record):
            self._add(record)
        elif "parts" in record or "history" in record:
            self.contents += as_dicts(record.get("history")) or [record]
        elif "sessionId" in record and "messageId" not in record:
            self._set(record)
        else:
            self.other += 1
            return
        self.is_log = True

    def _set(self, fields: JsonObject) -> None:
        """Change the metadata. Existing messages keep their text, which a compression would mask."""
        self._meta.update({name: value for name, value in fields.items() if name != "messages"})
        for one in as_dicts(fields.get("messages")):
            if as_str(one.get("id")) not in self._records:
                self._add(one)

    def _add(self, record: JsonObject) -> None:
        silent = record.keys().isdisjoint(_SAYS)
        if silent and _role(record) is Role.USER:
            self.damaged.append(as_str(record.get("id")))
            return
        if silent or record.get("type") in _NOTICES:
            self.other += 1
            return
        id_ = as_str(record.get("id")) or f"#{digest(as_str(record.get('timestamp')), compact(record.get('content')))}"
        if id_ in self._gone:
            self._gone.discard(id_)
            self._records.pop(id_)
        if id_ not in self._records:
            self._added += 1
            self._order[id_] = self._added
            self._shown.append(id_)
        self._records[id_] = record

    def conversation(self) -> NewConversation | Skipped:
        """Return the session; a sub-agent's messages are hidden messages of its main session."""
        inner = self.log.inner
        name = inner.parent.name if is_agent(self.log) else as_str(self._meta.get("sessionId"))
        if self.contents:
            turns = [(_role(one), plain_text(one.get("parts"))) for one in self.contents]
            name = conversation_key(inner.stem.removeprefix("checkpoint-"), turns)
        identity = f"{self.source}:{name or inner.stem}"
        messages = list(self._messages(identity))
        asked = (one.said for one in messages if one and one.role is Role.USER and one.channel is Channel.SPOKEN)
        folder = self._folder([one.said for one in messages if one and one.channel is Channel.INJECTED])
        kept_in = inner.parts[inner.parts.index("chats") - 1] if "chats" in inner.parts[1:] else ""
        project = folder.replace("\\", "/").rstrip("/").rpartition("/")[2]
        return conversation(
            identity,
            self.source,
            messages,
            self.log.name,
            external_id=name,
            title=as_str(self._meta.get("summary")) or headline(redacted(next(asked, ""))),
            created_at=as_time(self._meta.get("startTime")),
            project=project or ("" if _HASH.fullmatch(kept_in) else kept_in),
            agent=True,
            folder=folder,
        )

    def _folder(self, injected: Sequence[str]) -> str:
        """Return the agent's working folder, as named next to the session, in it, or in text for the model."""
        for above in self.log.path.parents if self.log.path else ():
            if above.name == "chats" and (named := text_beside(above.parent / ".project_root").strip()):
                return named
        found = next(filter(None, map(_FOLDER.search, injected)), None)
        return as_str(next(iter(as_list(self._meta.get("directories"))), "")) or (
            redacted(found[1].strip()) if found else ""
        )

    def _messages(self, identity: str) -> Iterator[ParsedMessage | None]:
        identities = Identities(identity)
        for one in self.contents:
            parts = one.get("parts")
            for piece in user_pieces(parts) if _role(one) is Role.USER else model_pieces(parts):
                named = identities.of_message(None, piece.role, piece.text)
                yield from build([piece._replace(suffix="")], named, None, None)
        agent = f":{self.log.inner.stem}" if is_agent(self.log) else ""
        for id_, record in self._records.items():
            found = list(self._pieces(record))
            if agent:
                found = [one._replace(channel=Channel.SIDECHAIN, hidden=True) for one in found]
            at, is_active = as_time(record.get("timestamp")), id_ not in self._gone
            yield from build(found, f"{identity}{agent}:{id_}", id_, at, is_active)

    @staticmethod
    def _pieces(record: JsonObject) -> Iterator[MessagePart]:
        """Yield the messages of a record: thoughts, the text, tool calls, each with its result."""
        content = record.get("content", record.get("parts"))
        if _role(record) is Role.USER:
            yield from user_pieces(content, plain_text(record.get("displayContent")))
            return
        for number, thought in enumerate(as_dicts(record.get("thoughts"))):
            text = join_lines(as_str(thought.get(name)) for name in ("subject", "description"))
            yield MessagePart(Role.ASSISTANT, Channel.THINKING, text, f"#thoughts.{number}")
        calls = as_dicts(record.get("toolCalls"))
        yield from model_pieces(content, calls=not calls)
        for number, call in enumerate(calls):
            id_ = first_text(call, "id") or str(number)
            yield call_piece(call, f"#call.{id_}")
            given = [
                response_text(as_dict(one)) or as_str(as_dict(one).get("text")) for one in as_list(call.get("result"))
            ]
            yield MessagePart(
                Role.TOOL, Channel.TOOL, join_lines(given) or as_str(call.get("resultDisplay")), f"#result.{id_}"
            )


def _role(record: JsonObject) -> Role:
    return Role.USER if "user" in (record.get("type"), record.get("role")) else Role.ASSISTANT


def fits(record: JsonObject) -> bool:
    """Return True for a session, a line of one, or the list of prompts next to them, which is skipped."""
    return (
        "$set" in record
        or "$rewindTo" in record
        or ("sessionId" in record and ("projectHash" in record or ("startTime" in record and "messages" in record)))
        or ("content" in record and record.get("type") in _MODELS)
        or (isinstance(record.get("message"), str) and {"sessionId", "messageId"} <= record.keys())
        or any(
            one.get("role") in ("user", "model") and isinstance(one.get("parts"), list)
            for one in (record, *as_dicts(record.get("history"))[:2])
        )
    )


def fits_qwen(record: JsonObject) -> bool:
    """Return True for a session of an early version of Qwen Code."""
    return any(one.get("type") == "qwen" for one in (record, *as_dicts(record.get("messages"))))


def places() -> Iterator[Path]:
    """Yield the folder with the sessions of all projects, if there are any."""
    configured = os.environ.get("GEMINI_CLI_HOME")
    folder = (expanded(configured) if configured else Path.home()) / ".gemini" / "tmp"
    if any(folder.glob("*/chats/session-*")):
        yield folder


FORMAT = LogFormat(Format.GEMINI_CLI, "a Gemini CLI session", read, fits=fits, places=places)
