"""Admission of refused passages: one, several in one command, or one with another wording."""

from dataclasses import dataclass

from curator import curation
from curator.tui.messages import StatusMessage, Tone
from curator.tui.text_format import counted
from curator.tui.verbs import short
from store import Store
from store.model import Refusal


@dataclass(frozen=True, slots=True)
class Accepted:
    """The message for the status bar, and the store's last event before and after.

    `before` is None if some stay refused, or if something else was written meanwhile.
    """

    message: StatusMessage
    before: int | None
    after: int


def accept(store: Store, refusals: list[Refusal], text: str | None = None) -> Accepted:
    """Admit refusals, one with another text if given. Run in a thread. Raises StoreError, ValueError."""
    before = store.journal.seq()
    if len(refusals) == 1:
        made = curation.accept_passage(store, refusals[0], text)
        done, description = curation.Accepted((made.id,), ()), f"“{short(made.text)}”"
    else:
        done = curation.accept_passages(store, refusals)
        description = counted(len(done.memories))
    left = f"; {len(done.problems):,} still refused: {done.problems[0]}" if done.problems else ""
    some = bool(done.memories)
    message = StatusMessage(f"admitted {description}{left}", Tone.GOOD if some else Tone.BAD, undo=some)
    alone = not done.problems and set(store.journal.changed_since(before)) <= set(done.memories)
    return Accepted(message, before if alone else None, store.journal.seq())
