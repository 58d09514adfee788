"""Measure how accurate the progress of an import is, through reading, distilling, embedding, indexing and comparing.

    python tests/bench/progress_curve.py LOG…

Each stage has its own progress bar. Prints for each its seconds, and where the percentage shown was furthest from the
share of that stage's time that had passed, in points; exits with 1 if that is more than 15 in a stage of over a second.
"""

import argparse
import contextlib
import os
import sys
import tempfile
import time
from itertools import groupby, pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from curator.models import load_embedder
from curator.paths import cache_folder
from curator.services.import_logs import import_paths, index_memories
from curator.services.import_summary import Progress
from curator.sweeps.compare import scan_imported
from store import Store

MOST, LEAST_SECONDS = 15, 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("logs", type=Path, nargs="+")
    given = parser.parse_args()
    seen: list[tuple[str, float, float]] = []

    def report(now: Progress) -> None:
        stage = now.stage if now.total else f"({now.stage})"  # in brackets: shown without a percentage
        seen.append((stage, time.perf_counter(), 100 * now.done / now.total if now.total else 0.0))

    with (
        tempfile.TemporaryDirectory(prefix="curator-bench-") as folder,
        contextlib.closing(Store.open(Path(folder) / "store")) as store,
    ):
        embedder = load_embedder("minilm", cache_folder())
        began = time.perf_counter()
        summary = import_paths(store, given.logs, embedder, report=report)
        index_memories(store, embedder, summary, report)
        scan_imported(store, summary, report)
        end = time.perf_counter()
    seen.append(("end", end, 0.0))
    stages = [(name, list(points)) for name, points in groupby(seen, key=lambda point: point[0])]
    misled = False
    for (name, points), (_, following) in pairwise(stages):
        first, last = points[0][1], following[0][1]
        taken = max(last - first, 1e-9)
        if name.startswith("("):
            print(f"{name:12}{taken:7.1f} s ({100 * taken / (end - began):3.0f} % of all)")
            continue
        # just before a step, a person sees the percentage of the previous step
        shown = [(0.0, points[0][2]), *((100 * (at - first) / taken, percent) for _, at, percent in points)]
        off = [(passed - percent, passed, percent) for passed, percent in shown]
        off += [(passed - before, passed, before) for (_, before), (passed, _) in pairwise(shown)]
        off.append((100 - points[-1][2], 100.0, points[-1][2]))
        most, passed, percent = max(off, key=lambda one: abs(one[0]))
        print(
            f"{name:12}{taken:7.1f} s ({100 * taken / (end - began):3.0f} % of all){len(points):6} reports; at most "
            f"{abs(most):3.0f} points off: {percent:.0f} % shown when {passed:.0f} % had passed"
        )
        misled = misled or (taken > LEAST_SECONDS and abs(most) > MOST)
    print(f"{end - began:.1f} s, load {os.getloadavg()[0]:.1f}")
    return int(misled)


if __name__ == "__main__":
    sys.exit(main())
