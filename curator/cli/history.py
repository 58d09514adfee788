"""The commands `undo`, `redo` and `log`."""

from typing import Annotated

import typer

from curator.cli.options import AsJson, AsJsonLines, Yes, countable, memory_number
from curator.cli.output import confirm, end_with_nothing, open_store, print_json, print_json_lines, print_table
from curator.display import counted
from curator.export.serializers import command_row
from curator.filters import parse_history
from curator.history_text import shown_summary, shown_verb
from curator.terminal_text import on_one_line
from store import Conflict, ReliedOn, Store, clock
from store.model import Command


def undo(
    command: Annotated[
        int | None,
        typer.Argument(
            metavar="ID", callback=countable, help="A command's id from `curator log`; the last one by default."
        ),
    ] = None,
    with_later: Annotated[
        bool, typer.Option("--with-later", help="Also undo the later commands that depend on it, newest first.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Undo the last command, or one by its id."""
    store = open_store()
    if with_later:
        if command is None:
            raise typer.BadParameter("name the command to undo: `curator log` lists them")
        _undo_with_later(store, command, yes, as_json)
        return
    if command is None and (final := store.journal.final_command()) is not None:
        following = store.journal.next_to_undo()
        before = "nothing else to undo"
        if following is not None:
            before = f"the command before it: `curator undo {following.id}` undoes {_named(following)}"
        raise Conflict(
            f"nothing was undone: the last command, {final.id} ({_named(final)}), cannot be undone; {before}"
        )
    done = store.undo(command)
    if as_json:
        print_json(command_row(done))
    else:
        print(f"undone: command {done.id}, {_named(done)}{_standing(store, done)} · `curator redo` redoes it")


def _undo_with_later(store: Store, command: int, yes: bool, as_json: bool) -> None:
    """Undo a command and those that depend on it; after an error, commands undone so far stay undone."""
    left, refused = [command], list[int]()  # refused since the last success: twice, if they depend on each other
    while left:
        try:
            done = store.undo(left[-1])
        except ReliedOn as error:
            if error.command == command:
                later = counted(len(error.commands), "later command")
                confirm(
                    f"undo command {command}, {later} that depend on it, and all that depend on those?", yes, as_json
                )
            if error.command in refused:
                circle = ", ".join(map(str, sorted(refused[refused.index(error.command) :])))
                raise Conflict(f"commands {circle} depend on each other, so none of them can be undone") from error
            refused.append(error.command)
            left = [command for command in left if command not in error.commands] + [*error.commands]
            continue
        left.pop()
        refused.clear()
        if as_json:
            print_json_lines([command_row(done)])
        else:
            print(f"undone: command {done.id}, {_named(done)}{_standing(store, done)}")


def redo(as_json: AsJson = False) -> None:
    """Redo the last undone command."""
    done = open_store().redo()
    if as_json:
        print_json(command_row(done))
    else:
        print(f"redone: {_named(done)}")


def log(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILTER", help="e.g. forget by:sweep memory:7 undone, or words to find"),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, callback=countable, help="At most this many.")] = 20,
    memory: Annotated[
        int | None,
        typer.Option(
            metavar="ID", parser=memory_number, callback=countable, help="Only commands that changed this memory."
        ),
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List commands, newest first."""
    store = open_store()
    log_filter = parse_history(" ".join(words), store.journal.verbs()) if words else None
    commands = store.journal.log(limit, memory, log_filter)
    whys = {} if memory is None else {item.command.id: item.why for item in store.journal.reasoned_changes(memory)}
    if as_json:
        print_json_lines(
            command_row(command) | ({"why": whys[command.id]} if whys.get(command.id) else {}) for command in commands
        )
    else:
        print_table(
            [
                (
                    f"{command.id:>5}",
                    clock.to_iso(command.at)[:19].replace("T", " "),
                    command.actor.value,
                    on_one_line(shown_verb(command.verb)),
                    counted(command.count, "memory") if command.count else "",
                    summary(command, whys.get(command.id, "")),
                )
                for command in commands
            ],
            ("   id", "when (UTC)", "by", "command", "changed", "what"),
        )
    if not commands:
        end_with_nothing(store, "no matching commands" if words or memory else "no commands yet", as_json)


def summary(command: Command, why: str) -> str:
    """Return the summary of a command, with a sweep's reason and the commands it undid or was undone by."""
    parts = (
        f"of {command.target}" if command.target else "",
        on_one_line(shown_summary(command)),
        f"(on {on_one_line(command.elsewhere)}{'' if command.count else '; no change here'})"
        if command.elsewhere
        else "",
        f"because {why}" if why else "",
        f"(undone by {command.undone})" if command.undone else "",
    )
    return " ".join(part for part in parts if part)


def _standing(store: Store, undone: Command) -> str:
    """Return what undoing a command left as another device decided it."""
    summary = store.journal.undo_summary(undone)
    return f" · {on_one_line(summary)}" if summary else ""


def _named(command: Command) -> str:
    text = f": {shown_summary(command)}" if command.summary else ""
    of = f" of {counted(command.count, 'memory')}" if command.count else ""
    return f"{shown_verb(command.verb)}{of}{text}"
