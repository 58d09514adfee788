"""Measure how many small segments `curator sync` leaves after long use, and their cost for a new device.

    python tests/bench/sync_year.py [SEGMENTS] [s3|gs|az]  # 35,000 by default: one each quarter of an hour for a year

Prints the objects in a folder or a bucket of a local server, and seconds of elapsed time, without and with compaction.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from curator import curation  # noqa: E402
from curator.sync import compaction  # noqa: E402
from curator.sync.key import saved, words_of  # noqa: E402
from curator.sync.run import create, inspect_space, join, sync  # noqa: E402
from curator.targets import target_of  # noqa: E402
from store import Store  # noqa: E402
from store.record.sync import outbox  # noqa: E402
from sync_random import target_in  # noqa: E402
from sync_speed import KEY, timed  # noqa: E402

MEMORIES = 1_000


def main(count: int, text: str) -> None:
    """Measure with one device that wrote everything, one that follows it, and new ones."""
    outbox._EVENTS = 1  # a segment for each command, as if each were followed by a pass
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = text or f"folder:{folder / 'target'}"
        stores: dict[str, Store] = {}

        def at(device: str) -> Store:
            os.environ["CURATOR_HOME"] = str(folder / device)
            if device not in stores:
                stores[device] = Store.open(folder / device / "store")
            return stores[device]

        def run(device: str) -> None:
            store, space = at(device), saved()
            assert space is not None
            done = sync(store, space)
            assert not done.problems, done.problems

        def joined(device: str) -> None:
            store = at(device)
            join(store, inspect_space(store, target, device, words_of(KEY)))
            run(device)

        def print_size(what: str) -> None:
            place = target_of(target)
            sizes = [len(place.get(name) or b"") for name in place.names()]
            print(f"{what:<50}{len(sizes):8,} objects, {sum(sizes) / 1e6:.1f} MB", flush=True)

        most = compaction.MOST
        compaction.MOST = 1 << 30
        create(at("one"), target, "one", KEY)
        with at("one").sqlite() as connection:
            connection.execute("PRAGMA synchronous=OFF")
        for number in range(min(count, MEMORIES)):
            curation.add(at("one"), f"I have {number} bees in hive {number % 7}")
        for number in range(count - MEMORIES):
            curation.set_importance(at("one"), [number % MEMORIES + 1], number // MEMORIES % 10 + 1)
        timed(f"write {count:,} segments", lambda: run("one"))
        print_size("without compaction")
        timed("  a new device joins", lambda: joined("two"))
        timed("  it has nothing to do", lambda: run("two"))
        run("one")
        compaction.MOST = most
        timed("compact all at once", lambda: run("one"))
        run("one")
        print_size("with compaction")
        timed("  a new device joins", lambda: joined("three"))
        timed("  an up-to-date device has nothing to do", lambda: run("two"))
        store = at("one")
        store.sync.rewrite()
        outbox._EVENTS = 1_000
        timed("rewrite everything (--rewrite)", lambda: run("one"))
        print_size("after the rewrite")
        timed("  an up-to-date device reads the new segments", lambda: run("two"))
        digests = {store.sync.digest() for store in stores.values()}
        print("equal:", len(digests) <= 2)  # the third device has not read the rewritten segments


if __name__ == "__main__":
    segments = int(sys.argv[1]) if len(sys.argv) > 1 else 35_000
    main(segments, target_in(sys.argv[2] if len(sys.argv) > 2 else None))
