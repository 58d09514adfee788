"""The commands `work` and `feedback`."""

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.options import AsJson, countable
from curator.cli.output import MODEL, open_store, print_json, print_table, warn
from curator.cli.progress import ProgressLines, Task, progress
from curator.display import counted, truncate
from curator.paths import expanded
from curator.services.run_progress import is_alive, running_imports
from curator.terminal_text import on_one_line
from store import NotFound, Store, check_no_record, clock

if TYPE_CHECKING:
    from curator.sweeps import SweepStatus
    from store.model import SweepProgress

_NOUNS = {
    "embed": "memory",
    "distil": "conversation",
    "compare": "memory",
    "judge": "alert",
    "warmth": "recall",
    "tidy": "memory",
    "backup": "backup",
    "sync": "sync",
    "snapshot": "snapshot",
    "watch": "file",
}
_EXCLUSIVE = ("embed", "compare", "tidy")  # sweeps that only one process runs at a time
_PAUSED = "paused: `curator work --resume {}` continues"
_UPDATE_EVERY = 0.5  # seconds
_REASONS = 3  # reasons shown per sweep
_MANY = 100_000


def _sweeps_named(names: list[str] | None) -> list[str]:
    """Return the names of sweeps; `all` stands for each. Raises BadParameter."""
    for name in names or []:
        if name not in (*_NOUNS, "all"):
            raise typer.BadParameter(f"{truncate(name)!r} is not one of {', '.join(_NOUNS)}, all")
    return list(_NOUNS) if names and "all" in names else names or []


