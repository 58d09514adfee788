"""Kill processes at random moments inside operations: `python tests/bench/kills.py --kills 1000`.

A process with everything loaded forks one child after the other. Each child reports through a pipe what it begins and
what was acknowledged, and is killed with `kill -9` at a random moment after it has begun; only kills before its end
count. Then another child opens the store, looks for all that was acknowledged, and checks the record. Printed: for each
operation the kills inside, what was lost, unsound or unfinished; each problem with its seed. Needs `fork`.

The long form (1,000 kills: 360 inside imports, 80 inside each other operation) is not run by the tests.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from kill_operations import OPERATIONS, Operation, Problem, Report  # noqa: E402

IMPORTS = 0.36  # share of all kills
LONGEST = 60.0  # time limit of a child for one step, in seconds


@dataclass
class Row:
    """Results of killing one operation."""

    tried: int = 0
    inside: int = 0
    seconds: float = 0.0
    problems: Counter[str] = field(default_factory=Counter)


def main() -> int:
    """Kill, check and print; the exit code is 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=list(OPERATIONS), default=list(OPERATIONS))
    chosen = parser.parse_args()
    os.environ["CURATOR_EMBED__PROVIDER"] = "hashing"
    rows: dict[str, Row] = {}
    with tempfile.TemporaryDirectory(prefix="curator-kills-") as home:
        os.environ["CURATOR_HOME"] = home
        for name in chosen.only:
            share = IMPORTS if name == "import" else (1 - IMPORTS) / (len(OPERATIONS) - 1)
            rows[name] = kill_many(name, max(1, round(chosen.kills * share)), chosen.seed, Path(home))
    print(f"{'operation':<10}{'killed':>8}{'inside':>8}{'lost':>7}{'unsound':>9}{'unfinished':>12}{'s a kill':>10}")
    for name, row in rows.items():
        found = row.problems
        counts = f"{found['lost']:>7}{found['unsound']:>9}{found['unfinished']:>12}"
        print(f"{name:<10}{row.tried:>8}{row.inside:>8}{counts}{row.seconds / max(row.tried, 1):>10.2f}")
    return 1 if any(row.problems.total() for row in rows.values()) else 0


def kill_many(name: str, wanted: int, seed: int, home: Path) -> Row:
    """Kill an operation until the wanted number of kills was inside it."""
    operation, row, span, used = OPERATIONS[name], Row(), 0.05, 0
    folder, reports = home / name, list[Report]()
    began = time.monotonic()
    while row.inside < wanted and row.tried < 4 * wanted + 20:
        chance = Random(f"{seed} {name} {row.tried}")
        if used % operation.fresh == 0:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            reports = []
            in_child(partial(operation.prepare, folder, chance))
        row.tried, used = row.tried + 1, used + 1
        heard = kill_once(operation, folder, chance, span)
        done = [one for what, _, one in heard if what == "done"]
        lasted = [after[1] - before[1] for before, after in pairwise(heard) if after[0] == "done"]
        span = 0.7 * span + 0.3 * max(lasted, default=span)
        inside = heard[-1][2] if heard and heard[-1][0] == "begin" else None
        row.inside += inside is not None
        reports += done
        problems: list[Problem] = in_child(partial(operation.check, folder, reports, inside))
        for what, why in problems:
            row.problems[what] += 1
            print(f"{name}, --seed {seed}, kill {row.tried - 1}: {what}: {why}", file=sys.stderr, flush=True)
        used = 0 if problems else used  # start the next one with a new store
    row.seconds = time.monotonic() - began
    return row


def kill_once(operation: Operation, folder: Path, chance: Random, span: float) -> list[tuple[str, float, Report]]:
    """Start a child, kill it within about the time of one step, and return its reports."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        forked(lambda: operation.act(folder, chance, teller(write)))
    os.close(write)
    skipped, reports = chance.choice((0, 0, 1, 3)), []
    with os.fdopen(read, encoding="utf-8") as pipe:
        for line in pipe:
            reports.append(json.loads(line))
            skipped -= reports[-1][0] == "begin"
            if skipped < 0:
                break
        time.sleep(chance.uniform(0, span))
        os.kill(child, signal.SIGKILL)
        reports += [json.loads(line) for line in pipe if line.endswith("\n")]
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError(f"{operation.act.__name__} ended with status {status} before it was killed: {reports[-3:]}")
    return [(what, at, one) for what, at, one in reports]


def teller(write: int) -> Callable[[str, Report], None]:
    """Return a function that reports to the parent what is begun or done."""

    def tell(what: str, reports: Report) -> None:
        os.write(write, (json.dumps([what, time.monotonic(), reports]) + "\n").encode())

    return tell


def in_child(work: Callable[[], Any]) -> Any:
    """Run work in a child, so that this process never has a store open; return its result."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)

        def answer() -> None:
            done = json.dumps(work())
            os.write(write, done.encode())

        signal.alarm(int(LONGEST))
        forked(answer)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        answered = pipe.read()
    _, status = os.waitpid(child, 0)
    if not answered:
        return [("unsound", f"the check failed with status {status}; its error stands above")]
    return json.loads(answered)


def forked(work: Callable[[], object]) -> None:
    """Run work in a forked child and exit."""
    try:
        work()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
