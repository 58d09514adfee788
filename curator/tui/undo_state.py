"""The steps that `u` takes back: which of them were done here, what was said of them, and which is the last."""

from collections.abc import Callable
from typing import TypeVar

from curator.tui.formatting import counted
from curator.tui.verbs import ASKS_ABOVE, PLAIN, short
from store import Store
from store.model import Command

T = TypeVar("T")
_DONE = {name: PLAIN[name].done for name in ("validate", "reject", "forget", "later", "restore")} | {
    "add": "added",
    "edit": "edited",
    "merge": "merged",
    "reword": "reworded",
    "supersede": "superseded",
    "tag": "tagged",
}


class UndoState:
    """Kept by the lanes that write, in which `watched` and `followed` run what they are given.

    `last` is what `u` would take back as far as is known here: where the journal says otherwise, somebody else has
    done something.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.last: int | None = None
        self._here: set[int] = set()
        self._newest = 0
        self._said: dict[int, str] = {}

    def watched(self, work: Callable[[], T]) -> T:
        """Do it, and note the step that it makes as one done by hand in this sitting."""
        self._newest = max(self._newest, self.now() or 0)
        result = self.followed(work)
        if self.last is not None and self.last > self._newest:
            self._here.add(self.last)
        return result

    def followed(self, work: Callable[[], T]) -> T:
        """Do it, and note which step is the last then."""
        result = work()
        self.last = self.now()
        return result

    def now(self) -> int | None:
        """The step that would be taken back now."""
        command = self._store.journal.next_to_undo()
        return None if command is None else command.id

    def say(self, step: int | None, words: str) -> None:
        """This was said when a step was done: it has the same name on the way back."""
        if step is not None:
            self._said[step] = words

    def asks(self, command: Command) -> bool:
        """Whether it is asked before this is taken back or done again: many, and not done by hand in this sitting."""
        return command.count > ASKS_ABOVE and command.id not in self._here

    def named(self, command: Command) -> str:
        """A step in words; where it is of one memory, by the words of that. Reads the store."""
        if command.id in self._said:
            return self._said[command.id]
        done, first = _DONE.get(command.verb), self._store.journal.first_touched([command.id]).get(command.id)
        found = self._store.get_many([first]) if command.count == 1 and first is not None else []
        if found:
            return f"{done or f'{command.verb} of'} “{short(found[0].text)}”"
        if not command.count:
            return command.verb
        return f"{done} {counted(command.count)}" if done else f"{command.verb}, {counted(command.count)}"
