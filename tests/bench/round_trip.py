"""Measure exporting a whole store and importing it again: `curator export --all`, then `curator import`.

    python tests/bench/round_trip.py                                # the demo, and 10,000 memories
    python tests/bench/round_trip.py --memories 100000 --logs EXPORT…

Logs are imported, and 300 random commands follow (`walks.py`). Prints for each store the seconds of processor and
elapsed time for both directions, the size of the file and of the record, the peak memory of a process, and whether the
new store's state is equal. Forgotten words are exported, too, as the states would differ otherwise. Exits with 1 if one
differs.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from curator.demo import logs  # noqa: E402
from curator.models import load_embedder  # noqa: E402
from curator.services.import_logs import import_paths  # noqa: E402
from installed import environment  # noqa: E402
from store import Store  # noqa: E402
from store_builder import build_store  # noqa: E402
from walks import REFUSED, Walker  # noqa: E402

COMMANDS = 300


def curator(home: Path, *words: str) -> tuple[float, float, float]:
    """Run a command on a store; return seconds of processor and elapsed time, and peak megabytes."""
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "curator", *words], env=environment(home), stdout=subprocess.DEVNULL
    ) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"curator {' '.join(words)} ended with {child.returncode}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss / 1024


def walked(store: Store, folder: Path, logs: list[Path]) -> None:
    """Import logs, and run random commands."""
    walker = Walker(store, folder, Random(1), purges=True)
    import_paths(store, logs, walker.embedder)
    verbs = walker.verbs()
    done = 0
    while done < COMMANDS:
        before = store.journal.seq()
        with contextlib.suppress(*REFUSED):
            verbs[walker.chance.choice(list(verbs))]()
        done += store.journal.seq() > before


def stores(given: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Path]]:
    """Make the stores; yield a label and the home of each."""
    home = folder / "demo"
    with contextlib.closing(Store.open(home / "store")) as store:
        import_paths(store, [logs()], load_embedder("hashing", home))
    yield "demo", home
    if given.logs:
        home = folder / "logs"
        with contextlib.closing(Store.open(home / "store")) as store:
            walked(store, folder, given.logs)
        yield f"logs, {COMMANDS} commands", home
    home = folder / "many"
    build_store(home / "store", given.memories).close()
    yield f"{given.memories:,} memories", home


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--logs", type=Path, nargs="+", default=[])
    given = parser.parse_args()
    unequal = 0
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as name:
        folder = Path(name)
        print(
            f"{'':22}{'export: cpu s':>14}{'clock':>7}{'import: cpu s':>15}{'clock':>7}{'peak MB':>9}  file, record MB"
        )
        for label, home in stores(given, folder):
            file, second = home / "all.zip", home / "second"
            out = curator(home, "export", "--all", str(file), "--with-forgotten-words")
            back = curator(second, "import", str(file), "--yes")
            states = set()
            for place in (home, second):
                with contextlib.closing(Store.open(place / "store")) as store:
                    states.add(store.state_hash())
            unequal += len(states) > 1
            sizes = [path.stat().st_size / 1e6 for path in (file, home / "store" / "record.sqlite")]
            print(
                f"{label:22}{out[0]:14.1f}{out[1]:7.1f}{back[0]:15.1f}{back[1]:7.1f}{max(out[2], back[2]):9.0f}"
                f"  {sizes[0]:.1f} of {sizes[1]:.1f}  {'equal' if len(states) == 1 else 'NOT EQUAL'}",
                flush=True,
            )
    print(f"load {os.getloadavg()[0]:.1f}")
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
