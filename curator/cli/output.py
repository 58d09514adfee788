"""Output of the commands: plain lines for pipes, tables and colour on a terminal, JSON; exit codes and errors."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import orjson
import typer

from curator.display import counted, iso_date
from curator.errors import ConfigError, ImportFailure, ModelError, Refused
from curator.paths import store_folder
from curator.services.run_progress import running_imports
from curator.terminal_text import on_one_line, visible, width
from store import Filter, Store, StoreError, Unusable, check_no_record, clock
from store.model import Given, Life, Memory, has_expired
from store.sanitize import replace_invisible

NOTHING = 1
USAGE = 2
STORE = 3
MODEL = 4
INTERRUPTED = 130
_CODES = (
    (Unusable, STORE),
    (StoreError | ImportFailure | Refused, NOTHING),
    (ModelError, MODEL),
    (ConfigError | ValueError | OSError | OverflowError, USAGE),
)
LEGEND = "v validated · x rejected · p pinned · ? in quarantine · a/n always/never given"
"""Legend of the marks on a memory's line."""
_NARROW = 100  # columns; narrower terminals omit tier and state to show the text
_PLAIN = {
    "near": "{:<6}",
    "warmth": "{:<6}  ",
    "recalled": "{:<9}  ",
    "relation": "{:<14}",
    "id": "{:>6}  ",
    "said": "{:<10}  ",
    "kind": "{:<12}  ",
    "tier": "{:<6}  ",
    "state": "{:<10}  ",
    "": "{:<4}  ",
    "score": "{:<5}  ",
}
"""Formats of the columns before a memory's text, as printed to a pipe."""


def open_store() -> Store:
    """Open the person's store, and continue an interrupted purge. Raises Unusable."""
    store = Store.open(store_folder())
    if store.unfinished_purge() is not None:
        from curator.purge_everywhere import continue_purge

        left = continue_purge(store)
        warn(f"a purge is not finished: {'; '.join(left)}" if left else "finished an interrupted purge")
    return store


def print_json(value: object) -> None:
    """Print an object on one line, with invisible and control characters as JSON escapes."""

    def escaped(char: str) -> str:
        units = char.encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))

    sys.stdout.write(replace_invisible(orjson.dumps(value).decode(), escaped) + "\n")


def print_json_lines(rows: Iterable[object]) -> None:
    """Print one object per line."""
    for row in rows:
        print_json(row)


def dim(text: str) -> str:
    """Return the text dimmed if stdout is a terminal with colour."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    from rich.style import Style

    return Style(dim=True).render(text)


def print_heads(line: str) -> None:
    """Print column heads or a legend on a terminal only: pipes get only the rows."""
    if sys.stdout.isatty():
        print(dim(line))


def print_table(rows: Sequence[Sequence[str]], heads: Sequence[str] = (), dimmed: bool = False) -> None:
    """Print columns; a terminal also gets heads, and the last column takes the remaining width and wraps.

    With `dimmed`, all columns but the last are dimmed on a terminal.
    """
    if not sys.stdout.isatty():
        widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
        for *front, last in rows:
            print(
                "  ".join(
                    (*(cell + " " * (wide - width(cell)) for cell, wide in zip(front, widths, strict=False)), last)
                )
            )
    elif rows:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        style = "dim" if dim("x") != "x" else ""
        table = Table(box=None, show_header=any(heads), header_style=style, padding=(0, 2, 0, 0), pad_edge=False)
        for head in (heads or [""] * len(rows[0]))[:-1]:
            table.add_column(Text(head), no_wrap=True, style=style if dimmed else "")
        table.add_column(Text(heads[-1] if heads else ""), overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        Console(highlight=False).print(table)


def memory_heads() -> str:
    """Return the column heads of `memory_line`."""
    return "".join(_PLAIN[name].format(name) for name in ("id", "said", "kind", "tier", "state", "")) + "text"


def memory_line(memory: Memory, more: Mapping[str, str] | None = None) -> str:
    """Return a memory on one line: id, date, kind, tier, state, marks, text; `more` has additional columns."""
    cells = _memory_cells(memory, more or {})
    front = "".join(form.format(cells[name]) for name, form in _PLAIN.items() if name in cells)
    tags = "".join(f" #{on_one_line(tag)}" for tag in memory.tags)
    return dim(front) + on_one_line(memory.text) + dim(tags)


def print_memories(memories: Sequence[Memory], more: Sequence[Mapping[str, str]] = (), heads: bool = True) -> None:
    """Print memories as a table on a terminal, else one per line; `more` has additional columns of each."""
    each = zip(memories, more or [{}] * len(memories), strict=True)
    if not sys.stdout.isatty():
        for memory, extra in each:
            print(memory_line(memory, extra))
        return
    left_out = ("tier", "state") if shutil.get_terminal_size().columns < _NARROW else ()
    rows = [_memory_cells(memory, extra) for memory, extra in each]
    names = [name for name in (*_PLAIN, "text") if rows and name in rows[0] and name not in left_out]
    print_table([[row[name] for name in names] for row in rows], names if heads else (), dimmed=True)


def _memory_cells(memory: Memory, more: Mapping[str, str]) -> dict[str, str]:
    expired = memory.life is Life.LIVE and has_expired(
        memory, clock.now()
    )  # out of recall, but not yet expired by upkeep
    return {
        "id": str(memory.id),
        "said": iso_date(memory.created_at),
        "kind": memory.kind,
        "tier": memory.tier,
        "state": "expired" if expired else memory.state,
        "": {"validated": "v", "rejected": "x"}.get(memory.review, "-")
        + ("p" if memory.pinned else "-")
        + ("?" if memory.quarantined else "-")
        + {Given.ALWAYS: "a", Given.NEVER: "n"}.get(memory.given, "-"),
        **more,
        "text": on_one_line(" ".join((memory.text, *(f"#{tag}" for tag in memory.tags)))),
    }


def end_with_nothing(store: Store, what: str, as_json: bool) -> NoReturn:
    """Print on stderr that nothing matched and what helps, unless `as_json`. Raises typer.Exit."""
    if not as_json and not store.count(Filter(lives=())):
        waiting = undistilled(store)
        if running_imports(store):
            what = "no memories yet: an import is running; `curator work --status` shows its progress"
        elif waiting:
            what = f"no memories yet: {counted(waiting, 'conversation')} not distilled; run `curator distil`"
        else:
            what = "no memories yet: `curator import PATH` reads chat logs, `curator add TEXT` adds one"
    if not as_json:
        warn(what)
    raise typer.Exit(NOTHING)


def undistilled(store: Store) -> int:
    """Return the number of conversations to distil, even if distilling is switched off."""
    from curator.distill import DISTILLER, marks

    if not store.distillation.undistilled([DISTILLER]):  # known without loading the settings
        return 0
    return len(store.distillation.undistilled(marks()))


def read_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the non-blank lines of a file with their numbers. Raises ValueError for a file of a store."""
    check_no_record(file)
    with file.open("rb") as lines:
        yield from ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def review_name(review: str) -> str:
    """Return the displayed name of a review; `open` is shown as `not reviewed`."""
    return "not reviewed" if review == "open" else review


