"""Worker process for `concurrency.py`: `concurrent_worker.py HOME WORK NAME NOTES [COUNT or SEED]`.

It works until it has done its share or its input ends, and logs each acknowledged action as one JSON line: kind (wrote,
restored, turn, error), text, begin and end time.
"""

import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from curator import curation
from curator.text import content_key
from store import Filter, Store, restore


class Work:
    """A home folder, and the log of the work in it."""

    def __init__(self, home: Path, name: str, notes: TextIO) -> None:
        self.home, self.folder, self.name = home, home / "store", name
        self.ended = threading.Event()
        self._notes = notes
        self.count = 0

    def note(self, kind: str, text: str, begun: float) -> None:
        """Log an action that has just ended."""
        print(json.dumps([kind, text, begun, time.time()]), file=self._notes, flush=True)

    def write(self, store: Store) -> None:
        """Add a memory with a unique text."""
        begun, text = time.time(), f"{self.name} wrote {self.count}"
        self.count += 1
        curation.add(store, text)
        self.note("wrote", text, begun)

    def end_with_input(self) -> None:
        """Stop the work when the input ends."""
        sys.stdin.read()
        self.ended.set()

    def turn(self, do: "Callable[[Work], None]") -> None:
        """Do something once, and log it or its error."""
        begun = time.time()
        try:
            do(self)
            self.note("turn", "", begun)
        except Exception as error:
            self.note("error", f"{type(error).__name__}: {error}", begun)


def write_anew(work: Work) -> None:
    """Open the store, write, close it."""
    with contextlib.closing(Store.open(work.folder)) as store:
        work.write(store)


def bring_in(work: Work) -> None:
    """Import the folder that holds the store and a new log, then write."""
    from curator.models import load_embedder
    from curator.paths import cache_folder
    from curator.services.import_logs import import_paths

    turns = [{"role": "user", "content": f"I like {work.name} {work.count} {n} best of all."} for n in range(20)]
    (work.home / "logs" / f"{work.name}.json").write_text(json.dumps({"messages": turns}), encoding="utf-8")
    with contextlib.closing(Store.open(work.folder)) as store:
        import_paths(store, [work.home], load_embedder("hashing", cache_folder()))
        work.write(store)


def copy(work: Work) -> None:
    """Write a backup over the previous one."""
    with contextlib.closing(Store.open(work.folder)) as store:
        store.backup(work.home.parent / "copy.sqlite")


def examine(work: Work) -> None:
    """Check and rewrite the record, as `doctor --compact` does."""
    with contextlib.closing(Store.open(work.folder)) as store:
        found = store.differences()
        if found:
            raise AssertionError(f"doctor: {found[:3]}")
        store.compact()


def restore_twice(work: Work) -> None:
    """Restore a backup twice in one process that has the store open."""
    copy(work)
    with contextlib.closing(Store.open(work.folder)) as store:
        for _ in range(2):
            begun = time.time()
            restore(work.folder, work.home.parent / "copy.sqlite", content_key)
            work.note("restored", "", begun)
        store.count(Filter())
    work.ended.wait(0.3)


def open_beside(work: Work) -> None:
    """Open the store a second time while it is open, as `demo` does, and write through the first."""
    with contextlib.closing(Store.open(work.folder)) as store:
        for _ in range(5):
            with contextlib.closing(Store.open(work.folder)) as again:
                again.count(Filter())
            work.write(store)


def run_app(work: Work) -> None:
    """Drive the app without a terminal, and log its acknowledged commands."""
    from curator.tui.app import CuratorApp
    from curator.ui_defaults import Looks

    async def drive(store: Store) -> None:
        app, upto = CuratorApp(store, Looks()), 0
        async with app.run_test(size=(120, 36)) as pilot:
            await pilot.pause(0.5)
            await pilot.press("2")
            while not work.ended.is_set():
                begun = time.time()
                for key in ("j", "p"):
                    await pilot.press(key)
                    await pilot.pause(0.05)
                done = [one for one in store.journal.log(limit=20) if one.id > upto]
                for one in done:
                    if one.verb in ("pin", "unpin"):  # no other process does that
                        work.note("wrote", f"{one.verb} {one.id} {one.at}", begun)
                upto = max([upto, *(one.id for one in done)])
                work.note("turn", "", begun)

    with contextlib.closing(Store.open(work.folder)) as store:
        asyncio.run(drive(store))


def decide(work: Work) -> None:
    """Change a memory in several ways and undo the last change."""
    with contextlib.closing(Store.open(work.folder)) as store:
        ids = store.list_ids(Filter(), limit=200)
        memory = random.choice(ids)
        curation.pin(store, [memory])
        curation.validate(store, [random.choice(ids)])


def search(work: Work) -> None:
    """Update the index and search."""
    from curator.models import load_embedder
    from curator.paths import cache_folder
    from store.index import Index

    with contextlib.closing(Store.open(work.folder)) as store:
        index = Index(store, load_embedder("hashing", cache_folder()).fingerprint)
        index.catch_up()
        index.search_text("wrote", Filter(), 10)


def command_line(work: Work) -> None:
    """Add a memory with the command line."""
    begun, text = time.time(), f"{work.name} typed {work.count}"
    work.count += 1
    done = subprocess.run(
        [sys.executable, "-m", "curator", "add", text],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"curator add: {done.stderr.strip()[-200:]}")
    work.note("wrote", text, begun)


LOOPS = {
    "import": bring_in,
    "backup": copy,
    "doctor": examine,
    "restore": restore_twice,
    "demo": open_beside,
}
MIX = (write_anew,) * 10 + (decide,) * 3 + (command_line, bring_in, open_beside, search, copy, examine)


def main() -> None:
    home, kind, name = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    os.environ.update(CURATOR_HOME=str(home), CURATOR_EMBED__PROVIDER="hashing")
    with Path(sys.argv[4]).open("a", encoding="utf-8") as notes:
        work = Work(home, name, notes)
        if kind == "write":
            for _ in range(int(sys.argv[5])):
                work.turn(write_anew)
            return
        threading.Thread(target=work.end_with_input, daemon=True).start()
        chance = random.Random(sys.argv[5] if kind == "mixed" else 0)
        while not work.ended.is_set():
            work.turn(run_app if kind == "app" else chance.choice(MIX) if kind == "mixed" else LOOPS[kind])


if __name__ == "__main__":
    main()
