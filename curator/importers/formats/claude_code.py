"""Claude Code sessions: append-only JSONL files, one event per line, or one JSON object `{"loglines": [...]}`.

A line belongs to the session that it names, whatever its file: resumed sessions copy lines, and sub-agents write their
own files. A message is identified by its `uuid` alone, so that copies are the same message.
"""

import contextlib
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from curator.importers.claude_code_lines import hook_text, is_command, pieces
from curator.importers.factory import ParsedMessage, conversation, headline, message, redacted
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Resume, Skipped, Unreadable
from curator.importers.json_stream import (
    JsonObject,
    Record,
    as_dict,
    as_list,
    as_str,
    as_time,
    compact,
    digest,
    first_text,
    line_records,
    parse,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import MessagePart
from curator.paths import config_home, data_home, expanded
from store.model import Channel, FileMark, Role
from store.sanitize import storable

MESSAGES = ("user", "assistant", "system", "tool_use", "tool_result")
TITLES = ("custom-title", "ai-title", "summary", "prompt")  # best first
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEAD = 64 << 10


@dataclass(slots=True)
class _Session:
    """Messages and titles added to a session by one read."""

    place: str
    folder: str = ""
    messages: list[ParsedMessage] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)  # by origin

    @property
    def title(self) -> str:
        """The best title; only a title from a prompt, already redacted, is truncated."""
        kind = next((kind for kind in TITLES if kind in self.titles), "")
        return headline(redacted(self.titles[kind])) if kind == "prompt" else self.titles.get(kind, "")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the sessions of these files, each with its sub-agents, then a mark for every file that can be resumed.

    A mark equal to that of `options.resume` means that the file is unchanged; its conversations are not yielded
    again. A grown file yields only its new lines, under the same conversation identity.
    """
    groups: defaultdict[str, list[_SessionFile]] = defaultdict(list)  # a session's own file first, then its sub-agents'
    for log in sorted(map(_SessionFile, files), key=lambda one: (one.is_agent, one.log.name)):
        name = log.log.inner.stem
        if log.is_agent:
            with contextlib.suppress(Unreadable):  # reported when the file is read
                name = log.head[0]
        groups[f"{log.folder}/{name}"].append(log)
    for group in groups.values():
        sessions: dict[str, _Session] = {}
        marks: list[FileMark] = []
        for log in group:
            try:
                yield from log.read(progress, options.resume, sessions, marks)
            except Unreadable as error:
                yield Problem(log.log.name, f"cannot be read any further: {error}")
        for name, session in sessions.items():
            yield conversation(
                f"{Format.CLAUDE_CODE}:{name}",
                Format.CLAUDE_CODE,
                session.messages,
                session.place,
                external_id=name,
                title=session.title,
                project=session.folder.replace("\\", "/").rstrip("/").rpartition("/")[2],
                agent=True,
                folder=session.folder,
            )
        yield from marks


class _SessionFile:
    """One file of a session or of a sub-agent."""

    def __init__(self, log: LogFile) -> None:
        above = log.inner.parts[:-1]
        self.log = log
        self.is_agent = log.inner.name.startswith("agent-") or "subagents" in above
        self.is_jsonl = log.inner.suffix.lower() != ".json"
        self.folder = "/".join(above[: above.index("subagents") - 1] if "subagents" in above else above)

    @cached_property
    def head(self) -> tuple[str, str]:
        """The session and folder named in the first lines, needed also if a read starts later in the file."""
        session = folder = ""
        with self.log.open() as stream:
            lines = stream.read(_HEAD).split(b"\n")
        for line in lines[:200]:
            try:
                record = as_dict(parse(line))
            except ValueError:
                continue
            session = session or as_str(record.get("sessionId"))
            folder = folder or as_str(record.get("cwd"))
            if session and folder:
                break
        return session or self.log.inner.stem, folder

    def read(
        self, progress: ReadProgress, resume: Resume | None, sessions: dict[str, _Session], marks: list[FileMark]
    ) -> Iterator[Item]:
        """Add the messages to `sessions` and the file's mark to `marks`; yield problems and skipped records."""
        log = self.log
        path = str(log.path) if log.path else ""
        if storable(path) != path:  # a path that cannot be stored has no mark: read in full each time
            path = ""
        known = resume(path) if resume and path else None
        start = 0
        if known and known.size <= log.size and log.digest(known.size) == known.digest:
            start = known.size
        if known and start == log.size:
            progress.done += log.size
            marks.append(known)
            return
        reader = _Reader(log.name, self.head, sessions)
        end, damaged = start, False
        for record in self.records(progress, start):
            if isinstance(record, Problem):
                damaged = True  # no mark, so that each import reports it
                yield record
            else:
                reader.take(as_dict(record.value), record.start)
                end = record.end
        yield from reader.skipped(fresh=not start)
        if path and self.is_jsonl and not damaged:
            count = 0 if self.is_agent else max(len(reader.names), known.conversations if known and start else 0)
            marks.append(FileMark(path, end, log.digest(end), count))

    def records(self, progress: ReadProgress, start: int) -> Iterator[Record | Problem]:
        """Yield the lines from byte `start`."""
        if self.is_jsonl:
            with self.log.open(progress) as stream:
                if start:
                    stream.seek(start)
                yield from line_records(stream, self.log.name, start, growing=True)
            return
        for record in records(self.log, progress):
            if isinstance(record, Problem):
                yield record
                continue
            whole = as_dict(record.value)
            lines = as_list(whole.get("loglines"))
            session = first_text(whole, "sessionId", "session_id", "id", "uuid") or digest(compact(lines[:1]))
            for number, one in enumerate(lines):
                yield Record(record.place, {"sessionId": session, **as_dict(one)}, number, number + 1)


