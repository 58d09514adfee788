"""The settings file: reading it, and changing one value with all else as it stands."""

import stat
import tomllib
from collections.abc import MutableMapping
from pathlib import Path

from curator.errors import ConfigError

Value = str | bool | int | float | list[str]
_FIRST_LINE = "# Settings of Curator; `curator config --explain` says what there is.\n"


def text_of(file: Path) -> str:
    """Return the text of the file with its own line ends; nothing if there is none. Raises ConfigError."""
    try:
        return file.read_bytes().decode("utf-8") if file.is_file() else ""
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not TOML: {error}; correct it") from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}; see that it is yours to read") from error


def parse(file: Path, text: str) -> dict[str, object]:
    """Return the content of a text that stands in the file. Raises ConfigError."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is not TOML: {error}; correct it") from error


def with_value(text: str, section: str, key: str, value: Value) -> str | None:
    """Return the TOML text with one value changed or added; None where that cannot be done."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    text = text or _FIRST_LINE
    windows = "\r\n" in text
    text = text.replace("\r\n", "\n")
    try:
        document = tomlkit.parse(text if text.endswith("\n") else f"{text}\n")
        if section not in document:
            document.add(section, tomlkit.table())
        table = document[section]
        if not isinstance(table, MutableMapping):
            return None
        table[key] = value
        written = tomlkit.dumps(document)
    except (TOMLKitError, ValueError, RecursionError):
        return None
    return written.replace("\n", "\r\n") if windows else written


def replace(named: Path, file: Path, text: str) -> None:
    """Put a text in the file's place, whole or not at all, under the same permissions. Raises ConfigError.

    `named` is what the person calls it, `file` what that links to.
    """
    from store.atomic_write import written_whole
    from store.errors import Unwritable

    try:
        mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else 0o600
        if not mode & stat.S_IWUSR:
            raise ConfigError(f"{named} is write-protected; allow yourself to write it, or change the setting there")
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with written_whole(file) as partial:
            partial.write_text(text, encoding="utf-8", newline="")
            partial.chmod(mode)
    except (Unwritable, OSError) as error:
        cause = error.__cause__ if isinstance(error, Unwritable) else error
        reason = cause.strerror if isinstance(cause, OSError) else str(error)
        raise ConfigError(f"{named} cannot be written ({reason}); see that it is yours to write") from error
