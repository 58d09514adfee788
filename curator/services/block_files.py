"""Write, track and remove the memory block in Markdown files.

Nothing outside of its two markers changes, and removing a block restores the file. A list beside the store names the
files with a block, so that a purge finds them.
"""

import contextlib
import json
import os
import re
import shlex
import stat
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from curator.errors import ConfigError
from curator.paths import block_files_list, own_files
from curator.services.context_files import fitting, given, line_of, markdown
from curator.settings_file import replace as replace_text
from curator.settings_file import text_of
from curator.text.markers import BEGIN, END, find_block
from store import Store, Unwritable, check_no_record
from store.atomic_write import check_not_among, check_target, written_whole
from store.file_lock import locked

_BOM = "\ufeff"
_WORD = re.compile(r"[^\W_]+")
FRONT = "---\ndescription: Rules and facts confirmed by the person, written by Curator\nalwaysApply: true\n---\n\n"
"""Front matter of a new rule for Cursor."""
_OWN_FRONT = re.compile(r"(?:---\ndescription: [^\n]*, written by Curator\nalwaysApply: true\n---)?")
_RULE = ".mdc"
_AWAY = (
    "{file} is not there; if it comes back, it has the words until the next purge or `curator doctor --compact`;"
    " if it is gone for good, `curator export {quoted} --remove` ends that"
)
_WAIT = 10.0  # seconds to wait for another process that changes the list


@dataclass(frozen=True, slots=True)
class BlockFile:
    """A file with a block: of a project, or of what holds everywhere, of so many tokens at most.

    `gap` are the line ends put before the block. `created` if there was no file before; `folders` were made for it.
    """

    path: str
    project: str | None
    created: bool = False
    gap: str = ""
    folders: tuple[str, ...] = ()
    budget: int | None = None


def listed() -> list[BlockFile]:
    """Return the files with a block. Raises ConfigError if the list of them cannot be read."""
    text = text_of(block_files_list())
    try:
        rows = json.loads(text or "[]")
        return [
            BlockFile(
                row["path"], row["project"], bool(row["created"]), row["gap"], tuple(row["folders"]), row.get("budget")
            )
            for row in rows
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{block_files_list()} is damaged ({error}); delete it, and export to your files again"
        ) from error


def with_block(text: str, block: str) -> tuple[str, str]:
    """Return a file's text with the block in the place of the former one, else at its end, and the gap before it.

    Raises ValueError for broken markers.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    whole = f"{BEGIN}\n{block}\n{END}".replace("\n", newline)
    if (found := find_block(text)) is not None:
        return text[: found[0]] + whole + text[found[1] :], ""
    gap = (
        ""
        if not text.removeprefix(_BOM) or text.endswith(newline * 2)
        else newline
        if text.endswith("\n")
        else newline * 2
    )
    return f"{text}{gap}{whole}{newline}", gap


def without_block(text: str, gap: str) -> str:
    """Return a file's text without the block, and without the gap that was made for it. Raises ValueError."""
    found = find_block(text)
    if found is None:
        return text
    before, after = text[: found[0]], text[found[1] :]
    after = after[2:] if after.startswith("\r\n") else after.removeprefix("\n")
    return (before if after else before.removesuffix(gap)) + after


def write_block(store: Store, file: Path, project: str | None, block: str, budget: int | None = None) -> bool:
    """Write the block into a file and note that; return False if nothing changed.

    The mode of the file is kept, and a link is followed to another Markdown file. A new rule for Cursor gets its front
    matter. Raises ValueError for a file that is not to be written, Unwritable.
    """
    file = Path(os.path.abspath(file))  # noqa: PTH100, a link is kept
    check_target(file, store.folder)
    check_not_among(file, own_files())
    target = Path(os.path.realpath(file))
    if target.suffix.lower() != file.suffix.lower():
        raise ValueError(f"{file} is a link to {target}, which is another sort of file; name that one if you mean it")
    if not target.parent.is_dir() and file.parent.parts[-2:] != (".cursor", "rules"):
        raise ValueError(f"there is no folder {target.parent}; create it first")
    former = _text(target)
    with _named(file):
        text, gap = with_block(former or (FRONT if file.suffix == _RULE else ""), block)
    missing = tuple(str(folder) for folder in target.parents if not folder.exists())
    noted = BlockFile(str(file), project, former is None, gap, missing, budget)
    with _changing() as known:  # first, so that a purge finds it whatever happens
        old = known.get(str(file))
        kept = old is not None and former is not None and find_block(former) is not None
        known[str(file)] = replace(old, project=project, budget=budget) if old is not None and kept else noted
    if text == former:
        return False
    _write(file, target, text)
    return True


