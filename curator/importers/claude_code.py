"""Claude Code sessions: append-only JSONL files, one event a line, or one JSON object `{"loglines": [...]}`.

Lines belong to the session they name, in whatever file they stand: a resumed session copies lines, and sub-agents write
files of their own. A message is known by its `uuid` alone, so that copies are the same message.
"""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from curator.importers.claude_code_lines import MESSAGES, Piece, is_command, pieces
from curator.importers.coerce import compact, digest, first, rows, string, table, when
from curator.importers.factory import conversation, headline, message
from curator.importers.inputs import Part
from curator.importers.json_stream import Record, line_records, parse, records
from curator.importers.types import Format, Item, Meter, Problem, Resume, Skipped, Unreadable
from store.model import Channel, FileMark, NewMessage, Role
from store.sanitize import storable

TITLES = ("custom-title", "ai-title", "summary", "prompt")  # the best first
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEAD = 64 << 10


@dataclass(slots=True)
class _Session:
    """What one read adds to a session."""

    place: str
    messages: list[NewMessage] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)  # by where the title is from
    project: str = ""


def read(parts: Sequence[Part], meter: Meter, resume: Resume | None = None) -> Iterator[Item]:
    """The sessions of these files, each with its sub-agents, then a mark of every file that can be read on from.

    A mark equal to what `resume` gave means that the file is unchanged: its conversations are known and do not come
    again. Of a grown file only what is new comes, under the conversation's identity.
    """
    for group in _groups(parts):
        sessions: dict[str, _Session] = {}
        marks: list[FileMark] = []
        for part in group:
            try:
                yield from _read_file(part, meter, resume, sessions, marks)
            except Unreadable as error:
                yield Problem(part.name, f"cannot be read any further: {error}")
        for name, session in sessions.items():
            yield conversation(
                f"{Format.CLAUDE_CODE}:{name}",
                Format.CLAUDE_CODE,
                session.messages,
                session.place,
                external_id=name,
                title=_title_of(session.titles),
                project=session.project,
                agent=True,
            )
        yield from marks


def _title_of(titles: Mapping[str, str]) -> str:
    """The best title there is; only a prompt, which is redacted already, is cut."""
    kind = next((kind for kind in TITLES if kind in titles), None)
    return headline(titles[kind]) if kind == "prompt" else titles.get(kind or "", "")