def confirmed(question: str, yes: bool, as_json: bool = False) -> bool:
    """Ask on a terminal, unless `--yes` was given.

    Without a terminal, or with JSON output, the command exits with code 2 before doing anything. Raises typer.Exit.
    """
    if yes:
        return True
    if as_json or not sys.stdin.isatty():
        where = "with --json" if as_json else "without a terminal"
        warn(f"not confirmed: {visible(question)} To confirm {where}, add --yes")
        raise typer.Exit(USAGE)
    try:
        return is_yes(input(f"{visible(question)} [y/N] "))
    except EOFError:
        print()
        return False


def confirm(question: str, yes: bool, as_json: bool = False) -> None:
    """Ask as `confirmed` does, and exit if the answer is no. Raises typer.Exit."""
    if not confirmed(question, yes, as_json):
        raise typer.Exit(NOTHING)


def text_around(text: str, offset: int) -> str:
    """Return about 300 characters of a long text, from 100 before `offset`."""
    first = max(0, offset - 100)
    if len(text) <= 300:
        return text
    return ("…" if first else "") + text[first : first + 300] + ("…" if first + 300 < len(text) else "")


def is_yes(answer: str) -> bool:
    """Return True if an answer is yes; the default is no."""
    return answer.strip().casefold() in ("y", "yes")


def exit_code(command: Callable[[], object]) -> int:
    """Run a Typer command, print its errors, and return its exit code."""
    try:
        try:
            command()
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else 0
        finally:
            flush()
    except BrokenPipeError:
        return NOTHING  # the reader closed the pipe; the framework exits likewise if it happens earlier
    except (Exception, KeyboardInterrupt) as error:
        return explain(error)
    return 0


def flush() -> None:
    """Flush stdout while an error can still be printed; discard output that cannot be written. Raises OSError."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def explain(error: Exception | KeyboardInterrupt) -> int:
    """Print the error on stderr and return its exit code. Re-raises unexpected errors."""
    if isinstance(error, KeyboardInterrupt):
        warn("stopped")
        return INTERRUPTED
    code = code_of(error)
    if code is None:
        raise error
    warn(_words(error))
    return code


def code_of(error: Exception) -> int | None:
    """Return the exit code for an error; None if it is unexpected."""
    return next((code for kinds, code in _CODES if isinstance(error, kinds)), None)


def _words(error: Exception) -> str:
    """Return the message of an error with cause and remedy, which Python's own errors lack."""
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 text (byte {error.start}); save it as UTF-8 and try again"
    if isinstance(error, UnicodeEncodeError):
        if error.encoding.replace("-", "").casefold() == "utf8":
            return "the words are not UTF-8 text; type them again"
        return f"this terminal uses {error.encoding}, which lacks a character; set PYTHONIOENCODING=utf-8"
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename is not None else ""
        return f"{name}{error.strerror or error}; check the name and its permissions"
    if isinstance(error, OverflowError):
        return f"a number is too large ({error}); give a smaller one"
    return str(error)


def warn_all(notes: Iterable[str | None]) -> None:
    """Print a line for each non-empty note."""
    for note in filter(None, notes):
        warn(note)


def warn_if_overridden(setting: str) -> None:
    """Warn that a saved setting has no effect because an environment variable overrides it."""
    from curator.config import overridden

    if (variable := overridden(setting)) is not None:
        warn(f"the variable {variable} overrides this")


def warn(text: str) -> None:
    """Print a message on stderr, with terminal control characters made visible."""
    print(f"curator: {visible(text)}", file=sys.stderr)
