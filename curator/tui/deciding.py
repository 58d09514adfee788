"""The verbs as the app carries them out: in a thread, with what the person is told afterwards."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from curator import curation
from curator.tui.text import counted, one_line
from store import Store
from store.model import Command, Memory, Tier

ASKS_ABOVE = 50  # memories; forgetting more at once is asked about first
_FOLLOWED = 64  # memories an undo brought back among which the cursor finds its place


@dataclass(frozen=True, slots=True)
class Verb:
    """What one key does to memories. `leaves`: they leave the list; `advances`: the cursor goes on to the next."""

    name: str
    done: str
    run: Callable[[Store, Sequence[int]], int]
    leaves: bool = False
    advances: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it: memories changed, and the store's last event before and after.

    `alone` is False if something else was written meanwhile.
    """

    changed: int
    before: int
    after: int
    alone: bool


def _toggle_pin(store: Store, memories: Sequence[int]) -> int:
    """Pin them all, or take the pin off if all have one."""
    pinned = all(memory.pinned for memory in store.get_many(memories))
    return curation.pin(store, memories, not pinned)


VALIDATE = Verb("validate", "validated", curation.validate, advances=True)
REJECT = Verb("reject", "rejected", curation.reject, leaves=True)
FORGET = Verb("forget", "forgot", curation.forget, leaves=True)
PIN = Verb("pin", "pinned or unpinned", _toggle_pin)


def tiered(tier: Tier) -> Verb:
    """The verb that gives memories a tier."""
    return Verb("tier", f"made {tier}", lambda store, memories: curation.set_tier(store, memories, tier))


def carry_out(store: Store, verb: Verb, memories: Sequence[int]) -> Done:
    """Do it; for a thread. Raises StoreError."""
    before = store.seq()
    changed = verb.run(store, memories)
    after = store.seq()
    return Done(changed, before, after, set(store.changed_since(before)) <= set(memories))


def told(verb: Verb, done: Done, memory: Memory | None) -> str:
    """What was done, in one line: by its words if it is one memory, else by number."""
    if not done.changed:
        return f"nothing to {verb.name}: it is so already"
    what = f"“{_short(memory.text)}”" if memory is not None and done.changed == 1 else counted(done.changed)
    if verb is PIN and memory is not None and done.changed == 1:  # `memory` is as it was before
        return f"{'unpinned' if memory.pinned else 'pinned'} {what}"
    return f"{verb.done} {what}"


def take_back(store: Store, undoing: Callable[[Store], Command]) -> tuple[Command, list[int]]:
    """Undo or redo; returns the command and some of the memories it touched. Raises StoreError."""
    before = store.seq()
    command = undoing(store)
    return command, store.changed_since(before)[:_FOLLOWED]


def named(command: Command) -> str:
    """A command as a person remembers it: `forget, 3 memories`."""
    return f"{command.verb}, {counted(command.count)}" if command.count else command.verb


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= 48 else line[:47].rstrip() + "…"
