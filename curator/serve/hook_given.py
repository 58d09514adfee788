"""Record in a small file beside the store which memories hooks gave to each session.

A server that starts later, and a hook that finds no server, read it to avoid repeats. The file contains ids of sessions
and numbers of memories, no words. Standard library only.
"""

import contextlib
import json
import os
from collections.abc import Collection
from pathlib import Path

from curator.paths import hook_given_file
from curator.serve.hooks import Event

_LARGEST = 32 * 1024
"""Bytes of the file above which its older half is dropped."""


def note(event: Event, memories: Collection[int] | None) -> None:
    """Record the memories that a session was given; None clears them, as after a compaction.

    Errors of the file are ignored: the session then gets these memories again.
    """
    if event.session:
        with contextlib.suppress(OSError):
            append(hook_given_file(), [event.host, event.session, None if memories is None else sorted(memories)])


def given(event: Event) -> set[int]:
    """Return the recorded memories that a session was given since its start or last compaction."""
    found: set[int] = set()
    if not event.session:
        return found
    with contextlib.suppress(OSError):
        begins = json.dumps([event.host, event.session])[:-1]
        for line in hook_given_file().read_text("utf-8", "replace").splitlines():
            if line.startswith(begins):
                with contextlib.suppress(ValueError, TypeError):
                    _, _, memories = json.loads(line)
                    found = set() if memories is None else found.union(map(int, memories))
    return found


def append(file: Path, row: object) -> None:
    """Append a JSON line to a private file of bounded size; do nothing if its folder is missing. Raises OSError."""
    if not file.parent.is_dir():
        return
    line = json.dumps(row) + "\n"
    if file.is_file() and file.stat().st_size > _LARGEST:
        kept = file.read_text("utf-8", "replace")[-_LARGEST // 2 :].partition("\n")[2]
        file.write_text(kept + line, "utf-8")
        return
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8") as stream:
        stream.write(line)
