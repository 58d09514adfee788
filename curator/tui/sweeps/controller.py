"""The work in the background as the app runs it: begun after the first paint, in a lane of its own, ended at once.

`SweepController` holds the `Sweeper` of `curator.sweeps` and polls it a few times a second for changes.
What a sweep stores shows like anything that another process writes. All that takes long to load for it is loaded in
one lane, one after the other: two threads that import the same packages crosswise end in a deadlock that Python raises.
"""

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from curator.tui.executors import SerialExecutor
from store import Store

if TYPE_CHECKING:
    from curator.sweeps import Standing, Sweeper

SHOWN = 0.1  # seconds between two looks at how the sweeps stand

Make = Callable[[Store, Callable[[], int], SerialExecutor, Callable[[], None], Callable[[], None]], "Sweeper"]


def sweeper(
    store: Store, now: Callable[[], int], executor: SerialExecutor, rest: Callable[[], None], tell: Callable[[], None]
) -> "Sweeper":
    """The sweeps of a store; for a thread, as loading them takes time."""
    from curator.sweeps import Sweeper

    return Sweeper(store, now=now, run=executor.run, rest=rest, tell=tell)


class SweepController:
    """The sweeps of the app: they work in `lane`, and what they are made of is loaded in `load`.

    `rest` waits in a thread while the person is at it.
    `start` begins a worker that runs `work`; `changed` is called when something has.
    Without a chat model, vectors are made `wait` seconds later.
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
        make: Make = sweeper,
    ) -> None:
        self._store, self._now, self._executor, self._load, self._rest = store, now, executor, load, rest
        self._start, self._changed, self._wait, self._make = start, changed, wait, make
        self._sweeper: Sweeper | None = None
        self._telling = False
        self._absent: frozenset[str] = frozenset()  # whose server was not there, and the person knows
        self._closed = False
        self._works = 0  # one that was cancelled may end after the next has begun
        self.looked: dict[str, int] = {}  # failures of each sweep that the person has looked at

    @property
    def standings(self) -> "tuple[Standing, ...]":
        """How each sweep stands; nothing before `ready`."""
        return () if self._sweeper is None else self._sweeper.standings()

    @property
    def working(self) -> bool:
        """Whether what is due is run."""
        return self._works > 0

    @property
    def loaded(self) -> bool:
        """Whether `ready` takes no longer than counting."""
        return self._sweeper is not None

    def standing(self, name: str) -> "Standing | None":
        """How one sweep stands."""
        return next((sweep for sweep in self.standings if sweep.name == name), None)

    async def ready(self) -> "Sweeper":
        """The sweeper, its counts fresh. Raises ConfigError, StoreError."""
        if self._sweeper is None:
            loop = asyncio.get_running_loop()
            tell = self._teller(loop)
            made = await self._load.run(lambda: self._make(self._store, self._now, self._executor, self._rest, tell))
            self._sweeper = self._sweeper or made
        await self._sweeper.refresh()
        self._changed()
        return self._sweeper

    async def work(self) -> None:
        """Run what is due until cancelled, which drops the call in flight. Raises what the sweeper raises."""
        self._works += 1
        try:
            own = await self.ready()
            await own.work()
        finally:
            self._works -= 1
            if not self._closed:
                self._changed()

    async def begin_if_worth(self) -> None:
        """Work if the settings or the store give reason to: at once with a model, later without."""
        if not await self._load.run(_model_set):
            await asyncio.sleep(self._wait)
            if not await self._load.run(lambda: _worth(self._store)):
                return
        await self.work()

    async def anew(self) -> None:
        """Take up changed settings."""
        self._sweeper = None
        await self.work()

    def close(self) -> None:
        """Tell no more."""
        self._closed = True

    # What the person does

    def pause(self, name: str) -> bool:
        """Pause a sweep, or let it go on; whether it is paused now."""
        if self._sweeper is None:
            return False
        from curator.sweeps import State

        paused = (sweep := self.standing(name)) is not None and sweep.state is State.PAUSED
        if paused:
            self._sweeper.resume(name)
            self._keep_working()
        else:
            self._sweeper.pause(name)
        self._changed()
        return not paused

    def cancel(self, name: str) -> None:
        """Drop what a sweep is at."""
        if self._sweeper is not None:
            self._sweeper.cancel(name)
            self._changed()

    def now(self, name: str) -> None:
        """Run a sweep whatever the time."""
        if self._sweeper is not None:
            self._sweeper.begin(name)
            self._keep_working()
            self._changed()

    async def retry(self, name: str) -> None:
        """Have what failed tried again."""
        own = await self.ready()
        await own.retry(name)
        self.looked.pop(name, None)
        self._keep_working()
        self._changed()

    async def failures(self, name: str) -> str:
        """What failed as a page of text, replies as they came; the person has looked at it then."""
        from curator.tui.sweeps.render import page

        own = await self.ready()
        found = await own.failures(name)
        if (sweep := self.standing(name)) is not None:
            self.looked[name] = sweep.failed
        self._changed()
        return page(found)

    def _keep_working(self) -> None:
        if not self.working:
            self._start()

    # What is told

    def news(self) -> str | None:
        """What the person has to know once: that a server is not there, and that it is back."""
        from curator.sweeps import State

        absent = [sweep for sweep in self.standings if sweep.state is State.OFFLINE]
        known, self._absent = self._absent, self._absent | {sweep.name for sweep in absent}
        back = (
            sweep.name in known and sweep.state is State.RUNNING and (sweep.done or not sweep.problem)
            for sweep in self.standings
        )
        if absent and not known:
            why = re.split(r"; | \(", absent[0].problem)[0]  # more, and what can be done about it, stands in the area
            return f"{why or 'the model is not there'}: its work waits"
        if not absent and any(back):
            self._absent = frozenset()
            return "the model is there again"
        return None

    def _teller(self, loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
        """What the sweeper calls, in any thread, as often as it likes."""

        def tell() -> None:
            if not self._telling and not self._closed:
                self._telling = True
                with contextlib.suppress(RuntimeError):  # the app has closed
                    loop.call_soon_threadsafe(loop.call_later, SHOWN, show)

        def show() -> None:
            self._telling = False
            if not self._closed:
                self._changed()

        return tell


def _model_set() -> bool:
    """Whether a server is set up; what speaks with it is loaded then, since that takes 0.4 s."""
    from curator.config import settings

    now = settings()
    if not now.ollama.model and now.embed.provider != "ollama":
        return False
    import curator.models.ollama.client  # noqa: F401

    return True


def _worth(store: Store) -> bool:
    """Whether there is something to do without a server."""
    return any(_reasons(store))


def _reasons(store: Store) -> Iterator[bool]:
    from curator.config import settings

    now = settings()
    yield now.sweep_watch.enabled
    if now.sweep_tidy.enabled:
        from curator.lifecycle import allowed

        yield allowed(store)
    if now.sweep_embed.enabled:
        from curator.services.search_session import installed_embedder

        embedder, _ = installed_embedder()
        yield bool(store.vectors.missing(embedder.fingerprint, 1))
    if now.sweep_compare.enabled:
        from curator import conflicts

        yield bool(conflicts.pending(store, 1))
