"""Run upkeep over all memories: plan each change with its reason, then apply the plan as one command of the sweep."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from curator.config import settings
from curator.lifecycle.rules import Limits, Step, capped, expiring, ranked
from store import Store, StoreReplaced, Writer, clock
from store.model import Actor, Aging, Rank, has_expired, is_protected

VERB = "tidy"
"""Verb of a run in the journal."""
_ALLOWED = "tidy by hand"
_AGAIN = 90 * clock.DAY  # for this long, runs do not repeat what the person undid
_AT_ONCE = 20_000  # changes before other processes may write, which takes about two seconds
_TURN = 0.15  # seconds: waiting writers poll every tenth
_CAME = ("import", "distil", "add", "undo", "redo")  # the person's verbs that do not review a memory
_DECISIONS = frozenset({"edit", "restore", "merge", "take in", "keep both", "until", "score"})
_WANTED = {Step.REMOVE: _DECISIONS, Step.EVICT: _DECISIONS, Step.EXPIRE: frozenset({"restore"})}
"""The person's verbs after which a memory is spared from a step."""


@dataclass(frozen=True, slots=True)
class UpkeepChange:
    """Step for one memory, with the reason."""

    memory: int
    step: Step
    reason: str


@dataclass(frozen=True, slots=True)
class Spared:
    """Number of spared memories by reason.

    `unseen` are in the inbox and not looked at yet, `wanted` were edited, scored or restored by the person,
    `taken_back` had the same change undone by the person, `decided` have expired but are validated.
    """

    unseen: int = 0
    wanted: int = 0
    taken_back: int = 0
    decided: int = 0

    @property
    def reasons(self) -> tuple[tuple[int, str], ...]:
        """The number of spared memories with each reason in words."""
        counts = (
            (self.unseen, "worth little stays in the inbox, since you have not looked at it yet"),
            (self.wanted, "stays, since you edited, scored or restored it"),
            (self.taken_back, "is left alone, since you undid this before"),
            (self.decided, "expired, but kept: you validated it"),
        )
        return tuple((number, why) for number, why in counts if number)


@dataclass(frozen=True, slots=True)
class LifecyclePlan:
    """Changes of a run at a given time."""

    now: int
    changes: tuple[UpkeepChange, ...]
    spared: Spared
    epoch: str  # of the record that was planned for

    @property
    def counts(self) -> dict[Step, int]:
        """The number of changes by step, in the order of `Step`, without zeros."""
        found = Counter(change.step for change in self.changes)
        return {step: found[step] for step in Step if found[step]}


def plan(store: Store, now: int | None = None, most: int | None = None) -> LifecyclePlan:
    """Return the changes of a run at `now` (the present if None), at most `most` if given; write nothing."""
    moment, epoch = clock.now() if now is None else now, store.epoch
    limits = Limits(settings().lifecycle.age, settings().lifecycle.count)
    found: Iterable[Aging] = store.aging()
    evicted: Mapping[int, str] = {}
    if limits != Limits():
        found = list(found)  # half a gigabyte for a million
        evicted = capped(found, limits, moment)
    changes, spared = _changes(store, found, evicted, moment)
    return LifecyclePlan(moment, tuple(changes[:most]), spared, epoch)


