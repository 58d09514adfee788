"""The changes that connect or disconnect an assistant: planned, shown, then written."""

import contextlib
import dataclasses
import difflib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.connect import edit_json, edit_toml, edit_yaml, state
from curator.connect.edit_json import Edited
from curator.connect.edit_json import Path as Place
from curator.connect.hosts import Host, Part
from curator.connect.jsonc import Broken
from curator.connect.state import Written
from curator.errors import ConfigError
from curator.paths import connections_folder
from curator.settings_file import replace
from store import check_no_record

_CONNECT: dict[str, Callable[[str, Part, Sequence[str]], Edited]] = {
    "json": edit_json.connect,
    "toml": edit_toml.connect,
    "yaml": edit_yaml.connect,
}
_DISCONNECT: dict[str, Callable[[str, Part, Sequence[Place]], str]] = {
    "json": edit_json.disconnect,
    "toml": edit_toml.disconnect,
    "yaml": edit_yaml.disconnect,
}


@dataclass(frozen=True, slots=True)
class Change:
    """A file and its text before and after; None where there is no file. `target` is the file with links followed."""

    file: Path
    target: Path
    before: str | None
    after: str | None
    created: tuple[Place, ...] = ()

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = ("/dev/null" if text is None else str(self.file) for text in (self.before, self.after))
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), old, new, lineterm="", n=2)
        return "\n".join(line.replace("\r", "") for line in lines)


def connection(host: Host, command: Sequence[str]) -> list[Change]:
    """Return the changes that connect a host, or bring its connection up to date. Raises ConfigError."""
    changes = []
    for part in host.parts:
        file, before = part.file(), text_at(part)
        with _named(file):
            edited = _CONNECT[part.format](before or "", part, command)
        if edited.text != before:
            changes.append(Change(file, _target(file), before, edited.text, tuple(edited.created)))
    return changes


def disconnection(host: Host) -> list[Change]:
    """Return the changes that take Curator's entries out of a host's files, the last one first. Raises ConfigError."""
    changes, known = [], state.load()
    for part in reversed(host.parts):
        file, before = part.file(), text_at(part)
        if before is not None:
            after = _text_without(part, before, known.get(str(_target(file))))
            if after != before:
                changes.append(Change(file, _target(file), before, after))
    return changes


def write(host: Host, changes: Sequence[Change]) -> list[Path]:
    """Write the changes and return the copies of the former files. Raises ConfigError, also for a file that changed.

    Files are checked before the first is written.
    """
    for change in changes:
        if _text(change.target) != change.before:
            raise ConfigError(f"{change.file} was changed meanwhile; run the command again")
        if change.before is not None and not change.target.stat().st_mode & stat.S_IWUSR:
            raise ConfigError(
                f"{change.file} is write-protected; nothing was changed: allow yourself to write it first"
            )
    return [copy for change in changes if (copy := _write(host, change)) is not None]


def text_at(part: Part) -> str | None:
    """Return the text of a part's file; None if there is none. Raises ConfigError."""
    return _text(_target(part.file()))


def without_entries(part: Part, text: str) -> str:
    """Return a text of a part's file without Curator's entries. Raises ConfigError."""
    with _named(part.file()):
        return _DISCONNECT[part.format](text, part, ())


def _text_without(part: Part, text: str, written: Written | None) -> str | None:
    """Return what a file becomes: what it was if it is as Curator wrote it, else its text without Curator's entries."""
    if written is not None and written.hash == state.hash_of(text):
        former = None if written.backup is None else state.backup_text(written)
        if written.backup is None or former is not None:
            return former
    with _named(part.file()):
        left = _DISCONNECT[part.format](text, part, written.created if written is not None else ())
    was_missing = written is not None and written.backup is None
    return None if was_missing and not left.strip("\ufeff \t\r\n") else left


def _write(host: Host, change: Change) -> Path | None:
    """Write one change and return the copy of the former file.

    What is written is noted before it is, so that it can be undone after a crash; a note that fits no file is harmless.
    """
    known = state.load()
    former = known.pop(str(change.target), None)
    copy = None if change.before is None else state.back_up(host.name, change.target, change.before)
    if change.after is not None and _has_entries(host, change, change.after):
        folders = tuple(str(folder) for folder in change.target.parents if not folder.exists())
        written = Written(state.hash_of(change.after), copy, change.created, folders)
        if change.before is not None and _has_entries(host, change, change.before):
            unchanged = former is not None and former.hash == state.hash_of(change.before)
            written = dataclasses.replace(former or written, hash=written.hash if unchanged else "")
        state.save({**known, str(change.target): written})
        replace(change.file, change.target, change.after)
    elif change.after is not None:
        replace(change.file, change.target, change.after)
        state.save(known)
    else:
        try:
            change.target.unlink()
        except OSError as error:
            raise ConfigError(f"{change.file} cannot be deleted: {error.strerror}; see that it is yours") from error
        for folder in former.folders if former is not None else ():
            with contextlib.suppress(OSError):  # something else is in it
                Path(folder).rmdir()
        state.save(known)
    return None if copy is None else connections_folder() / copy


def _has_entries(host: Host, change: Change, text: str) -> bool:
    parts = [part for part in host.parts if part.file() == change.file]
    return any(without_entries(part, text) != text for part in parts)


def _target(file: Path) -> Path:
    return Path(os.path.realpath(file))


def _text(target: Path) -> str | None:
    if target.exists() and not target.is_file():
        raise ConfigError(f"{target} is not a file; move it away")
    if not target.is_file():
        return None
    try:
        check_no_record(target)
        return target.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{target} is not UTF-8 text (byte {error.start}); save it as UTF-8 first") from error
    except OSError as error:
        raise ConfigError(f"{target} cannot be read ({error.strerror}); see that it is yours to read") from error


@contextlib.contextmanager
def _named(file: Path) -> Iterator[None]:
    """Name the file and line of what is broken."""
    try:
        yield
    except Broken as error:
        raise ConfigError(f"{file}, line {error.line}: {error}; nothing was changed, correct it there first") from None


def _lines(text: str | None) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]
