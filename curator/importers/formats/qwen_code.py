"""Qwen Code sessions: a record per line, each with its parent's `uuid`; messages are in the format of Google's API.

A branched session copies records with their `uuid`, so messages are identified by that alone. Rewound and replaced
messages are not ancestors of the last record. Early versions used the format of Gemini CLI.

Locations: `projects/FOLDER/chats/SESSION.jsonl` in `$QWEN_RUNTIME_DIR`, `$QWEN_HOME` or `~/.qwen`, and
`projects/FOLDER/subagents`. Based on `chatRecordingService.ts` of QwenLM/qwen-code.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.factory import Node, ParsedMessage, active, conversation, headline, redacted
from curator.importers.formats import gemini_cli
from curator.importers.gemini_parts import model_pieces, plain_text, user_pieces
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_str, as_time, first_text, line_records
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import MessagePart, build
from curator.importers.whole_files import each_file
from curator.paths import expanded
from store.model import Channel, NewConversation, Role

_TYPED = ("", "mid_turn_user_message", "realtime_message")
"""Subtypes of user records written by a person, not by a schedule or another agent."""


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversation of each file; sub-agents' come last."""

    def conversation_of(log: LogFile) -> Iterator[Item]:
        session = _Session(log)
        with log.open(progress) as stream:
            for record in line_records(stream, log.name, growing=True):
                if isinstance(record, Problem):
                    yield record
                else:
                    session.take(as_dict(record.value))
        if session.other:
            yield Skipped("not_a_message", log.name, session.other)
        if session.records:
            yield session.conversation()

    early = [one for one in files if one.inner.suffix.lower() == ".json"]
    later = sorted((one for one in files if one not in early), key=lambda one: (is_agent(one), one.name))
    yield from each_file(later, progress, options, conversation_of, is_agent)
    yield from gemini_cli.read(early, progress, options, Format.QWEN_CODE)


def is_agent(log: LogFile) -> bool:
    """Return True for the file of a sub-agent."""
    return "subagents" in log.inner.parts


class _Session:
    """The session of one file."""

    def __init__(self, log: LogFile) -> None:
        self.log = log
        self.is_agent = is_agent(log)
        self.records: dict[str, JsonObject] = {}
        self.other = 0
        self._title = ""

    def take(self, record: JsonObject) -> None:
        """Read a line."""
        uuid, payload = as_str(record.get("uuid")), as_dict(record.get("systemPayload"))
        self._title = as_str(payload.get("customTitle")) or self._title
        if uuid:  # also of other records, which may be parents of messages
            self.records.setdefault(uuid, record)
        self.other += not uuid or not any(piece.text for piece in self._pieces(record))

    def conversation(self) -> NewConversation | Skipped:
        """Return the session; a sub-agent's messages are hidden messages of its main session."""
        first = next(iter(self.records.values()))
        name = as_str(first.get("sessionId")) or self.log.inner.stem
        folder = next(filter(None, (as_str(one.get("cwd")) for one in self.records.values())), "")
        messages = list(self._messages())
        asked = (one.said for one in messages if one and one.role is Role.USER and one.channel is Channel.SPOKEN)
        return conversation(
            f"{Format.QWEN_CODE}:{name}",
            Format.QWEN_CODE,
            messages,
            self.log.name,
            external_id=name,
            title=self._title or headline(redacted(next(asked, ""))),
            created_at=as_time(first.get("timestamp")),
            project=folder.replace("\\", "/").rstrip("/").rpartition("/")[2],
            agent=True,
            folder=folder,
        )

    def _messages(self) -> Iterator[ParsedMessage | None]:
        nodes = [
            Node(uuid, as_str(one.get("parentUuid")) or None, as_time(one.get("timestamp")))
            for uuid, one in self.records.items()
        ]
        shown = active(nodes, next(reversed(self.records), None))
        for uuid, record in self.records.items():
            found = list(self._pieces(record))
            if self.is_agent or record.get("isSidechain") is True:
                found = [one._replace(channel=Channel.SIDECHAIN, hidden=True) for one in found]
            yield from build(found, f"{Format.QWEN_CODE}:{uuid}", uuid, as_time(record.get("timestamp")), uuid in shown)

    @staticmethod
    def _pieces(record: JsonObject) -> Iterator[MessagePart]:
        payload, parts = as_dict(record.get("systemPayload")), as_dict(record.get("message")).get("parts")
        subtype = as_str(record.get("subtype"))
        match as_str(record.get("type")):
            case "user" if subtype in _TYPED and record.get("provenance", "real_user") == "real_user":
                yield from user_pieces(parts, first_text(payload, "displayText"))
            case "user":
                yield MessagePart(Role.USER, Channel.INJECTED, plain_text(parts), hidden=True)
            case "assistant" | "tool_result":
                yield from model_pieces(parts)
            case "system" if subtype == "chat_compression":
                history = as_dicts(payload.get("compressedHistory"))
                summary = plain_text(history[0].get("parts")) if history else ""
                yield MessagePart(Role.USER, Channel.SUMMARY, summary, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for a line of a session, or for a session of an early version."""
    if "uuid" in record and "sessionId" in record:
        return isinstance(as_dict(record.get("message")).get("parts"), list) or "systemPayload" in record
    return gemini_cli.fits_qwen(record)


def places() -> Iterator[Path]:
    """Yield the folders of sessions, if there are any."""
    configured = os.environ.get("QWEN_RUNTIME_DIR") or os.environ.get("QWEN_HOME")
    folder = expanded(configured) if configured else Path.home() / ".qwen"
    for name, sessions in (("projects", "*/chats/*.jsonl"), ("tmp", "*/chats/session-*")):
        if any((folder / name).glob(sessions)):
            yield folder / name


FORMAT = LogFormat(Format.QWEN_CODE, "a Qwen Code session", read, fits=fits, places=places)
