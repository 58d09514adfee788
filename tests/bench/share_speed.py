"""Measure `curator share`: a project to another member, a withdrawal, a pass with nothing to do.

    python tests/bench/share_speed.py [MEMORIES]      # 10,000 by default, through a folder

Prints seconds of elapsed time, and the bytes in the target.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from curator import curation  # noqa: E402
from factories import memory  # noqa: E402
from share.people import Person, people  # noqa: E402
from store.model import Review  # noqa: E402

_THINGS = "rose kale bean pea shed pond gate fence tree path lawn hedge seed soil rake".split()


def timed(what: str, do: Callable[[], object]) -> None:
    """Run something and print how long it took."""
    began = time.perf_counter()
    do()
    print(f"{what:<40}{time.perf_counter() - began:8.2f} s", flush=True)


def fill(one: Person, count: int) -> None:
    """Write validated memories of the project into a person's store."""
    rng = random.Random(1)
    with one.here() as store, store.command("import") as writer:
        for number in range(count):
            things = " and ".join(rng.sample(_THINGS, 3))
            text = f"Bed {number} near the {things} is dug in week {rng.randrange(52)}"
            there = {"project": "garden", "scope": "project:garden"}
            store.admit(writer, memory(text, review=Review.VALIDATED, **there))


def main(count: int) -> None:
    """Measure with two people."""
    os.environ["CURATOR_EMBED__PROVIDER"] = "hashing"
    with tempfile.TemporaryDirectory() as name:
        anna, ben = people(Path(name), "Anna", "Ben")
        fill(anna, count)
        timed(f"write {count:,} memories", anna.sync)
        timed("read them", ben.sync)
        timed("a pass of the author, nothing new", anna.sync)
        timed("a pass of the reader, nothing new", ben.sync)
        timed("trust their author", lambda: ben.trust("Anna"))
        with anna.here() as store:
            curation.forget(store, [1])
        timed("withdraw one", anna.sync)
        timed("read that", ben.sync)
        size = sum(file.stat().st_size for file in Path(name, "target").rglob("*") if file.is_file())
        print(f"{'bytes in the target':<40}{size:8,}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
