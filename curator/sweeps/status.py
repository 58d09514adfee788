"""Status of a sweep as shown to a person."""

from dataclasses import dataclass
from enum import StrEnum

from curator.services.run_progress import is_alive
from store.model import SweepProgress


class State(StrEnum):
    """State of a sweep."""

    OFF = "off"  # by its switch, or for want of a model: `problem` says which
    WAITING = "waiting"  # for its time: `next_at`
    DUE = "due"
    RUNNING = "running"
    PAUSED = "paused"
    OFFLINE = "offline"  # the server or the model is not there; tried again at `next_at`


@dataclass(frozen=True, slots=True)
class SweepStatus:
    """One sweep. Items are memories (embed), conversations (distil), alerts (judge), recalls (warmth), files (watch).

    `done` and `total` are of this run, or of the last one; `pending` is what is left in the store, `failed` what waits
    for the person to have it tried again. `rate` is items a minute, `left` seconds, both None until there is enough to
    go by. `next_at` is in microseconds. `elsewhere` is how many items another process is at, and
    `others` how far other processes are, those that were killed included.
    """

    name: str
    state: State
    done: int
    total: int
    failed: int
    pending: int
    rate: float | None
    left: float | None
    model: str
    problem: str
    next_at: int | None
    elsewhere: int = 0
    others: tuple[SweepProgress, ...] = ()

    @property
    def other(self) -> SweepProgress | None:
        """Return the run of another process that goes on, if there is one."""
        return next((run for run in self.others if is_alive(run)), None)


@dataclass(frozen=True, slots=True)
class Failed:
    """Something a model could not do, with what it answered last, as it came; `tries` is how often it was taken up."""

    id: int
    sweep: str
    title: str  # of the conversation, or what else names the item
    reason: str
    reply: str
    model: str
    tries: int
    at: int
    conversation: int | None
    message: int | None
