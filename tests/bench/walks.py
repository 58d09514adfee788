"""Walk at random through every verb, undo all and redo all: `python tests/bench/walks.py --walks 40 --steps 300`.

A walk is a person's verbs on memories and conflicts, imports of logs and of ready memories, and sweeps (distilling,
embedding, comparing, tidying) in any order, undo and redo included, all drawn by a seed. Afterwards every command that
is not undone is undone, and the state must be that of an empty store; then all is redone, and the state must be the one
before. Every second walk purges, too: of a purge only the undoable part is undone and redone. After each of the three
phases the journal must agree with the rows.

The long form is not run by the tests.
"""

import argparse
import contextlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from curator import curation  # noqa: E402
from curator.lifecycle import mark_useful, plan, run  # noqa: E402
from curator.models import load_embedder  # noqa: E402
from curator.services.import_logs import distil_all, import_paths  # noqa: E402
from curator.services.search_session import embed_missing  # noqa: E402
from curator.sweeps.compare import scan_all  # noqa: E402
from store import Filter, Store, StoreError, clock  # noqa: E402
from store.model import Kind, Life, Tier  # noqa: E402

PLACES = ("Kiel", "Porto", "Lyon", "Graz", "Bergen")
THINGS = ("tea", "coffee", "rye bread", "window seats", "night trains", "short emails")
NAMES = ("Anna", "Ben", "Carla", "Dmitri")
SAYINGS: tuple[Callable[[Random], str], ...] = (
    lambda r: f"I live in {r.choice(PLACES)}.",
    lambda r: f"I prefer {r.choice(THINGS)} to {r.choice(THINGS)}.",
    lambda r: f"My sister {r.choice(NAMES)} works as a nurse in {r.choice(PLACES)}.",
    lambda r: f"Always answer me in {r.randrange(2, 9)} sentences.",
    lambda r: f"I am working on the {r.choice(PLACES)} project with {r.choice(NAMES)} since {r.randrange(2015, 2026)}.",
    lambda r: f"My {r.choice(('dog', 'cat'))} is called {r.choice(NAMES)}.",
)
REFUSED = (StoreError, ValueError)


class Unequal(AssertionError):
    """A state differs from the expected one."""


