"""Time a `curator recall` from process start, and its stages: `python tests/bench/recall_cold.py STORE`.

Each figure is the median of several runs, after one that warms the file cache.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from installed import environment

RUNS = 5
QUERY = "what do I know about the garden in the evening"
STAGES = """
import json, sys, time
began, last, told = float(sys.argv[1]), time.time(), {}
told["the interpreter"] = last - began
def stage(name):
    global last
    now = time.time()
    told[name], last = now - last, now
from curator.cli.commands import main
from curator.cli import search
stage("the command line")
from curator.config import settings
known = settings().recall
stage("the settings")
from curator.cli.output import open_store
store = open_store()
stage("the record, opened")
from curator.services.search_session import embedder_for_search, open_search
embedder_for_search(store)
stage("the embedder and its weights")
opened = open_search(store)
stage("the index, opened")
from curator.recall import SearchOptions, block, find
from store import Filter
found = find(store, opened.index, opened.embedder, sys.argv[2], Filter(), SearchOptions(limit=20, for_model=True))
stage("the first search")
made = block(store, found.hits, 800)
stage("the block")
store.recalls.record_use(made.memories)
stage("its use, recorded")
print(json.dumps(told))
"""


@contextmanager
def _home(store: Path) -> Iterator[dict[str, str]]:
    """Yield an environment in which this store is the person's."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "store").symlink_to(store.resolve(), target_is_directory=True)
        yield environment(Path(folder))


def cold(store: Path) -> tuple[float, dict[str, float]]:
    """Return milliseconds of the whole command, and of its stages, as medians."""
    whole: list[float] = []
    stages: list[dict[str, float]] = []
    with _home(store) as home:
        for _ in range(RUNS + 1):
            began = time.perf_counter()
            command = (sys.executable, "-m", "curator", "recall", QUERY)
            ran = subprocess.run(command, env=home, capture_output=True, text=True, check=False)
            if ran.returncode not in (0, 1):
                raise RuntimeError(ran.stderr)
            whole.append(1000 * (time.perf_counter() - began))
            script = (sys.executable, "-c", STAGES, repr(time.time()), QUERY)
            told = subprocess.run(script, env=home, capture_output=True, text=True, check=True).stdout
            stages.append({name: 1000 * seconds for name, seconds in json.loads(told).items()})
    return median(whole[1:]), {name: median(run[name] for run in stages[1:]) for name in stages[0]}


def show(store: Path) -> float:
    """Print the figures; return the milliseconds of the whole command."""
    whole, stages = cold(store)
    print(f"{'cold `curator recall`, from process start':44s} {whole:8,.0f} ms, of which")
    for name, taken in stages.items():
        print(f"  {name:42s} {taken:8,.0f}")
    return whole


def main() -> None:
    """Measure one store."""
    parser = argparse.ArgumentParser(description="Measure a cold recall.")
    parser.add_argument("store", type=Path)
    show(parser.parse_args().store)


if __name__ == "__main__":
    main()
