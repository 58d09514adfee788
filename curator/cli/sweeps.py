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
    if any(one.state.value == "offline" and one.pending for one in statuses):
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
        for one in sweeper.statuses():
            if one.elsewhere and one.name not in waiting:
                waiting.add(one.name)
                warn(f"{one.name}: {_elsewhere(one)}, ctrl+c stops")

    run = partial(asyncio.get_running_loop().run_in_executor, threads)
    sweeper = Sweeper(store, run=run, tell=show, watch=watch, end_purge=continue_purge)

    async def keep_showing() -> None:  # model calls and waits for another process take long
        while True:
            await asyncio.sleep(_UPDATE_EVERY)
            show()

    showing = asyncio.create_task(keep_showing())
    try:
        await sweeper.refresh()
        for one in sweeper.statuses():
            if one.problem and not once:
                warn(f"{one.name} is off: {one.problem}")
            if one.state.value == "paused":
                warn(f"{one.name} is {_PAUSED.format(one.name)}")
            if retry and one.failed:
                await sweeper.retry(one.name)
        await sweeper.work(once)
        reasons = {
            one.name: Counter(failed.reason for failed in await sweeper.failures(one.name, _MANY))
            for one in sweeper.statuses()
            if one.failed
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
                "name": one.name,
                "state": _state(one),
                "left": one.pending,
                "failed": one.failed,
                "problem": one.problem,
                "runs": [_run_row(run) for run in one.others],
            }
            for one in statuses
        ]
        print_json({"sweeps": rows, "imports": [_run_row(run) for run in imports]})
        return
    cells: list[tuple[str, ...]] = []
    for one in statuses:
        cells.append(
            (one.name, _state(one), f"{one.pending:,} to do", f"{one.failed:,} failed", on_one_line(_problem(one)))
        )
        cells += [_run_cells("", "", run) for run in one.others]
    print_table([*cells, *(_run_cells("import", "running", run) for run in imports)])


def _state(one: "SweepStatus") -> str:
    """Return the state of a sweep across processes; a paused one may still be finishing its last item."""
    if one.state.value == "paused":
        return "pausing" if one.other is not None else "paused"
    return "running" if one.other is not None else one.state.value


def _problem(one: "SweepStatus") -> str:
    """Return why a sweep does not work, and the remedy."""
    switched_off = one.state.value == "off" and not one.problem
    return f"`curator config sweep_{one.name}.enabled true` turns it on" if switched_off else one.problem


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
                "name": one.name,
                "state": one.state,
                "model": one.model,
                "done": one.done,
                "failed": one.failed,
                "left": one.pending,
                "problem": one.problem,
                "reasons": dict(reasons.get(one.name, Counter()).most_common()),
            }
            for one in statuses
        ]
        print_json({"sweeps": rows})
        return
    cells = []
    for one in statuses:
        if one.state.value == "off":
            cells.append((one.name, "off", "", "", _problem(one)))
            continue
        done = f"{counted(one.done, _NOUNS[one.name])} done"
        problem = _PAUSED.format(one.name) if one.state.value == "paused" else one.problem
        cells.append((one.name, done, f"{one.failed:,} failed", f"{one.pending:,} left", problem))
    print_table(cells)
    for name, why in reasons.items():
        for reason, times in why.most_common(_REASONS):
            print(f"  {name}: {times:,} × {reason}")
    if reasons:
        print("to retry failed items: curator work --once --retry")


def _elsewhere(one: "SweepStatus") -> str:
    what = "it" if one.name in _EXCLUSIVE else counted(one.elsewhere, _NOUNS[one.name])
    return f"another process (the app?) is working on {what}: waiting"


def _tasks(statuses: "tuple[SweepStatus, ...]") -> list[Task]:
    """Return the progress of the sweeps that have any."""
    tasks = []
    for one in statuses:
        if one.state.value == "running" and one.total and (one.done or not one.elsewhere):
            parts = [f"{one.done:,} of {one.total:,}"]
            parts += [] if one.rate is None else [f"{one.rate:,.0f} a minute"]
            parts += [f"{one.failed:,} failed"] if one.failed else []
            tasks.append(Task(one.name, min(one.done, one.total), one.total, " · ".join(parts)))
        elif one.elsewhere or (one.problem and one.pending):
            tasks.append(Task(one.name, text=_elsewhere(one) if one.elsewhere else one.problem))
    due = any(one.state.value == "due" and one.pending for one in statuses)
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
        opposite = [*(f"--useless {one}" for one in useful or []), *(f"--useful {one}" for one in useless or [])]
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