def run(
    store: Store,
    planned: LifecyclePlan,
    confirm: Callable[[Writer], None] = lambda writer: None,
    *,
    manual: bool = False,
) -> tuple[int, tuple[UpkeepChange, ...]]:
    """Apply the changes of a plan that still hold; return the command (0 if none) and the changes made.

    It is one command of the sweep: `curator undo ID` reverts all of it, and after a `manual` run, started by the
    person, plain `curator undo` does. The journal keeps the reason of each change, which could not be reconstructed
    later, since uses are not journaled. `confirm` is called inside each transaction and raises to abort it. A long run
    lets others write in between; completed changes survive a crash. Raises StoreReplaced if the record was restored
    since the plan was made.
    """
    wanted = sorted(planned.changes, key=lambda change: change.memory)
    done: list[UpkeepChange] = []
    with store.command(VERB, Actor.SWEEP, manual=manual) as writer:
        if store.epoch != planned.epoch:
            raise StoreReplaced
        for first in range(0, len(wanted), _AT_ONCE):
            if first:
                writer.pause()
                time.sleep(_TURN)
                writer.resume()
            confirm(writer)
            some = wanted[first : first + _AT_ONCE]
            asked = {(change.memory, change.step) for change in some}
            evicted = {change.memory: change.reason for change in some if change.step is Step.EVICT}
            found = list(store.aging([change.memory for change in some]))  # decisions made since the plan are respected
            there = {one.memory: why for one in found if (why := evicted.get(one.memory)) and not is_protected(one)}
            changes, _ = _changes(store, found, there, planned.now)
            for step in Step:
                reasons = {
                    one.memory: one.reason for one in changes if one.step is step and (one.memory, step) in asked
                }
                changed = set(writer.update("memories", list(reasons), step.after, reasons)) if reasons else set()
                done += [change for change in changes if change.step is step and change.memory in changed]
            writer.summarise(summarize_changes(done))
    return (writer.id if writer.wrote else 0), tuple(done)


def allow(store: Store) -> None:
    """Allow the sweep to run by itself from now on: the person has seen a plan and confirmed a run."""
    store.sweeps.mark(_ALLOWED, 0, clock.now())


def allowed(store: Store) -> bool:
    """Return True if the sweep may run by itself."""
    return store.sweeps.upto(_ALLOWED) > 0


_DONE = {
    Step.RAISE: "raised",
    Step.DEMOTE: "demoted",
    Step.EXPIRE: "expired",
    Step.REMOVE: "removed",
    Step.EVICT: "evicted",
}


def summarize_changes(changes: Sequence[UpkeepChange]) -> str:
    """Return counts by step: `14 demoted, 3 removed`."""
    counts = Counter(change.step for change in changes)
    return ", ".join(f"{counts[step]:,} {_DONE[step]}" for step in Step if counts[step])


def counts_in_summary(summary: str) -> Counter[Step]:
    """Return the counts by step in a text by `summarize_changes`."""
    steps = {word: step for step, word in _DONE.items()}
    parts = (part.rpartition(" ") for part in summary.split(", "))
    return Counter(
        {
            steps[word]: int(number.replace(",", ""))
            for number, _, word in parts
            if word in steps and number.replace(",", "").isdecimal()
        }
    )


def _changes(
    store: Store, found: Iterable[Aging], evicted: Mapping[int, str], now: int
) -> tuple[list[UpkeepChange], Spared]:
    """Return at most one change per memory, and the number of spared ones; expiry precedes caps, caps precede rank."""
    wanted: list[UpkeepChange] = []
    new, decided = set[int](), 0
    for aging in found:
        decided += is_protected(aging) and has_expired(aging, now)
        evict = (Step.EVICT, evicted[aging.memory]) if aging.memory in evicted else None
        if (step := expiring(aging, now) or evict or ranked(aging, now)) is not None:
            wanted.append(UpkeepChange(aging.memory, *step))
            if aging.rank is Rank.NEW:
                new.add(aging.memory)
    leaving = [change.memory for change in wanted if change.step is not Step.RAISE]
    seen = store.journal.person_verbs(leaving, _CAME)
    back = store.journal.undone_sweeps(VERB, leaving, now - _AGAIN)
    changes: list[UpkeepChange] = []
    spared: Counter[str] = Counter()
    for change in wanted:
        decisions, reason = seen.get(change.memory, []), ""
        if change.memory in back:
            reason = "taken_back"
        elif not _WANTED.get(change.step, frozenset()).isdisjoint(decisions):
            reason = "wanted"
        elif change.step is Step.REMOVE and not decisions:
            reason = "unseen"
        if not reason:
            changes.append(change)
            continue
        spared[reason] += 1
        if reason == "unseen" and change.memory in new:  # it stays in the inbox
            changes.append(UpkeepChange(change.memory, Step.DEMOTE, change.reason))
    return changes, Spared(spared["unseen"], spared["wanted"], spared["taken_back"], decided)
