"""A stand-in for the sweeper, whose sweeps have the status that a test gives them."""

from collections.abc import Callable
from dataclasses import replace

from curator.sweeps import Failed, State, Sweeper, SweepStatus
from curator.tui.executors import SerialExecutor
from store import Store, clock
from tui.sample_store import HOSTILE, NOW

IDLE = SweepStatus("embed", State.WAITING, 0, 0, 0, 0, None, None, "", "", NOW + 3600 * clock.SECOND)
DISTIL = replace(
    IDLE, name="distil", state=State.RUNNING, done=31, total=204, failed=2, pending=173, rate=14.4, left=720,
    model="qwen3:4b", next_at=None, problem="the answer was no JSON",
)  # fmt: skip
JUDGE = replace(IDLE, name="judge", state=State.DUE, pending=12, model="qwen3:4b", next_at=None)
WARMTH = replace(IDLE, name="warmth", state=State.PAUSED, pending=3, model="qwen3:4b")
WATCH = replace(IDLE, name="watch", state=State.OFF, problem="sweep_watch.enabled is off", next_at=None)
FAILED = Failed(1, "distil", 1, 1, 1, "the answer was no JSON", HOSTILE, "qwen3:4b", 3, NOW, "Kitchen [b]plan")


class Posed(Sweeper):
    """Sweeper with given statuses, which records the calls it gets."""

    def __init__(self, *statuses: SweepStatus) -> None:
        self.now = {sweep.name: sweep for sweep in statuses}
        self.asked: list[tuple[str, str]] = []
        self.tell: Callable[[], None] = lambda: None

    def made(
        self,
        store: Store,
        now: Callable[[], int],
        executor: SerialExecutor,
        rest: Callable[[], None],
        tell: Callable[[], None],
    ) -> "Posed":
        self.tell = tell
        return self

    async def work(self, once: bool = False) -> None:
        self.asked.append(("work", ""))

    def statuses(self) -> tuple[SweepStatus, ...]:
        return tuple(self.now.values())

    async def refresh(self) -> None:
        pass

    async def pause(self, name: str) -> None:
        self.asked.append(("pause", name))
        self.now[name] = replace(self.now[name], state=State.PAUSED)

    async def resume(self, name: str) -> None:
        self.asked.append(("resume", name))
        self.now[name] = replace(self.now[name], state=State.RUNNING)

    def cancel(self, name: str) -> None:
        self.asked.append(("cancel", name))

    def begin(self, name: str) -> None:
        self.asked.append(("begin", name))

    async def retry(self, name: str) -> None:
        self.asked.append(("retry", name))

    async def failures(self, name: str, limit: int = 50) -> list[Failed]:
        return [FAILED]


def posed(*statuses: SweepStatus) -> Posed:
    """Return a sweeper with these statuses; by default one idle sweep and one that runs."""
    return Posed(*(statuses or (IDLE, DISTIL)))
