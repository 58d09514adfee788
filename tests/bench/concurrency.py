"""Check that no acknowledged write is lost while several processes write and others open the record.

    python tests/bench/concurrency.py [--rounds 20] [--writes 200] [--only import demo app backup doctor restore]
    python tests/bench/concurrency.py --minutes 10

In a round, four processes write one memory after the other and reopen the store for each, while a fifth does one kind
of other work as often as it can. With `--minutes`, four processes run a mix of commands on one store while the app runs
in a terminal. A write is lost if it was acknowledged and is not in the journal; beside `restore`, one that was begun
before the end of the last restore may be in the replaced record, which is kept. The exit code is 1 if anything was
lost, duplicated, reported as damaged, failed, or found by `doctor`.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from store import Filter, Store, StoreError
from store.record.changes import Insert, decode

WORK = ("import", "demo", "app", "backup", "doctor", "restore")
WORKER = Path(__file__).with_name("concurrent_worker.py")
WRITERS = 4
_DAMAGE = ("malformed", "damaged", "not a database")
_COUNTS = ("written", "lost", "doubled", "damaged", "unsound")


@dataclass
class Tally:
    """Counts of one round, or of many."""

    written: int = 0  # acknowledged writes
    lost: int = 0
    doubled: int = 0
    damaged: int = 0  # errors that report damage
    errors: Counter[str] = field(default_factory=Counter)  # all other errors
    unsound: int = 0  # rounds after which `doctor` reports a problem
    turns: int = 0  # repetitions of the other work

    def add(self, other: "Tally") -> None:
        """Add the counts of a round."""
        for name in (*_COUNTS, "turns"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.errors.update(other.errors)

    @property
    def clean(self) -> bool:
        """True if nothing went wrong."""
        return not (self.lost or self.doubled or self.damaged or self.errors or self.unsound)


@dataclass(frozen=True)
class Note:
    """A line in a worker's log: an acknowledged write, a restore, a repetition or an error."""

    kind: str
    text: str
    begun: float
    ended: float


class Worker:
    """A process that works on a store and logs its acknowledged actions to a file."""

    def __init__(self, home: Path, work: str, name: str, *more: str) -> None:
        self._notes = home.parent / f"{name}.notes"
        command = [sys.executable, str(WORKER), str(home), work, name, str(self._notes), *more]
        with (home.parent / f"{name}.out").open("wb") as out:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out)
        self._name = name

    def wait(self) -> None:
        """Wait until the process has finished its share."""
        self._process.wait()

    def end(self) -> None:
        """Let the process finish its current action and exit."""
        self._process.communicate(timeout=300)

    def notes(self) -> list[Note]:
        """Return the logged lines, and an error if the process failed."""
        lines = self._notes.read_text().splitlines() if self._notes.exists() else []
        found = [Note(*json.loads(line)) for line in lines]
        if self._process.returncode:
            out = self._notes.with_suffix(".out").read_text(errors="replace").strip().splitlines()
            found.append(Note("error", f"{self._name} ended with {self._process.returncode}: {out[-1:]}", 0, 0))
        return found


def judge(home: Path, notes: Iterable[Note]) -> Tally:
    """Count acknowledged writes that the store does not have, and errors."""
    tally = Tally()
    said: list[Note] = []
    restored = 0.0
    for note in notes:
        if note.kind == "wrote":
            said.append(note)
        elif note.kind == "restored":
            restored = max(restored, note.ended)
        elif note.kind == "error":
            if any(word in note.text for word in _DAMAGE):
                tally.damaged += 1
            else:
                tally.errors[note.text[:160]] += 1
        tally.turns += note.kind in ("turn", "restored")
    tally.written = len(said)
    try:
        here = texts(home / "store", tally)
    except StoreError as error:
        tally.damaged += 1
        tally.errors[str(error)[:160]] += 1
        here = set()
    kept: set[str] = set()
    if restored:
        for number, copy in enumerate(sorted((home / "store" / "backups").glob("*.sqlite"))):
            former = home.parent / f"former-{number}"
            former.mkdir()
            copy.rename(former / "record.sqlite")
            kept.update(texts(former, None))
    lost = [note.text for note in said if note.text not in here and (note.begun > restored or note.text not in kept)]
    tally.lost = len(lost)
    return tally


