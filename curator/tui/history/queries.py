"""What the history shows, read from the store: which commands, a line of each, and all that one of them did."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from curator import curation
from curator.filters.history import parse_history
from curator.filters.memories import BadFilter
from curator.tui.formatting import counted, moment, one_line
from curator.tui.widgets.text_diff import Piece, words
from curator.tui.widgets.virtual_list import find
from store import Conflict, LogFilter, NotFound, Store
from store.model import Command, Memory
from store.record.command_effects import CommandEffects, EffectKind, MemoryEffect

AROUND = 120  # lines read with the ids, before and after the cursor: what a tall screen can show
FIRST = 256
SHOWN = 50  # memories, and conversations, of one command
_COMPARED = 20_000  # characters of both texts up to which they are compared word by word


@dataclass(frozen=True, slots=True)
class Line:
    """A command as the list shows it.

    `about` is what the first memory that it touched says now; `of` is what an undo took back, or a redo did again.
    """

    command: Command
    about: str = ""
    of: Command | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The commands that a filter means, newest first, with the lines around the cursor.

    `whole` is False for the beginning of a list that is still being read.
    """

    ids: "array[int]"
    cursor: int
    lines: Mapping[int, Line]
    seq: int
    whole: bool


@dataclass(frozen=True, slots=True)
class CommandDetail:
    """All that one command did. `now` are the memories that it names as they are now, `diffs` its changes of words."""

    command: Command
    of: Command | None
    undone: Command | None  # what took it back
    changes: CommandEffects
    now: Mapping[int, Memory]
    diffs: Mapping[MemoryEffect, tuple[Piece, ...]]

    @property
    def there(self) -> tuple[int, ...]:
        """The memories it touched that are there now."""
        return tuple(memory for memory in self.changes.memories if memory in self.now)


def wanted(store: Store, text: str) -> LogFilter:
    """What a filter text means. Raises BadFilter."""
    return parse_history(text, store.journal.verbs()) if text.strip() else LogFilter()


def first(store: Store, filter: LogFilter) -> Listing:
    """The beginning of the list: quick for any number of commands."""
    ids = array("q", store.journal.command_ids(filter, FIRST))
    return Listing(ids, 0, lines(store, ids[:AROUND]), -1, whole=False)


def whole(store: Store, filter: LogFilter, near: Sequence[int], index: int) -> Listing:
    """All of the list; the cursor goes to the first of `near` that is in it, else to its index."""
    seq = store.journal.seq()
    ids = array("q", store.journal.command_ids(filter))
    cursor = find(ids, near, index)
    around = ids[max(cursor - AROUND, 0) : cursor + AROUND]
    return Listing(ids, cursor, lines(store, around), seq, whole=True)


def lines(store: Store, ids: Sequence[int]) -> dict[int, Line]:
    """These commands as lines of the list."""
    commands = store.journal.commands(ids)
    of = _meant(store, commands)
    firsts = store.journal.first_touched([command.id for command in commands])
    texts = {memory.id: memory.text for memory in store.get_many(list(set(firsts.values())))}
    return {
        command.id: Line(command, texts.get(firsts.get(command.id, 0), ""), of.get(command.id)) for command in commands
    }


def _meant(store: Store, commands: Iterable[Command]) -> dict[int, Command]:
    """What each undo or redo among these was of: the command itself, however often it was taken back and done again."""
    targets = {command.id: command.target for command in commands if command.target is not None}
    while True:
        rows = {command.id: command for command in store.journal.commands(list(set(targets.values())))}
        further = {number: rows[at].target for number, at in targets.items() if at in rows}
        if not any(further.values()):
            return {number: rows[at] for number, at in targets.items() if at in rows}
        targets |= {number: at for number, at in further.items() if at is not None}


def load(store: Store, number: int, text: str = "") -> CommandDetail | None:
    """All that a command did to the first memories and conversations; None if it is gone.

    The memories that the filter `text` names come first.
    """
    try:
        changes = store.journal.effects(number, SHOWN, _named(store, text))
    except NotFound:  # another process has put a copy of the store in its place
        return None
    (command,) = store.journal.commands([number])
    undone = store.journal.commands([] if command.undone is None else [command.undone])
    named = {*changes.memories, *(item.other for item in changes.touched if item.other is not None)}
    named |= {int(item.after) for item in changes.touched if item.column == "superseded_by" and item.after}
    now = {memory.id: memory for memory in store.get_many(sorted(named))}
    of = _meant(store, [command]).get(number)
    return CommandDetail(command, of, undone[0] if undone else None, changes, now, dict(_diffs(changes.touched)))


def _named(store: Store, text: str) -> tuple[int, ...]:
    try:
        return wanted(store, text).memories
    except BadFilter:  # it is still being typed
        return ()


def _diffs(touched: Iterable[MemoryEffect]) -> Iterable[tuple[MemoryEffect, tuple[Piece, ...]]]:
    for item in touched:
        before, after = str(item.before or ""), str(item.after or "")
        if item.kind is EffectKind.CHANGED and item.column == "text" and 0 < len(before) + len(after) <= _COMPARED:
            yield item, tuple(words(before, after))


def take_back(store: Store, number: int) -> tuple[bool, Command]:
    """Take a command back; one that was taken back already is done again, if it was the last that was.

    Of an undo or a redo, what it was of is meant. Returns whether it stands again, and the command. Raises ReliedOn
    where later commands rest on it, StoreError for other reasons.
    """
    (row,) = store.journal.commands([number]) or (None,)
    if row is None:
        raise NotFound(f"there is no command {number}")
    command = _meant(store, [row]).get(number, row)
    if command.undone is None:
        return False, curation.undo(store, command.id)
    try:
        return True, curation.redo(store, command.id)
    except NotFound as error:
        why = f"command {command.id} was taken back by command {command.undone}, and you have done something since"
        raise Conflict(f"{why}: it cannot be done again") from error


def standing(store: Store, ids: Sequence[int]) -> tuple[int, ...]:
    """Those of the commands that were not taken back."""
    return tuple(command.id for command in store.journal.commands(ids) if command.undone is None)


def line_of(command: Command) -> str:
    """A command on one line of plain text, as `curator log` prints it."""
    parts = [str(command.id), moment(command.at), command.actor.value, command.verb, counted(command.count)]
    parts.append(one_line(command.summary))
    parts.append("" if command.undone is None else f"(undone by {command.undone})")
    return "  ".join(part for part in parts if part)
