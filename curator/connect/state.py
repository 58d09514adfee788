"""State of the connections: the settings files that were written, and copies of them from before."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from curator import text_files
from curator.connect.edit_json import Path as JsonPath
from curator.errors import ConfigError
from curator.paths import connections_folder


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that Curator wrote: the hash of its text, what it was before, and what was created in it and around it.

    `backup` is the name of a copy; without one the file did not exist. An empty `hash` means that the file had been
    changed by hand when it was written, so that no copy is what it must become.
    """

    hash: str
    backup: str | None = None
    created: tuple[JsonPath, ...] = ()
    folders: tuple[str, ...] = ()


def load() -> dict[str, WrittenFile]:
    """Return the files that Curator wrote, by path; empty if the list is lost or damaged."""
    import json

    try:
        rows = json.loads(text_files.read(_file()) or "{}")
        return {
            str(file): WrittenFile(
                row["hash"], row["backup"], tuple(tuple(path) for path in row["created"]), tuple(row["folders"])
            )
            for file, row in rows.items()
        }
    except (ConfigError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # then entries are recognised by their program


def save(known: Mapping[str, WrittenFile]) -> None:
    """Replace what is known. Raises ConfigError."""
    import json

    rows = {file: asdict(written) for file, written in known.items()}
    text_files.replace(_file(), json.dumps(rows, indent=2, ensure_ascii=False) + "\n")


def lock() -> AbstractContextManager[object]:
    """Return the lock for changing what is known, which one process at a time can hold. Raises ConfigError."""
    return text_files.lock(_file())


def back_up(host: str, file: Path, text: str) -> str:
    """Copy the text of a file that is about to change, for its owner only, and return the copy's name."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    names = (f"{host}-{stamp}{more}-{file.name}" for more in ("", *(f"-{number}" for number in range(2, 1000))))
    name = next(name for name in names if not (connections_folder() / name).exists())
    copy = connections_folder() / name
    text_files.replace(copy, text)
    return name


def backup_text(written: WrittenFile) -> str | None:
    """Return the text of a copy; None if it is gone."""
    copy = connections_folder() / (written.backup or "")
    return text_files.read(copy) if copy.is_file() else None


def hash_of(text: str) -> str:
    """Return the hash by which an unchanged file is recognised."""
    return sha256(text.encode()).hexdigest()


def _file() -> Path:
    return connections_folder() / "state.json"
