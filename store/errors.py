"""Errors of the store. Every message names the subject, the place and the remedy."""

UPDATE = "`git pull` and `pip install .` in your clone of Curator"


class StoreError(Exception):
    """Base class of the store's errors; the message is meant for the person."""


class NotFound(StoreError):
    """No such memory, conversation, message or command."""


class Forbidden(StoreError):
    """The object exists, but belongs to another owner."""


class Conflict(StoreError):
    """The change conflicts with the current record, e.g. a later change depends on it, or it would form a cycle."""


class Forgotten(Conflict):
    """A write would restore the forgotten `memory`; if it was `purged`, that is impossible."""

    def __init__(self, memory: int, purged: bool = False) -> None:
        forgotten = "says the same and was forgotten; restore it if you want it back"
        gone = "said the same and was purged, which keeps these words out; other words can be added"
        super().__init__(f"memory {memory} {gone if purged else forgotten}")
        self.memory = memory


class KeptElsewhere(Conflict):
    """A remaining `memory` contains the words that a purge would erase."""

    def __init__(self, memory: int) -> None:
        super().__init__(f"memory {memory} holds the same words: purge it too, or edit it first")
        self.memory = memory


class ReliedOn(Conflict):
    """The `command` cannot be undone because later `commands` (oldest first) depend on it."""

    def __init__(self, command: int, commands: tuple[int, ...]) -> None:
        named = ", ".join(map(str, commands[:5]))
        super().__init__(
            f"command {command} cannot be undone: later commands depend on it ({named}); undo them first, newest first,"
            f" or all with `curator undo {command} --with-later`"
        )
        self.command, self.commands = command, commands


class StoreReplaced(Conflict):
    """A restore replaced the record during a write; the new record was not changed."""

    def __init__(self) -> None:
        super().__init__("the store was restored meanwhile; run it again")


class LeaseLost(Conflict):
    """Another process has taken over this item; the result must be discarded."""


class Unusable(StoreError):
    """The store cannot be opened or written: damaged, foreign, too new, read-only, full or locked."""


class Damaged(Unusable):
    """The file is not a database, or its pages are broken."""


class Foreign(Unusable):
    """The file is a database of another program."""


class TooNew(Unusable):
    """The record was written by a newer version of the program."""


class Busy(Unusable):
    """Another process held the write lock longer than the timeout."""


class Unreachable(Unusable):
    """The object storage with the search index does not respond, because of `cause`."""

    def __init__(self, message: str, cause: str) -> None:
        super().__init__(message)
        self.cause = cause


class Unwritable(Unusable):
    """A file cannot be written: read-only file or folder, full disk, or a network drive."""
