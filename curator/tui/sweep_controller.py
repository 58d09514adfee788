"""Background work in the app: runs in its own thread, starts after the first paint, and can be stopped at once.

`SweepController` holds the `Sweeper` of `curator.sweeps` and shows its progress several times a second. Views show
changes by sweeps like those of another process. Slow imports run one by one in a single thread: two threads that import
the same packages in different order can deadlock.
"""

import asyncio
import contextlib
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from curator.tui.executors import SerialExecutor
from store import Store

if TYPE_CHECKING:
    from curator.sweeps import Failed, Sweeper, SweepStatus

SHOWN = 0.1  # seconds between updates
LOOK = 300.0  # seconds between checks for work without a model

SweeperFactory = Callable[[Store, Callable[[], int], SerialExecutor, Callable[[], None], Callable[[], None]], "Sweeper"]


def sweeper(
    store: Store, now: Callable[[], int], executor: SerialExecutor, rest: Callable[[], None], tell: Callable[[], None]
) -> "Sweeper":
    """Return the sweeps of a store. Run in a thread, as loading them takes time."""
    from curator.purge_everywhere import continue_purge
    from curator.sweeps import Sweeper

    return Sweeper(store, now=now, run=executor.run, rest=rest, tell=tell, end_purge=continue_purge)


class SweepController:
    """Runs the sweeps of the app in `executor`, and their imports in `load`.

    `rest` blocks its thread while the person is typing, `start` starts a worker that runs `work`, and `changed` is
    called after each change. Without a chat model, the computation of vectors starts after `wait` seconds.
    """

    def __init__(
        self,
        store: Store,
        now: Callable[[], int],
        executor: SerialExecutor,
        load: SerialExecutor,
        rest: Callable[[], None],
        start: Callable[[], None],
        changed: Callable[[], None],
        wait: float,
        factory: SweeperFactory = sweeper,
    ) -> None:
        self._store, self._now, self._executor, self._load, self._rest = store, now, executor, load, rest
        self._start, self._changed, self._wait, self._factory = start, changed, wait, factory
        self._sweeper: Sweeper | None = None
        self._telling = False
        self._absent: frozenset[str] = frozenset()  # sweeps whose missing server was reported
        self._closed = False
        self._works = 0  # running workers; a cancelled one may end after the next has started
        self.looked: dict[str, int] = {}  # failures of each sweep that the person has seen

    @property
    def statuses(self) -> "tuple[SweepStatus, ...]":
        """The state of each sweep; empty before `ready`."""
        return () if self._sweeper is None else self._sweeper.statuses()

    @property
    def working(self) -> bool:
        """True while sweeps are being run."""
        return self._works > 0

    @property
    def loaded(self) -> bool:
        """True if the sweeps are imported."""
        return self._sweeper is not None

    def status(self, name: str) -> "SweepStatus | None":
        """Return the state of a sweep."""
        return next((sweep for sweep in self.statuses if sweep.name == name), None)

    async def ready(self) -> "Sweeper":
        """Return the sweeper with fresh counts. Raises ConfigError, StoreError."""
        own = self._sweeper  # `anew` may replace it while it counts
        if own is None:
            loop = asyncio.get_running_loop()

            def tell() -> None:
                """Schedule an update; can be called from any thread, at any rate."""
                if not self._telling and not self._closed:
                    self._telling = True
                    with contextlib.suppress(RuntimeError):  # the app has closed
                        loop.call_soon_threadsafe(loop.call_later, SHOWN, self._show)

            made = await self._load.run(lambda: self._factory(self._store, self._now, self._executor, self._rest, tell))
            own = self._sweeper = self._sweeper or made
        await own.refresh()
        self._changed()
        return own

    async def work(self) -> None:
        """Run due sweeps until cancelled, which also cancels a running call. Raises the errors of the sweeper."""
        self._works += 1
        try:
            own = await self.ready()
            await own.work()
        finally:
            self._works -= 1
            if not self._closed:
                self._changed()

    async def begin_if_worth(self) -> None:
        """Start at once if a model is set up, else once there is work."""
        if not await self._load.run(self._has_model):
            await asyncio.sleep(self._wait)
            while not await self._load.run(self._has_work):
                await asyncio.sleep(LOOK)
        await self.work()

    async def anew(self) -> None:
        """Restart with changed settings."""
        self._sweeper = None
        await self.work()

    def close(self) -> None:
        """Stop reporting."""
        self._closed = True

    # Control

    async def pause(self, name: str) -> bool:
        """Pause or resume a sweep in every process; return True if it is paused now."""
        if self._sweeper is None:
            return False
        from curator.sweeps import State

        paused = (sweep := self.status(name)) is not None and sweep.state is State.PAUSED
        if paused:
            await self._sweeper.resume(name)
            self._keep_working()
        else:
            await self._sweeper.pause(name)
            self._changed()
        return not paused

    def cancel(self, name: str) -> None:
        """Stop the run of a sweep."""
        if self._sweeper is not None:
            self._sweeper.cancel(name)
            self._changed()

    def now(self, name: str) -> None:
        """Run a sweep now."""
        if self._sweeper is not None:
            self._sweeper.begin(name)
            self._keep_working()

    async def retry(self, name: str) -> None:
        """Retry the failed items of a sweep."""
        own = await self.ready()
        await own.retry(name)
        self.looked.pop(name, None)
        self._keep_working()

    async def failures(self, name: str) -> "Sequence[Failed]":
        """Return the failures of a sweep, and record that the person has seen them."""
        own = await self.ready()
        failures = await own.failures(name)
        if (sweep := self.status(name)) is not None:
            self.looked[name] = sweep.failed
        self._changed()
        return failures

    def _keep_working(self) -> None:
        if not self.working:
            self._start()
        self._changed()

    # Reports

    def news(self) -> str | None:
        """Return a message that a server is unavailable or available again, once; None without news."""
        from curator.sweeps import State

        absent = [sweep for sweep in self.statuses if sweep.state is State.OFFLINE]
        formerly_absent, self._absent = self._absent, self._absent | {sweep.name for sweep in absent}
        back = (
            sweep.name in formerly_absent and sweep.state is State.RUNNING and (sweep.done or not sweep.problem)
            for sweep in self.statuses
        )
        if absent and not formerly_absent:
            why = re.split(r"; | \(", absent[0].problem)[0]  # the view shows the rest
            return f"{why or 'the model is not available'}; its work waits"
        if not absent and any(back):
            self._absent = frozenset()
            return "the model is available again"
        return None

    def _show(self) -> None:
        self._telling = False
        if not self._closed:
            self._changed()

    def _has_model(self) -> bool:
        """Return True if a server is set up, after importing its client (0.4 s)."""
        from curator.config import settings

        config = settings()
        if not config.ollama.model and config.embed.provider != "ollama":
            return False
        import curator.models.ollama.client  # noqa: F401

        return True

    def _has_work(self) -> bool:
        return self._factory(self._store, self._now, self._executor, self._rest, lambda: None).has_work()
