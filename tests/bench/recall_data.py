"""Questions with known answers, on stores made by the program's own import, and the scoring of results.

Memories come as `--memories FILE QUESTIONS` (stored as they are, each an answer itself) or `--logs FILE QUESTIONS`
(distilled; a memory answers by the messages that its evidence cites). A question is a line {qid, query, gold: [ids],
project?, conversation?}.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from curator.models import Embedder, load_embedder
from curator.paths import cache_folder
from curator.recall import SearchOptions, candidate_options
from installed import environment
from store import Filter, Store
from store.index import Index

AT = (5, 10, 25)
COLUMNS = (*(f"R@{k}" for k in AT), "MRR")
NOW = 1_790_000_000_000_000  # fixed date for ages, so that runs agree
SEARCH = candidate_options(SearchOptions(now=NOW))


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the ids of its answers, and the conversation it belongs to."""

    query: str
    filter: Filter
    gold: frozenset[str]
    group: str


@dataclass(frozen=True, slots=True)
class Data:
    """A store with questions about it. `cites` returns the answer ids that a memory stands for, given its id."""

    name: str
    store: Store
    index: Index
    embedder: Embedder
    cases: tuple[Case, ...]
    cites: Callable[[int], frozenset[str]]

    @property
    def asked(self) -> list[tuple[str, Filter]]:
        return [(case.query, case.filter) for case in self.cases]


def arguments(about: str) -> argparse.ArgumentParser:
    """Return a parser with the options for the data."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("folder", type=Path, help="folder for the stores, which are reused the next time")
    for option, what in (("--memories", "ready memories"), ("--logs", "a log to be distilled")):
        parser.add_argument(
            option, type=Path, nargs=2, action="append", default=[], metavar=("FILE", "QUESTIONS"), help=what
        )
    return parser


def load(given: argparse.Namespace) -> Iterator[Data]:
    """Yield the data sets that the options name, imported on the first run."""
    for distilled, pairs in ((False, given.memories), (True, given.logs)):
        for file, questions in pairs:
            yield _load(given.folder / file.stem, file, questions, distilled)


def _load(home: Path, file: Path, questions: Path, distilled: bool) -> Data:
    if not home.exists():
        kind = () if distilled else ("--format", "memories")
        command = (sys.executable, "-m", "curator", "import", *kind, str(file))
        subprocess.run(command, check=True, env=environment(home), stdout=subprocess.DEVNULL)
    store = Store.open(home / "store")
    embedder = load_embedder("minilm", cache_folder())
    index = Index(store, embedder.fingerprint)
    index.catch_up()
    every = store.list_ids(Filter())
    sources = store.sources(every)

    names = {memory.id: memory.external_id or "" for memory in store.get_many(every)}

    def cites(memory: int) -> frozenset[str]:
        return frozenset(sources.get(memory, ()) if distilled else (names[memory],))

    return Data(file.stem, store, index, embedder, tuple(map(_case, _lines(questions))), cites)


def _lines(file: Path) -> Iterator[dict[str, object]]:
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _case(row: dict[str, object]) -> Case:
    project = row.get("project")
    which = Filter(projects=(str(project),)) if project else Filter()
    gold = row["gold"]
    assert isinstance(gold, list)
    return Case(str(row["query"]), which, frozenset(gold), str(project or row.get("conversation")))


def scored(answers: Sequence[tuple[Sequence[frozenset[str]], frozenset[str]]]) -> tuple[float, ...]:
    """Return R@5, R@10, R@25 and MRR, averaged over the questions; each has the ids of every hit, and its gold ids."""
    rows = []
    for hits, gold in answers:
        found = [len(gold & frozenset().union(*hits[:k])) / len(gold) for k in AT]
        rows.append((*found, next((1 / place for place, cited in enumerate(hits, 1) if cited & gold), 0.0)))
    return tuple(float(value) for value in np.mean(rows, axis=0))


def figures(values: Sequence[float]) -> str:
    """Return R@5, R@10 and MRR of `scored`, as columns."""
    return f"{values[0]:6.3f} {values[1]:5.3f} {values[3]:5.3f}"


def line(name: str, values: Sequence[float], *more: str) -> None:
    """Print one row of a table."""
    print(f"{name:34s} " + "  ".join(f"{value:5.3f}" for value in values) + "".join(f"  {text:>8s}" for text in more))
