"""Record in a small file beside the store which memories hooks gave to each session.

A server that starts later, and a hook that finds no server, read it to avoid repeats. The file contains ids of sessions
and numbers of memories, no words. Standard library only.
"""

import contextlib
import json
import os
import time
from collections.abc import Collection
from pathlib import Path

from curator.paths import hook_given_file
from curator.serve.hooks import HookEvent

_LARGEST = 32 * 1024
"""Bytes of the file above which its older half is dropped."""


def note(event: HookEvent, memories: Collection[int] | None) -> None:
    """Record the memories that a session was given; None clears them, as after a compaction.

    Errors of the file are ignored: the session then gets these memories again.
    """
    if event.session:
        with contextlib.suppress(OSError):
            append(hook_given_file(), [event.host, event.session, None if memories is None else sorted(memories)])


def given(event: HookEvent) -> set[int]:
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
    with contextlib.suppress(OSError):  # another process makes it smaller
        if file.is_file() and file.stat().st_size > _LARGEST:
            _drop_older_half(file)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as stream:
        stream.write(f"{json.dumps(row)}\n".encode())


def _drop_older_half(file: Path) -> None:
    """Replace a file by its newer half, unless a line is added meanwhile. Raises OSError if another process does so.

    The new file is the lock: one older than a minute was left by a killed process.
    """
    half = file.with_name(f"{file.name}.lock")
    with contextlib.suppress(FileNotFoundError):
        if half.stat().st_mtime < time.time() - 60:
            half.unlink()
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        data = file.read_bytes()
        stream.write(data[-_LARGEST // 2 :].partition(b"\n")[2])
    try:
        if file.stat().st_size == len(data):
            half.replace(file)
    finally:
        half.unlink(missing_ok=True)
