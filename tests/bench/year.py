"""Simulate a year of the demo's memories: `python tests/bench/year.py [--keep FOLDER] [--json]`.

The clock goes back a year and jumps day by day until today. Nora asks a question or two most days, on what occupies her
in that season; what is recalled is recorded and marked; she validates some of what she sees in the first weeks, and
forgets a little. The lifecycle sweep runs every day. Printed: how many memories are in each state at the end of each
month, what was done, and how long a run takes. At the end every run is undone in a copy, from the last to the first,
and the state there is the initial one except for what Nora decided.

With --keep the store stays, in a folder for inspection: `CURATOR_HOME=FOLDER curator`, then 6 (Insights).
"""

import argparse
import contextlib
import json
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from unittest.mock import patch

from curator import curation
from curator.demo import logs
from curator.lifecycle import mark_useful, plan, run
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.services.import_logs import import_paths
from store import Filter, Store, clock
from store.analytics import Analytics
from store.analytics.state_history import STATES, spans
from store.model import Actor, Life, Review

QUESTIONS = 12  # memories that a season's questions are about
DAYS = 365


def main() -> None:
    """Simulate the year and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a folder that does not exist yet")
    chosen = parser.parse_args()
    if chosen.keep is not None and chosen.keep.exists():
        parser.error(f"{chosen.keep} already exists")
    with tempfile.TemporaryDirectory(prefix="curator-year-") as name:
        store = Store.open((chosen.keep or Path(name)) / "store")
        rows, commands = live(store)
        check(store)
        undo_runs(store, commands, Path(name) / "copy")
        store.close()
    if chosen.json:
        print(json.dumps(rows))
        return
    print("month   new  high   low  expired  removed  forgotten  validated   raised demoted expired removed   ms a run")
    for row in rows:
        print(
            f"{row['month']:>5}{row['new']:>6}{row['high']:>6}{row['low']:>6}{row['expired']:>9}{row['removed']:>9}"
            f"{row['forgotten']:>11}{row['validated']:>11}{row['raise']:>9}{row['demote']:>8}{row['expire']:>8}"
            f"{row['remove']:>8}{row['ms']:>11.1f}"
        )
    if chosen.keep is not None:
        print(f"\nkept: CURATOR_HOME={chosen.keep} curator, then 6")


def live(store: Store) -> tuple[list[dict[str, float]], list[int]]:
    """Simulate a year; return a row of counts for each month, and the commands of the runs."""
    random, present = Random(7), clock.now()
    commands: list[int] = []
    rows: list[dict[str, float]] = []
    steps: Counter[str] = Counter()
    spent, runs = 0.0, 0
    for day in range(DAYS + 1):
        moment = present - (DAYS - day) * clock.DAY
        with patch.object(clock, "now", lambda moment=moment: moment):
            if not day:
                import_paths(store, sorted(logs().iterdir()), load_embedder("hashing", cache_folder()))
            _use(store, random, day)
            if day < 30:
                _decide(store, random)
            began = time.perf_counter()
            command, done = run(store, plan(store))
            spent, runs = spent + time.perf_counter() - began, runs + 1
            steps.update(change.step.value for change in done)
            commands += [command] if command else []
            if day % 30 == 0 and day:
                rows.append({"month": day // 30, **_states(store), **_steps(steps), "ms": 1000 * spent / runs})
    return rows, commands


def check(store: Store) -> None:
    """Check that the chart of Insights, computed from the journal, ends with the store's current counts."""
    assert not store.differences()
    with contextlib.closing(Analytics(store)) as analytics:
        analytics.follow()
        last = dict(zip(STATES, spans(analytics.ask_past, clock.now())[-1].counts, strict=True))
    now = _states(store)
    assert last == {state: now[state] for state in STATES}, (last, now)


def undo_runs(store: Store, commands: list[int], folder: Path) -> None:
    """Undo every run in a copy of the store, and check that none of their effects is left."""
    folder.mkdir()
    store.backup(folder / "record.sqlite")
    with contextlib.closing(Store.open(folder)) as copy:
        for command in reversed(commands):
            copy.undo(command)
        assert not copy.differences()
        left = _states(copy)
        assert left["high"] == left["low"] == left["expired"] == left["removed"] == 0, left


def _use(store: Store, random: Random, day: int) -> None:
    """Recall on most days, mostly about the season's subjects, sometimes about anything."""
    live = store.list_ids(Filter(), descending=False)
    season = Random(day // 60).sample(live, min(QUESTIONS, len(live)))
    for _ in range(random.choice((0, 1, 1, 2))):
        recalled = [*random.sample(season, min(4, len(season))), random.choice(live)]
        store.recalls.record_use(list(dict.fromkeys(recalled)))
        mark_useful(store, recalled[:1], [recalled[-1]] if recalled[-1] != recalled[0] else [])


def _decide(store: Store, random: Random) -> None:
    """Decide about some of the inbox every day in the first weeks, and sometimes forget a memory."""
    inbox = store.list_ids(Filter(reviews=(Review.OPEN,)))
    for memory in random.sample(inbox, min(3, len(inbox))):
        random.choice((curation.validate, curation.later, curation.later))(store, [memory])
    if random.random() < 0.2:
        curation.forget(store, [random.choice(inbox)])


def _states(store: Store) -> dict[str, int]:
    """Count states memory by memory, independently of the chart."""
    found: Counter[str] = Counter()
    for memory in store.get_many(store.list_ids(Filter(lives=()))):
        fate = store.journal.last_life_change(memory.id) if memory.life is Life.FORGOTTEN else None
        by_itself = fate is not None and fate.actor is Actor.SWEEP
        found["removed" if by_itself else memory.state] += 1
    validated = store.count(Filter(reviews=(Review.VALIDATED,)))
    return {state: found[state] for state in STATES} | {"validated": validated}


def _steps(steps: Counter[str]) -> dict[str, float]:
    return {step: steps[step] for step in ("raise", "demote", "expire", "remove")}


if __name__ == "__main__":
    main()
