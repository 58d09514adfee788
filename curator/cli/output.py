"""Printing: plain lines that pipe well, or JSON; colour only on a terminal that wants it."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from curator.export.serializers import Json
    from store import Store
    from store.model import Memory


def open_store() -> "Store":
    """Open the person's store, and go on with a purge that was interrupted. Raises Unusable."""
    from curator.paths import store_folder
    from store import Store

    store = Store.open(store_folder())
    if store.unfinished_purge() is not None:
        from curator import curation

        left = curation.continue_purge(store)
        told = f"a purge is not done yet: {'; '.join(left)}" if left else "a purge that was interrupted is done now"
        print(f"curator: {told}", file=sys.stderr)
    return store


def print_json(value: "Json") -> None:
    """Print one object on its own line, with characters that act on a terminal or hide as JSON escapes."""
    import orjson

    from store.sanitize import replace_invisible

    sys.stdout.write(replace_invisible(orjson.dumps(value).decode(), _escaped) + "\n")


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def coloured() -> bool:
    """Whether stdout is a terminal that wants colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def dim(text: str) -> str:
    """The text, fainter where colour is wanted."""
    return f"\x1b[2m{text}\x1b[0m" if coloured() else text


def print_heads(line: str) -> None:
    """Print the heads of columns, or a legend, where a person looks on: pipes get the rows alone."""
    if sys.stdout.isatty():
        print(dim(line))


def memory_heads(scored: bool = False) -> str:
    """Return the heads over lines of `memory_line`."""
    front = f"{'id':>6}  {'said':<10}  {'kind':<12}  {'tier':<6}  {'state':<10}  {'':3}  "
    return front + ("score  " if scored else "") + "text"


def memory_line(memory: "Memory", score: float | None = None) -> str:
    """One memory on one line: id, date, kind, tier, state, marks, text."""
    from curator.export.sanitize import on_one_line
    from store import clock
    from store.model import Life, is_over

    over = memory.life is Life.LIVE and is_over(memory, clock.now())  # out of recall, and not yet let go
    marks = "".join(
        (
            "v" if memory.review == "validated" else "x" if memory.review == "rejected" else "-",
            "p" if memory.pinned else "-",
            "?" if memory.flag else "-",
        )
    )
    tags = "".join(f" #{on_one_line(tag)}" for tag in memory.tags)
    front = f"{memory.id:>6}  {day(memory.created_at):<10}  {memory.kind:<12}  {memory.tier:<6}  "
    number = "" if score is None else f"{score:.3f}  "
    return (
        dim(f"{front}{'over' if over else memory.state:<10}  {marks}  {number}") + on_one_line(memory.text) + dim(tags)
    )


LEGEND = "v validated · x rejected · p pinned · ? in quarantine"
"""The marks of `memory_line`."""


def day(moment: int | None) -> str:
    """Return a date as `2026-03-03`, or a dash where nobody knows it."""
    from store import clock

    return "–" if moment is None else clock.to_iso(moment)[:10]


def said(moment: int | None) -> str:
    """Return when a memory was said: `said 2026-03-03`, or `no date`."""
    return "no date" if moment is None else f"said {day(moment)}"


def print_memories(memories: Iterable["Memory"], as_json: bool) -> int:
    """Print memories in either form; returns how many."""
    from curator.export.serializers import memory_row

    count = 0
    for memory in memories:
        if as_json:
            print_json(memory_row(memory))
        else:
            print(memory_line(memory))
        count += 1
    return count


def end_with_nothing(store: "Store", what: str, quiet: bool = False) -> NoReturn:
    """Say on stderr that nothing matched and what helps, unless JSON is wanted, and end so. Raises typer.Exit."""
    import typer

    from curator.cli.errors import NOTHING
    from store import Filter

    if not quiet:
        if not store.count(Filter(lives=())):
            from curator.services.run_progress import running_imports

            waiting = undistilled(store)
            what = (
                "no memories yet: an import is running; `curator work --status` shows how far it is"
                if running_imports(store)
                else f"no memories yet: {counted(waiting, 'conversation')} not distilled; run `curator distil`"
                if waiting
                else "no memories yet: `curator import PATH` reads chat logs, `curator add TEXT` adds one"
            )
        print(f"curator: {what}", file=sys.stderr)
    raise typer.Exit(NOTHING)


def undistilled(store: "Store") -> int:
    """Return how many conversations wait to be distilled, whether or not distilling is switched on."""
    from curator.config import settings
    from curator.distill import DISTILLER

    return len(store.distillation.undistilled(DISTILLER, settings().distil.agent_messages))


def read_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, with their numbers. Raises ValueError for a part of a store."""
    from store import check_no_record

    check_no_record(file)
    with file.open("rb") as lines:
        yield from ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def counted(number: int, noun: str) -> str:
    """`1 memory`, `3 memories`, `5 days`."""
    if number == 1:
        return f"1 {noun}"
    ies = noun.endswith("y") and not noun.endswith("ay")
    return f"{number:,} {noun[:-1]}ies" if ies else f"{number:,} {noun}s"


def confirmed(question: str, yes: bool, as_json: bool = False) -> bool:
    """Ask on a terminal, unless `--yes` was given.

    Where nobody can be asked (no terminal, or JSON is printed) the command ends with exit code 2 before it does
    anything. Raises typer.Exit.
    """
    if yes:
        return True
    if as_json or not sys.stdin.isatty():
        import typer

        from curator.cli.errors import USAGE
        from curator.export.sanitize import visible

        where = "with --json" if as_json else "without a terminal"
        print(f"curator: nothing was done: {visible(question)} Give --yes {where}", file=sys.stderr)
        raise typer.Exit(USAGE)
    try:
        return is_yes(input(f"{question} [y/N] "))
    except EOFError:
        print()
        return False


def table(rows: Sequence[tuple[str, ...]], heads: tuple[str, ...] | None = None) -> None:
    """Print columns aligned by the widest cell, the last not padded; `heads` on a terminal only."""
    from curator.export.sanitize import width

    if not rows:
        return
    if heads is not None and sys.stdout.isatty():
        rows = [heads, *rows]
    widths = [max(width(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        cells = [cell + " " * (widths[n] - width(cell)) for n, cell in enumerate(row[:-1])]
        print("  ".join((*cells, row[-1])))


def is_yes(answer: str) -> bool:
    """Tell whether a person agreed to a question whose default is no."""
    return answer.strip().casefold() in ("y", "yes")
