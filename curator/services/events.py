"""Events of a store: commands in the journal, and runs of sweeps in any process.

Events carry ids, verbs and counts, never texts. Journal events are numbered, so that a client can resume; sweep events
are live only, and have the names that other memory servers use.
"""

from dataclasses import dataclass

from curator.lifecycle.rules import Step
from curator.lifecycle.run import VERB, counts_in_summary
from store import Store
from store.model import Actor, SweepProgress

POLL_SECONDS = 0.5
"""Seconds between two polls of the record; a poll without news takes microseconds."""
_PAGE = 100
_IDS = 50
_NAMES = {"distil": "ai_memory", "watch": "ai_memory", "tidy": "ranking"}

Run = tuple[str, str, int]
Data = dict[str, object]


@dataclass(frozen=True, slots=True)
class Event:
    """An event. `seq` is its journal number, or None for a sweep. docs/http.md lists the names and data."""

    name: str
    data: Data
    seq: int | None = None


@dataclass
class EventReader:
    """Reads the events of a store for one client, starting after `seq`, or with the next event if it is None."""

    store: Store
    seq: int | None = None
    _epoch: str = ""
    _version: int | None = None
    _runs: dict[Run, SweepProgress] | None = None  # as last read
    _ranked: int = 0  # time of the last ranking in the journal

    def read(self) -> list[Event]:
        """Return the events since the last call; if there are many, the first page of them."""
        version = self.store.data_version()
        if version == self._version:
            return []
        events, more = self._of_journal()
        events += self._of_sweeps()
        self._version = None if more else version
        return events

    def _of_journal(self) -> tuple[list[Event], bool]:
        epoch, last = self.store.epoch, self.store.journal.seq()
        replaced = bool(self._epoch) and epoch != self._epoch
        self._epoch = epoch
        if self.seq is None or replaced or self.seq > last:
            started, self.seq = self.seq is None, last
            return ([] if started else [Event("reset", {"seq": last}, last)]), False
        page = self.store.journal.events_since(self.seq, _PAGE)
        events = []
        for at, (seq, command) in enumerate(page):
            if command.verb == VERB and command.actor is Actor.SWEEP and command not in (c for _, c in page[at + 1 :]):
                self._ranked = command.at
                done = counts_in_summary(command.summary)
                counts = {"promoted": done[Step.RAISE], "demoted": done[Step.DEMOTE], "expired": done[Step.EXPIRE]}
                counts |= {"removed": done[Step.REMOVE] + done[Step.EVICT], "count": command.count}
                events.append(Event("ranking_complete", {"sweep": "tidy", **counts}))
            touched = self.store.journal.touched_by(seq)
            data: Data = {
                "command": command.uid,
                "number": command.id,
                "verb": command.verb,
                "actor": command.actor.value,
            }
            ids = [memory.uid for memory in self.store.get_many(touched[:_IDS])]
            events.append(Event("command", {**data, "count": len(touched), "memories": ids}, seq))
        self.seq = page[-1][0] if page else last
        return events, len(page) == _PAGE

    def _of_sweeps(self) -> list[Event]:
        """Return the starts, ends and failures of sweep runs since the last call."""
        now = {(run.sweep, run.holder, run.since): run for run in self.store.sweeps.progress()}
        former, self._runs = self._runs, now
        if former is None:  # these runs started before the client connected
            return []
        events = [_of_run("start", run) for key, run in now.items() if key not in former]
        for key, run in now.items():
            if run.failed > (former[key].failed if key in former else 0):
                events.append(_of_run("error", run))
        ended = [run for key, run in former.items() if key not in now]
        return [
            *events,
            *(_of_run("complete", run) for run in ended if run.sweep != "tidy" or self._ranked < run.since),
        ]


def _of_run(what: str, run: SweepProgress) -> Event:
    data: Data = {"sweep": run.sweep, "count": run.done, "total": run.total, "failed": run.failed}
    return Event(f"{_NAMES.get(run.sweep, 'sweep')}_{what}", data)