def texts(folder: Path, tally: Tally | None) -> set[str]:
    """Return the commands and added texts in a store's journal; tally duplicates and an unsound record."""
    with contextlib.closing(Store.open(folder)) as store:
        found = {f"{one.verb} {one.id} {one.at}" for one in store.journal.log(limit=1_000_000)}
        with store.sqlite() as connection:
            for (data,) in connection.execute("SELECT changes FROM events"):
                for change in decode(data):
                    if isinstance(change, Insert) and change.table == "memories":
                        place = change.columns.index("text")
                        found.update(str(row[place]) for row in change.rows)
        if tally is not None:
            here = Counter(memory.text for memory in store.get_many(store.list_ids(Filter(lives=()))))
            tally.doubled += sum(count > 1 for count in here.values())
            tally.unsound += bool(store.differences())
        return found


def one_round(place: Path, work: str, writes: int) -> Tally:
    """Run four writing processes beside one that does other work."""
    home = prepare(place)
    beside = Worker(home, work, work)
    writers = [Worker(home, "write", f"writer{n}", str(writes)) for n in range(WRITERS)]
    for writer in writers:
        writer.wait()
    beside.end()
    return judge(home, [note for worker in (*writers, beside) for note in worker.notes()])


def long_run(place: Path, minutes: float) -> Tally:
    """Run four processes with a mix of commands beside the app in a terminal."""
    from terminal import DOWN, Terminal

    home = prepare(place)
    environment = {**os.environ, "CURATOR_HOME": str(home), "CURATOR_EMBED__PROVIDER": "hashing"}
    with contextlib.closing(Store.open(home / "store")) as store:
        store.count(Filter())
    mixed = [Worker(home, "mixed", f"mixed{n}", str(n)) for n in range(WRITERS)]
    app = Terminal(["-m", "curator"], environment)
    app.until(b"Inbox")
    ends, keys = (
        time.monotonic() + 60 * minutes,
        (b"2", DOWN, b"a", DOWN, b"p", b"p", b"1", b"a", DOWN, b"x", b"7"),
    )
    turns = 0
    while time.monotonic() < ends:
        app.press(*keys, rate=5)
        turns += 1
    shown = app.shown
    app.end()
    for worker in mixed:
        worker.end()
    tally = judge(home, [note for worker in mixed for note in worker.notes()])
    tally.damaged += sum(shown.count(word.encode()) for word in _DAMAGE)
    tally.turns += turns
    return tally


def prepare(place: Path) -> Path:
    """Make a home folder, and a log beside the place of its store."""
    from curator import curation

    home = place / "home"
    (home / "logs").mkdir(parents=True)
    turns = [{"role": "user", "content": f"I like the number {n} best of all."} for n in range(40)]
    (home / "logs" / "chat.json").write_text(json.dumps({"messages": turns}))
    with contextlib.closing(Store.open(home / "store")) as store:
        for n in range(10):
            curation.add(store, f"Nora owns book {n}")
    return home


def show(rows: Sequence[tuple[str, Tally, float]]) -> None:
    """Print a line of counts for each kind of work."""
    print(f"{'beside':10}{''.join(f'{name:>9}' for name in (*_COUNTS, 'errors', 'turns'))}")
    for work, tally, seconds in rows:
        counts = (*(getattr(tally, name) for name in _COUNTS), tally.errors.total(), tally.turns)
        print(f"{work:10}{''.join(f'{count:9,}' for count in counts)}   {seconds:.0f} s")
        for text, count in tally.errors.most_common(5):
            print(f"    {count} times: {text}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--writes", type=int, default=200, help="by each of the four processes in a round")
    parser.add_argument("--only", nargs="+", choices=WORK, default=WORK)
    parser.add_argument("--minutes", type=float, help="a mix of commands with the app in a terminal")
    options = parser.parse_args()
    rows = []
    for work in ["mix"] if options.minutes else options.only:
        began, total = time.monotonic(), Tally()
        for _ in range(1 if options.minutes else options.rounds):
            with tempfile.TemporaryDirectory(prefix="concurrency-") as place:
                total.add(
                    long_run(Path(place), options.minutes)
                    if options.minutes
                    else one_round(Path(place), work, options.writes)
                )
        rows.append((work, total, time.monotonic() - began))
        show(rows[-1:])
    if len(rows) > 1:
        print()
        show(rows)
    return 0 if all(tally.clean for _, tally, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
