"""From a path to what is in it: which format each file has, and its reader."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curator.errors import ImportFailure
from curator.importers import chatgpt, claude, claude_code, markdown, memories, openai
from curator.importers.inputs import Part, parts
from curator.importers.sniff import Sign, sniff
from curator.importers.types import (
    STORE,
    Format,
    Item,
    Meter,
    Problem,
    Resume,
    Skipped,
    Unreadable,
    Unrecognised,
    Unsupported,
)
from store.model import FileMark

_TRIED = "ChatGPT, Claude and Claude Code logs, OpenAI messages, Markdown transcripts, memories JSONL"


def detect(path: Path) -> Format:
    """The format of a file, folder or zip (of its first file that has one).

    Raises Unsupported if it is a known format that cannot be read yet, Unrecognised if it is nothing known, Unreadable
    if it cannot be opened.
    """
    for part in parts(path):
        sign = _sign(part)
        if isinstance(sign, Format):
            return sign
    raise _failure(path, _sorted(path, None))


def read(
    path: Path, format: Format | None = None, *, meter: Meter | None = None, resume: Resume | None = None
) -> Iterator[Item]:
    """Everything in a file, folder or zip, one conversation or memory at a time; secrets are redacted.

    With `format`, a file is read as that whatever it looks like, and of a folder or zip only the files that have it.
    `meter` tells how far it is. `resume` gives the mark of a file that was read before: an unchanged Claude Code
    session yields only that mark again, a grown one what is new. Raises as `detect` does, before the first item;
    Unrecognised also at the end, if there was nothing but problems.
    """
    meter = meter or Meter()
    found = _sorted(path, format)
    if not found.groups:
        raise _failure(path, found)
    meter.total += sum(part.size for group in found.groups.values() for part in group)
    return _read(path, found, meter, resume)


@dataclass(slots=True)
class _Found:
    """What a path holds, sorted."""

    groups: dict[Format, list[Part]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unsupported: list[tuple[str, str]] = field(default_factory=list)  # place, name of the format
    others: int = 0  # files that hold no log
    stores: int = 0  # Curator's own, and copies of them


def _sorted(path: Path, format: Format | None) -> _Found:
    found = _Found()
    for part in parts(path):
        if isinstance(part, Problem):
            found.problems.append(part)
            continue
        if isinstance(part, Skipped):
            found.stores += 1
            continue
        try:
            sign = sniff(part)
            if format and sign != STORE and part.path == path.absolute():
                sign = format
            if sign is None:  # an export that is damaged in its beginning looks like nothing known
                part.verify()
        except Unreadable as error:
            found.problems.append(Problem(part.name, str(error)))
            continue
        if isinstance(sign, Format):
            if format in (None, sign):
                found.groups.setdefault(sign, []).append(part)
            else:
                found.others += 1
        elif sign == STORE:
            found.stores += 1
        elif sign:
            found.unsupported.append((part.name, sign))
        else:
            found.others += 1
    return found


def _read(path: Path, found: _Found, meter: Meter, resume: Resume | None) -> Iterator[Item]:
    yield from found.problems
    yield from (Problem(place, f"this is {name}, which is not supported yet") for place, name in found.unsupported)
    if found.others:
        yield Skipped("other_file", path.name, found.others)
    if found.stores:
        yield Skipped(STORE, path.name, found.stores)
    good, first = False, next(iter(found.problems), None)
    for name, group in found.groups.items():
        for item in _items(name, group, meter, resume):
            good = good or _is_log(item)
            if first is None and isinstance(item, Problem):
                first = item
            yield item
    if not good:
        raise _unrecognised(path, first)


def _is_log(item: Item) -> bool:
    """Whether this shows that the right reader read the right thing."""
    if isinstance(item, FileMark):
        return item.conversations > 0
    if isinstance(item, Skipped):
        return item.reason in ("no_messages", "do_not_remember")
    return not isinstance(item, Problem)


def _items(format: Format, group: Sequence[Part], meter: Meter, resume: Resume | None) -> Iterator[Item]:
    if format is Format.CLAUDE_CODE:
        return claude_code.read(group, meter, resume)
    readers = {
        Format.CHATGPT: chatgpt.read,
        Format.CLAUDE: claude.read,
        Format.OPENAI: openai.read,
        Format.MARKDOWN: markdown.read,
        Format.MEMORIES: memories.read,
    }
    return readers[format](group, meter)


def _sign(part: Part | Problem | Skipped) -> Sign | None:
    if isinstance(part, Skipped):
        return STORE
    try:
        return None if isinstance(part, Problem) else sniff(part)
    except Unreadable:
        return None


def _failure(path: Path, found: _Found) -> ImportFailure:
    """Return the error for a path that holds no log."""
    if found.unsupported:
        return Unsupported(found.unsupported[0][1], found.unsupported[0][0])
    reasons = "; ".join(f"{problem.place}: {problem.reason}" for problem in found.problems[:3])
    return Unreadable(reasons) if reasons else _unrecognised(path, stores=found.stores)


def _unrecognised(path: Path, first: Problem | None = None, stores: int = 0) -> Unrecognised:
    if stores and first is None:
        return Unrecognised(f"{path} is a Curator store, left alone; `curator restore FILE` brings a backup back")
    problem = f" ({first.place}: {first.reason})" if first else ""
    return Unrecognised(f"{path}: nothing in it is a log we know{problem}; tried: {_TRIED}")