def work(
    once: Annotated[bool, typer.Option("--once", help="Do all pending work now, and exit.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Import new messages from the logs of programs as they arrive.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Retry what failed.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Only show running work, and its progress.")] = False,
    pause: Annotated[
        list[str] | None,
        typer.Option(metavar="SWEEP", callback=_sweeps_named, help="Pause a sweep, or all, in every process."),
    ] = None,
    resume: Annotated[
        list[str] | None, typer.Option(metavar="SWEEP", callback=_sweeps_named, help="Resume a sweep, or all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run background work: vectors, distilling, judging, scores.

    Without --once it keeps running, at the times in the settings. It can be stopped at any time, and can run
    beside the app; no work is done twice. A paused sweep stops after its current item, in every process, until
    resumed.
    """
    import asyncio

    if (pause or resume) and (once or watch or retry):
        raise typer.BadParameter("--pause and --resume cannot be combined with --once, --watch or --retry")
    if set(pause or []) & set(resume or []):
        raise typer.BadParameter("give --pause or --resume, not both")
    store = open_store()
    for name in pause or []:
        store.sweeps.pause(name)
    for name in resume or []:
        store.sweeps.resume(name)
    if status or pause or resume:
        from curator.sweeps import Sweeper

        sweeper = Sweeper(store)
        asyncio.run(sweeper.refresh())
        _print_status(store, sweeper.statuses(), as_json)
        return
    with progress() as lines:
        statuses, reasons = asyncio.run(_run(store, lines, once, watch, retry, as_json))
    _print_results(statuses, reasons, as_json)
    if any(status.state.value == "offline" and status.pending for status in statuses):
        raise typer.Exit(MODEL)


async def _run(
    store: Store, lines: ProgressLines, once: bool, watch: bool, retry: bool, as_json: bool
) -> "tuple[tuple[SweepStatus, ...], dict[str, Counter[str]]]":
    """Run the sweeps, and return their final states and the reasons for failures."""
    import asyncio

    from curator.purge_everywhere import continue_purge
    from curator.sweeps import Sweeper

    threads = ThreadPoolExecutor(2, thread_name_prefix="sweep")
    drawn = sys.stderr.isatty() and not as_json
    waiting: set[str] = set()

    def show() -> None:
        """Show the running sweeps; without a terminal, warn once about each that waits for another process."""
        if drawn:
            lines.show(*_tasks(sweeper.statuses()))
            return
        for status in sweeper.statuses():
            if status.elsewhere and status.name not in waiting:
                waiting.add(status.name)
                warn(f"{status.name}: {_elsewhere(status)}, ctrl+c stops")

    run = partial(asyncio.get_running_loop().run_in_executor, threads)
    sweeper = Sweeper(store, run=run, tell=show, watch=watch, end_purge=continue_purge)

    async def keep_showing() -> None:  # model calls and waits for another process take long
        while True:
            await asyncio.sleep(_UPDATE_EVERY)
            show()

    showing = asyncio.create_task(keep_showing())
    try:
        await sweeper.refresh()
        for status in sweeper.statuses():
            if status.problem and not once:
                warn(f"{status.name} is off: {status.problem}")
            if status.state.value == "paused":
                warn(f"{status.name} is {_PAUSED.format(status.name)}")
            if retry and status.failed:
                await sweeper.retry(status.name)
        await sweeper.work(once)
        reasons = {
            status.name: Counter(failed.reason for failed in await sweeper.failures(status.name, _MANY))
            for status in sweeper.statuses()
            if status.failed
        }
        return sweeper.statuses(), reasons
    finally:
        showing.cancel()
        threads.shutdown(wait=False, cancel_futures=True)


def _print_status(store: Store, statuses: "tuple[SweepStatus, ...]", as_json: bool) -> None:
    """Print the state of each sweep and the runs of all processes; killed runs count as stopped."""
    imports = running_imports(store)
    if as_json:
        rows = [
            {
                "name": status.name,
                "state": _state(status),
                "left": status.pending,
                "failed": status.failed,
                "problem": status.problem,
                "runs": [_run_row(run) for run in status.others],
            }
            for status in statuses
        ]
        print_json({"sweeps": rows, "imports": [_run_row(run) for run in imports]})
        return
    cells: list[tuple[str, ...]] = []
    for status in statuses:
        cells.append(
            (
                status.name,
                _state(status),
                f"{status.pending:,} to do",
                f"{status.failed:,} failed",
                on_one_line(_problem(status)),
            )
        )
        cells += [_run_cells("", "", run) for run in status.others]
    print_table([*cells, *(_run_cells("import", "running", run) for run in imports)])


def _state(status: "SweepStatus") -> str:
    """Return the state of a sweep across processes; a paused one may still be finishing its last item."""
    if status.state.value == "paused":
        return "pausing" if status.other is not None else "paused"
    return "running" if status.other is not None else status.state.value


def _problem(status: "SweepStatus") -> str:
    """Return why a sweep does not work, and the remedy."""
    switched_off = status.state.value == "off" and not status.problem
    return f"`curator config sweep_{status.name}.enabled true` turns it on" if switched_off else status.problem


def _run_cells(name: str, state: str, run: "SweepProgress") -> tuple[str, ...]:
    seen = max((clock.now() - run.seen) // clock.SECOND, 0)
    who = f"process {run.process} on {on_one_line(run.host)} since {clock.to_iso(run.since)[:19]}"
    how = f"last seen {seen:,} s ago" if is_alive(run) else f"stopped {seen:,} s ago, or was killed"
    return name, state, f"{run.done:,} of {run.total:,}", f"{run.failed:,} failed", f"{who}, {how}"


def _run_row(run: "SweepProgress") -> dict[str, object]:
    return {
        "process": run.process,
        "host": run.host,
        "running": is_alive(run),
        "since": clock.to_iso(run.since),
        "seen": clock.to_iso(run.seen),
        "done": run.done,
        "total": run.total,
        "failed": run.failed,
    }


def _print_results(statuses: "tuple[SweepStatus, ...]", reasons: "dict[str, Counter[str]]", as_json: bool) -> None:
    if as_json:
        rows = [
            {
                "name": status.name,
                "state": status.state,
                "model": status.model,
                "done": status.done,
                "failed": status.failed,
                "left": status.pending,
                "problem": status.problem,
                "reasons": dict(reasons.get(status.name, Counter()).most_common()),
            }
            for status in statuses
        ]
        print_json({"sweeps": rows})
        return
    cells = []
    for status in statuses:
        if status.state.value == "off":
            cells.append((status.name, "off", "", "", _problem(status)))
            continue
        done = f"{counted(status.done, _NOUNS[status.name])} done"
        problem = _PAUSED.format(status.name) if status.state.value == "paused" else status.problem
        cells.append((status.name, done, f"{status.failed:,} failed", f"{status.pending:,} left", problem))
    print_table(cells)
    for name, why in reasons.items():
        for reason, times in why.most_common(_REASONS):
            print(f"  {name}: {times:,} × {reason}")
    if reasons:
        print("to retry failed items: curator work --once --retry")


def _elsewhere(status: "SweepStatus") -> str:
    what = "it" if status.name in _EXCLUSIVE else counted(status.elsewhere, _NOUNS[status.name])
    return f"another process (the app?) is working on {what}: waiting"


def _tasks(statuses: "tuple[SweepStatus, ...]") -> list[Task]:
    """Return the progress of the sweeps that have any."""
    tasks = []
    for status in statuses:
        if status.state.value == "running" and status.total and (status.done or not status.elsewhere):
            parts = [f"{status.done:,} of {status.total:,}"]
            parts += [] if status.rate is None else [f"{status.rate:,.0f} a minute"]
            parts += [f"{status.failed:,} failed"] if status.failed else []
            tasks.append(Task(status.name, min(status.done, status.total), status.total, " · ".join(parts)))
        elif status.elsewhere or (status.problem and status.pending):
            tasks.append(Task(status.name, text=_elsewhere(status) if status.elsewhere else status.problem))
    due = any(status.state.value == "due" and status.pending for status in statuses)
    return tasks or [Task("starting …" if due else "nothing to do")]


def feedback(
    recall: Annotated[str, typer.Argument(metavar="RECALL_ID", help="The id in the first line of the recall block.")],
    turn: Annotated[
        str | None, typer.Option(metavar="FILE", help="A file with the assistant's answer; - for stdin.")
    ] = None,
    useful: Annotated[
        list[int] | None,
        typer.Option(metavar="ID", callback=countable, help="A memory that was useful; repeat for more."),
    ] = None,
    useless: Annotated[
        list[int] | None, typer.Option(metavar="ID", callback=countable, help="A memory that was not; repeat for more.")
    ] = None,
) -> None:
    """Rate which recalled memories were useful.

    With --turn, the next `curator work` scores the assistant's answer. `curator undo` does not undo feedback: give the
    opposite, or reset a memory with `curator warmth --reset`.
    """
    marked = [*(useful or []), *(useless or [])]
    if turn is None and not marked:
        raise typer.BadParameter("give --turn FILE, --useful ID or --useless ID")
    answer = None if turn is None else _answer_in(turn)
    store = open_store()
    if marked:
        from curator.lifecycle import mark_useful

        if strange := set(marked).difference(store.recalls.get(recall).memories):
            raise NotFound(f"memory {min(strange)} was not in recall {recall}")
        for memory, warm in mark_useful(store, useful or [], useless or []).items():
            print(f"memory {memory}: warmth {warm:.0%}")
        opposite = [
            *(f"--useless {memory_id}" for memory_id in useful or []),
            *(f"--useful {memory_id}" for memory_id in useless or []),
        ]
        print(f"`curator feedback {recall} {' '.join(opposite)}` cancels it (feedback is not in the history)")
    if answer is not None:
        store.recalls.put_answer(recall, answer)
        print(f"saved for {recall}; the next `curator work` scores it")


def _answer_in(turn: str) -> str:
    """Return an assistant's answer from a file or stdin, with secrets redacted. Raises BadParameter, ValueError."""
    from curator.secrets import redact

    if turn == "-":
        text = sys.stdin.read()
    else:
        check_no_record(file := expanded(turn))
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{file} is not UTF-8 text (byte {error.start}); save it as UTF-8 first") from error
    if not text.strip():
        raise typer.BadParameter("the answer is empty")
    return redact(text).text
