"""Sessions of assistants, and the memories that each has in its context."""

import contextlib
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from curator.serve.hooks import Event
from store import NotFound, Store, is_record

_MOST = 200
"""Sessions that are remembered at most."""
_TAIL = 4 * 1024 * 1024
"""Bytes of a log that are looked through for blocks at most."""
_BLOCK = re.compile(rb'<memories id=\\*"(r[0-9a-f]{10})\\*"')
_COMPACTED = re.compile(  # by Claude Code, Codex, Gemini CLI
    rb'"subtype":\s*"compact_boundary"|"type":\s*"compacted"|"\$set":\s*\{"messages"'
)
_ANSWER = re.compile(rb'"role":\s*"assistant"|"type":\s*"gemini"')


@dataclass
class Context:
    """The memories that a session was given since it began or was compacted; its log is read up to byte `read`.

    `owed` is how it began, if it was not told yet what it is told as it begins.
    """

    memories: set[int] = field(default_factory=set)
    read: int = 0
    owed: str | None = None


class Sessions:
    """The sessions that hooks have told of."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[str, str], Context] = OrderedDict()

    def owed(self, event: Event) -> str | None:
        """Return how a session began that was not told what it is told then, as if no server ran.

        None if it was, and for a host that does not name its sessions: each prompt would be told it again.
        """
        if not event.session:
            return None
        found = self._known.get((event.host, event.session))
        return event.source if found is None else found.owed

    def context(self, event: Event) -> Context:
        """Return what a session has in its context: what hooks gave it, and blocks that its log has by other ways.

        The log tells of recalls by tools, and of those before this process began.
        """
        if not event.session:
            return Context()
        found = self._known.setdefault((event.host, event.session), Context())
        self._known.move_to_end((event.host, event.session))
        while len(self._known) > _MOST:
            self._known.popitem(last=False)
        idents, found.read = blocks_in(event.transcript, found.read)
        for ident in idents:
            with contextlib.suppress(NotFound):
                found.memories.update(self._store.recalls.get(ident).memories)
        return found

    def forget(self, event: Event, owed: str | None) -> None:
        """Forget what a session was given: its log is read anew."""
        if event.session:
            self._known[event.host, event.session] = Context(owed=owed)

    def lost(self, event: Event) -> None:
        """Note that a session has lost its context, by a compaction or at the person's wish."""
        if not event.session:
            return
        size = 0
        with contextlib.suppress(OSError, ValueError):
            size = Path(event.transcript).stat().st_size
        self._known[event.host, event.session] = Context(read=size)


def owed_later(how: str | None, has_lifeboat: bool) -> str | None:
    """Return how a session began whose next prompt is given what a beginning is, if this answer comes too late.

    None if nothing was to be given. Not every host says how; a lifeboat is given to a new session only.
    """
    if how is None:
        return None
    if how:
        return how
    return "startup" if has_lifeboat else "resume"


def has_answer(path: str) -> bool:
    """Return True if a log shows that its agent has answered: the session has begun long since."""
    return _ANSWER.search(_tail(path, 0)[0]) is not None


def blocks_in(path: str, start: int) -> tuple[list[str], int]:
    """Return the ids of blocks in a log from byte `start`, since the last compaction, and where the log ends now."""
    text, size = _tail(path, start)
    begins = max((compacted.end() for compacted in _COMPACTED.finditer(text)), default=0)
    return [found.decode() for found in dict.fromkeys(_BLOCK.findall(text[begins:]))], size


def _tail(path: str, start: int) -> tuple[bytes, int]:
    """Return the end of a log from byte `start`, and the log's size; nothing if it is no file of a host."""
    with contextlib.suppress(OSError, ValueError):
        file = Path(path)
        if path and file.is_file() and not is_record(file):
            with file.open("rb") as stream:
                size = stream.seek(0, 2)
                stream.seek(max(start if start <= size else 0, size - _TAIL))
                return stream.read(_TAIL), size
    return b"", start
