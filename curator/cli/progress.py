"""Progress on stderr while a command runs: lines that are drawn again, or on no terminal a plain line now and then."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from curator.cli.output import INTERRUPTED

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Task(NamedTuple):
    """A task in progress; without a `total` it has no bar."""

    name: str
    done: float = 0
    total: int = 0
    text: str = ""


class ProgressLines:
    """One line per task, erased by `close`.

    If stderr is no terminal, or one that cannot erase, nothing is drawn. With `plain`, the first task is then printed
    every ten seconds, if its length is known.
    """

    every = 0.1
    """Seconds between updates."""
    plain_every = 10.0
    """Seconds between plain lines, and before the first."""

    def __init__(self, plain: bool = False) -> None:
        can_erase = os.environ.get("TERM", "").lower() not in ("dumb", "unknown")
        self._on_terminal = sys.stderr.isatty() and can_erase  # while lines are shown, stderr is no terminal
        self._plain = plain and not self._on_terminal
        self._printed = time.monotonic()
        self._drawn = 0.0
        self._live: Progress | None = None
        self._ids: dict[str, TaskID] = {}

    def show(self, *tasks: Task) -> None:
        """Show these tasks instead of the previous ones."""
        now = time.monotonic()
        if self._plain and tasks and tasks[0].total and now - self._printed >= self.plain_every:
            self._printed, task = now, tasks[0]
            share = f"{min(task.done / task.total, 0.99):.0%}"
            words = [f"{task.name.strip()} {share}", *filter(None, [task.text])]
            print(f"curator: {' · '.join(words)}", file=sys.stderr, flush=True)
        same = self._ids.keys() == {task.name for task in tasks}  # show new stages at once
        if not self._on_terminal or (same and now - self._drawn < self.every):
            return
        self._drawn = now
        if self._live is None:
            self._live = _new_progress()
            self._live.start()
        for name in self._ids.keys() - {task.name for task in tasks}:
            self._live.remove_task(self._ids.pop(name))
        for task in tasks:
            if task.name not in self._ids:
                self._ids[task.name] = self._live.add_task(task.name, total=task.total or None, text="")
            self._live.update(
                self._ids[task.name],
                completed=min(task.done, 0.999 * task.total)
                if task.total
                else task.done,  # a finished task has no animation
                total=task.total or None,
                text=" · ".join(filter(None, [task.text, "ctrl+c stops" if task is tasks[0] else ""])),
                refresh=task is tasks[-1],
            )

    def show_stage(self, stage: str, done: int, total: int) -> None:
        """Show a stage of a task instead of the previous stage, aligned with earlier ones."""
        self.show(Task(f"{stage:<14}", done, total))

    def close(self) -> None:
        """Erase the lines, for example before a question; the next `show` redraws them."""
        if self._live is not None:
            self._live.stop()
        self._live, self._drawn = None, 0.0
        self._ids.clear()


def _new_progress() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column

    console = Console(stderr=True)
    wide = console.width >= 100
    rest = Column(no_wrap=True, overflow="ellipsis")
    return Progress(
        SpinnerColumn("dots" if console.encoding.startswith("utf") else "line", finished_text=" "),
        TextColumn("{task.description}", markup=False),
        BarColumn(24 if wide else 10),
        TaskProgressColumn("{task.percentage:>3.0f}%", markup=False),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[text]}", markup=False, table_column=rest),
        console=console,
        transient=True,
        refresh_per_second=5,  # keeps long steps visibly running
    )


@contextlib.contextmanager
def progress(advice: Callable[[], str] = str, plain: bool = False) -> Iterator[ProgressLines]:
    """Provide progress lines; on ctrl+c, print that finished work is kept, then the `advice` for it, and exit."""
    lines = ProgressLines(plain)
    try:
        yield lines
    except KeyboardInterrupt:
        lines.close()
        print(f"\ncurator: stopped, progress is kept; run the command again to continue{advice()}", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        lines.close()
