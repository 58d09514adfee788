"""Write, track and remove the memory block in Markdown files.

Text outside the block's two markers is never changed, and removing a block restores the original file. A list next to
the store records all files with a block, so that a purge can find them.
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

from curator import text_files
from curator.errors import ConfigError
from curator.paths import block_files_list, own_files
from curator.services.context_files import confirmed_memories, fit_to_budget, markdown, memory_line
from curator.text.markers import BEGIN, END, find_block
from store import Store, Unwritable, check_no_record
from store.atomic_write import check_not_among, check_target, written_whole
from store.model import Memory

_BOM = "\ufeff"
_WORD = re.compile(r"[^\W_]+")
CURSOR_FRONT_MATTER = (
    "---\ndescription: Rules and facts confirmed by the person, written by Curator\nalwaysApply: true\n---\n\n"
)
"""Front matter of a new Cursor rule file."""
_OWN_FRONT = re.compile(r"(?:---\ndescription: [^\n]*, written by Curator\nalwaysApply: true\n---)?")
_RULE = ".mdc"
_MISSING_FILE = (
    "{file} is not there; if it comes back, it has the words until the next purge or `curator doctor --compact`;"
    " if it is gone for good, `curator export {quoted} --remove` ends that"
)


@dataclass(frozen=True, slots=True)
class BlockFile:
    """A file that contains a memory block.

    `project` is None for a block of global memories. `created` is True if Curator created the file, and `folders` are
    the folders created for it. `gap` are the newlines inserted before the block. `budget` is the block's size limit in
    tokens, if any.
    """

    path: str
    project: str | None
    created: bool = False
    gap: str = ""
    folders: tuple[str, ...] = ()
    budget: int | None = None


def list_block_files() -> list[BlockFile]:
    """Return all files with a block. Raises ConfigError if the list is damaged."""
    text = text_files.read(block_files_list())
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


def insert_block(text: str, block: str) -> tuple[str, str]:
    """Return a file's text with the block inserted, and the newlines added before the block.

    An existing block is replaced in place; a new one is appended. Raises ValueError for broken markers.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    whole = f"{BEGIN}\n{block}\n{END}".replace("\n", newline)
    if (span := find_block(text)) is not None:
        return text[: span[0]] + whole + text[span[1] :], ""
    gap = (
        ""
        if not text.removeprefix(_BOM) or text.endswith(newline * 2)
        else newline
        if text.endswith("\n")
        else newline * 2
    )
    return f"{text}{gap}{whole}{newline}", gap


def strip_block(text: str, gap: str) -> str:
    """Return a file's text without its block and the gap before it. Raises ValueError for broken markers."""
    span = find_block(text)
    if span is None:
        return text
    before, after = text[: span[0]], text[span[1] :]
    after = after[2:] if after.startswith("\r\n") else after.removeprefix("\n")
    return (before if after else before.removesuffix(gap)) + after


def write_block(store: Store, file: Path, project: str | None, block: str, budget: int | None = None) -> bool:
    """Write the block into a file and record the file in the list; return False if the text did not change.

    The file's mode is kept. A symbolic link is followed if its target has the same suffix. A new Cursor rule gets
    front matter. Raises ValueError for a file that must not be written, and Unwritable.
    """
    file = Path(os.path.abspath(file))  # noqa: PTH100, a link is kept
    check_target(file, store.folder)
    check_not_among(file, own_files())
    target = Path(os.path.realpath(file))
    if target.suffix.lower() != file.suffix.lower():
        raise ValueError(f"{file} is a link to {target}, which is another sort of file; name that one if you mean it")
    if not target.parent.is_dir() and file.parent.parts[-2:] != (".cursor", "rules"):
        raise ValueError(f"there is no folder {target.parent}; create it first")
    former = _read_text(target)
    with _name_file_in_errors(file):
        text, gap = insert_block(former or (CURSOR_FRONT_MATTER if file.suffix == _RULE else ""), block)
    missing = tuple(str(folder) for folder in target.parents if not folder.exists())
    noted = BlockFile(str(file), project, former is None, gap, missing, budget)
    with _edit_list() as entries:  # before writing, so that a purge finds the file even after a crash
        old = entries.get(str(file))
        kept = old is not None and former is not None and find_block(former) is not None
        entries[str(file)] = replace(old, project=project, budget=budget) if old is not None and kept else noted
    if text == former:
        return False
    _write(file, target, text)
    return True


def export_block(store: Store, file: Path, project: str | None, budget: int | None) -> tuple[Sequence[Memory], bool]:
    """Write the confirmed memories of a project, or the global ones for None, into a file's block.

    Return them, and False if the text did not change. Without memories, the block is removed. Raises as `write_block`.
    """

    def write() -> tuple[Sequence[Memory], bool]:
        memories = fit_to_budget(confirmed_memories(store, project), budget)
        if memories:
            return memories, write_block(store, file, project, markdown(memories), budget)
        if any(entry.path == os.path.abspath(file) for entry in list_block_files()):  # noqa: PTH100, a link is kept
            drop_block(file)
        return memories, False

    return store.repeat_if_purged(write)