@dataclass
class Walker:
    """A person, logs and sweeps at work on one store."""

    store: Store
    folder: Path
    chance: Random
    purges: bool
    number: int = 0

    def __post_init__(self) -> None:
        self.embedder = load_embedder("hashing", self.folder)

    def text(self) -> str:
        return self.chance.choice(SAYINGS)(self.chance)

    def some(self, *lives: Life, most: int = 3) -> list[int]:
        found = self.store.list_ids(Filter(lives=lives or (Life.LIVE,)), descending=False)
        return self.chance.sample(found, min(len(found), self.chance.randint(1, most)))

    def one(self, *lives: Life) -> int:
        return next(iter(self.some(*lives, most=1)), 0)

    def log(self) -> Path:
        """Write a log: a new one, an earlier one again, or an earlier one with more messages."""
        name = self.chance.randrange(self.number + 1)
        self.number = max(self.number, name + 1)
        file = self.folder / f"log{name}.json"
        messages = json.loads(file.read_text())["messages"] if file.exists() else []
        if not messages or self.chance.random() < 0.5:
            for _ in range(self.chance.randint(1, 4)):
                messages += [{"role": "user", "content": self.text()}, {"role": "assistant", "content": "Noted."}]
        file.write_text(json.dumps({"messages": messages}))
        return file

    def ready(self) -> Path:
        """Write a file of ready memories."""
        file = self.folder / f"ready{self.chance.randrange(9)}.jsonl"
        ready = [{"id": f"r{self.chance.randrange(30)}", "text": self.text()} for _ in range(3)]
        file.write_text("".join(json.dumps(row) + "\n" for row in ready))
        return file

    def merge(self) -> None:
        draft = curation.draft(self.store, self.some(most=4))
        own = self.chance.random() < 0.5
        curation.merge(self.store, draft.memories, self.text() if own else draft.text, draft.survivor)

    def gather(self) -> None:
        taken, *others = self.some(most=4) or [0]
        curation.gather(self.store, {taken: others}, self.some())

    def settle(self) -> None:
        pairs = curation.waiting(self.store, curation.ConflictFilter())
        if not pairs:
            return
        seen = self.chance.choice(pairs)
        earlier, later = curation.dated(seen)
        ways: Sequence[Callable[[], object]] = (
            lambda: curation.keep(self.store, seen, "a"),
            lambda: curation.keep(self.store, seen, "b"),
            lambda: curation.keep_both(self.store, seen),
            lambda: curation.keep_both(self.store, seen, text_a=earlier, text_b=later),
            lambda: curation.keep_both(self.store, seen, scope_a="project:kiln"),
            lambda: curation.merge_pair(self.store, seen, self.text()),
            lambda: curation.reject_both(self.store, seen),
            lambda: curation.snooze(self.store, seen, self.chance.randrange(9)),
            lambda: curation.bulk(self.store, curation.plan_bulk(pairs, self.chance.choice(list(curation.Rule)), "x")),
        )
        self.chance.choice(ways)()

    def accept_passage(self) -> None:
        refused = self.store.distillation.refused()
        if refused:
            one = self.chance.choice(refused)
            ways: Sequence[Callable[[], object]] = (
                lambda: curation.accept_passage(self.store, one),
                lambda: curation.accept_passage(self.store, one, self.text()),
                lambda: curation.accept_passages(self.store, refused[:5]),
            )
            self.chance.choice(ways)()

    def back_and_forth(self) -> None:
        """Undo some steps and redo them; the state must be as before."""
        before, back = self.store.state_hash(), 0
        with contextlib.suppress(*REFUSED):
            for _ in range(self.chance.randint(1, 4)):
                self.store.undo()
                back += 1
        for _ in range(back):
            self.store.redo()
        if self.store.state_hash() != before:
            raise Unequal(f"{back} steps taken back and done again do not lead to the state of before")

    def undo_one(self) -> None:
        commands = self.store.journal.log(40)
        if commands:
            self.store.undo(self.chance.choice(commands).id)

    def tidy(self) -> None:
        ahead = self.chance.choice((0, 30, 400)) * clock.DAY
        run(self.store, plan(self.store, clock.now() + ahead), manual=self.chance.random() < 0.5)

    def purge(self) -> None:
        if self.purges and self.chance.random() < 0.3:
            self.store.purge(self.some(*Life, most=1), variants=self.chance.random() < 0.5)

    def verbs(self) -> dict[str, Callable[[], object]]:
        """Return every action by name."""
        store, chance = self.store, self.chance
        return {
            "add": lambda: curation.add(
                store, self.text(), chance.choice(list(Kind)), chance.choice(list(Tier)), None, ["walk"]
            ),
            "edit": lambda: curation.edit(store, self.one(), self.text()),
            "validate": lambda: curation.validate(store, self.some()),
            "reject": lambda: curation.reject(store, self.some()),
            "later": lambda: curation.later(store, self.some(), chance.randrange(9)),
            "forget": lambda: curation.forget(store, self.some()),
            "restore": lambda: curation.restore(store, self.some(Life.FORGOTTEN, Life.SUPERSEDED, Life.EXPIRED)),
            "tier": lambda: curation.set_tier(store, self.some(), chance.choice(list(Tier))),
            "kind": lambda: curation.set_kind(store, self.some(), chance.choice(list(Kind))),
            "scope": lambda: curation.set_scope(store, self.some(), chance.choice(("global", "project:kiln"))),
            "until": lambda: curation.set_until(store, self.some(), chance.choice((None, 1, clock.now()))),
            "pin": lambda: curation.pin(store, self.some(), chance.random() < 0.5),
            "score": lambda: curation.score(store, self.some(), chance.choice((None, 0, 5, 10))),
            "adjust": lambda: curation.adjust_score(store, self.some(), chance.choice((-1, 1))),
            "tag": lambda: curation.tag(store, self.some(), [chance.choice(THINGS).split()[0]], ["walk"]),
            "supersede": lambda: curation.supersede(store, self.some(), self.one()),
            "merge": self.merge,
            "gather": self.gather,
            "settle": self.settle,
            "take in": self.accept_passage,
            "undo": lambda: store.undo(),
            "redo": lambda: store.redo(),
            "undo one": self.undo_one,
            "back and forth": self.back_and_forth,
            "use": lambda: mark_useful(store, self.some(), self.some()),
            "import": lambda: import_paths(store, [self.log()], self.embedder),
            "import alone": lambda: import_paths(store, [self.log()], None),
            "ready memories": lambda: import_paths(store, [self.ready()], self.embedder),
            "distil": lambda: distil_all(store, self.embedder, again=chance.random() < 0.5),
            "embed": lambda: embed_missing(store, self.embedder),
            "compare": lambda: scan_all(store, again=chance.random() < 0.3),
            "tidy": self.tidy,
            "purge": self.purge,
        }


