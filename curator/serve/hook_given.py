"""Memories that hooks gave to each session, in a small file beside the store, for whoever answers next.

That is a server that starts later, or a hook that finds none. It has ids of sessions and numbers of memories, no words.
Standard library only.
"""

import contextlib
import json
import os
from collections.abc import Collection
from pathlib import Path

from curator.paths import hook_given_file
from curator.serve.hooks import Event

_LARGEST = 32 * 1024
"""Bytes from which the older half is dropped."""


def note(event: Event, memories: Collection[int] | None) -> None:
    """Add what a session was given; None forgets it, as after a compaction. Without a file, it is given once more."""
    if event.session:
        with contextlib.suppress(OSError):
            append(hook_given_file(), [event.host, event.session, None if memories is None else sorted(memories)])


def given(event: Event) -> set[int]:
    """Return the memories that a session was given since its start or compaction, as far as the file has them."""
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
    """Add a line to a private file that is kept small, unless there is no folder for it. Raises OSError."""
    if not file.parent.is_dir():
        return
    line = json.dumps(row) + "\n"
    if file.is_file() and file.stat().st_size > _LARGEST:
        kept = file.read_text("utf-8", "replace")[-_LARGEST // 2 :].partition("\n")[2]
        file.write_text(kept + line, "utf-8")
        return
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8") as stream:
        stream.write(line)
