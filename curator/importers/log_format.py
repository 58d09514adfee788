"""The description of a supported format: its names, its signs, its reader, and where its logs are kept."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from curator.importers.inputs import Item, Meter, Part, Resume
from curator.importers.json_stream import JsonObject, as_dicts


class Format(StrEnum):
    """A supported chat format. The value is the `source` of its conversations."""

    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    CLAUDE_CODE = "claude-code"
    DEEPSEEK = "deepseek"
    GROK = "grok"
    CODEX = "codex"
    OPEN_WEBUI = "open-webui"
    LIBRECHAT = "librechat"
    OPENAI = "openai"
    MARKDOWN = "markdown"
    MEMORIES = "memories"
    CONTEXT = "context-file"


@dataclass(frozen=True, slots=True)
class Options:
    """Choices of one import.

    `resume` returns the mark of a file read before. `me` is the person's name in chats among people.
    """

    resume: Resume | None = None
    me: str | None = None


Fits = Callable[[JsonObject], bool]


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A supported format. Its signs are tried on the first 64 KB of a file, in the order of `FORMATS`.

    `label` completes "this is …". `fits` checks a JSON record: the file's only one, an element of its list, or a line.
    `fits_text` checks the beginning of a text that is no JSON, with the name of its file; `fits_tables` the names of
    the tables of a SQLite database. `places` yields the files and folders in which a program keeps its logs.
    """

    name: Format
    label: str
    read: Callable[[Sequence[Part], Meter, Options], Iterator[Item]]
    fits: Fits | None = None
    fits_text: Callable[[str, str], bool] | None = None
    fits_tables: Callable[[frozenset[str]], bool] | None = None
    places: Callable[[], Iterator[Path]] | None = None


def has(*names: str) -> Fits:
    """Return a check that a record has all of these fields."""
    return lambda record: all(name in record for name in names)


def has_messages(*names: str) -> Fits:
    """Return a check that one of the first 20 `messages` has all of these fields."""
    return lambda record: any(all(name in one for name in names) for one in as_dicts(record.get("messages"))[:20])