def walk(seed: int, number: int, steps: int) -> tuple[list[str], Counter[str]]:
    """Take one walk; return the problems, and how often each verb had an effect."""
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="curator-walk-") as name:
        folder = Path(name)
        with contextlib.closing(Store.open(folder / "store")) as store:
            empty = store.state_hash()
            walker = Walker(store, folder, Random(f"{seed} {number}"), purges=number % 2 == 1)
            verbs = walker.verbs()
            for step in range(steps):
                verb = walker.chance.choice(list(verbs))
                before = store.journal.seq()
                try:
                    with contextlib.suppress(*REFUSED):
                        verbs[verb]()
                except Unequal as error:
                    return [f"in step {step}: {error}"], done
                done[verb] += store.journal.seq() > before
            wrong = [f"after the walk: {line}" for line in store.differences()]
            redo_all(store)  # a walk may end on an undo, which redoing everything would redo, too
            end = store.state_hash()
            left, taken = undo_all(store)
            wrong += [f"after undoing all: {line}" for line in store.differences()]
            if not walker.purges:
                wrong += [f"cannot be taken back: {line}" for line in left]
                wrong += ["undoing all is not the empty store"] if not left and store.state_hash() != empty else []
            again = redo_all(store)
            wrong += [f"after doing all again: {line}" for line in store.differences()]
            if again != taken:
                wrong.append(f"{taken} commands were taken back, and {again} done again")
            elif store.state_hash() != end:
                wrong.append("doing all again is not the state of before")
    return wrong, done


def undo_all(store: Store) -> tuple[list[str], int]:
    """Undo every command that is not undone, latest first; return those that could not be, and the number undone."""
    taken = 0
    while True:
        with store.sqlite() as connection:
            standing = connection.execute(
                "SELECT c.id, c.verb FROM commands c WHERE c.undone IS NULL AND c.undoable"
                " AND c.verb NOT IN ('undo', 'redo') AND EXISTS (SELECT 1 FROM events e WHERE e.command = c.id)"
                " ORDER BY coalesce((SELECT max(r.id) FROM commands u JOIN commands r ON r.target = u.id"
                " WHERE u.target = c.id AND r.verb = 'redo'), c.id) DESC"
            ).fetchall()
        left = []
        for row in standing:
            try:
                store.undo(row["id"])
            except REFUSED as error:
                left.append(f"command {row['id']} ({row['verb']}): {error}")
            else:
                taken += 1
                break
        else:
            return left, taken


def redo_all(store: Store) -> int:
    """Redo what was undone until there is nothing left; return the number of commands."""
    count = 0
    with contextlib.suppress(*REFUSED):
        while True:
            store.redo()
            count += 1
    return count


def main() -> int:
    """Walk and print; the exit code is 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--walks", type=int, default=40)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="The number of the first walk.")
    chosen = parser.parse_args()
    total, bad, began = Counter[str](), 0, time.monotonic()
    for number in range(chosen.first, chosen.first + chosen.walks):
        wrong, done = walk(chosen.seed, number, chosen.steps)
        total += done
        bad += bool(wrong)
        for line in wrong:
            print(f"--seed {chosen.seed} --first {number} --walks 1 --steps {chosen.steps}: {line}", flush=True)
    print(f"{chosen.walks} walks of {chosen.steps} commands, {bad} wrong, {time.monotonic() - began:.0f} s")
    print(", ".join(f"{verb} {count}" for verb, count in total.most_common()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
