"""Queries of the History view: the list of commands, their lines, and the detail of one."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from curator.display import counted, short_time
from curator.filters import BadFilter, parse_history
from curator.history_text import shown_summary, shown_verb
from curator.tui.cursor import cursor_index
from curator.tui.text_diff import DiffPiece, diff
from curator.tui.text_format import one_line
from store import Conflict, LogFilter, NotFound, Store
from store.model import Command, Memory
from store.record.command_effects import CommandEffects, EffectKind, MemoryEffect

AROUND = 120  # lines read with the IDs before and after the cursor, which fill a tall screen
FIRST = 256
SHOWN = 50  # memories, and conversations, per command
_COMPARED = 20_000  # characters of both texts above which they are not compared word by word


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A command as a line of the list.

    `about` is the text of the first memory it touched; `of` is the command that it undid or redid.
    """

    command: Command
    about: str = ""
    of: Command | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The commands that match a filter, newest first, with the lines around the cursor.

    `verbs` are those that a filter may name. `full` is False if only the beginning of the list is read yet.
    """

    ids: "array[int]"
    cursor: int
    lines: Mapping[int, CommandRow]
    seq: int
    verbs: Sequence[str]
    full: bool


@dataclass(frozen=True, slots=True)
class CommandDetail:
    """The effects of a command. `memories` are its memories as they are now, `diffs` its changes of text."""

    command: Command
    of: Command | None
    undone: Command | None  # the command that undid it
    changes: CommandEffects
    memories: Mapping[int, Memory]
    diffs: Mapping[MemoryEffect, tuple[DiffPiece, ...]]

    @property
    def stored_ids(self) -> tuple[int, ...]:
        """The memories changed by it that are still stored."""
        return tuple(memory for memory in self.changes.memories if memory in self.memories)


def parse(text: str, verbs: Sequence[str]) -> LogFilter:
    """Parse a filter; `verbs` are those of the journal. Raises BadFilter."""
    return parse_history(text, verbs) if text.strip() else LogFilter()


def first_page(store: Store, text: str) -> Listing:
    """Return the beginning of the list for a filter; fast for any number of commands. Raises BadFilter."""
    verbs = store.journal.verbs()
    ids = array("q", store.journal.command_ids(parse(text, verbs), FIRST))
    return Listing(ids, 0, lines(store, ids[:AROUND]), -1, verbs, full=False)


def full_list(store: Store, text: str, near: Sequence[int], index: int) -> Listing:
    """Return the full list; the cursor goes to the first of `near` that is listed, else to `index`.

    Raises BadFilter.
    """
    seq, verbs = store.journal.seq(), store.journal.verbs()
    ids = array("q", store.journal.command_ids(parse(text, verbs)))
    cursor = cursor_index(ids, near, index)
    return Listing(ids, cursor, lines(store, ids[max(cursor - AROUND, 0) : cursor + AROUND]), seq, verbs, full=True)


def lines(store: Store, ids: Sequence[int]) -> dict[int, CommandRow]:
    """Return these commands as lines of the list."""
    commands = store.journal.commands(ids)
    of = _targets(store, commands)
    firsts = store.journal.first_touched([command.id for command in commands])
    texts = {memory.id: memory.text for memory in store.get_many(list(set(firsts.values())))}
    return {
        command.id: CommandRow(command, texts.get(firsts.get(command.id, 0), ""), of.get(command.id))
        for command in commands
    }


def _targets(store: Store, commands: Iterable[Command]) -> dict[int, Command]:
    """Return the original command of each undo or redo, also through repeated undo and redo."""
    targets = {command.id: command.target for command in commands if command.target is not None}
    while True:
        rows = {command.id: command for command in store.journal.commands(list(set(targets.values())))}
        further = {command_id: rows[at].target for command_id, at in targets.items() if at in rows}
        if not any(further.values()):
            return {command_id: rows[at] for command_id, at in targets.items() if at in rows}
        targets |= {command_id: at for command_id, at in further.items() if at is not None}


def load(store: Store, command_id: int, text: str = "") -> CommandDetail | None:
    """Return the effects of a command on its first memories and conversations; None if it is no longer stored.

    Memories named by the filter `text` come first.
    """
    try:
        first = parse(text, store.journal.verbs()).memories
    except BadFilter:  # it is still being typed
        first = ()
    try:
        changes = store.journal.effects(command_id, SHOWN, first)
    except NotFound:  # another process has restored a backup
        return None
    diffs = {}
    for item in changes.touched:
        before, after = str(item.before or ""), str(item.after or "")
        if item.kind is EffectKind.CHANGED and item.column == "text" and 0 < len(before) + len(after) <= _COMPARED:
            diffs[item] = tuple(diff(before, after))
    (command,) = store.journal.commands([command_id])
    undone = store.journal.commands([] if command.undone is None else [command.undone])
    mentioned = {*changes.memories, *(item.other for item in changes.touched if item.other is not None)}
    mentioned |= {int(item.after) for item in changes.touched if item.column == "superseded_by" and item.after}
    memories = {memory.id: memory for memory in store.get_many(sorted(mentioned))}
    of = _targets(store, [command]).get(command_id)
    return CommandDetail(command, of, undone[0] if undone else None, changes, memories, diffs)


def undo_or_redo(store: Store, command_id: int, describe: Callable[[Command], str]) -> tuple[bool, Command, str]:
    """Undo a command, or redo it if it was the last one undone.

    An undo or redo stands for its target. Return True if it was redone, the command, and its name before. Raises
    ReliedOn if later commands depend on it, StoreError for other reasons.
    """
    (row,) = store.journal.commands([command_id]) or (None,)
    if row is None:
        raise NotFound(f"there is no command {command_id}")
    command = _targets(store, [row]).get(command_id, row)
    name = describe(command)
    if command.undone is None:
        return False, store.undo(command.id), name
    try:
        return True, store.redo(command.id), name
    except NotFound as error:
        why = f"command {command.id} was undone by command {command.undone}, and you have made changes since"
        raise Conflict(f"{why}: it cannot be redone") from error


def not_undone(store: Store, ids: Sequence[int]) -> tuple[int, ...]:
    """Return the commands that are not undone."""
    return tuple(command.id for command in store.journal.commands(ids) if command.undone is None)


def line_of(command: Command) -> str:
    """Return a command on one line, as `curator log` prints it."""
    parts = [
        str(command.id),
        short_time(command.at),
        command.actor.value,
        shown_verb(command.verb),
        counted(command.count) if command.count else "",
    ]
    parts += [one_line(shown_summary(command)), "" if command.undone is None else f"(undone by {command.undone})"]
    return "  ".join(part for part in parts if part)
