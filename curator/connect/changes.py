"""Plan, show and write the changes that connect or disconnect an assistant."""

import contextlib
import dataclasses
import difflib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.connect import edit_json, edit_toml, edit_yaml, state
from curator.connect.edit_json import EditResult
from curator.connect.edit_json import Path as JsonPath
from curator.connect.hosts import Host, SettingsFile
from curator.connect.jsonc import InvalidSettings
from curator.connect.state import WrittenFile
from curator.errors import ConfigError
from curator.paths import connections_folder
from curator.text_files import replace
from store import check_no_record

_CONNECT: dict[str, Callable[[str, SettingsFile, Sequence[str]], EditResult]] = {
    "json": edit_json.connect,
    "toml": edit_toml.connect,
    "yaml": edit_yaml.connect,
}
_DISCONNECT: dict[str, Callable[[str, SettingsFile, Sequence[JsonPath]], str]] = {
    "json": edit_json.disconnect,
    "toml": edit_toml.disconnect,
    "yaml": edit_yaml.disconnect,
}


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file and its text before and after; None where there is no file. `target` is the file with links followed."""

    file: Path
    target: Path
    before: str | None
    after: str | None
    created: tuple[JsonPath, ...] = ()

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = ("/dev/null" if text is None else str(self.file) for text in (self.before, self.after))
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), old, new, lineterm="", n=2)
        return "\n".join(line.replace("\r", "") for line in lines)


def connection(host: Host, command: Sequence[str]) -> list[FileChange]:
    """Return the changes that connect a host, or bring its connection up to date. Raises ConfigError."""
    changes = []
    for settings_file in host.files:
        file, before = settings_file.file(), text_at(settings_file)
        with _named(file):
            edited = _CONNECT[settings_file.format](before or "", settings_file, command)
        if edited.text != before:
            changes.append(FileChange(file, _target(file), before, edited.text, tuple(edited.created)))
    return changes


def disconnection(host: Host) -> list[FileChange]:
    """Return the changes that remove Curator's entries from a host's files, the last file first. Raises ConfigError."""
    changes, known = [], state.load()
    for settings_file in reversed(host.files):
        file, before = settings_file.file(), text_at(settings_file)
        if before is not None:
            after = _text_without(settings_file, before, known.get(str(_target(file))))
            if after != before:
                changes.append(FileChange(file, _target(file), before, after))
    return changes


def write(host: Host, changes: Sequence[FileChange]) -> list[Path]:
    """Write the changes and return the copies of the former files. Raises ConfigError, also for a file that changed.

    Files are checked before the first is written.
    """
    copies = []
    with state.lock():
        for change in changes:
            if _text(change.target) != change.before:
                raise ConfigError(f"{change.file} was changed meanwhile; run the command again")
            if change.before is not None and not change.target.stat().st_mode & stat.S_IWUSR:
                raise ConfigError(
                    f"{change.file} is write-protected; nothing was changed: allow yourself to write it first"
                )
        for change in changes:
            if (copy := _write(host, change)) is not None:
                copies.append(copy)
    return copies


def text_at(settings_file: SettingsFile) -> str | None:
    """Return the text of a settings file; None if there is none. Raises ConfigError."""
    return _text(_target(settings_file.file()))


def without_entries(settings_file: SettingsFile, text: str) -> str:
    """Return a settings file's text without Curator's entries. Raises ConfigError."""
    with _named(settings_file.file()):
        return _DISCONNECT[settings_file.format](text, settings_file, ())


def _text_without(settings_file: SettingsFile, text: str, written: WrittenFile | None) -> str | None:
    """Return a file's new text: the former one if Curator wrote the present one, else it without Curator's entries."""
    if written is not None and written.hash == state.hash_of(text):
        former = None if written.backup is None else state.backup_text(written)
        if written.backup is None or former is not None:
            return former
    with _named(settings_file.file()):
        left = _DISCONNECT[settings_file.format](text, settings_file, written.created if written is not None else ())
    was_missing = written is not None and written.backup is None
    return None if was_missing and not left.strip("\ufeff \t\r\n") else left


def _write(host: Host, change: FileChange) -> Path | None:
    """Write one change and return the copy of the former file.

    What is written is noted before it is, so that it can be undone after a crash; a note that fits no file is harmless.
    """
    known = state.load()
    former = known.pop(str(change.target), None)
    copy = None if change.before is None else state.back_up(host.name, change.target, change.before)
    if change.after is not None and _has_entries(host, change, change.after):
        folders = tuple(str(folder) for folder in change.target.parents if not folder.exists())
        written = WrittenFile(state.hash_of(change.after), copy, change.created, folders)
        if change.before is not None and _has_entries(host, change, change.before):
            unchanged = former is not None and former.hash == state.hash_of(change.before)
            written = dataclasses.replace(former or written, hash=written.hash if unchanged else "")
        state.save({**known, str(change.target): written})
        replace(change.target, change.after, change.file)
    elif change.after is not None:
        replace(change.target, change.after, change.file)
        state.save(known)
    else:
        try:
            change.target.unlink()
        except OSError as error:
            raise ConfigError(f"{change.file} cannot be deleted: {error.strerror}; check its permissions") from error
        for folder in former.folders if former is not None else ():
            with contextlib.suppress(OSError):  # something else is in it
                Path(folder).rmdir()
        state.save(known)
    return None if copy is None else connections_folder() / copy


def _has_entries(host: Host, change: FileChange, text: str) -> bool:
    parts = [settings_file for settings_file in host.files if settings_file.file() == change.file]
    return any(without_entries(settings_file, text) != text for settings_file in parts)


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
        raise ConfigError(f"{target} cannot be read ({error.strerror}); check its permissions") from error


@contextlib.contextmanager
def _named(file: Path) -> Iterator[None]:
    """Name the file and line of what is broken."""
    try:
        yield
    except InvalidSettings as error:
        raise ConfigError(f"{file}, line {error.line}: {error}; nothing was changed, correct it there first") from None


def _lines(text: str | None) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]
