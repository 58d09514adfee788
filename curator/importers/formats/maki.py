"""Sessions of Maki: lines `{t: header | msg | out | meta}`, without dates of messages.

Locations: `$XDG_STATE_HOME/maki/sessions`, `~/.local/state/maki/sessions` and `~/.maki/sessions`. The format is
undocumented; this follows readers of other programs.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.inputs import Item, LogFile, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_str, as_time, first_text
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, result
from curator.importers.session_files import Session, blocks_of, read_sessions, typed
from curator.paths import expanded
from store.model import Channel, Role

_LINES = ("header", "msg", "out", "meta")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the session of each file."""
    return read_sessions(files, progress, options, Format.MAKI, fits, session_of)


def session_of(log: LogFile, lines: Sequence[JsonObject]) -> Session:
    """Return a session; the last title counts."""
    header = next((one for one in lines if one.get("t") == "header"), {})
    titles = [first_text(one, "title") for one in lines if one.get("t") == "meta"]
    return Session(
        first_text(header, "id") or log.inner.stem,
        [LogMessage(list(pieces_of(one))) for one in lines],
        title=next(filter(None, reversed(titles)), ""),
        created_at=as_time(header.get("created_at")),
        folder=as_str(header.get("cwd")),
    )


def pieces_of(line: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a line. `display_text` is the typed prompt; additions to it are in the content."""
    said = as_dict(line.get("d"))
    if line.get("t") == "out":
        yield result(line.get("d"))
    elif line.get("t") == "msg":
        shown = first_text(said, "display_text")
        is_person = said.get("role") == "user"
        for piece in blocks_of(said, Role.USER if is_person else Role.ASSISTANT):
            added = is_person and piece.channel is Channel.SPOKEN and bool(shown or said.get("kind") == "observation")
            yield MessagePart(Role.USER, Channel.INJECTED, piece.text, "#whole", hidden=True) if added else piece
        if is_person and said.get("kind") != "observation":
            yield from typed(shown)


def fits(record: JsonObject) -> bool:
    """Return True for a line of a session."""
    return record.get("t") in _LINES and bool({"d", "cwd", "updated_at", "usage_by_model"} & record.keys())


def places() -> Iterator[Path]:
    """Yield the non-empty folders of sessions."""
    state = os.environ.get("XDG_STATE_HOME")
    base = expanded(state) if state else Path.home() / ".local" / "state"
    for folder in (base / "maki" / "sessions", Path.home() / ".maki" / "sessions"):
        if any(folder.glob("*.jsonl")):
            yield folder


FORMAT = LogFormat(Format.MAKI, "a Maki session", read, fits=fits, places=places)
