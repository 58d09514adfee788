"""OpenAI Codex CLI sessions (`rollout-*.jsonl`, old ones `.jsonl.zst`), and the memories written by Codex.

Lines are `{timestamp, type, payload}`. Until autumn 2025 they were bare: a line of metadata, then response items;
before that, a file was one object `{session, items}`. Messages occur twice: as `response_item`, with text added by the
program, and as `event_msg`, used only if the response item is missing. A fork repeats the messages of its parent with
new times, so messages are identified by their text within the original session.

Locations: `$CODEX_HOME`, else `~/.codex`, with `sessions/YYYY/MM/DD`, `archived_sessions`, `session_index.jsonl`
(titles) and `memories`. Based on the types in codex-rs/protocol, codex-rs/rollout and codex-rs/memories of
openai/codex.
"""

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from curator.importers.factory import Identities, ParsedMessage, conversation, headline, message, redacted
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, Unreadable, whole_text
from curator.importers.json_stream import (
    LIMIT,
    JsonObject,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    compact,
    first_text,
    join_lines,
    line_records,
    parse,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.whole_files import each_file
from curator.paths import expanded
from store.model import Channel, NewConversation, Role

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TYPES = {
    "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state",
    "inter_agent_communication", "inter_agent_communication_metadata",
}  # fmt: skip
_ADDED = re.compile(
    r"\s*(?:<([a-z]++(?:[_ ][a-z]++){1,4}|skill)\b[^>]*>.*</\1>|<user_action>.*|# AGENTS\.md instructions\b.*"
    r"|Warning: (?:apply_patch was requested|The maximum number of unified exec|Your account was flagged).*)\s*",
    re.DOTALL | re.IGNORECASE,
)
_IMAGE_TAG = re.compile(r"\s*</?image\b[^>]*>\s*")
_SUMMARY = "Another language model started to solve this problem"
_REQUEST = "## My request for Codex:"  # follows the context added by an editor extension: open files, selection
_FOLDER = re.compile(r"<cwd>([^<]+)</cwd>|^[ \t]*(?:- )?Current working directory: (.+)$", re.MULTILINE)


@dataclass(slots=True)
class _Piece:
    """A part of a line, which becomes a message."""

    role: Role
    channel: Channel
    text: str
    at: int | None
    id: str = ""
    event: bool = False  # from an `event_msg`
    active: bool = True


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversation of each file, by age: a sub-agent's file is newer than that of its session."""
    names = {log.name for log in files}
    titles = _Titles()

    def session(log: LogFile) -> Iterator[Item]:
        if log.inner.suffix.lower() == ".md":
            yield memories(log, progress)
            return
        found = _Session(log)
        yield from found.read(progress)
        if found.other:
            yield Skipped("not_a_message", log.name, found.other)
        if found.is_log:
            yield found.conversation(titles.of(log, found.id))

    logs: list[LogFile] = []
    for log in sorted(files, key=lambda one: one.inner.name):
        if log.name.endswith(".zst") and log.name.removesuffix(".zst") in names:
            continue  # Codex itself prefers the uncompressed one
        if log.inner.name != _INDEX:
            logs.append(log)
            continue
        try:
            titles.add(log, progress)
        except Unreadable as error:
            yield Problem(log.name, f"cannot be read any further: {error}")
    yield from each_file(logs, progress, options, session)


class _Titles:
    """The titles of sessions, from imported index files and those next to the folders of sessions."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._read: set[Path] = set()

    def add(self, log: LogFile, progress: ReadProgress) -> None:
        """Read an index; the last line for a session counts."""
        with log.open(progress) as stream:
            for record in line_records(stream, log.name, growing=True):
                if not isinstance(record, Problem):
                    line = as_dict(record.value)
                    self._known[as_str(line.get("id"))] = as_str(line.get("thread_name"))

    def of(self, log: LogFile, session: str) -> str:
        """Return the title of a session, or an empty text."""
        for folder in log.path.parents if log.path else ():
            if folder.name in ("sessions", "archived_sessions"):
                index = folder.parent / _INDEX
                if index not in self._read and index.is_file() and not index.is_symlink():
                    self._read.add(index)
                    self.add(LogFile.of_file(index, _INDEX), ReadProgress())
                break
        return self._known.get(session, "")


class _Session:
    """The session of one file."""

    def __init__(self, log: LogFile) -> None:
        found = _UUID.findall(log.inner.name.lower())
        self.log = log
        self.id = found[-1] if found else ""
        self.other = 0
        self.is_log = False
        self._metas: list[JsonObject] = []  # its own metadata, then that of the sessions it was forked from
        self._folder = self._title = ""
        self._pieces: list[_Piece] = []
        self._undone: list[
            tuple[int, int]
        ] = []  # index of the next piece, number of the person's turns undone before it

    def read(self, progress: ReadProgress) -> Iterator[Problem]:
        """Read the file; yield problems."""
        if self.log.inner.suffix.lower() != ".json":
            with self.log.open(progress) as stream:
                for record in line_records(stream, self.log.name, growing=True):
                    if isinstance(record, Problem):
                        yield record
                    else:
                        self._take(as_dict(record.value))
            return
        for record in records(self.log, progress):
            if isinstance(record, Problem):
                yield record
                continue
            whole = as_dict(record.value)
            self._take(as_dict(whole.get("session")) or whole)
            for item in as_dicts(whole.get("items")):
                self._take(item)

    def _take(self, line: JsonObject) -> None:
        kind, payload = as_str(line.get("type")), as_dict(line.get("payload"))
        at = as_time(line.get("timestamp"))
        if "payload" not in line:  # an early format
            kind, payload = ("response_item" if kind else "session_meta" if "id" in line else ""), line
        self.is_log = self.is_log or bool(kind)
        before = len(self._pieces)
        match kind:
            case "session_meta":
                self._metas.append(payload)
                self._folder = self._folder or as_str(payload.get("cwd"))
                self.id = as_str(self._metas[0].get("id")) or self.id
                return
            case "response_item":
                self._take_item(payload, at)
            case "event_msg":
                self._take_event(payload, at)
            case "compacted":
                self._add(Role.ASSISTANT, Channel.SUMMARY, as_str(payload.get("message")), at)
            case "turn_context":
                self._folder = self._folder or as_str(payload.get("cwd"))
        self.other += len(self._pieces) == before

    def _add(self, role: Role, channel: Channel, text: str, at: int | None, id: str = "", event: bool = False) -> None:
        if text and not text.isspace():
            self._pieces.append(_Piece(role, channel, text, at, id, event))

    def _take_item(self, item: JsonObject, at: int | None) -> None:
        kind, id_ = as_str(item.get("type")), as_str(item.get("id"))
        match kind, as_str(item.get("role")):
            case "message", "user":
                self._add_prompt(item.get("content"), at, id_)
            case "message", "assistant":
                self._add(Role.ASSISTANT, Channel.SPOKEN, _text(item.get("content"), "\n\n"), at, id_)
            case "message", _:
                self._add(Role.SYSTEM, Channel.INJECTED, _text(item.get("content")), at, id_)
            case "agent_message", _:  # between agents
                self._add(Role.ASSISTANT, Channel.SIDECHAIN, _text(item.get("content")), at, id_)
            case "reasoning", _:
                for one in (*as_dicts(item.get("summary")), *as_dicts(item.get("content"))):
                    self._add(Role.ASSISTANT, Channel.THINKING, as_str(one.get("text")), at, id_)
            case _ if kind.endswith(("_output", "tool_result")):
                given = item.get("output", item.get("result", item.get("tools")))
                self._add(Role.TOOL, Channel.TOOL, output_text(given), at, id_)
            case _ if kind.endswith("_call"):
                name = first_text(item, "name") or first_text(as_dict(item.get("function")), "name")
                given = item.get("arguments", item.get("input", item.get("action", item.get("query"))))
                call = f"{name or kind.removesuffix('_call')} {given if isinstance(given, str) else compact(given)}"
                self._add(Role.ASSISTANT, Channel.TOOL, call, at, id_)

    def _take_event(self, event: JsonObject, at: int | None) -> None:
        match as_str(event.get("type")):
            case "user_message":
                self._add_prompt(event.get("message"), at, "", event=True)
            case "agent_message":
                self._add(Role.ASSISTANT, Channel.SPOKEN, as_str(event.get("message")), at, event=True)
            case "thread_name_updated":
                self._title = as_str(event.get("thread_name"))
            case "thread_rolled_back":
                turns = event.get("num_turns")
                self._undone.append((len(self._pieces), turns if isinstance(turns, int) else 0))

    def _add_prompt(self, content: object, at: int | None, id: str, event: bool = False) -> None:
        """Add the text typed by the person, and the text added by the program."""
        said: list[str] = []
        for text in [content] if isinstance(content, str) else map(_part_text, as_list(content)):
            if _ADDED.fullmatch(text):
                self._folder = self._folder or next(filter(None, next(iter(_FOLDER.findall(text)), ())), "").strip()
                self._add(Role.USER, Channel.INJECTED, text, at, id, event)
            elif text.startswith(_SUMMARY):
                self._add(Role.USER, Channel.SUMMARY, text, at, id, event)
            elif not _IMAGE_TAG.fullmatch(text):
                before, found, request = text.rpartition(_REQUEST)
                self._add(Role.USER, Channel.INJECTED, before, at, id, event)
                said.append(request.strip() if found else text)
        self._add(Role.USER, Channel.SPOKEN, join_lines(said), at, id, event)

    def conversation(self, title: str) -> NewConversation | Skipped:
        """Return the session; a sub-agent's messages are hidden messages of its main session."""
        meta = self._metas[0] if self._metas else {}
        source = as_dict(meta.get("source"))
        of_agent = bool(source) or as_str(meta.get("thread_source")) not in ("", "user")
        origin = self.id
        for one in self._metas:
            if as_str(one.get("id")) == origin:
                origin = as_str(one.get("forked_from_id")) or origin
        owner = self.id
        if of_agent:
            spawned = as_dict(as_dict(source.get("subagent")).get("thread_spawn"))
            fields = (*meta.items(), *spawned.items())
            owner = first_text(dict(fields), "parent_thread_id", "forked_from_id", "session_id") or owner
            origin = f"{owner}:{self.id}"
        messages = list(self._messages(f"{Format.CODEX}:{origin or self.log.inner.stem}", of_agent))
        asked = (one.said for one in messages if one and one.role is Role.USER and one.channel is Channel.SPOKEN)
        return conversation(
            f"{Format.CODEX}:{owner or self.log.inner.stem}",
            Format.CODEX,
            messages,
            self.log.name,
            external_id=owner,
            title=title or self._title or headline(redacted(next(asked, ""))),
            created_at=as_time(meta.get("timestamp")),
            project=self._folder.replace("\\", "/").rstrip("/").rpartition("/")[2],
            agent=True,
            folder=self._folder,
        )

    def _messages(self, prefix: str, of_agent: bool) -> Iterator[ParsedMessage | None]:
        logged = {(one.role, one.text.strip()) for one in self._pieces if not one.event}
        kept = [not one.event or (one.role, one.text.strip()) not in logged for one in self._pieces]
        shown: list[_Piece] = []
        before = 0
        for place, turns in self._undone:
            shown += (self._pieces[number] for number in range(before, place) if kept[number])
            before = place
            while shown and turns > 0:
                piece = shown.pop()
                piece.active = False
                turns -= piece.role is Role.USER and piece.channel is Channel.SPOKEN
        identities = Identities(prefix)
        for piece, is_kept in zip(self._pieces, kept, strict=True):
            if is_kept:
                channel = Channel.SIDECHAIN if of_agent else piece.channel
                yield message(
                    identities.of_message(None, piece.role, piece.text),
                    piece.role,
                    piece.text,
                    channel,
                    external_id=piece.id or None,
                    created_at=piece.at,
                    active=piece.active,
                    hidden=channel in _HIDDEN,
                )


_INDEX = "session_index.jsonl"
_HIDDEN = (Channel.INJECTED, Channel.SUMMARY, Channel.SIDECHAIN)


def _part_text(part: object) -> str:
    fields = as_dict(part)
    return "[image]" if "image" in as_str(fields.get("type")) else as_str(fields.get("text")) or as_str(part)


def _text(content: object, separator: str = "\n") -> str:
    return content if isinstance(content, str) else join_lines(map(_part_text, as_list(content)), separator)


def output_text(output: object) -> str:
    """Return the output of a tool: a text (perhaps JSON), a list of parts, or an object."""
    if isinstance(output, str) and output.startswith('{"'):
        with contextlib.suppress(ValueError):
            output = as_str(as_dict(parse(output.encode())).get("output")) or output
    if isinstance(output, dict):
        output = first_text(output, "content", "output", "stdout") or _text(output.get("content")) or compact(output)
    return _text(output)


_SECTION = re.compile(r"^##? .*", re.MULTILINE)
_ABOUT_PERSON = re.compile(r"##? User (?:preferences|profile)\b", re.IGNORECASE)


def memories(log: LogFile, progress: ReadProgress) -> NewConversation | Skipped | Problem:
    """Return Codex's memories of its sessions; its notes about the person are saved memories."""
    text = whole_text(log, progress, LIMIT)
    if isinstance(text, Problem):
        return text
    starts = [found.start() for found in _SECTION.finditer(text)]
    sections = [text[start:end].strip() for start, end in pairwise((0, *starts, len(text)))]
    identities = Identities(f"{Format.CODEX}:memories")
    return conversation(
        f"{Format.CODEX}:memories:{log.inner.stem.lower()}",
        Format.CODEX,
        [
            message(
                identities.of_message(None, Role.ASSISTANT, one),
                Role.ASSISTANT,
                one,
                Channel.SAVED if _ABOUT_PERSON.match(one) else Channel.SUMMARY,
                hidden=True,
            )
            for one in sections
        ],
        log.name,
        title="Codex memories",
    )


def fits(record: JsonObject) -> bool:
    """Return True for a line of a session or of the index of titles, or for a session in the first format."""
    return (
        (as_str(record.get("type")) in _TYPES and "payload" in record)
        or "record_type" in record
        or ("instructions" in record and bool({"timestamp", "git"} & record.keys()) and "type" not in record)
        or (isinstance(record.get("session"), dict) and isinstance(record.get("items"), list))
        or ("thread_name" in record and "updated_at" in record)
    )


def fits_text(text: str, name: str) -> bool:
    """Return True for Codex's memories: its handbook, or its summary."""
    return text.startswith("# Task Group:") or (name == "memory_summary.md" and text.startswith("v1\n"))


def places() -> Iterator[Path]:
    """Yield the non-empty folders of sessions and memories."""
    configured = os.environ.get("CODEX_HOME")
    home = expanded(configured) if configured else Path.home() / ".codex"
    for name in ("sessions", "archived_sessions", "memories"):
        if any((home / name).rglob("*.md" if name == "memories" else "rollout-*")):
            yield home / name


FORMAT = LogFormat(Format.CODEX, "an OpenAI Codex session", read, fits=fits, fits_text=fits_text, places=places)
