"""Text files that several processes may change: read, lock, replace atomically."""

import stat
from contextlib import AbstractContextManager
from pathlib import Path

from curator.errors import ConfigError
from store.file_lock import locked

_WAIT = 10.0  # seconds to wait for another process that changes the file


def read(file: Path) -> str:
    """Return the text of the file with its original line ends; empty if it does not exist. Raises ConfigError."""
    try:
        return file.read_bytes().decode("utf-8") if file.is_file() or file.is_dir() else ""
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text (byte {error.start}); save it as UTF-8 first") from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}; check its permissions") from error


def lock(file: Path) -> AbstractContextManager[object]:
    """Return the lock of a file for changing it, which one process at a time can hold. Raises ConfigError."""
    busy = ConfigError(f"another process is changing {file}; try again")
    try:
        return locked(file.with_name(f"{file.name}.lock"), _WAIT, busy)
    except OSError as error:
        raise ConfigError(f"{file} cannot be written ({error.strerror}); check permissions and disk space") from error


def replace(file: Path, text: str, named: Path | None = None) -> None:
    """Replace the file's text atomically, keeping its permissions. Raises ConfigError.

    `named` is the path used in messages, if `file` is the target of a link.
    """
    from store.atomic_write import written_whole
    from store.errors import Unwritable

    named = named or file
    try:
        mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else 0o600
        if not mode & stat.S_IWUSR:
            raise ConfigError(f"{named} is write-protected; allow yourself to write it first")
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with written_whole(file) as partial:
            partial.write_text(text, encoding="utf-8", newline="")
            partial.chmod(mode)
    except (Unwritable, OSError) as error:
        cause = error.__cause__ if isinstance(error, Unwritable) else error
        reason = cause.strerror if isinstance(cause, OSError) else str(error)
        raise ConfigError(f"{named} cannot be written ({reason}); check permissions and disk space") from error