def remove_block(entry: BlockFile) -> None:
    """Take a block out of its file, and delete the file if it was made for the block.

    Raises ValueError, and Unwritable, also for a file that is away, which stays listed.
    """
    file = Path(entry.path)
    target = Path(os.path.realpath(file))
    former = _text(target)
    if former is None:
        raise Unwritable(_AWAY.format(file=file, quoted=shlex.quote(entry.path)))
    with _named(file):
        text = without_block(former, entry.gap)
    if entry.created and _OWN_FRONT.fullmatch(text.removeprefix(_BOM).strip()):
        try:
            target.unlink()
        except OSError as error:
            raise Unwritable(f"{file} cannot be deleted: {error.strerror}; delete it yourself") from error
        for folder in entry.folders:
            with contextlib.suppress(OSError):  # something else is in it
                Path(folder).rmdir()
    elif text != former:
        _write(file, target, text)
    with _changing() as known:
        known.pop(entry.path, None)


def drop_block(file: Path) -> bool:
    """Take the block out of a file that the person names; return False if the file was gone, and is listed no more.

    Raises ValueError for a file that is not listed, Unwritable, ConfigError.
    """
    path = os.path.abspath(file)  # noqa: PTH100, a link is kept
    entry = next((one for one in listed() if one.path == path), None)
    if entry is None:
        raise ValueError(f"{file} has no block of memories that Curator wrote; nothing was changed")
    if os.path.lexists(path):
        remove_block(entry)
        return True
    with _changing() as known:
        known.pop(path, None)
    return False


def block_of(entry: BlockFile) -> str | None:
    """Return the present block in a file; None if there is none any more. Raises ValueError."""
    file = Path(entry.path)
    text = _text(Path(os.path.realpath(file)))
    with _named(file):
        found = None if text is None else find_block(text)
    return None if text is None or found is None else text[found[0] : found[1]]


def files_holding(store: Store, memories: Sequence[int]) -> list[str]:
    """Return the files whose block has one of these memories, however a formatter marks items and breaks lines."""
    texts = [f" {' '.join(_WORD.findall(line_of(memory)))} " for memory in store.get_many(memories)]
    held = []
    for entry in listed():
        with contextlib.suppress(ValueError, Unwritable):  # said when it is to be rewritten
            block = f" {' '.join(_WORD.findall(block_of(entry) or ''))} "
            if any(words in block for words in texts):
                held.append(entry.path)
    return held


def absent() -> list[str]:
    """Return in words which files with a block are away, as on a drive that is not there."""
    entries: list[BlockFile] = []
    with contextlib.suppress(ConfigError):  # said when they are renewed
        entries = listed()
    away = (entry.path for entry in entries if not os.path.exists(entry.path))  # noqa: PTH110, never raises
    return [_AWAY.format(file=file, quoted=shlex.quote(file)) for file in away]


def renew_blocks(store: Store) -> list[str]:
    """Rewrite each block that has a line which is not of its present memories, or remove it if it would be empty.

    So is one that a formatter rewrote, whose lines are no longer those of memories. Return in words what could not be
    done.
    """
    left: list[str] = []
    try:
        entries = listed()
    except ConfigError as error:
        return [str(error)]
    for entry in entries:
        if not os.path.exists(entry.path):  # noqa: PTH110, never raises
            continue
        memories = given(store, entry.project)
        try:
            present = block_of(entry)
            lines = {line for line in (present or "").splitlines() if line.strip()}
            if lines <= {BEGIN, END, *markdown(memories).splitlines()} and present is not None:
                continue
            if present is None or not memories:
                remove_block(entry)
            else:
                block = markdown(fitting(memories, entry.budget))
                write_block(store, Path(entry.path), entry.project, block, entry.budget)
        except (ValueError, Unwritable, ConfigError, OSError) as error:
            left.append(f"a block of memories stays in a file: {error}")
    return left


def _text(target: Path) -> str | None:
    """Return the text of a file, with its byte order mark; None if there is none. Raises ValueError, Unwritable."""
    try:
        if not target.exists():
            return None
        check_no_record(target)
        return target.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{target} is not UTF-8 text (byte {error.start}); save it as UTF-8 first") from error
    except OSError as error:
        raise Unwritable(f"{target} cannot be read: {error.strerror}; check its permissions") from error


def _write(file: Path, target: Path, text: str) -> None:
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644
    if not mode & stat.S_IWUSR:
        raise ValueError(f"{file} is write-protected; allow yourself to write it first")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unwritable(f"cannot make {target.parent}: {error.strerror}; see that you may write there") from error
    with written_whole(target) as partial:
        partial.write_bytes(text.encode())
        partial.chmod(mode)


@contextlib.contextmanager
def _changing() -> Iterator[dict[str, BlockFile]]:
    """Yield the list by path, to be changed; it is written at the end. Raises ConfigError."""
    file = block_files_list()
    busy = ConfigError(f"another process is changing {file}; try again")
    with locked(file.with_name(f"{file.name}.lock"), _WAIT, busy):
        former = {one.path: one for one in listed()}
        known = dict(former)
        yield known
        if known != former:
            rows = [asdict(one) for one in known.values()]
            replace_text(file, file, json.dumps(rows, indent=2, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def _named(file: Path) -> Iterator[None]:
    """Name the file whose markers are broken."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}, {error}") from None
