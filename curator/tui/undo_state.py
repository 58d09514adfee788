"""State of undo: the commands run in this session, their messages, and the last command."""

from collections.abc import Iterator
from contextlib import contextmanager

from curator.display import counted
from curator.filters import shown_verb
from curator.tui.text_format import excerpt
from curator.tui.verbs import ASKS_ABOVE, PLAIN, named
from store import Store
from store.model import Command

_DONE = {name: PLAIN[name].done for name in ("validate", "reject", "forget", "later", "restore")} | {
    "add": "added",
    "distil": "distilled",
    "edit": "edited",
    "give": "changed when to give",
    "import": "imported",
    "keep both": "kept both of",
    "kind": "changed the kind of",
    "merge": "merged",
    "pin": "changed the pin of",
    "propose": "proposed",
    "quarantine": "quarantined",
    "reword": "reworded",
    "scope": "changed the scope of",
    "score": "changed your score of",
    "settle": "resolved conflicts of",
    "supersede": "superseded",
    "tag": "tagged",
    "take in": "admitted",
    "tidy": "tidied",
    "tier": "changed the tier of",
    "until": "changed the end date of",
}
"""Past tense of a command, by its stored verb."""


class UndoState:
    """Updated on the executors that write, which run their work inside `watched` and `followed`.

    `last` is the command that `u` would undo, as far as known here: if the journal differs, another process has run a
    command.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.last: int | None = None
        self._here: set[int] = set()
        self._newest = 0
        self._descriptions: dict[int, str] = {}

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Record the command of the work inside as run by hand in this session."""
        self._newest = max(self._newest, self.now() or 0)
        with self.followed():
            yield
        if self.last is not None and self.last > self._newest:
            self._here.add(self.last)

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Record the last command after the work inside."""
        yield
        self.last = self.now()

    def now(self) -> int | None:
        """Return the ID of the command that undo would take back now."""
        command = self._store.journal.next_to_undo()
        return None if command is None else command.id

    def say(self, step: int | None, words: str) -> None:
        """Keep the message of a command, which names it when it is undone."""
        if step is not None:
            self._descriptions[step] = words

    def say_since(self, former: int | None, words: str) -> None:
        """Keep the message of the last command, if it is another one than `former`."""
        if (last := self.now()) != former:
            self.say(last, words)

    def asks(self, command: Command) -> bool:
        """Return True if undo and redo ask first: the command is large, and was not run by hand in this session."""
        return command.count > ASKS_ABOVE and command.id not in self._here

    def named(self, command: Command) -> str:
        """Return the name of a command, with the text of its memory if it has one. Reads the store."""
        if command.id in self._descriptions:
            return self._descriptions[command.id]
        done, first = _DONE.get(command.verb), self._store.journal.first_touched([command.id]).get(command.id)
        found = self._store.get_many([first]) if command.count == 1 and first is not None else []
        if found:
            return f"{done or f'{shown_verb(command.verb)} of'} “{excerpt(found[0].text)}”"
        return f"{done} {counted(command.count)}" if done and command.count else named(command)
