"""The sweep that syncs with the person's other devices (`curator sync`) and in shared projects (`curator share`)."""

import time
from collections.abc import Callable

from curator.errors import ModelError, StoreError, TargetUnreachable, Unusable
from curator.paths import is_own_store
from curator.services.forget_requests import quarantine_arrivals
from curator.share import project, run
from curator.sweeps.base import Attempt, BaseSweep, SweepItem, Tools
from curator.sync.key import saved
from curator.sync.run import sync

_NONE = (
    "`curator sync init TARGET` starts a sync space, `curator sync join TARGET` joins one;"
    " `curator share init` shares a project"
)
_REMOVED = "another device has removed this one; `curator sync join TARGET` joins it again"
_RESTS = 60.0  # seconds after a pass in which nothing is taken for new


class UnreadableSegments(ModelError):
    """Segments that cannot be read; the text names them and the remedy."""


class Sync(BaseSweep):
    """See `BaseSweep`. What the others wrote is known only after a look, so that a pass is pending once an interval."""

    name = "sync"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._ended: float | None = None

    def off(self) -> str:
        """See `BaseSweep.off`."""
        try:
            space, shares = saved(), project.saved()
        except Unusable as error:  # a damaged file, which must not end the other sweeps
            return str(error)
        if not is_own_store(self._store.folder) or (space is None and not shares):
            return _NONE
        return _REMOVED if self._store.sync.is_removed() and not shares else ""

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        rests = self._ended is not None and time.monotonic() < self._ended + _RESTS
        return int(not rests and not self.off())

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`. When cancelled, the pass ends after the segment at hand, and the next one goes on."""
        problems = await self._run_stoppable(self._pass)
        attempt.step(1)
        if problems:
            raise UnreadableSegments("; ".join(problems))

    def _pass(self, rest: Callable[[], None]) -> list[str]:
        """Sync once, also the shared projects, and erase what was purged elsewhere outside of the record, too.

        What another program still holds is tried again after the next pass, and by the next command or start.
        """

        def report(stage: str, done: int, total: int) -> None:
            rest()

        if not is_own_store(self._store.folder):
            return []
        problems: list[str] = []
        offline: TargetUnreachable | None = None
        try:
            if (space := saved()) is not None and not self._store.sync.is_removed():
                try:
                    problems += sync(self._store, space, report, quarantine_arrivals).problems
                    self._tools.end_purge(self._store)
                except TargetUnreachable as error:  # the shared projects may be elsewhere
                    offline = error
            for share in project.saved():
                try:
                    problems += run.sync(self._store, share, report).problems
                except TargetUnreachable as error:
                    offline = error
                except StoreError as error:
                    problems.append(str(error))
            if offline is not None:
                raise offline
            return problems
        finally:
            self._ended = time.monotonic()
