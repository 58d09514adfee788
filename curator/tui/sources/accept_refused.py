"""Admission of refused passages: one, several in one command, or one with another wording."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from curator import curation
from curator.tui.messages import StatusMessage, Tone
from curator.tui.text_format import counted
from curator.tui.verbs import short
from curator.tui.view import Write
from store import Store
from store.model import Refusal


@dataclass(frozen=True, slots=True)
class Accepted:
    """The new memories, the reasons that others stay refused, and the store's last event before and after.

    `alone` is False if something else was written meanwhile.
    """

    memories: tuple[int, ...]
    description: str
    problems: tuple[str, ...]
    before: int
    after: int
    alone: bool

    @property
    def message(self) -> StatusMessage:
        """The message for the status bar."""
        left = f"; {len(self.problems):,} still refused: {self.problems[0]}" if self.problems else ""
        some = bool(self.memories)
        return StatusMessage(f"admitted {self.description}{left}", Tone.GOOD if some else Tone.BAD, undo=some)


def accept(
    store: Store, refusals: list[Refusal], done: Callable[[Accepted | None], None], text: str | None = None
) -> Write[Accepted]:
    """Prepare admitting refusals, one with another text if given; `done` is called with None if any failed."""

    def finish(accepted: Accepted) -> StatusMessage:
        done(None if accepted.problems else accepted)
        return accepted.message

    return Write(partial(_accept, store, refusals, text), finish, partial(done, None))


def _accept(store: Store, refusals: list[Refusal], text: str | None) -> Accepted:
    before = store.journal.seq()
    if len(refusals) == 1:
        made = curation.accept_passage(store, refusals[0], text)
        done, description = curation.Accepted((made.id,), ()), f"“{short(made.text)}”"
    else:
        done = curation.accept_passages(store, refusals)
        description = counted(len(done.memories))
    alone = set(store.journal.changed_since(before)) <= set(done.memories)
    return Accepted(done.memories, description, done.problems, before, store.journal.seq(), alone)
