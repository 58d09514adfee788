"""Commands of the Recall view other than verbs: feedback and checks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from curator.display import counted
from curator.tui.labels import share
from curator.tui.messages import StatusMessage, Tone
from curator.tui.recall.queries import RecallAnswer, RecallQuestion, RecallRow
from curator.tui.text_format import excerpt
from curator.tui.view import Write
from store import LogFilter, Store
from store.model import Actor, Memory


@dataclass(frozen=True, slots=True)
class RecallChange:
    """A change to memories: its message, and the answer before the change."""

    message: StatusMessage
    memories: Sequence[int]
    former: RecallAnswer | None


@dataclass(frozen=True, slots=True)
class _Unjournaled:
    """A change that the journal does not record; `after` is the person's last command at that time."""

    text: str
    memories: tuple[int, ...]
    take_back: Callable[[], object]
    after: list[int]


class Feedback:
    """Writes feedback and checks, and undoes them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._changes: list[_Unjournaled] = []  # latest last; only used on the executor `writes`

    def take_back(self) -> tuple[str, tuple[int, ...]] | None:
        """Undo the last feedback or check, unless the person has run a command since. Run on the executor `writes`.

        Return its description and memories; None if there is nothing to undo.
        """
        if not self._changes or self._changes[-1].after != self._last_command():
            self._changes.clear()
            return None
        change = self._changes.pop()
        change.take_back()
        return change.text, change.memories

    def _remember(self, text: str, memories: Sequence[int], take_back: Callable[[], object]) -> None:
        self._changes.append(_Unjournaled(text, tuple(memories), take_back, self._last_command()))

    def _last_command(self) -> list[int]:
        return self._store.journal.command_ids(LogFilter(actors=(Actor.PERSON,)), 1)

    def mark(
        self, memories: Sequence[Memory], useful: bool, changed: Callable[[StatusMessage], None]
    ) -> Write[dict[int, float]]:
        """Prepare feedback (useful or not), which raises or lowers the memories' warmth."""
        numbers, store = [memory.id for memory in memories], self._store
        text = f"marked {_named(memories)} as {'useful' if useful else 'not useful'}"

        def mark() -> dict[int, float]:
            from curator.lifecycle import mark_useful

            before = store.recalls.warmth(numbers)
            after = mark_useful(store, numbers) if useful else mark_useful(store, useless=numbers)
            steps = {number: before[number] - after[number] for number in after}
            self._remember(text, numbers, lambda: store.recalls.warm(steps))
            return after

        def finish(warmth: dict[int, float]) -> StatusMessage:
            now = f", warmth {share(warmth[numbers[0]])}" if len(numbers) == 1 else ""
            message = StatusMessage(f"{text}{now}", Tone.GOOD, undo=True)
            changed(message)
            return message

        return Write(mark, finish)

    def expect(
        self, question: RecallQuestion, lines: Sequence[RecallRow], wanted: bool, changed: Callable[[], None]
    ) -> Write[None]:
        """Prepare a check that recall must include memories for a prompt in its project, or must exclude them.

        Repeating it removes the check.
        """
        prompt, project = question.prompt, question.project
        store, memories = self._store, [line.memory for line in lines]
        numbers = [memory.id for memory in memories]
        expected = None if all(line.expected is wanted for line in lines) else wanted
        result = {True: "must be included", False: "must not be included"}
        of = _named(memories)
        text = f"removed the check of {of}" if expected is None else f"added a check that {of} {result[expected]}"

        def keep() -> None:
            from curator.recall.expectations import expect

            def put_back() -> None:
                for line in lines:
                    expect(store, prompt, [line.memory.id], line.expected, project)

            expect(store, prompt, numbers, expected, project)
            self._remember(text, numbers, put_back)

        def finish(_: None) -> StatusMessage:
            changed()
            return StatusMessage(text, Tone.GOOD, "`curator check` runs all checks", undo=True)

        return Write(keep, finish)


def _named(memories: Sequence[Memory]) -> str:
    return f"“{excerpt(memories[0].text)}”" if len(memories) == 1 else counted(len(memories))
