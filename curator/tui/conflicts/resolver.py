"""Carrying out what was decided about a conflict: the next one is shown before the disk has it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from curator import curation
from curator.curation import Draft, Pair, Plan, Side
from curator.tui.formatting import counted
from curator.tui.verbs import short
from curator.tui.view import Tone
from store import Store, StoreError
from store.model import Relation

if TYPE_CHECKING:
    from curator.tui.conflicts.view import Conflicts


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is to become of a pair, and what the person is told when it is done."""

    run: Callable[[Store, Pair], int]
    told: str
    otherwise: str = ""  # what is told where no memory was changed by it, if that is something else


def kept(pair: Pair, side: Side) -> Resolution:
    """One side stays."""
    said = f"kept only “{short(pair.on(side).text)}”"
    return Resolution(lambda store, seen: curation.keep(store, seen, side), said)


BOTH = Resolution(curation.keep_both, "kept both: no conflict")
NONE = Resolution(curation.reject_both, "rejected both")
LATER = Resolution(curation.put_off, "snoozed for a week")


def told_apart(**words: str) -> Resolution:
    """Both stay, with other words or in other scopes."""
    return Resolution(lambda store, pair: curation.keep_both(store, pair, **words), "kept both, clarified", BOTH.told)


def merged(draft: Draft, text: str) -> Resolution:
    """One memory takes the place of both."""
    return Resolution(
        lambda store, pair: curation.merge_pair(store, pair, text, draft.survivor), f"merged: “{short(text)}”"
    )


class ConflictResolver:
    """The decisions on their way; `writing` is how many."""

    def __init__(self, view: "Conflicts") -> None:
        self._view = view
        self.writing = 0

    def start(self, pair: Pair, resolution: Resolution) -> None:
        """Begin to write, and go on to the next."""
        self.writing += 1
        self._view.leave(pair)
        self._view.begin(partial(self._carry_out, pair, resolution), "writes", exclusive=False)

    async def perform(self, pair: Pair, resolution: Resolution) -> str | None:
        """Carry out what was asked about; what spoke against it is returned, and shown there."""
        self.writing += 1
        return await self._view.apart(partial(self._carry_out, pair, resolution))

    async def _carry_out(self, pair: Pair, resolution: Resolution) -> str | None:
        view, store = self._view, self._view.context.store
        problem: str | None = "not saved"
        try:
            changed, closed = await view.context.executors["writes"].run(partial(_settle, store, pair, resolution))
            problem = None
        except (StoreError, ValueError) as error:
            problem = str(error)
            view.say(problem, Tone.BAD)
            return problem
        finally:
            self.writing -= 1
            view.decided([pair.alert.id], done=problem is None)
        said = resolution.told if changed else resolution.otherwise or resolution.told
        more = f" · {closed} more {'conflict' if closed == 1 else 'conflicts'} resolved with it" if closed else ""
        view.say(said + more, Tone.GOOD, undo=True)
        return None

    async def settle_many(self, plan: Plan) -> None:
        """Do what a plan says, in one step."""
        view, store = self._view, self._view.context.store
        ids = [pair.alert.id for pair, _ in plan.decided]
        self.writing += 1
        done = None
        try:
            done = await view.context.executors["writes"].run(partial(curation.bulk, store, plan))
        except (StoreError, ValueError) as error:
            view.say(str(error), Tone.BAD)
            return
        finally:
            self.writing -= 1
            view.decided(ids, done=done is not None)
        left = f"; skipped {done.changed:,} that changed meanwhile" if done.changed else ""
        said = f"resolved {counted(done.conflicts, 'conflict')}, superseded {counted(done.memories)}{left}"
        view.say(said, Tone.GOOD, undo=done.conflicts > 0)


def _settle(store: Store, pair: Pair, resolution: Resolution) -> tuple[int, int]:
    """Carry it out. Returns how many memories it changed, and how many of their other conflicts it closed."""
    others = _open(store, pair) - {pair.alert.id}
    changed = resolution.run(store, pair)
    return changed, len(others - _open(store, pair)) if others else 0


def _open(store: Store, pair: Pair) -> set[int]:
    found = (alert for memory in (pair.a, pair.b) for alert in store.alerts.open(memory.id))
    return {alert.id for alert in found if alert.relation is not Relation.UNSURE}  # those are not in the queue
