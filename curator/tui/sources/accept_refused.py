"""Taking in what was refused: one at once, several in one step, or put better first."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from curator import curation
from curator.tui.formatting import counted
from curator.tui.memories.verb_dialogs import when_sure
from curator.tui.screens.edit_dialog import Edit
from curator.tui.verbs import short
from curator.tui.view import Tone
from store import Store, StoreError
from store.model import Refusal

if TYPE_CHECKING:
    from curator.tui.sources.view import Sources


@dataclass(frozen=True, slots=True)
class Step:
    """What was done: the new memories, what spoke against others, and the store's last event before and after.

    `alone` is False if something else was written meanwhile.
    """

    memories: tuple[int, ...]
    said: str
    problems: tuple[str, ...]
    before: int
    after: int
    alone: bool


class Taking:
    """What is being taken in. `writing` is how many steps are on their way, `last` what the last of them took in."""

    def __init__(self, view: "Sources") -> None:
        self._view = view
        self.writing = 0
        self.last: tuple[Refusal, ...] = ()

    def take(self, refusals: list[Refusal]) -> None:
        """Take them in, after a question if they are many."""
        question = f"Admit {counted(len(refusals), 'passage')}?"
        when_sure(self._view.app, len(refusals), question, partial(self._start, refusals))

    def _start(self, refusals: list[Refusal]) -> None:
        self._view.leaving(refusals)
        self.writing += 1
        self._view.begin(partial(self._carry_out, refusals), "writes", exclusive=False)

    async def _carry_out(self, refusals: list[Refusal], text: str | None = None) -> str | None:
        """Do it and say so; returns what spoke against it."""
        view, step = self._view, None
        self.last = tuple(refusals)
        try:
            step = await view.context.executors["writes"].run(partial(_take_in, view.context.store, refusals, text))
        except (StoreError, ValueError) as error:
            view.say(str(error), Tone.BAD)
            return str(error)
        finally:
            self.writing -= 1
            view.taken_in(refusals, None if step is None or step.problems else step)
        left = f"; {len(step.problems):,} still refused: {step.problems[0]}" if step.problems else ""
        took = bool(step.memories)
        view.say(f"admitted {step.said}{left}", Tone.GOOD if took else Tone.BAD, undo=took)
        return None

    async def reword(self, refusal: Refusal) -> None:
        """Ask how it is to be put, then take it in."""
        view, store = self._view, self._view.context.store

        async def save(text: str) -> str | None:
            self.writing += 1
            return await self._carry_out([refusal], text)

        try:
            words = await view.context.executors["rows"].run(partial(curation.wording, store, refusal))
        except StoreError as error:
            view.say(str(error), Tone.BAD)
            return
        if view.display:  # the person may have gone on meanwhile
            await view.app.push_screen_wait(Edit("Reword, then admit", words, save))


def _take_in(store: Store, refusals: list[Refusal], text: str | None) -> Step:
    before = store.journal.seq()
    if len(refusals) == 1:
        made = curation.accept_passage(store, refusals[0], text)
        done, said = curation.Accepted((made.id,), ()), f"“{short(made.text)}”"
    else:
        done = curation.accept_passages(store, refusals)
        said = counted(len(done.memories))
    alone = set(store.journal.changed_since(before)) <= set(done.memories)
    return Step(done.memories, said, done.problems, before, store.journal.seq(), alone)
