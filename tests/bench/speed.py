"""Measure the program beside alternatives a user might choose, on the same data in the same run.

    python tests/bench/speed.py 10000 100000              # sizes of the stores to make, in memories
    python tests/bench/speed.py --keep FOLDER 1000000     # keeps the stores, and uses them again

Prints one table per size; budgets are those the program sets itself. Nothing here is a test: a busy machine shifts all
rows of a run alike, so compare them with each other.
"""

import argparse
import contextlib
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from curator import curation
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.recall import find
from installed import environment
from store import Filter, Sort, Store
from store.analytics import Analytics
from store.index import Index
from store.model import Kind, Review, Tier
from store_builder import build_store
from stores import vectors

QUERIES = [
    "where does my sister live",
    "what do I never drink in the evening",
    "which version of Postgres do we use",
    "deadline of the harbour project",
    "allergic to",
    "flight to Lisbon in May",
    "what did we decide about deploys",
    "how many cats do I have",
    "dark-chocolate",
    "invoice from Kestrel",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--keep", type=Path)
    wanted = parser.parse_args()
    if wanted.keep:
        for size in wanted.sizes:
            measure(wanted.keep / str(size), size)
        return
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as folder:
        for size in wanted.sizes:
            measure(Path(folder) / str(size), size)


def measure(home: Path, size: int) -> None:
    """Make a store of a size, or use the existing one, and print its table."""
    print(f"\n## {size:,} memories\n")
    folder = home / "store"
    if not folder.exists():
        with timed("made through Store.admit, vectors given"):
            build_store(folder, size).close()
    store = Store.open(folder)
    embedder = load_embedder("minilm", cache_folder())
    index = Index(store, embedder.fingerprint)
    with timed("index caught up (nothing to do if the store was kept)"):
        index.catch_up()
    megabytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    row("on disk, vectors and index included", f"{megabytes:,.0f} MB", "600 MB at 100,000")
    browsing(store)
    commands(store)
    recall(store, index, size)
    instead(store, size)
    processes(home)
    store.close()


def browsing(store: Store) -> None:
    """Time the queries of the list: to the record for the first screen, to DuckDB from then on."""
    ids = store.list_ids(Filter())
    some = ids[: len(ids) // 2 : max(1, len(ids) // 512)][:256]
    row("first 200 ids by date, from SQLite", spread(lambda: store.list_ids(Filter(), limit=200)))
    row("a page of 256 rows by id, from SQLite", spread(lambda: store.get_many(some)))
    row("all ids by date, from SQLite", spread(lambda: store.list_ids(Filter()), 5))
    analytics = Analytics(store)
    with timed("DuckDB filled from the record"):
        analytics.follow()
    wanted = Filter(kinds=(Kind.PREFERENCE,), tiers=(Tier.CORE,))
    budget = "≤ 50 ms at 100,000"
    row("all ids by date", spread(lambda: analytics.list_ids(Filter())), budget)
    row("all ids, filtered by kind and tier", spread(lambda: analytics.list_ids(wanted)), budget)
    row("all ids, sorted by confidence", spread(lambda: analytics.list_ids(Filter(), Sort.CONFIDENCE)), budget)
    row("all ids whose text holds a word", spread(lambda: analytics.list_ids(Filter(words=("saffron",)))), budget)
    facets = ("kind", "tier", "state", "source", "project", "tag")
    row("six facets with counts", spread(lambda: [analytics.facet(by, Filter()) for by in facets]), budget)
    curation.pin(store, ids[:1])
    row("following one change", spread(analytics.follow, 1))
    store.undo()
    analytics.close()


def commands(store: Store) -> None:
    """Time single decisions until they are on disk."""
    ids = store.list_ids(Filter(reviews=(Review.OPEN,)), limit=400)
    each = iter(ids)
    row("validate one memory, acknowledged", spread(lambda: curation.validate(store, [next(each)]), 100), "≤ 5 ms")
    row("undo it", spread(lambda: store.undo(), 100))
    many = store.list_ids(Filter(), limit=100_000)
    row(f"forget {len(many):,} in one step", spread(lambda: curation.forget(store, many), 1))
    row("undo that", spread(lambda: store.undo(), 1))


def recall(store: Store, index: Index, size: int) -> None:
    """Time a warm search in one process, query embedding included, and its parts."""
    index.catch_up()
    embedder = load_embedder("minilm", cache_folder())
    questions = iter(QUERIES * 12)
    for _ in range(10):
        find(store, index, embedder, next(questions), Filter())
    budget = {10_000: "p50 ≤ 20 ms", 100_000: "p50 ≤ 25 ms", 1_000_000: "p50 ≤ 35 ms"}.get(size, "")
    row(
        "recall, warm",
        spread(lambda: find(store, index, embedder, next(questions), Filter()), 100),
        budget,
    )
    questions = iter(QUERIES * 12)
    row("  of it: embedding the query", spread(lambda: embedder.embed([next(questions)]), 50))
    questions = iter(QUERIES * 12)
    row("  of it: one full-text search", spread(lambda: index.search_text(next(questions), Filter(), 50), 50))
    probes = iter(np.concatenate(list(vectors(60, seed=9))))
    row("  of it: one vector search", spread(lambda: index.search_vector(next(probes), Filter(), 50), 50))


def instead(store: Store, size: int) -> None:
    """Time SQLite's full text and a plain matrix product on the same texts and vectors."""
    plain = sqlite3.connect(":memory:")
    plain.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter')")
    with store.sqlite() as connection:
        plain.executemany(
            "INSERT INTO t(rowid, text) VALUES (?, ?)", connection.execute("SELECT id, text FROM memories")
        )
    questions = iter(QUERIES * 6)

    def ask() -> list[tuple[int]]:
        words = " OR ".join(f'"{word}"' for word in next(questions).split())
        query = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10"
        return plain.execute(query, (words,)).fetchall()

    row("instead: SQLite FTS5, bm25, top 10", spread(ask, 50))
    matrix = np.concatenate(list(vectors(size, seed=1)))
    probes = iter(np.concatenate(list(vectors(60, seed=9))))
    row("instead: numpy product, exact top 10", spread(lambda: np.argpartition(-(matrix @ next(probes)), 10)[:10], 20))


def processes(home: Path) -> None:
    """Time whole processes, from start to exit; `app.py` measures the app."""

    def run(*words: str) -> Callable[[], object]:
        command = [sys.executable, "-m", "curator", *words]
        return lambda: subprocess.run(command, env=environment(home), capture_output=True, check=False)

    row("curator --help", spread(run("--help"), 5), "≤ 250 ms")
    row("curator --version", spread(run("--version"), 5), "≤ 250 ms")
    numbers = iter(range(1000))
    start = time.time_ns()
    row("curator add", spread(lambda: run("add", f"the bench says {start} {next(numbers)}")(), 5), "≤ 500 ms")
    row("curator undo", spread(run("undo"), 5), "≤ 500 ms")
    row("curator recall, cold", spread(run("recall", "where does my sister live"), 3), "printed only")


def spread(work: Callable[[], object], times: int = 20) -> str:
    """Run something several times and return percentiles of its time, as text."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - began))
    taken.sort()
    if times < 20:
        return f"p50 {taken[times // 2]:,.1f} ms · worst {taken[-1]:,.1f} ms"
    p50, p95, p99 = (taken[min(times - 1, round(share * times))] for share in (0.5, 0.95, 0.99))
    return f"p50 {p50:,.1f} ms · p95 {p95:,.1f} · p99 {p99:,.1f}"


def row(what: str, measured: str, budget: str = "") -> None:
    """Print one line of the table."""
    print(f"{what:<58} {measured:<44} {budget}", flush=True)


@contextlib.contextmanager
def timed(what: str) -> Iterator[None]:
    """Print a line for the time of a `with` block."""
    began = time.perf_counter()
    yield
    row(what, f"{time.perf_counter() - began:,.1f} s")


if __name__ == "__main__":
    main()