def _groups(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Files of one folder whose sessions belong together: a session's own file first, then those of its sub-agents."""
    groups: dict[str, list[Part]] = {}
    for part in sorted(parts, key=lambda one: (_is_agent(one), one.name)):
        name = part.inner.stem
        if _is_agent(part):
            with contextlib.suppress(Unreadable):  # which is told when it is read
                name = _head(part).session
        groups.setdefault(f"{_folder(part)}/{name}", []).append(part)
    yield from groups.values()


def _is_agent(part: Part) -> bool:
    return part.inner.name.startswith("agent-") or "subagents" in part.inner.parts[:-1]


def _folder(part: Part) -> str:
    above = part.inner.parts[:-1]
    return "/".join(above[: above.index("subagents") - 1] if "subagents" in above else above)


@dataclass(frozen=True, slots=True)
class _Head:
    """What the first lines of a file say of all of it; the same however far it is read on later."""

    session: str
    project: str


def _head(part: Part) -> _Head:
    session = project = ""
    with part.open() as stream:
        lines = stream.read(_HEAD).split(b"\n")
    for line in lines[:200]:
        try:
            record = table(parse(line))
        except ValueError:
            continue
        session = session or string(record.get("sessionId"))
        project = project or string(record.get("cwd"))
        if session and project:
            break
    last = project.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return _Head(session or part.inner.stem, last)


def _read_file(
    part: Part, meter: Meter, resume: Resume | None, sessions: dict[str, _Session], marks: list[FileMark]
) -> Iterator[Item]:
    """Adds a file's messages to `sessions` and its mark to `marks`; yields what is wrong or left out."""
    path = str(part.path) if part.path else ""
    if storable(path) != path:  # of a name that no table can hold nothing is remembered: it is read anew each time
        path = ""
    known = resume(path) if resume and path else None
    start = 0
    if known and known.size <= part.size and _digest(part, known.size) == known.digest:
        start = known.size
    if known and start == part.size:
        meter.done += part.size
        marks.append(known)
        return
    reader = _Reader(part.name, _head(part), sessions)
    end = start
    for record in _lines(part, meter, start):
        if isinstance(record, Problem):
            yield record
        else:
            reader.take(table(record.value), record.start)
            end = record.end
    yield from reader.left_out(fresh=not start)
    if path and _is_lines(part):
        count = 0 if _is_agent(part) else max(len(reader.names), known.conversations if known and start else 0)
        marks.append(FileMark(path, end, _digest(part, end), count))


def _is_lines(part: Part) -> bool:
    return part.inner.suffix.lower() != ".json"


def _lines(part: Part, meter: Meter, start: int) -> Iterator[Record | Problem]:
    if _is_lines(part):
        with part.open(meter) as stream:
            if start:
                stream.seek(start)
            yield from line_records(stream, part.name, start, growing=True)
        return
    for record in records(part, meter):
        if isinstance(record, Problem):
            yield record
            continue
        whole = table(record.value)
        lines = rows(whole.get("loglines"))
        session = first(whole, "sessionId", "session_id", "id", "uuid") or digest(compact(lines[:1]))
        for number, one in enumerate(lines):
            yield Record(record.place, {"sessionId": session, **table(one)}, number, number + 1)


def _digest(part: Part, size: int) -> bytes:
    """Of the first `size` bytes."""
    sum_ = blake2b(digest_size=32)
    with part.open() as stream:
        while size > 0 and (chunk := stream.read(min(size, 1 << 20))):
            sum_.update(chunk)
            size -= len(chunk)
    return sum_.digest()


class _Reader:
    """Reads the lines of one file into their sessions. What one answer says in several lines becomes one message."""

    def __init__(self, place: str, head: _Head, sessions: dict[str, _Session]) -> None:
        self.place = place
        self.names: set[str] = set()
        self._head = head
        self._sessions = sessions
        self._uuids: set[str] = set()
        self._answers: dict[tuple[str, str], tuple[int, str]] = {}  # by session and id: place in it, text so far
        self._command = ("", "")  # uuid and time of the slash command in the line before
        self._other = 0
        self._typed = False  # some line has a type, as all lines of a session have

    def take(self, record: Mapping[str, object], offset: int) -> None:
        """Reads one line that stands at byte `offset`."""
        kind = string(record.get("type"))
        self._typed = self._typed or bool(kind)
        if kind in TITLES:
            self._title(record, kind)
        if kind not in MESSAGES:
            self._other += 1
            return
        uuid, at = string(record.get("uuid")), string(record.get("timestamp"))
        if uuid and uuid in self._uuids:
            return
        self._uuids.add(uuid)
        name = string(record.get("sessionId")) or self._head.session
        expansion = self._command == (string(record.get("parentUuid")), at) and at != ""
        self._command = (uuid, at) if is_command(record) else ("", "")
        base = (
            uuid if _UUID.fullmatch(uuid) else digest(name, uuid or at or str(offset), compact(record.get("message")))
        )
        for piece in pieces(record):
            if expansion and piece.channel is Channel.SPOKEN:
                piece = replace(piece, channel=Channel.INJECTED, hidden=True)
            self._add(name, piece, base, uuid, when(at), first(table(record.get("message")), "id"))

    def _add(self, name: str, piece: Piece, base: str, uuid: str, at: int | None, answer: str) -> None:
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
        session = self._sessions.setdefault(name, _Session(self.place, project=self._head.project))
        self.names.add(name)
        if place >= 0:
            session.messages[place] = made
        else:
            place = len(session.messages)
            session.messages.append(made)
        if whole:
            self._answers[name, answer] = (place, text)
        if piece.channel is Channel.SPOKEN and piece.role is Role.USER:
            session.titles.setdefault("prompt", made.text)

    def _title(self, record: Mapping[str, object], kind: str) -> None:
        title = first(record, "customTitle", "aiTitle", "title", "summary")
        if kind == "summary" and string(record.get("leafUuid")) not in self._uuids:
            return  # of another session, or of one that comes later in this file
        name = string(record.get("sessionId")) or self._head.session
        if title and name in self._sessions:
            self._sessions[name].titles[kind] = title

    def left_out(self, fresh: bool) -> Iterator[Skipped]:
        """What was no message, counted; a new file without any message says so."""
        if self._other:
            yield Skipped("not_a_message", self.place, self._other)
        if fresh and self._typed and not self.names:
            yield Skipped("no_messages", self.place)
