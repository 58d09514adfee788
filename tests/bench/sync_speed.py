"""Measure `curator sync`: a store to a new device, a day's changes, a pass with nothing to do.

    python tests/bench/sync_speed.py [MEMORIES]      # 10,000 by default, with vectors, through a folder

Prints seconds of elapsed time, and the bytes in the target beside those of the compressed export and the vectors.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from curator import curation  # noqa: E402
from curator.sync.key import saved, words_of  # noqa: E402
from curator.sync.run import create, inspect_space, join, sync  # noqa: E402
from store import Store  # noqa: E402
from store_builder import build_store  # noqa: E402

KEY = bytes(range(32))
COMMANDS = 500


def timed(what: str, do: Callable[[], object]) -> None:
    """Run something and print how long it took."""
    began = time.perf_counter()
    do()
    print(f"{what:<40}{time.perf_counter() - began:8.2f} s", flush=True)


def main(count: int) -> None:
    """Measure with two devices."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = f"folder:{folder / 'target'}"
        stores: dict[str, Store] = {}

        def at(device: str) -> Store:
            os.environ["CURATOR_HOME"] = str(folder / device)
            if device not in stores:
                stores[device] = Store.open(folder / device / "store")
            return stores[device]

        def run(device: str) -> None:
            store, space = at(device), saved()
            assert space is not None
            sync(store, space)

        os.environ["CURATOR_HOME"] = str(folder / "one")
        stores["one"] = build_store(folder / "one" / "store", count)
        create(at("one"), target, "one", KEY)
        timed(f"write {count:,} memories with vectors", lambda: run("one"))
        written = sum(file.stat().st_size for file in (folder / "target").rglob("*") if file.is_file())
        with (folder / "all.zip").open("wb") as out:
            at("one").archive(out)
        exported, vectors = (folder / "all.zip").stat().st_size, count * 384 * 4
        print(
            f"{written / 1e6:.1f} MB written; export {exported / 1e6:.1f} MB, vectors {vectors / 1e6:.1f} MB:", end=" "
        )
        print(f"{written / (exported + vectors):.2f} of both")
        join(at("two"), inspect_space(at("two"), target, "two", words_of(KEY)))
        timed("read by a new device", lambda: run("two"))
        timed("nothing to do", lambda: run("two"))
        run("one")
        store = at("one")
        for number in range(COMMANDS):
            curation.set_importance(store, [number % count + 1], number % 10 + 1)
        timed(f"write {COMMANDS} commands", lambda: run("one"))
        timed(f"read {COMMANDS} commands", lambda: run("two"))
        print("equal:", at("one").sync.digest() == at("two").sync.digest())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
