"""What is done to memories in Recall: verbs, marks of use, and checks; afterwards it is said what that changed."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from curator.tui import verbs
from curator.tui.formatting import counted
from curator.tui.labels import decimal
from curator.tui.memories.verb_runner import Verbs
from curator.tui.recall.queries import Answer, Line
from curator.tui.verbs import Verb
from curator.tui.view import Tone
from store import LogFilter, StoreError
from store.model import Actor, Memory

if TYPE_CHECKING:
    from curator.tui.recall.view import Recall

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change:
    """A change to memories: in words, undoable or not, and the answer that was given before it."""

    told: str
    undo: bool
    memories: Sequence[int]
    former: Answer | None


@dataclass(frozen=True, slots=True)
class Own:
    """What the journal knows nothing of: in words, to which memories, what takes it back, and which command of the
    person was the last then.
    """

    told: str
    memories: Sequence[int]
    take_back: Callable[[], object]
    after: list[int]


class Changing(Verbs):
    """What is on its way in the area, verbs and all else: `writing` is how much."""

    _view: "Recall"

    def __init__(self, view: "Recall") -> None:
        super().__init__(view)
        self._own: list[Own] = []  # the last one last; written in the lane that writes

    def take_back_own(self) -> tuple[str, tuple[int, ...]] | None:
        """Take back the last mark or check, if the person has done nothing since; for the lane that writes."""
        if not self._own or self._own[-1].after != self._last():
            self._own.clear()
            return None
        own = self._own.pop()
        own.take_back()
        return own.told, tuple(own.memories)

    def _remember(self, told: str, memories: Sequence[int], take_back: Callable[[], object]) -> None:
        self._own.append(Own(told, memories, take_back, self._last()))

    def _last(self) -> list[int]:
        return self._view.context.store.journal.command_ids(LogFilter(actors=(Actor.PERSON,)), 1)

    def mark(self, lines: Sequence[Line], useful: bool) -> None:
        """Make memories warmer, or colder."""
        if lines:
            self._begin(partial(self._mark, [line.memory for line in lines], useful, self._view.answer))

    async def _mark(self, memories: Sequence[Memory], useful: bool, former: Answer | None) -> None:
        numbers, store = [memory.id for memory in memories], self._view.context.store
        of_use = "of use" if useful else "of no use"

        def mark() -> dict[int, float]:
            from curator.lifecycle import mark_useful

            before = store.recalls.warmth(numbers)
            after = mark_useful(store, numbers) if useful else mark_useful(store, useless=numbers)
            steps = {number: before[number] - after[number] for number in after}
            self._remember(f"{of_use}: {_named(memories)}", numbers, lambda: store.recalls.warm(steps))
            return after

        warmth = await self._in_lane(mark)
        if warmth is not None:
            now = f", its warmth is {decimal(warmth[numbers[0]])}" if len(numbers) == 1 else ""
            self._changed(Change(f"{of_use}: {_named(memories)}{now}", True, numbers, former))

    def expect(self, lines: Sequence[Line], wanted: bool) -> None:
        """Keep in a check that memories must be given for this prompt, or must not; or take that back."""
        answer = self._view.answer
        if lines and answer is not None:
            said = None if all(line.expected is wanted for line in lines) else wanted
            self._begin(partial(self._expect, answer.question.prompt, lines, said))

    async def _expect(self, prompt: str, lines: Sequence[Line], wanted: bool | None) -> None:
        store, memories = self._view.context.store, [line.memory for line in lines]
        must = "check removed"
        if wanted is not None:
            must = f"must {'' if wanted else 'not '}be included for this prompt"
        told = f"{_named(memories)}: {must}"

        def keep() -> bool:
            from curator.recall.expectations import expect

            def put_back() -> None:
                for line in lines:
                    expect(store, prompt, [line.memory.id], line.expected)

            numbers = [memory.id for memory in memories]
            expect(store, prompt, numbers, wanted)
            self._remember(told, numbers, put_back)
            return True

        if await self._in_lane(keep):
            self._view.say(told, Tone.GOOD, "`curator check` runs all checks", undo=True)
            self._view.ask()

    def known(self, number: int) -> Memory | None:
        """Return the memory of a line."""
        line = self._view.list.row(number)
        return None if line is None else line.memory

    async def carry_out(self, verb: Verb, memories: list[int], marked: frozenset[int]) -> str | None:
        """Do it, say so, and ask again; what spoke against it is returned."""
        view, former = self._view, self._view.answer
        only = next((row.memory for number in memories[:1] if (row := view.list.row(number)) is not None), None)
        try:
            done = await self._write(verb, memories, marked)
        except (StoreError, ValueError) as error:
            view.say(str(error), Tone.BAD)
            return str(error)
        told = verbs.told(verb, done, only)
        view.context.steps.say(done.step, told)
        self._changed(Change(told, done.changed > 0 and verb.undoable, memories, former))
        return None

    def _begin(self, work: Callable[[], Awaitable[object]]) -> None:
        async def working() -> None:
            await work()

        self.writing += 1
        self._view.begin(working, "writes", exclusive=False)

    async def _in_lane(self, work: Callable[[], T]) -> T | None:
        """Write in a lane; None where something spoke against it, which is said."""
        try:
            return await self._view.context.executors["writes"].run(work)
        except (StoreError, ValueError) as error:
            self._view.say(str(error), Tone.BAD)
            return None
        finally:
            self.writing -= 1

    def _changed(self, change: Change) -> None:
        """Say what was done, ask again, and say what came of it."""
        self._view.say(change.told, Tone.GOOD, undo=change.undo)
        self._view.ask(change=change)


def _named(memories: Sequence[Memory]) -> str:
    return f"“{verbs.short(memories[0].text)}”" if len(memories) == 1 else counted(len(memories))
