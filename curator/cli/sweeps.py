"""The commands work and feedback."""

import asyncio
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.errors import INTERRUPTED, MODEL
from curator.cli.options import AsJson
from curator.cli.output import counted, open_store, print_json, table
from curator.cli.validators import countable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curator.export.serializers import Json
    from curator.sweeps import Sweeper, SweepStatus
    from store import Store
    from store.model import SweepProgress

_NOUNS = {
    "embed": "memory",
    "distil": "conversation",
    "compare": "memory",
    "judge": "alert",
    "warmth": "recall",
    "tidy": "memory",
    "watch": "file",
}
_WHOLE = ("embed", "compare", "tidy")  # of which one process does all at a time
_IDLE = "nothing to do"
_SHOWN = 0.5  # seconds
_REASONS = 3  # shown of what failed
_MANY = 100_000


def work(
    once: Annotated[bool, typer.Option("--once", help="Do everything now, and exit.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Import new lines of coding sessions as they come.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Retry what failed.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Only show what is running, and how far it is.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the background work: vectors, distilling, judging, scores.

    Without --once it keeps running, at the times in the settings. Stop it at any time; beside the app, no work is done
    twice.
    """
    store = open_store()
    if status:
        from curator.services.run_progress import running_imports

        _tell_status(asyncio.run(_standings(store)), running_imports(store), as_json)
        return
    try:
        statuses, reasons = asyncio.run(_work(store, once, watch, retry, as_json))
    except KeyboardInterrupt:
        print("\ncurator: stopped, progress is kept; the same command continues", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        _clear()
    _tell(statuses, reasons, as_json)
    if any(_is_away(one) for one in statuses):
        raise typer.Exit(MODEL)


async def _work(
    store: "Store", once: bool, watch: bool, retry: bool, as_json: bool
) -> "tuple[tuple[SweepStatus, ...], dict[str, Counter[str]]]":
    from concurrent.futures import ThreadPoolExecutor
    from functools import partial

    from curator.sweeps import Sweeper

    threads = ThreadPoolExecutor(2, thread_name_prefix="sweep")
    loop = asyncio.get_running_loop()
    made: list[Sweeper] = []
    show = _line(made) if sys.stderr.isatty() and not as_json else _said_once(made)
    sweeper = Sweeper(store, run=partial(loop.run_in_executor, threads), tell=show, watch=watch)
    made.append(sweeper)
    showing = asyncio.create_task(_now_and_then(show))
    try:
        await sweeper.refresh()
        if not once:
            _say_off(sweeper)
        for one in sweeper.statuses():
            if retry and one.failed:
                await sweeper.retry(one.name)
        await sweeper.work(once)
        return sweeper.statuses(), await _reasons(sweeper)
    finally:
        showing.cancel()
        threads.shutdown(wait=False, cancel_futures=True)


async def _standings(store: "Store") -> "tuple[SweepStatus, ...]":
    from curator.sweeps import Sweeper

    sweeper = Sweeper(store)
    await sweeper.refresh()
    return sweeper.statuses()


def _tell_status(statuses: "tuple[SweepStatus, ...]", imports: "Sequence[SweepProgress]", as_json: bool) -> None:
    """Say how each sweep stands, and the runs of all processes; one that was killed has stopped."""
    from curator.export.sanitize import on_one_line

    if as_json:
        print_json({"sweeps": [_status_row(one) for one in statuses], "imports": [_run_row(run) for run in imports]})
        return
    rows: list[tuple[str, ...]] = []
    for one in statuses:
        state = "running" if one.other is not None else one.state.value
        rows.append((one.name, state, f"{one.pending:,} to do", f"{one.failed:,} failed", on_one_line(one.problem)))
        rows += [_told_run("", "", run) for run in one.others]
    table([*rows, *(_told_run("import", "running", run) for run in imports)])


def _told_run(name: str, state: str, run: "SweepProgress") -> tuple[str, ...]:
    """Return the columns of a process's run."""
    from curator.export.sanitize import on_one_line
    from curator.services.run_progress import is_alive
    from store import clock

    seen = max((clock.now() - run.seen) // clock.SECOND, 0)
    who = f"process {run.process} on {on_one_line(run.host)} since {clock.to_iso(run.since)[:19]}"
    how = f"last sign of life {seen:,} s ago" if is_alive(run) else f"stopped {seen:,} s ago, or was killed"
    return name, state, f"{run.done:,} of {run.total:,}", f"{run.failed:,} failed", f"{who}, {how}"


def _run_row(run: "SweepProgress") -> "dict[str, Json]":
    from curator.services.run_progress import is_alive
    from store import clock

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


def _status_row(standing: "SweepStatus") -> "dict[str, Json]":
    runs: list[Json] = [_run_row(run) for run in standing.others]
    return {
        "name": standing.name,
        "state": "running" if standing.other is not None else standing.state.value,
        "left": standing.pending,
        "failed": standing.failed,
        "problem": standing.problem,
        "runs": runs,
    }


async def _reasons(sweeper: "Sweeper") -> "dict[str, Counter[str]]":
    """Why what failed did, and how often."""
    return {
        one.name: Counter(failed.reason for failed in await sweeper.failures(one.name, _MANY))
        for one in sweeper.statuses()
        if one.failed
    }


def _is_away(standing: "SweepStatus") -> bool:
    """Whether there is something to do that a server or a model is needed for and not there."""
    return standing.state.value == "offline" and standing.pending > 0


def _tell(statuses: "tuple[SweepStatus, ...]", reasons: "dict[str, Counter[str]]", as_json: bool) -> None:
    if as_json:
        print_json({"sweeps": [_row(one, reasons.get(one.name, Counter())) for one in statuses]})
        return
    rows = []
    for one in statuses:
        if one.state.value == "off":
            rows.append((one.name, "off", "", "", one.problem or f"switched on by sweep_{one.name}.enabled=true"))
            continue
        done = f"{counted(one.done, _NOUNS[one.name])} done"
        rows.append((one.name, done, f"{one.failed:,} failed", f"{one.pending:,} left", one.problem))
    table(rows)
    for name, why in reasons.items():
        for reason, times in why.most_common(_REASONS):
            print(f"  {name}: {times:,} × {reason}")
    if reasons:
        print("retry what failed with: curator work --once --retry")


def _row(standing: "SweepStatus", reasons: "Counter[str]") -> "dict[str, Json]":
    why: dict[str, Json] = dict(reasons.most_common())
    return {
        "name": standing.name,
        "state": standing.state.value,
        "model": standing.model,
        "done": standing.done,
        "failed": standing.failed,
        "left": standing.pending,
        "problem": standing.problem,
        "reasons": why,
    }


def _say_off(sweeper: "Sweeper") -> None:
    for one in sweeper.statuses():
        if one.problem:
            print(f"curator: {one.name} is off: {one.problem}", file=sys.stderr)


async def _now_and_then(show: "Callable[[], None]") -> None:
    """Show how it stands also while nothing changes: a call of a model takes its time, and so does another process."""
    while True:
        await asyncio.sleep(_SHOWN)
        show()


def _said_once(made: "list[Sweeper]") -> "Callable[[], None]":
    """Where there is no line to follow: what is waited for, once for each sweep."""
    said: set[str] = set()

    def show() -> None:
        for one in made[0].statuses() if made else ():
            if one.elsewhere and one.name not in said:
                said.add(one.name)
                print(f"curator: {one.name}: {_elsewhere(one)}", file=sys.stderr)

    return show


def _elsewhere(one: "SweepStatus") -> str:
    what = "it" if one.name in _WHOLE else counted(one.elsewhere, _NOUNS[one.name])
    return f"another process (the app?) is working on {what}: waiting, ctrl+c stops"


def _line(made: "list[Sweeper]") -> "Callable[[], None]":
    """One line on stderr that follows the sweep that runs."""
    import shutil

    shown = 0.0

    def show() -> None:
        nonlocal shown
        now = time.monotonic()
        if not made or now - shown < 0.1:
            return
        shown = now
        stands = made[0].statuses()
        running = [one for one in stands if one.state.value == "running" and one.total]
        elsewhere = [f"{one.name}: {_elsewhere(one)}" for one in stands if one.elsewhere]
        told = [f"{one.name}: {one.problem}" for one in stands if one.problem and one.pending and not one.elsewhere]
        work = [_progress(one) for one in running if one.done or not one.elsewhere]
        text = " · ".join([*work, *elsewhere] or told)
        text = text or ("begins …" if any(one.state.value == "due" and one.pending for one in stands) else _IDLE)
        sys.stderr.write(f"\r\x1b[2K{text[: shutil.get_terminal_size().columns - 1]}")
        sys.stderr.flush()

    return show


def _progress(one: "SweepStatus") -> str:
    share = min(one.done / one.total, 1.0)
    bar = "━" * round(16 * share) + "╌" * (16 - round(16 * share))
    parts = [f"{one.name} {bar} {one.done:,} of {one.total:,}"]
    if one.rate is not None:
        parts.append(f"{one.rate:,.0f} a minute")
    if one.left is not None:
        parts.append(f"{one.left:.0f} s left" if one.left < 100 else f"{one.left / 60:.0f} min left")
    if one.failed:
        parts.append(f"{one.failed:,} failed")
    return " · ".join(parts)


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[2K")


def feedback(
    recall: Annotated[str, typer.Argument(metavar="RECALL_ID", help="The id in the first line of the recall block.")],
    turn: Annotated[
        str | None, typer.Option(help="A file with the assistant's answer; - reads standard input.")
    ] = None,
    useful: Annotated[
        list[int] | None, typer.Option(callback=countable, help="A memory that was useful; repeat for more.")
    ] = None,
    useless: Annotated[
        list[int] | None, typer.Option(callback=countable, help="A memory that was not; repeat for more.")
    ] = None,
) -> None:
    """Say which recalled memories were useful.

    With --turn, the assistant's answer is scored by the next `curator work`. Marks are counters outside of `undo`: the
    opposite mark cancels one, `warmth --reset` all of them.
    """
    if not (useful or useless):
        if turn is None:
            raise typer.BadParameter("give --turn FILE, --useful ID or --useless ID")
        _take_turn(recall, turn)
        return
    from curator.lifecycle import mark_useful
    from store import NotFound

    store = open_store()
    given = set(store.recalls.get(recall).memories)
    strange = {*(useful or []), *(useless or [])} - given
    if strange:
        raise NotFound(f"memory {min(strange)} was not in recall {recall}")
    for memory, warm in mark_useful(store, useful or [], useless or []).items():
        print(f"memory {memory}: warmth {warm:.2f}")
    opposite = [*(f"--useless {one}" for one in useful or []), *(f"--useful {one}" for one in useless or [])]
    print(f"`curator feedback {recall} {' '.join(opposite)}` cancels it (a counter, outside of `undo`)")
    if turn is not None:
        _take_turn(recall, turn)


def _take_turn(recall: str, turn: str) -> None:
    from curator.paths import expanded
    from curator.secrets import redact
    from store import check_no_record

    if turn == "-":
        text = sys.stdin.read()
    else:
        check_no_record(file := expanded(turn))
        text = file.read_text(encoding="utf-8")
    if not text.strip():
        raise typer.BadParameter("the answer is empty")
    open_store().recalls.put_answer(recall, redact(text).text)
    print(f"saved for {recall}; the next `curator work` scores it")


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("work")(work)
    app.command("feedback")(feedback)
