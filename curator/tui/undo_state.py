"""Undo state: the commands of this session, their messages, and the last command."""

from collections.abc import Iterator
from contextlib import contextmanager

from curator.display import counted
from curator.history_text import shown_verb
from curator.tui.text_format import excerpt
from curator.tui.verbs import ASKS_ABOVE, VERBS_WITHOUT_DIALOG, command_name
from store import Store
from store.model import Command
from store.record.journal import committed

_DONE = {name: VERBS_WITHOUT_DIALOG[name].done for name in ("validate", "reject", "forget", "restore")} | {
    "later": VERBS_WITHOUT_DIALOG["snooze"].done,
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
_BULK = frozenset({"compare", "distil", "import", "merge", "quarantine", "tidy"})  # verbs that choose the memories
_FEW = 5  # memories; undo of a bulk command on more asks first


class UndoState:
    """State of undo, updated on the executors that write, which run their work inside `watched` and `followed`.

    `last` is the last command of this session that undo would revert. If the journal has another one, another process
    has run or undone a command.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.last: int | None = None
        self._here: set[int] = set()  # commands of this session
        self._by_hand: set[int] = set()  # those that are the person's decisions
        self._redone: set[int] = set()  # commands that were redone in this session
        self._current: list[int] = []  # commands of the work running on the executor `writes`
        self._descriptions: dict[int, str] = {}

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Record the commands of the work inside as run by hand in this session."""
        with self.followed() as made:
            self._current = made
            try:
                yield
            finally:
                self._by_hand.update(made)

    @contextmanager
    def followed(self) -> Iterator[list[int]]:
        """Record the commands of the work inside, and the one that undo would revert after it; yield their list."""
        with committed() as made:
            try:
                yield made
            finally:
                if made:
                    self._here.update(made)
                    next_id = self.next_to_undo()
                    elsewhere = next_id is not None and next_id > max(made) and next_id not in self._here
                    self.last = max(made) if elsewhere else next_id

    def next_to_undo(self) -> int | None:
        """Return the ID of the command that undo would revert now."""
        command = self._store.journal.next_to_undo()
        return None if command is None else command.id

    def is_undone(self, command: int | None) -> bool:
        """Return True if a command was undone, here or by another process."""
        commands = self._store.journal.commands([] if command is None else [command])
        return any(command.undone is not None for command in commands)

    def describe_last(self, description: str) -> None:
        """Store the message of the command just run on the executor `writes`, if any, to name its undo."""
        for step in self._current[-1:]:
            self._descriptions[step] = description

    def redone(self, command: Command) -> None:
        """Record that a command was redone in this session."""
        self._redone.add(command.id)

    def asks(self, command: Command) -> str | None:
        """Return why undo asks first; None for decisions of the person in this session, which need no confirmation.

        The reason is empty for a command of this session that concerns many memories, such as an import or large merge.
        """
        if command.id in self._by_hand:
            return "" if command.verb in _BULK and command.count > _FEW else None
        if command.id in self._redone and command.count <= ASKS_ABOVE:
            return None
        if command.id in self._here:
            return ""
        elsewhere = self.last is not None and command.id > self.last
        return "Done by another process since your last change." if elsewhere else "Not done in this session."

    def asks_again(self, command: Command) -> bool:
        """Return True if redo asks first: the command is large or was undone elsewhere, and not run here by hand."""
        return command.id not in self._by_hand and (command.count > ASKS_ABOVE or command.undone not in self._by_hand)

    def describe(self, command: Command) -> str:
        """Return the name of a command, with the text of its memory if it has one. Reads the store."""
        if command.id in self._descriptions:
            return self._descriptions[command.id]
        done, first = _DONE.get(command.verb), self._store.journal.first_touched([command.id]).get(command.id)
        memories = self._store.get_many([first]) if command.count == 1 and first is not None else []
        if memories:
            return f"{done or f'{shown_verb(command.verb)} of'} “{excerpt(memories[0].text)}”"
        return f"{done} {counted(command.count)}" if done and command.count else command_name(command)
