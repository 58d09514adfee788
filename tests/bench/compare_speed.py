"""Time a scan of all memories for conflicts, and how it grows with their number.

    python tests/bench/compare_speed.py 2000 20000 100000
    python tests/bench/compare_speed.py --keep FOLDER 100000      # keeps the stores, and uses them again

The stores are those of the other benchmarks: texts share words as real texts do, vectors lie in clusters, so that every
memory has the maximum number of candidates. Nothing here is a test: on a busy machine read the processor time, which
other processes hardly affect, beside the elapsed time.
"""

import argparse
import math
import resource
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from curator.sweeps.compare import CompareProgress, scan_all
from speed import row, spread, timed
from store import Store
from store_builder import build_store

BUDGET = "≤ 600 s at 100,000 on two cores"


@dataclass(frozen=True, slots=True)
class Taken:
    """Times of a scan, in seconds."""

    memories: int
    passed: float
    processor: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--keep", type=Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as folder:
        taken = [measure((wanted.keep or Path(folder)) / str(size), size) for size in sorted(wanted.sizes)]
    print("\n## Growth\n")
    for less, more in pairwise(taken):
        times = more.memories / less.memories
        power = math.log(more.processor / less.processor, times)
        row(
            f"{less.memories:,} → {more.memories:,}, {times:,.0f} times as many",
            f"{more.processor / less.processor:,.1f} times the processor's time: n^{power:.2f}",
            "n^1 to n·log n",
        )


def measure(home: Path, size: int) -> Taken:
    """Make a store of a size, or use the existing one, and compare all of it."""
    print(f"\n## {size:,} memories\n", flush=True)
    folder = home / "store"
    if not folder.exists():
        with timed("made through Store.admit, vectors given"):
            build_store(folder, size).close()
    store = Store.open(folder)
    steps: list[float] = []
    began, used = time.perf_counter(), time.process_time()
    last = began

    def tell(_: CompareProgress) -> None:
        nonlocal last
        now = time.perf_counter()
        steps.append(now - last)
        last = now

    done = scan_all(store, again=True, report=tell)
    taken = Taken(size, time.perf_counter() - began, time.process_time() - used)
    row("all compared", f"{taken.passed:,.1f} s, {taken.processor:,.1f} s of a processor", BUDGET)
    row("  longest step, after which it may be stopped", f"{max(steps):,.1f} s of {len(steps):,}")
    row("  pairs judged", f"{done.pairs:,}, {done.pairs / size:.1f} a memory", "≤ 20 a memory")
    row("  microseconds of a processor a pair", f"{1e6 * taken.processor / max(1, done.pairs):,.0f}")
    row("  pairs merged in this run, alerts open now", f"{done.merged:,}, {sum(store.alerts.counts().values()):,}")
    row("  most memory of the process", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
    row("the first 50 open alerts", spread(lambda: store.alerts.find(limit=50)))
    row("all once more, where nothing waits", spread(lambda: scan_all(store), 3))
    store.close()
    return taken


if __name__ == "__main__":
    main()
