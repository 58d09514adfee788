"""Claude Code sessions: append-only JSONL files, one event a line, or one JSON object `{"loglines": [...]}`.

Lines belong to the session they name, in whatever file they stand: a resumed session copies lines, and sub-agents write
files of their own. A message is known by its `uuid` alone, so that copies are the same message.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import BinaryIO

from curator.importers.build import conversation
from curator.importers.claude_code_lines import Line, title_of
from curator.importers.items import Format, Item, Meter, Problem, Resume, Skipped
from curator.importers.parts import Part
from curator.importers.records import Record, line_records, parse, records
from curator.importers.values import digest, first, rows, string, table, when
from store.model import FileMark, NewMessage, Role

_HEAD = 256 << 10
_NAMELESS = "unknown"


@dataclass(slots=True)
class _Session:
    """What one read adds to a session."""

    place: str
    messages: list[NewMessage] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)  # by where the title is from
    project: str = ""


def read(parts: Sequence[Part], meter: Meter, resume: Resume | None = None) -> Iterator[Item]:
    """The sessions of these files, each with its sub-agents, then a mark of every file that can be read on from.

    A mark equal to what `resume` gave means that the file is unchanged: its conversations are known and do not come again.
    Of a grown file only what is new comes, under the conversation's identity.
    """
    for group in _groups(parts):
        sessions: dict[str, _Session] = {}
        marks: list[FileMark] = []
        for part in group:
            yield from _read_file(part, meter, resume, sessions, marks)
        for name, session in sessions.items():
            yield conversation(
                f"{Format.CLAUDE_CODE}:{name}",
                Format.CLAUDE_CODE,
                session.messages,
                session.place,
                external_id=name,
                title=title_of(session.titles),
                project=session.project,
                agent=True,
            )
        yield from marks


def _groups(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Files of one folder whose sessions belong together: a session's own file first, then those of its sub-agents."""
    groups: dict[str, list[Part]] = {}
    for part in sorted(parts, key=lambda one: (_is_agent(one), one.name)):
        name = _head(part).session if _is_agent(part) else part.inner.stem
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
    head = _head(part)
    if part.inner.suffix.lower() == ".json":
        yield from _loglines(part, meter, head, sessions)
        return
    path = str(part.path) if part.path else ""
    known = resume(path) if resume and path else None
    with part.open(meter) as stream:
        sum_ = blake2b()
        start = 0
        if known and known.size <= part.size and _digest(stream, sum_, known.size) == known.digest:
            start = known.size
            if start == part.size:
                marks.append(known)
                return
        elif known:
            stream.seek(0)
            sum_ = blake2b()
        reader = _Reader(part.name, head, sessions, fresh=start == 0)
        end = start
        for record in line_records(stream, part.name, start, growing=True):
            if isinstance(record, Problem):
                yield record
            else:
                reader.take(record)
                end = record.end
        reader.finish()
    yield from reader.left_out()
    if path:
        with part.open() as stream:
            whole = _digest(stream, blake2b(), end)
        marks.append(FileMark(path, end, whole, max(len(reader.seen), known.conversations if known and start else 0)))
