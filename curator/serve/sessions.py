"""Sessions of assistants, and the memories that are in the context of each."""

import contextlib
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from curator.serve import hook_given
from curator.serve.hooks import HookEvent
from store import NotFound, Store, is_record

_MOST = 200
"""Maximum number of sessions that are remembered."""
_TAIL = 4 * 1024 * 1024
"""Maximum bytes at the end of a log that are searched for blocks."""
_BLOCK = re.compile(rb'<memories id=\\*"(r[0-9a-f]{10})\\*"')
_COMPACTED = re.compile(  # by Claude Code, Codex, Gemini CLI
    rb'"subtype":\s*"compact_boundary"|"type":\s*"compacted"|"\$set":\s*\{"messages"'
)
_ANSWER = re.compile(rb'"role":\s*"assistant"|"type":\s*"gemini"')


@dataclass
class SessionContext:
    """The memories that a session was given since its start or last compaction; its log is read up to byte `read`.

    `noted` are those in the file written by hooks; they do not imply that the session has its start context.
    `pending_start` is the start type ("startup", "resume", ...) until the session has received its start context.
    """

    memories: set[int] = field(default_factory=set)
    noted: set[int] = field(default_factory=set)
    read: int = 0
    pending_start: str | None = None


class Sessions:
    """Sessions known from hooks, by host and session id."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[str, str], SessionContext] = OrderedDict()

    def pending_start(self, event: HookEvent) -> str | None:
        """Return the start type of a session that has not received its start context, for example without a server.

        Return None if it has, and for a host that does not name its sessions, since every prompt would get the context.
        """
        if not event.session:
            return None
        found = self._known.get((event.host, event.session))
        return event.source if found is None else found.pending_start

    def context(self, event: HookEvent) -> SessionContext:
        """Return the memories in a session's context, as given by hooks or found in blocks in its log.

        The log also shows recalls by tools, and recalls from before this process started.
        """
        if not event.session:
            return SessionContext()
        found = self._known.setdefault((event.host, event.session), SessionContext())
        self._known.move_to_end((event.host, event.session))
        while len(self._known) > _MOST:
            self._known.popitem(last=False)
        idents, found.read = blocks_in(event.transcript, found.read)
        for ident in idents:
            with contextlib.suppress(NotFound):
                found.memories.update(self._store.recalls.get(ident).memories)
        found.noted = hook_given.given(event)
        return found

    def forget(self, event: HookEvent, pending_start: str | None) -> None:
        """Drop the known memories of a session, so that its log is read again from the start."""
        if event.session:
            self._known[event.host, event.session] = SessionContext(pending_start=pending_start)

    def clear(self, event: HookEvent) -> None:
        """Mark a session's context as empty, after a compaction or on request of the person."""
        if not event.session:
            return
        size = 0
        with contextlib.suppress(OSError, ValueError):
            size = Path(event.transcript).stat().st_size
        hook_given.note(event, None)
        self._known[event.host, event.session] = SessionContext(read=size, pending_start=self.pending_start(event))


def has_answer(path: str) -> bool:
    """Return True if a log contains an answer of the agent, so that the session is not new."""
    return _ANSWER.search(_tail(path, 0)[0]) is not None


def blocks_in(path: str, start: int) -> tuple[list[str], int]:
    """Return the ids of the blocks in a log from byte `start` or the last compaction, and where to read on."""
    text, end = _tail(path, start)
    begins = max((compacted.end() for compacted in _COMPACTED.finditer(text)), default=0)
    return [found.decode() for found in dict.fromkeys(_BLOCK.findall(text[begins:]))], end


def _tail(path: str, start: int) -> tuple[bytes, int]:
    """Return the end of a log from byte `start`, and where its last line begins, which may not be whole yet.

    Empty if the file is not a host's log.
    """
    with contextlib.suppress(OSError, ValueError):
        file = Path(path)
        if path and file.is_file() and not is_record(file):
            with file.open("rb") as stream:
                size = stream.seek(0, 2)
                begin = stream.seek(max(start if start <= size else 0, size - _TAIL))
                text = stream.read(_TAIL)
                return text, begin + text.rfind(b"\n") + 1
    return b"", start
