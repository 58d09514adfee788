"""Measure the app's response times on large stores, as seen by a person at a terminal.

    python tests/bench/app.py 10000 100000            # sizes of the stores to make, in memories
    python tests/bench/app.py --keep FOLDER 1000000   # keeps the stores, and uses them again

The app runs in a pseudo-terminal. Figures taken from outside (first paint, CPU, exit) are of the unmodified program;
figures from inside are of `watched.py`. A figure over its budget is marked. Nothing here is a test.
"""

import argparse
import contextlib
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from curator import curation
from curator.tui.memories.queries import INBOX
from installed import environment
from speed import row
from store import Filter, Sort, Store
from store.index import Index
from store_builder import build_store, write_chatgpt_export
from terminal import DOWN, ENTER, ESCAPE, PAGE_DOWN, Terminal
from watched import State, Trace

WATCHED = Path(__file__).with_name("watched.py")
RUNS = 7  # of each minimum and median
HELD = 10  # seconds for which a key is held down
KEYS = {"down": DOWN, "page down": PAGE_DOWN, "mark": b" ", "validate": b"a", "forget": b"d"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--keep", type=Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as folder:
        for size in wanted.sizes:
            measure((wanted.keep or Path(folder)) / str(size), size)


def measure(home: Path, size: int) -> None:
    """Make a store of a size, or use the existing one, and print its table."""
    print(f"\n## The app, {size:,} memories\n", flush=True)
    if not home.exists():
        build_store(home / "store", size).close()
    indexed(home)
    decided = home.with_name(f"{size}-decided")  # its inbox is empty
    if not decided.exists():
        shutil.copytree(home, decided)
        with contextlib.closing(Store.open(decided / "store")) as store:
            curation.validate(store, store.list_ids(INBOX))
        indexed(decided)
    first_paint(home, decided)
    full_load(home)
    keys(home)
    searching(home)
    bulk(home)
    indexed(home)
    views(home)
    importing(home)
    leaving(home)


def indexed(home: Path) -> None:
    """Bring the search index up to date with the record."""
    with contextlib.closing(Store.open(home / "store")) as store:
        fingerprint = store.vectors.embedded_by()
        assert fingerprint is not None
        Index(store, fingerprint).catch_up()


def print_times(what: str, seconds: Sequence[float], budget: float | None = None) -> None:
    """Print minimum, median and maximum of some times, and whether the median is over budget."""
    figures = f"min {_short(min(seconds))} · p50 {_short(statistics.median(seconds))} · max {_short(max(seconds))}"
    over = "" if budget is None or statistics.median(seconds) <= budget else "  OVER"
    limit = "" if budget is None else f"≤ {_short(budget)}{over}"
    row(what, figures if len(seconds) > 1 else _short(seconds[0]), limit)


def _short(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{1000 * seconds:.{0 if seconds >= 0.02 else 1}f} ms"


@contextlib.contextmanager
def watched(home: Path, view: str) -> Iterator[tuple[Terminal, Trace]]:
    """Start the app with a trace of its state."""
    file = home / "trace"
    file.unlink(missing_ok=True)
    terminal = Terminal([str(WATCHED), str(file), view], environment(home))
    try:
        yield terminal, Trace(file)
    finally:
        terminal.end()


@contextlib.contextmanager
def at_rest(home: Path, view: str) -> Iterator[tuple[Terminal, Trace]]:
    """Start the app, and wait until everything is loaded and idle."""
    with watched(home, view) as (terminal, trace):
        trace.wait(lambda state: state.get("whole") and state.get("filled"))
        time.sleep(5)
        yield terminal, trace


def first_paint(home: Path, decided: Path) -> None:
    """Measure from process start to the first memory on the screen."""
    for folder, what, meant, order in (
        (home, "Inbox", INBOX, Sort.MATTERS),
        (decided, "Memories", Filter(), Sort.CREATED),
    ):
        with contextlib.closing(Store.open(folder / "store")) as store:
            text = store.get(store.list_ids(meant, order, 1)[0]).text[:20].encode()
        taken, left = [], []
        for _ in range(RUNS):
            terminal = Terminal(["-m", "curator"], environment(folder))
            taken.append(terminal.until(text))
            time.sleep(0.5)
            left.append(terminal.end())
        print_times(f"first memory on the screen, {what} first", taken, 0.5)
        print_times("  quitting half a second later", left, 0.3)


def full_load(home: Path) -> None:
    """Measure from process start until the list is complete, facets are counted and sorting is quick."""
    for kept in (False, True):
        taken, stalls, memory = [], [], (0.0, 0.0)
        for _ in range(3):
            if not kept:
                shutil.rmtree(home / "store" / "analytics", ignore_errors=True)
            with watched(home, "memories") as (terminal, trace):
                listed = trace.wait(lambda state: state.get("whole"))
                counted = trace.wait(lambda state: state.get("facets"))
                taken.append(max(listed, counted) - terminal.began)
                stalls.append(trace.stall(terminal.began + 0.4))
                time.sleep(3)
                memory = terminal.memory()
            if not kept:
                _until_saved(home)
        with_it = "with" if kept else "without"
        print_times(f"list complete, facets counted, {with_it} the snapshot", taken, 3)
        print_times("  longest block of the event loop until then", stalls, 0.05)
        row("  resident memory, peak", f"{memory[0]:,.0f} MB, {memory[1]:,.0f} MB")


def _until_saved(home: Path) -> None:
    """Write a store's snapshot, for later starts."""
    from store.analytics import Analytics

    with contextlib.closing(Store.open(home / "store")) as store:
        analytics = Analytics(store)
        analytics.follow()
        analytics.close()


def keys(home: Path) -> None:
    """Measure a key's CPU cost, its time to repaint, and the lag after a held key is released."""
    with at_rest(home, "inbox") as (terminal, trace):
        before = terminal.cpu()
        time.sleep(5)
        idle = [(now - then) / 5 for now, then in zip(terminal.cpu(), before, strict=True)]
        row("idle: CPU per second, loop and all threads", f"{1000 * idle[0]:.0f} ms, {1000 * idle[1]:.0f} ms")
        for name, key in KEYS.items():
            print_times(f"{name}: to the first repaint", [answered(terminal, key) for _ in range(20)])
            loop, threads = [], []
            for _ in range(5):
                before, began = terminal.cpu(), time.perf_counter()
                terminal.hold(key, 1.5)
                gone = time.perf_counter() - began
                used = [now - then for now, then in zip(terminal.cpu(), before, strict=True)]
                loop.append((used[0] - idle[0] * gone) / 45)
                threads.append((used[1] - idle[1] * gone) / 45)
                time.sleep(1)
            print_times(f"{name}: CPU of the loop per key", loop, 0.016)
            print_times(f"{name}: CPU of all threads per key", threads)
            if name == "mark":
                terminal.press(ESCAPE)
        for name, key, moves in (("down", DOWN, "cursor"), ("validate", b"a", "writing")):
            last = terminal.hold(key, HELD)
            time.sleep(1.5)
            behind = [at - last for at in _changes(trace, last, moves)]  # of the field that only this key changes
            print_times(f"{name} held for {HELD} s: lag after release", [max(behind, default=0)], 0.1)
            print_times("  longest block of the event loop", [trace.stall(last - HELD, last)], 0.05)


def differs(state: State, field: str, before: object) -> bool:
    """Return True if a field's value differs from `before`."""
    return bool(state[field] != before)


def equals(state: State, field: str, value: object) -> bool:
    """Return True if a field has this value."""
    return bool(state[field] == value)


def relisted(state: State, before: object) -> bool:
    """Return True if a different list is loaded completely."""
    return bool(state["whole"]) and differs(state, "listed", before)


def answered(terminal: Terminal, key: bytes) -> float:
    """Return the seconds from a key, pressed at rest, to the first repaint."""
    time.sleep(0.3)
    return terminal.answer(key)


def _changes(trace: Trace, since: float, field: str) -> list[float]:
    """Return the times at which a field changed, after `since`."""
    found, former = [], None
    for at, _, state in trace.lines():
        value = state.get(field)
        if former is not None and value != former and at > since:
            found.append(at)
        former = value
    return found


def searching(home: Path) -> None:
    """Measure searching, filtering and sorting, from the last key to the resulting list."""
    with at_rest(home, "memories") as (terminal, trace):
        orders = [("c", "confidence"), ("i", "importance"), ("t", "text"), ("m", "matters"), ("n", "created")] * 3
        taken = []
        for key, order in orders:
            terminal.press(b"s")
            time.sleep(0.5)
            pressed = terminal.press(key.encode())
            taken.append(trace.wait(partial(_listed, order=order), pressed + 0.001) - pressed)
            time.sleep(1)
        print_times("sorting, from key to list", taken, 0.1)
        taken = []
        for word in (b"saffron", b"tea", b"kind:task tier:core", b"Lisbon"):
            terminal.press(b"/")
            time.sleep(0.5)
            for letter in word:
                pressed = terminal.press(bytes([letter]))
                time.sleep(0.02)
            before = trace.state()["listed"]
            taken.append(trace.wait(partial(relisted, before=before), pressed) - pressed)
            terminal.press(ESCAPE, ESCAPE, rate=2)
            time.sleep(1.5)
        print_times("search as you type, from last key to list", taken, 0.2)
        facets = []
        for _ in range(4):
            terminal.press(b"f")
            time.sleep(0.3)
            terminal.press(DOWN)
            before, pressed = trace.state(), terminal.press(ENTER)
            taken.append(trace.wait(partial(differs, field="listed", before=before["listed"]), pressed) - pressed)
            facets.append(trace.wait(partial(differs, field="facets", before=before["facets"]), pressed) - pressed)
            terminal.press(ESCAPE, ESCAPE, rate=2)
            time.sleep(1.5)
        print_times("choosing a facet, from key to list", taken[-4:], 0.1)
        print_times("  until facets are recounted", facets, 0.25)
        row("resident memory, peak", "{:,.0f} MB, {:,.0f} MB".format(*terminal.memory()))


def _done(said: str) -> bool:
    """Recognise the status line of a validation, with or without duplicates found by then."""
    return "validated" in said or "took one wording" in said


def _listed(state: State, order: str) -> bool:
    return state["order"] == order and state["whole"] and not state["reading"]


def bulk(home: Path) -> None:
    """Measure marking all listed memories, validating them in one step, and undoing that."""
    with at_rest(home, "inbox") as (terminal, trace):
        began = terminal.press(b"*")
        marked = trace.wait(lambda state: state["marked"] > 1, began)
        count = trace.state()["marked"]
        print_times(f"mark all {count:,}", [marked - began], 0.1)
        time.sleep(1)
        terminal.press(b"a")
        trace.wait(lambda state: state["screens"] > 1)
        time.sleep(0.5)
        began = terminal.press(ENTER)
        done = trace.wait(lambda state: _done(state["said"]), began, 600)
        print_times(f"validate all {count:,}: acknowledged after", [done - began])
        whole = trace.wait(lambda state: state["listed"] < count and not state["reading"], done)
        print_times("  list reloaded after", [whole - done])
        print_times("  longest block of the event loop", [trace.stall(marked - 0.5, whole)], 0.05)
        began = terminal.press(b"u")
        trace.wait(lambda state: state["screens"] > 1 or "undone" in state["said"], began)
        if trace.state()["screens"] > 1:  # duplicates were merged, so undo asks first
            time.sleep(0.5)
            began = terminal.press(ENTER)
        back = trace.wait(lambda state: "undone" in state["said"], began, 600)
        whole = trace.wait(lambda state: state["listed"] >= count and not state["reading"], back)
        print_times("  undone after", [back - began])
        print_times("  list reloaded after", [whole - back])
        print_times("  longest block of the event loop", [trace.stall(began, whole)], 0.05)
        row("resident memory, peak", "{:,.0f} MB, {:,.0f} MB".format(*terminal.memory()))


def views(home: Path) -> None:
    """Measure opening each view for the first time, and again."""
    with at_rest(home, "memories") as (terminal, trace):
        for times in ("first", "again"):
            for key, view in (("1", "inbox"), ("5", "sources"), ("6", "insights"), ("7", "history"), ("2", "memories")):
                began = terminal.press(key.encode())
                there = trace.wait(partial(equals, field="view", value=view), began)
                time.sleep(2)
                print_times(
                    f"{view}, opened {'for the first time' if times == 'first' else times}", [there - began], 0.1
                )
                print_times("  longest block of the event loop", [trace.stall(began, began + 2)], 0.05)


def importing(home: Path) -> None:
    """Measure whether the app stays responsive during an import."""
    export = home / "conversations.json"
    write_chatgpt_export(export, 20, seed=time.time_ns())
    with at_rest(home, "memories") as (terminal, trace):
        terminal.press(b"I")
        trace.wait(lambda state: state["screens"] > 1)
        time.sleep(1)
        terminal.press(*(bytes([letter]) for letter in str(export).encode()), rate=200)
        time.sleep(0.5)
        began = terminal.press(ENTER)
        trace.wait(lambda state: "importing" in state["said"] or "·" in state["said"], began)
        time.sleep(2)
        answers = []
        while time.perf_counter() < began + 20:
            answers.append(terminal.answer(DOWN, 5))
            time.sleep(0.25)
        print_times("during an import: down, to the first repaint", answers, 0.05)
        print_times("  longest block of the event loop", [trace.stall(began, began + 20)], 0.05)
        row("  status line then", trace.state()["said"][:44])
        print_times("  quitting during the import", [terminal.end()], 0.3)
    export.unlink()


def leaving(home: Path) -> None:
    """Measure from `q` to the end of the process, in several states."""
    for what, wait, without in (
        ("when idle", 6.0, ()),
        ("while LanceDB loads", 1.6, ()),
        ("while DuckDB is filled", 1.5, ("analytics",)),
        ("while the index is built", 5.0, ("index",)),
    ):
        taken = []
        for _ in range(3):
            for folder in without:
                shutil.rmtree(home / "store" / folder, ignore_errors=True)
            terminal = Terminal(["-m", "curator"], environment(home))
            time.sleep(wait)
            taken.append(terminal.end())
        print_times(f"quitting {what}", taken, 0.3)
    indexed(home)


if __name__ == "__main__":
    main()
