"""A year in the life of the demo's memories: `python tests/bench/year.py [--json]`.

The clock jumps day by day. Nora asks a question or two most days, on what occupies her in that season; what is recalled
is recorded and marked; she validates some of what she sees in the first weeks. The sweep tidies every day. Printed: how
many memories are in each state at the end of each month, what was done, and how long a run takes. At the end every run
is taken back, from the last to the first, and the state is the one of the beginning but for what Nora decided.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from curator import curation
from curator.demo import logs
from curator.jobs.importing import import_paths
from curator.lifecycle import mark_useful, plan, run
from curator.models import load_embedder
from curator.paths import cache_folder
from store import Filter, Store, clock
from store.model import Review

QUESTIONS = 12  # memories that a season's questions are about
DAYS = 365


def main() -> None:
    """Live the year and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    with tempfile.TemporaryDirectory(prefix="curator-year-") as name:
        store = Store.open(Path(name))
        import_paths(store, sorted(logs().iterdir()), load_embedder("hashing", cache_folder()))
        rows = live(store)
        store.close()
    if as_json:
        print(json.dumps(rows))
        return
    print("month   new  high   low  expired  forgotten  validated   raised demoted expired removed   ms a run")
    for row in rows:
        print(
            f"{row['month']:>5}{row['new']:>6}{row['high']:>6}{row['low']:>6}{row['expired']:>9}{row['forgotten']:>11}"
            f"{row['validated']:>11}{row['raise']:>9}{row['demote']:>8}{row['expire']:>8}{row['remove']:>8}{row['ms']:>11.1f}"
        )


def live(store: Store) -> list[dict[str, float]]:
    """Live through a year; a row of counts for each month."""
    random, present = Random(7), clock.now()
    real = clock.now
    commands: list[int] = []
    rows: list[dict[str, float]] = []
    steps: Counter[str] = Counter()
    spent, runs = 0.0, 0
    try:
        for day in range(DAYS + 1):
            moment = present + day * clock.DAY
            clock.now = lambda moment=moment: moment  # type: ignore[assignment, misc]
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
    finally:
        clock.now = real
    assert not store.differences()
    for command in reversed(commands):
        store.undo(command)
    assert not store.differences()
    left = _states(store)
    assert left["high"] == left["low"] == left["expired"] == 0, left
    return rows


def _use(store: Store, random: Random, day: int) -> None:
    """Most days something is recalled: what the season is about, and now and then anything."""
    live = store.list_ids(Filter(), descending=False)
    season = Random(day // 60).sample(live, min(QUESTIONS, len(live)))
    for _ in range(random.choice((0, 1, 1, 2))):
        recalled = [*random.sample(season, min(4, len(season))), random.choice(live)]
        store.record_use(list(dict.fromkeys(recalled)))
        mark_useful(store, recalled[:1], [recalled[-1]] if recalled[-1] != recalled[0] else [])


def _decide(store: Store, random: Random) -> None:
    """In the first weeks the person looks at some of the inbox every day."""
    inbox = store.list_ids(Filter(reviews=(Review.OPEN,)))
    for memory in random.sample(inbox, min(3, len(inbox))):
        random.choice((curation.validate, curation.later, curation.later))(store, [memory])


def _states(store: Store) -> dict[str, float]:
    found = Counter(memory.state for memory in store.get_many(store.list_ids(Filter(lives=()))))
    validated = store.count(Filter(reviews=(Review.VALIDATED,)))
    return {state: found[state] for state in ("new", "high", "low", "expired", "forgotten")} | {"validated": validated}


def _steps(steps: Counter[str]) -> dict[str, float]:
    return {step: steps[step] for step in ("raise", "demote", "expire", "remove")}


if __name__ == "__main__":
    main()
