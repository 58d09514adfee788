"""Generations of an index on disk, and their progress marks.

    index/lock                      held by the writer, in any process
    index/<owner>/current           the name of the current generation
    index/<owner>/<generation>/     the LanceDB tables, unless they are on object storage (`remote.py`); mark.json and
                                    sums.json (checksums); the words (`words.py`) and vectors (`matrix.py`) of a small
                                    store

A generation is complete before `current` names it; a killed process may leave an incomplete folder, which is not used.
"""

import hashlib
import json
import os
import secrets
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from store.errors import Unreachable
from store.index import remote

_HINT = "latest_version_hint.json"  # the only file that LanceDB overwrites; a wrong one costs a directory listing
FORMAT = 6  # version of the tables and their columns' meaning; an index of another format is rebuilt


@dataclass(frozen=True, slots=True)
class IndexPosition:
    """Progress of a generation: the last event, vector and message of the record that it contains (I9)."""

    store: str  # epoch of the record
    fingerprint: str
    seq: int = 0  # of the last event
    vector: int = 0
    message: int = 0
    trained: int = 0  # vectors when the vector index was trained; 0 without one
    words: bool = False  # True if the words of memories are beside the tables
    vectors: bool = False  # True if their vectors are, and not in them (`matrix.py`)
    format: int = FORMAT

    @property
    def last(self) -> tuple[int, int, int]:
        """The numbers of the last event, vector and message."""
        return self.seq, self.vector, self.message


def root(folder: Path) -> Path:
    """Return the folder of all indexes of the store in `folder`."""
    return folder / "index"


def home(folder: Path, owner: str) -> Path:
    """Return the folder of one owner's generations."""
    return root(folder) / hashlib.blake2b(owner.encode(errors="replace"), digest_size=6).hexdigest()


def current(home: Path) -> Path | None:
    """Return the current generation, or None."""
    try:
        name = (home / "current").read_text(encoding="utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return home / name if name.isalnum() and (home / name).is_dir() else None


def switch(generation: Path) -> None:
    """Make this generation the current one."""
    _replace(generation.parent / "current", generation.name)


def fresh(home: Path, uri: str = "") -> Path:
    """Create an empty folder for the next generation; its tables are below `uri` on object storage, if given."""
    folder = home / f"g{secrets.token_hex(6)}"  # names are never reused: LanceDB caches by path
    folder.mkdir(parents=True)
    if uri:
        remote.assign(folder, uri)
    return folder


def sweep(home: Path) -> Unreachable | None:
    """Delete every generation but the current one; return an error if object storage kept one.

    A reader of an old generation notices and opens the current one. What cannot be deleted now, because a file is in
    use (Windows) or object storage does not answer, is deleted by the next call.
    """
    kept, left = current(home), None
    for folder in home.glob("g*"):
        if folder != kept:
            location = remote.location(folder)
            try:
                if location is not None:
                    remote.erase(location)
                shutil.rmtree(folder, ignore_errors=True)
            except Unreachable as error:
                told = f"the search index in {location} cannot be deleted until it can be reached ({error.cause})"
                left = Unreachable(told, error.cause)
    return left


def read_mark(generation: Path) -> IndexPosition | None:
    """Return the mark of a generation; None if it is missing, broken or of another format."""
    try:
        mark = IndexPosition(**json.loads((generation / "mark.json").read_bytes()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    whole = all(isinstance(number, int) for number in (*mark.last, mark.trained))
    return mark if whole and mark.format == FORMAT else None


def write_mark(generation: Path | None, mark: IndexPosition) -> IndexPosition:
    """Write the mark of a generation, after its tables are committed: a crash in between only repeats work."""
    if generation is not None:  # otherwise it is in memory
        _replace(generation / "mark.json", json.dumps(asdict(mark)))
    return mark


def seal(generation: Path) -> None:
    """Write the checksums of new files: LanceDB never changes a file, so any later change is damage."""
    known = _sums(generation)
    found = {name: known.get(name) or _sum(path) for name, path in _files(generation).items()}
    if found != known:
        _replace(generation / "sums.json", json.dumps(found))


def changed_files(generation: Path) -> list[str]:
    """Return the files of a generation that are missing or changed since they were written. Reads all of them."""
    files = _files(generation)
    sums = _sums(generation).items()
    return sorted(name for name, known in sums if name not in files or _sum(files[name]) != known)


def _files(generation: Path) -> dict[str, Path]:
    paths = (path for path in generation.glob("*.lance/**/*") if path.is_file() and path.name != _HINT)
    return {path.relative_to(generation).as_posix(): path for path in paths}


def _sums(generation: Path) -> dict[str, str]:
    try:
        found = json.loads((generation / "sums.json").read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return {str(name): str(known) for name, known in found.items()} if isinstance(found, dict) else {}


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def drop(folder: Path) -> None:
    """Delete the indexes of all owners of a store. Raises Unreachable if object storage kept one."""
    left = None
    for home in root(folder).glob("*/"):
        (home / "current").unlink(missing_ok=True)
        left = sweep(home) or left
    if left is not None:
        raise left


def _replace(path: Path, text: str) -> None:
    partial = path.with_suffix(f".{os.getpid()}")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