class _Reader:
    """Reader of one file's lines into sessions. Lines that belong to one answer become one message."""

    def __init__(self, place: str, head: tuple[str, str], sessions: dict[str, _Session]) -> None:
        self.place = place
        self.names: set[str] = set()
        self._session, self._folder = head
        self._sessions = sessions
        self._uuids: set[str] = set()
        self._answers: dict[tuple[str, str], tuple[int, str]] = {}  # by session and id: position, text so far
        self._command = ("", "")  # uuid and time of a slash command on the previous line
        self._other = 0
        self._typed = False  # a line has a type, as all lines of a session do

    def take(self, record: JsonObject, offset: int) -> None:
        """Read one line at byte `offset`."""
        kind = as_str(record.get("type"))
        self._typed = self._typed or bool(kind)
        name = as_str(record.get("sessionId")) or self._session
        if kind in TITLES and name in self._sessions:
            title = first_text(record, "customTitle", "aiTitle", "title", "summary")
            # a summary may belong to another session, or to one later in this file
            if title and (kind != "summary" or as_str(record.get("leafUuid")) in self._uuids):
                self._sessions[name].titles[kind] = title
        if kind not in MESSAGES and not (kind == "attachment" and "<memories id=" in hook_text(record)):
            self._other += 1
            return
        uuid, at = as_str(record.get("uuid")), as_str(record.get("timestamp"))
        if uuid and uuid in self._uuids:
            return
        self._uuids.add(uuid)
        expansion = self._command == (as_str(record.get("parentUuid")), at) and at != ""
        self._command = (uuid, at) if is_command(record) else ("", "")
        base = (
            uuid if _UUID.fullmatch(uuid) else digest(name, uuid or at or str(offset), compact(record.get("message")))
        )
        for piece in pieces(record):
            if expansion and piece.channel is Channel.SPOKEN:
                piece = piece._replace(channel=Channel.INJECTED, hidden=True)
            self._add(name, piece, base, uuid, as_time(at), first_text(as_dict(record.get("message")), "id"))

    def _add(self, name: str, piece: MessagePart, base: str, uuid: str, at: int | None, answer: str) -> None:
        text = piece.text
        messages = self._sessions[name].messages if name in self._sessions else []
        whole = bool(answer) and not piece.suffix and piece.role is Role.ASSISTANT
        place, before = self._answers.get((name, answer), (-1, "")) if whole else (-1, "")
        if place >= 0 and text:
            text = f"{before}\n\n{text}"
            old = messages[place]
            base, uuid, at = old.identity.partition(":")[2], old.external_id or "", old.created_at
        made = message(
            f"{Format.CLAUDE_CODE}:{base}{piece.suffix}",
            piece.role,
            text,
            piece.channel,
            external_id=f"{uuid}{piece.suffix}" if uuid else None,
            created_at=at,
            hidden=piece.hidden,
        )
        if made is None:
            return
        session = self._sessions.setdefault(name, _Session(self.place, self._folder))
        self.names.add(name)
        if place >= 0:
            session.messages[place] = made
        else:
            place = len(session.messages)
            session.messages.append(made)
        if whole:
            self._answers[name, answer] = (place, text)
        if piece.channel is Channel.SPOKEN and piece.role is Role.USER:
            session.titles.setdefault("prompt", made.said)

    def skipped(self, fresh: bool) -> Iterator[Skipped]:
        """Yield Skipped for lines that are not messages, and for a new file without any message."""
        if self._other:
            yield Skipped("not_a_message", self.place, self._other)
        if fresh and self._typed and not self.names:
            yield Skipped("no_messages", self.place)


_CODE_TYPES = {
    "user", "assistant", "system", "summary", "attachment", "progress", "file-history-snapshot", "queue-operation",
    "mode", "permission-mode", "ai-title", "custom-title", "agent-name", "last-prompt", "pr-link", "frame-link",
    "worktree-state", "relocated", "bridge-session", "started", "result", "tool_use", "tool_result",
}  # fmt: skip
_CODE_FIELDS = {"sessionId", "uuid", "parentUuid", "leafUuid", "messageId", "isSidechain", "agentId"}


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    if isinstance(record.get("loglines"), list):
        return True
    return as_str(record.get("type")) in _CODE_TYPES and (
        bool(_CODE_FIELDS & record.keys()) or isinstance(record.get("message"), dict)
    )


def session_folders() -> Iterator[Path]:
    """Yield the folders of sessions of Claude Code, Qoder (same format), and Claude's desktop app.

    `CLAUDE_CONFIG_DIR` may name several folders, separated by commas.
    """
    configured = os.environ.get("CLAUDE_CONFIG_DIR", "")
    home = Path.home()
    roots = [expanded(one.strip()) for one in configured.split(",") if one.strip()]
    for root in dict.fromkeys((*(roots or [home / ".claude", home / ".config" / "claude"]), home / ".qoder")):
        if any(any((root / "projects").glob(name)) for name in ("*/*.jsonl", "*/transcript/*.jsonl")):
            yield root / "projects"
    programs = [config_home()]
    if sys.platform == "win32":  # apps of the Microsoft Store have their own data folder
        programs += sorted((data_home() / "Packages").glob("Claude_*/LocalCache/Roaming"))
    for folder in programs:
        desktop = folder / "Claude" / "local-agent-mode-sessions"
        if any(desktop.glob("*/*/local_*/.claude/projects/*/*.jsonl")):
            yield desktop


FORMAT = LogFormat(Format.CLAUDE_CODE, "a Claude Code session", read, fits=fits, places=session_folders)
