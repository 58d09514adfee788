"""The commands undo, redo and log."""

from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.options import AsJsonLines
from curator.cli.output import counted, dim, end_with_nothing, open_store, print_json, table
from curator.cli.validators import countable, memory_number
from store.model import Command

if TYPE_CHECKING:
    from store import Store


def undo(
    command: Annotated[
        int | None,
        typer.Argument(callback=countable, help="A command's id from `curator log`; your last one by default."),
    ] = None,
) -> None:
    """Undo the last command, or one by its id."""
    from curator import curation

    store = open_store()
    if command is None:
        _check_not_final(store)
    done = curation.undo(store, command)
    print(f"undone: command {done.id}, {_named(done)} · `curator redo` redoes it")


def _check_not_final(store: "Store") -> None:
    """See that the newest step is one that can be undone; the one before it is undone by its id. Raises Conflict."""
    from store import Conflict

    final, following = store.journal.final_command(), store.journal.next_to_undo()
    if final is None:
        return
    told = f"a {final.verb} cannot be undone, and nothing was (command {final.id}, {_named(final)})"
    if following is None:
        raise Conflict(f"{told}; there is nothing else to undo")
    raise Conflict(f"{told}; the step before it: `curator undo {following.id}` undoes {_named(following)}")


def redo() -> None:
    """Redo what was undone last."""
    from curator import curation

    print(f"redone: {_named(curation.redo(open_store()))}")


def log(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILTER", help="e.g. forget by:sweep memory:7 undone, or words to find"),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, callback=countable, help="At most this many.")] = 20,
    memory: Annotated[
        int | None, typer.Option(parser=memory_number, callback=countable, help="Only what touched this memory.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List commands, newest first."""
    from curator.export.sanitize import on_one_line
    from curator.export.serializers import command_row
    from curator.filters.history import parse_history
    from store import clock

    store = open_store()
    which = parse_history(" ".join(words), store.journal.verbs()) if words else None
    commands = store.journal.log(limit, memory, which)
    whys = {} if memory is None else {item.command.id: item.why for item in store.journal.reasoned_changes(memory)}
    if as_json:
        for command in commands:
            why = whys.get(command.id)
            print_json(command_row(command) | ({"why": why} if why else {}))
    else:
        table(
            [
                (
                    f"{command.id:>5}",
                    clock.to_iso(command.at)[:19].replace("T", " "),
                    command.actor.value,
                    on_one_line(command.verb),
                    counted(command.count, "memory"),
                    _told(command, whys.get(command.id, "")),
                )
                for command in commands
            ],
            heads=("   id", "when (UTC)", "by", "command", "changed", "what"),
        )
    if not commands:
        what = "no matching commands" if words or memory else "no commands yet"
        end_with_nothing(store, what, as_json)


def _told(command: Command, why: str) -> str:
    """What it took back, what it did and, if a sweep did it to the memory that was asked for, why; what undid it."""
    from curator.export.sanitize import on_one_line

    parts = (
        dim(f"of {command.target}") if command.target else "",
        on_one_line(command.summary),
        f"because {why}" if why else "",
        dim(f"(undone by {command.undone})") if command.undone else "",
    )
    return " ".join(part for part in parts if part)


def _named(command: Command) -> str:
    summary = f" ({command.summary})" if command.summary else ""
    return f"{command.verb} of {counted(command.count, 'memory')}{summary}"


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("undo")(undo)
    app.command("redo")(redo)
    app.command("log")(log)
