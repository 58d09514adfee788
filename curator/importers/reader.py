"""Entry point of the importers: detects the format of each file under a path, and reads all of them."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator.errors import ImportFailure
from curator.importers.factory import redacted
from curator.importers.file_walk import walk_files
from curator.importers.formats import FORMATS, context_files
from curator.importers.inputs import (
    STORE,
    Item,
    LogFile,
    NothingReadable,
    Problem,
    ReadProgress,
    Skipped,
    Unreadable,
    Unrecognised,
    Unsupported,
)
from curator.importers.json_stream import json_records
from curator.importers.log_format import Format, Options, SurveyedChats
from curator.importers.sniff import sniff
from curator.importers.unsupported_formats import COPIES, reason
from store.model import FileMark, NewConversation

_DEFAULTS = Options()
_READERS = {one.name: one.read for one in FORMATS if one.read}
_CHATS = {one.name: one.chats for one in FORMATS if one.chats}
_EMPTY_SIZE = 64  # bytes that an empty list or object may take, with its spaces
_MAX_PEOPLE = 10  # people listed if the person is unknown


def detect(path: Path) -> Format:
    """Return the format of a file, folder or zip (of its first file with a known format).

    Raises Unsupported for a known format without a reader, Unrecognised for an unknown one, Unreadable if it cannot be
    opened.
    """
    for log in walk_files(path):
        with contextlib.suppress(Unreadable):
            sign = sniff(log) if isinstance(log, LogFile) else None
            if isinstance(sign, Format):
                return sign
    found = _Inputs.of(path, None)
    if found.groups:  # a context file, recognised by its name
        return next(iter(found.groups))
    raise found.failure(path)


def read(
    path: Path, format: Format | None = None, *, progress: ReadProgress | None = None, options: Options = _DEFAULTS
) -> Iterator[Item]:
    """Read everything in a file, folder or zip, one conversation or memory at a time; secrets are redacted.

    `format` overrides detection for a file; in a folder or zip, only files of that format are read. `progress` counts
    the bytes read. With `options.resume`, an unchanged file yields only its mark, and a grown session of Claude Code
    only its new lines. Raises the errors of `detect` before the first item, and Unrecognised at the end if there was
    nothing to import: NothingReadable if there were only problems.
    """
    return open_log(path, format, progress=progress or ReadProgress(), options=options)[1]


def open_log(
    path: Path, format: Format | None, *, progress: ReadProgress, options: Options
) -> tuple[frozenset[Format], Iterator[Item]]:
    """Return the formats of the logs under a path, and the items of `read`; opens and sniffs every file once."""
    found = _Inputs.of(path, format, options.looked)
    found.ask_me(options)
    if not found.groups:
        raise found.failure(path)
    progress.total += sum(log.size for group in found.groups.values() for log in group)
    return frozenset(found.groups), found.items(path, progress, options)


@dataclass(slots=True)
class _Inputs:
    """The files under a path, by format."""

    groups: dict[Format, list[LogFile]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unsupported: list[tuple[str, str]] = field(default_factory=list)  # place, name of the format
    others: list[str] = field(default_factory=list)  # names of files that are not logs
    empty: int = 0  # those of `others` that are empty
    me: dict[Format, tuple[str, ...]] = field(default_factory=dict)  # the person's names found, by format
    chats: dict[Format, SurveyedChats] = field(default_factory=dict)  # among people
    stores: int = 0  # Curator stores and copies of them

    @classmethod
    def of(cls, path: Path, format: Format | None, looked: Callable[[int, int], None] | None = None) -> "_Inputs":
        """Open and sort every file. Raises Unreadable for the path itself."""
        found = cls()
        if looked is not None:
            looked(0, 0)  # the first log may come late in a large folder
        for number, log in enumerate(walk_files(path)):
            if looked is not None:
                looked(number, sum(map(len, found.groups.values())))
            if isinstance(log, Problem):
                found.problems.append(log)
                continue
            if isinstance(log, Skipped):
                found.stores += 1
                continue
            try:
                sign = sniff(log)
                if sign in (None, Format.MARKDOWN) and context_files.is_context_file(log.path or log.inner):
                    wanted = format is Format.CONTEXT or log.path == path.absolute()  # a folder may have hundreds
                    sign = Format.CONTEXT if wanted else None
                if format and sign != STORE and log.path == path.absolute():
                    sign = format
                if sign is None:  # a damaged export may not be recognised
                    log.verify()
            except Unreadable as error:
                found.problems.append(Problem(log.name, str(error)))
                continue
            if isinstance(sign, Format) and format in (None, sign):
                found.groups.setdefault(sign, []).append(log)
            elif sign == STORE:
                found.stores += 1
            elif sign and not isinstance(sign, Format):
                found.unsupported.append((log.name, sign))
            else:
                found.others.append(log.name)
                found.empty += not log.size
        if found.groups:  # unsupported copies of a log need no message
            kept = [one for one in found.unsupported if one[1] not in COPIES]
            found.others += [place for place, name in found.unsupported if name in COPIES]
            found.unsupported = kept
        return found

    def ask_me(self, options: Options) -> None:
        """Find the person's names in chats among people; drop chats in which nobody is the person."""
        for name in [one for one in self.groups if one in _CHATS]:
            chats = self.chats[name] = _CHATS[name](self.groups[name])
            people = chats.people
            self.me[name] = options.me
            if not options.own_names(people):
                options = replace(options, me=(*options.me, *options.full_names(people)))
            if people and not options.own_names(people) and options.ask_me is not None:
                first, others = self.groups[name][0].name, len(self.groups[name]) - 1
                place = f"{first} and {others:,} more" if others else first
                options = replace(options, me=(*options.me, *options.ask_me(people, place)))
            if people and not options.own_names(people):
                most = sorted(people, key=lambda one: (-people[one], one))
                named = ", ".join(f"{redacted(one)} ({people[one]:,})" for one in most[:_MAX_PEOPLE])
                more = f" and {len(most) - _MAX_PEOPLE:,} more" if len(most) > _MAX_PEOPLE else ""
                who = f"nobody is named {' or '.join(options.me)}" if options.me else "a chat of several people"
                reason = f"{who}: say who you are with --me NAME, one of {named}{more}"
                self.problems.append(Problem(self.groups.pop(name)[0].name, reason, "whose_chat"))
            elif people:
                self.me[name] = tuple(options.own_names(people))

    def items(self, path: Path, progress: ReadProgress, options: Options) -> Iterator[Item]:
        """Yield problems and skipped files, then the readers' items. Raises Unrecognised if there is no log."""
        yield from self.problems
        yield from (Problem(place, _refusal(name)) for place, name in self.unsupported)
        yield from (Skipped("other_file", name) for name in self.others)
        if self.stores:
            yield Skipped(STORE, path.name, self.stores)
        is_log, first = False, next(iter(self.problems), None)
        for name, group in self.groups.items():
            mine = replace(options, me=self.me.get(name, options.me))
            chats = self.chats.get(name)
            for item in _READERS[name](group, progress, mine) if chats is None else chats.read(progress, mine):
                match item:
                    case Problem():
                        first = first or item
                    case FileMark():
                        is_log = is_log or item.conversations > 0
                    case Skipped():
                        is_log = is_log or item.reason in ("no_messages", "do_not_remember")
                    case _:
                        is_log = True
                yield item
                if isinstance(item, NewConversation) and item.empty:
                    yield Skipped("not_a_message", path.name, item.empty)
        if not is_log:
            raise _unrecognised(path, first, NothingReadable if first else Unrecognised)

    def failure(self, path: Path) -> ImportFailure:
        """Return the error for a path without logs."""
        if self.unsupported:
            place, name = self.unsupported[0]
            return Unsupported(f"{place}: {_refusal(name)}")
        if self.problems:
            return Unreadable("; ".join(f"{problem.place}: {problem.reason}" for problem in self.problems[:3]))
        if self.stores:
            return Unrecognised(f"{path} is a Curator store, left alone; `curator restore FILE` brings a backup back")
        if path.is_dir() and not any(path.iterdir()):
            return Unrecognised(f"{path} is an empty folder: nothing to import")
        if self.empty and self.empty == len(self.others):
            what = "holds nothing but empty files" if path.is_dir() else "is empty"
            return Unrecognised(f"{path} {what}: nothing to import")
        if path.is_file() and path.stat().st_size <= _EMPTY_SIZE:
            held = b"".join(path.read_bytes().split())
            if held in (b"[]", b"{}"):
                return Unrecognised(f"{path} is empty, it holds only {held.decode()}: nothing to import")
        damage: Problem | None = None
        if path.suffix.lower() == ".json" and path.is_file():  # its only record may be damaged
            with LogFile.of_file(path, path.name).open() as stream:
                damage = next((one for one in json_records(stream, path.name) if isinstance(one, Problem)), None)
        return _unrecognised(path, damage, Unrecognised)


def _refusal(name: str) -> str:
    return f"this is {name}{reason(name)}"


def _unrecognised(path: Path, first: Problem | None, kind: type[Unrecognised]) -> Unrecognised:
    problem = f" ({first.place}: {first.reason})" if first else ""
    return kind(f"{path}: no known log format{problem}; docs/formats.md lists the {len(FORMATS)} that are read")