def remove_block(entry: BlockFile) -> None:
    """Remove a block from its file, and delete the file if Curator created it and it is otherwise empty.

    Raises ValueError for broken markers. Raises Unwritable if the file cannot be written or does not exist; it then
    stays in the list.
    """
    file = Path(entry.path)
    target = Path(os.path.realpath(file))
    former = _read_text(target)
    if former is None:
        raise Unwritable(_MISSING_FILE.format(file=file, quoted=shlex.quote(entry.path)))
    with _name_file_in_errors(file):
        text = strip_block(former, entry.gap)
    if entry.created and _OWN_FRONT.fullmatch(text.removeprefix(_BOM).strip()):
        try:
            target.unlink()
        except OSError as error:
            raise Unwritable(f"{file} cannot be deleted: {error.strerror}; delete it yourself") from error
        for folder in entry.folders:
            with contextlib.suppress(OSError):  # the folder is not empty
                Path(folder).rmdir()
    elif text != former:
        _write(file, target, text)
    with _edit_list() as entries:
        entries.pop(entry.path, None)


def drop_block(file: Path) -> bool:
    """Remove the block from a file and the file from the list; return False if the file no longer exists.

    Raises ValueError for a file that is not in the list, Unwritable, ConfigError.
    """
    path = os.path.abspath(file)  # noqa: PTH100, a link is kept
    entry = next((entry for entry in list_block_files() if entry.path == path), None)
    if entry is None:
        raise ValueError(f"{file} has no block of memories that Curator wrote; nothing was changed")
    if os.path.lexists(path):
        remove_block(entry)
        return True
    with _edit_list() as entries:
        entries.pop(path, None)
    return False


def read_block(entry: BlockFile) -> str | None:
    """Return the block that a file contains now, or None. Raises ValueError for broken markers."""
    file = Path(entry.path)
    text = _read_text(Path(os.path.realpath(file)))
    with _name_file_in_errors(file):
        span = None if text is None else find_block(text)
    return None if text is None or span is None else text[span[0] : span[1]]


def files_holding(store: Store, memories: Sequence[int]) -> list[str]:
    """Return the files whose block contains one of these memories, ignoring list markers and line breaks."""
    texts = [f" {' '.join(_WORD.findall(memory_line(memory)))} " for memory in store.get_many(memories)]
    held = []
    for entry in list_block_files():
        with contextlib.suppress(ValueError, Unwritable):  # `renew_blocks` reports it
            block = f" {' '.join(_WORD.findall(read_block(entry) or ''))} "
            if any(words in block for words in texts):
                held.append(entry.path)
    return held


def missing_file_messages() -> list[str]:
    """Return a message for each listed file that does not exist, for example on an unmounted drive."""
    entries: list[BlockFile] = []
    with contextlib.suppress(ConfigError):  # `renew_blocks` reports it
        entries = list_block_files()
    away = (entry.path for entry in entries if not os.path.exists(entry.path))  # noqa: PTH110, never raises
    return [_MISSING_FILE.format(file=file, quoted=shlex.quote(file)) for file in away]


def renew_blocks(store: Store) -> list[str]:
    """Rewrite every block that has a line of no current memory, including lines changed by a formatter.

    Blocks that would be empty are removed. Return a message for each block that could not be updated.
    """
    return store.repeat_if_purged(lambda: _renew_blocks(store))


def _renew_blocks(store: Store) -> list[str]:
    left: list[str] = []
    try:
        entries = list_block_files()
    except ConfigError as error:
        return [str(error)]
    for entry in entries:
        if not os.path.exists(entry.path):  # noqa: PTH110, never raises
            continue
        memories = confirmed_memories(store, entry.project)
        try:
            present = read_block(entry)
            lines = {line for line in (present or "").splitlines() if line.strip()}
            if lines <= {BEGIN, END, *markdown(memories).splitlines()} and present is not None:
                continue
            if present is None or not memories:
                remove_block(entry)
            else:
                block = markdown(fit_to_budget(memories, entry.budget))
                write_block(store, Path(entry.path), entry.project, block, entry.budget)
        except (ValueError, Unwritable, ConfigError, OSError) as error:
            left.append(f"a block of memories stays in a file: {error}")
    return left


def _read_text(target: Path) -> str | None:
    """Return a file's text including its byte order mark, or None if the file does not exist.

    Raises ValueError if it is not UTF-8, and Unwritable if it cannot be read.
    """
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
def _edit_list() -> Iterator[dict[str, BlockFile]]:
    """Lock the list of files, yield it by path, and write it back if it was changed. Raises ConfigError."""
    file = block_files_list()
    with text_files.lock(file):
        former = {entry.path: entry for entry in list_block_files()}
        entries = dict(former)
        yield entries
        if entries != former:
            rows = [asdict(entry) for entry in entries.values()]
            text_files.replace(file, json.dumps(rows, indent=2, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def _name_file_in_errors(file: Path) -> Iterator[None]:
    """Prefix the message of any ValueError with the file's path."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}, {error}") from None
