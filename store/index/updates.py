"""An index that is kept up to date: its current generation is opened, updated from the record, or rebuilt."""

import contextlib
import logging
import threading
from collections.abc import Callable

from store.errors import Busy, Unusable, Unwritable
from store.file_lock import locked
from store.index import remote, sync, tables, versions
from store.index.reader import IndexReader
from store.index.sync import Progress
from store.index.tables import Tables
from store.index.versions import IndexPosition
from store.model import Fingerprint
from store.store import Store

_log = logging.getLogger(__name__)
_WAIT = 30.0  # seconds that another process may write


class UpdatedIndex:
    """The index of one owner's memories and messages, with vectors of one fingerprint. Safe from any thread.

    Cheap to create: nothing is read, built or imported before it is needed.
    """

    def __init__(self, store: Store, fingerprint: Fingerprint, uri: str = "") -> None:
        """Create an index; its new tables are stored below `uri` on object storage, if given."""
        self.store = store
        self.fingerprint = fingerprint
        self._uri = uri
        self.record = IndexReader(store, fingerprint)
        self._home = versions.home(store.folder, store.owner)
        self._opened: Tables | None = None
        self._seen: IndexPosition | None = None  # mark of the tables on object storage when they were last loaded
        self._memory: tuple[Tables, IndexPosition] | None = None  # an index in memory, if none can be written to disk
        self._writing = threading.Lock()

    def catch_up(self, progress: Progress | None = None, wait: bool = True) -> bool:
        """Update the index from the record. `progress` is called with (done, total) memories.

        An index that is missing, damaged, of other vectors, ahead of the record (a backup was restored), or that
        contains purged words is rebuilt beside the old one. Return False if another process wrote for longer than
        30 seconds, or if this thread is inside a command; without `wait`, also as soon as another thread or process
        is writing. Raises Unreachable.
        """
        return self._write(self._follow, progress, wait)

    def rebuild(self) -> bool:
        """Rebuild the index and delete the old one; the result is that of `catch_up`."""
        return self._write(self._build, None, wait=True)

    def is_current(self) -> bool:
        """Return True if searches need not merge changes of the record."""
        mark, last = self._mark(), self.record.last()
        return mark is not None and (mark.seq, mark.vector) == (last.event, last.vector)

    @staticmethod
    def drop(store: Store, wait: float = 60.0) -> None:
        """Delete the whole index, after a purge or when the record was replaced. The next search rebuilds it.

        Raises Busy if another process wrote to it for longer than `wait` seconds, Unwritable, Unreachable.
        """
        folder = versions.root(store.folder)
        busy = Busy(
            f"the search index in {folder} is being written and could not be deleted; "
            f"run `curator doctor --rebuild` in a minute"
        )
        try:
            with locked(folder / "lock", wait, busy):
                versions.drop(store.folder)
        except OSError as error:
            raise Unwritable(
                f"the search index in {folder} cannot be deleted: {error.strerror or error}; check the rights of the"
                f" folder and the space on its disk"
            ) from error

    def _write(self, work: Callable[[Progress | None], None], progress: Progress | None, wait: bool) -> bool:
        from filelock import FileLock, Timeout

        if self.store.in_command:  # uncommitted changes must not be indexed
            return False
        if not self._writing.acquire(blocking=wait):  # who waits for another thread then finds the work done
            return False
        with contextlib.ExitStack() as stack:
            stack.callback(self._writing.release)
            memory, self._memory = self._memory, None
            folder = versions.root(self.store.folder)
            try:
                folder.mkdir(parents=True, exist_ok=True)
                with FileLock(folder / "lock", timeout=_WAIT if wait else 0), self.store.snapshot():
                    work(progress)
                    if (current := versions.current(self._home)) is not None:
                        versions.seal(current)
            except Timeout:
                self._memory = memory
                return False
            except (RuntimeError, OSError, ValueError) as error:  # from LanceDB, and the disk
                if location := self._location() or self._uri:
                    raise remote.unreachable(location, error) from error
                if isinstance(error, ValueError):
                    raise
                _log.info("the search index in %s cannot be written and is made in memory", folder, exc_info=True)
                self._memory = memory
                self._fill_memory(error, progress)
            return True

    def _fill_memory(self, error: Exception, progress: Progress | None) -> None:
        """Build the in-memory index unless it exists and is up to date. Raises Unusable if that fails too."""
        with self.store.snapshot():
            mark = None if self._memory is None else self._memory[1]
            if mark is not None and (mark.store, mark.last) == (self.store.epoch, self.record.last()):
                return
            try:
                self._memory = sync.build(self.record, None, progress)
            except (RuntimeError, ValueError, OSError):
                why = str(error).partition("\n")[0][:200] or type(error).__name__
                raise Unusable(
                    f"the search index in {self._home} cannot be written ({why}); free some space or"
                    f" check the rights of the folder, then `curator doctor --rebuild` rebuilds it"
                ) from error

    @property
    def trouble(self) -> str | None:
        """The reason if the index is only in memory, else None."""
        if self._memory is None:
            return None
        return (
            f"the search index in {self._home} cannot be written and is made in memory each time, which takes longer;"
            f" free some space or check the rights of the folder"
        )

    def _follow(self, progress: Progress | None) -> None:
        versions.sweep(self._home)
        mark, ours = self._mark(), (self.store.epoch, self.fingerprint.label)
        folder = versions.current(self._home)
        location = "" if folder is None or not self._uri else remote.below(self._uri, folder)
        if (
            mark is not None
            and (mark.store, mark.fingerprint) == ours
            and all(own <= last for own, last in zip(mark.last, self.record.last(), strict=True))
            and self._location() == location
        ):
            try:
                if sync.advance(self.record, self._tables(), mark, progress):
                    return
            except BaseException as error:
                self._check_away(error)
                _log.info("the search index cannot be written and is rebuilt", exc_info=True)
                self._opened = None
        self._build(progress)

    def _build(self, progress: Progress | None) -> None:
        """Build a new generation and switch to it; the old ones are deleted."""
        if self._uri:
            remote.connect(self._uri)  # fails before a folder is created whose tables could not be deleted
        folder = versions.fresh(self._home, self._uri)
        self._opened, _ = sync.build(self.record, folder, progress)
        versions.switch(folder)
        versions.sweep(self._home)

    def _mark(self) -> IndexPosition | None:
        if self._memory is not None:
            return self._memory[1]
        folder = versions.current(self._home)
        return None if folder is None else versions.read_mark(folder)

    def _location(self) -> str:
        """Return the prefix of the current tables on object storage; empty if they are local, or there are none."""
        folder = versions.current(self._home)
        return (folder is not None and remote.location(folder)) or ""

    def _check_away(self, error: BaseException) -> None:
        """Re-raise an error unless it means damaged tables. Raises Unreachable if object storage does not answer."""
        if not tables.is_damage(error):
            raise error
        if (location := self._location()) and str(self._home) not in str(error) and not remote.is_missing(error):
            self._opened = None
            raise remote.unreachable(location, error) from error

    def _tables(self) -> Tables:
        if self._memory is not None:
            return self._memory[0]
        folder = versions.current(self._home)
        if folder is None:
            raise FileNotFoundError(self._home / "current")
        if self._opened is None or self._opened.folder != folder:
            self._opened, self._seen = tables.open_tables(folder), None
        if remote.location(folder) is not None and (mark := versions.read_mark(folder)) != self._seen:
            tables.refresh(self._opened)
            self._seen = mark
        return self._opened

    def check(self) -> list[str]:
        """Return the differences of the index from the record, as text. Lagging counts as a difference."""
        mark = self._mark()
        if mark is None:
            return ["there is no search index yet"]
        if self.trouble is not None:
            return [self.trouble]
        try:
            held = sync.content(self._tables())
        except BaseException as error:
            self._check_away(error)
            return [f"the search index in {self._home} is damaged and cannot be read"]
        return sync.differences(self.record, mark, held, versions.current(self._home))
