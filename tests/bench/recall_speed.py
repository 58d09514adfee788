"""How long a warm recall takes, what the time is made of, and what a person might use instead.

    python tests/bench/recall_speed.py FOLDER 10000 100000

Memories and their vectors are synthetic (`stores.py`), questions are embedded for real. On a machine that is busy with
other things the wall clock says little: the load is printed, and the processor time of each call beside it.
"""

import argparse
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import numpy as np

from building import build_store
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.recall import Wanted, block, find
from curator.recall.presets import RECIPES, ranked
from curator.recall.search import sheets_of
from store import Filter, Store
from store.index import Index
from stores import texts, vectors

BUDGETS = {10_000: 20, 100_000: 25, 1_000_000: 35}
CALLS = 100
TOP = 10


def questions() -> Iterator[str]:
    """Prompts of a few words, which share them with some of the memories."""
    starts = ("where did", "what do I know about", "plan a day around", "when was", "who told me of")
    for start, text in zip(cycle(starts), texts(2_000, seed=7), strict=False):
        yield f"{start} {' '.join(text.split()[2:8])}"


def measure(folder: Path, size: int) -> None:
    """One store of a size."""
    home = folder / f"recall-{size}"
    store = Store.open(home) if home.exists() else build_store(home, size)
    embedder = load_embedder("minilm", cache_folder())
    index = Index.open(store, embedder.fingerprint)
    began = time.perf_counter()
    index.catch_up()
    asked = questions()
    for _ in range(10):
        find(store, index, embedder, next(asked), Filter())
    disk = {
        name: sum(file.stat().st_size for file in place.rglob("*") if file.is_file()) / 1e6
        for name, place in (("all", home), ("index", home / "index"))
    }
    print(
        f"\n{size:,} memories · {disk['all']:,.0f} MB on disk, {disk['index']:,.0f} of it the index · "
        f"opened and warm in {time.perf_counter() - began:,.1f} s"
    )
    print(f"{'':44s} {'p50':>8s} {'p95':>8s} {'p99':>8s}  ms   processor, p50   load")
    budget = f"p50 ≤ {BUDGETS[size]}, p95 ≤ {2 * BUDGETS[size]}" if size in BUDGETS else ""
    row("recall", lambda: find(store, index, embedder, next(asked), Filter()), budget)
    row("recall and its block", lambda: block(store, find(store, index, embedder, next(asked), Filter()).hits, 800))
    row("  embedding the question", lambda: embedder.embed_query([next(asked)]))
    row("  one full-text search", lambda: index.search_text(next(asked), Filter(), 100))
    row("  the other, with what was said around", lambda: index.search_context(next(asked), Filter(), 100))
    probes = cycle(np.concatenate(list(vectors(200, seed=9))))
    row("  the vector search", lambda: index.search_vector(next(probes), Filter(), 100))
    sheets = [next(sheets_of(store, index, embedder, [(next(asked), Filter())])) for _ in range(20)]
    known = cycle(sheets)
    ids = cycle([[memory.id for memory in sheet.memories] for sheet, _ in sheets])
    row("  reading the candidates", lambda: index.outlines(next(ids)))
    row("  their vectors", lambda: index.vectors(next(ids)))
    row("  ranking them", lambda: ranked(RECIPES[Wanted().preset], next(known)[0]))
    instead(store, index, embedder.fingerprint.dimension)


def instead(store: Store, index: Index, dimension: int) -> None:
    """SQLite's full text, a matrix product and LanceDB's own hybrid search; the last two are given the vector."""
    from lancedb.rerankers import RRFReranker

    asked = questions()
    plain = sqlite3.connect(":memory:")
    plain.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter')")
    with store.sqlite() as connection:
        plain.executemany(
            "INSERT INTO t(rowid, text) VALUES (?, ?)", connection.execute("SELECT id, text FROM memories")
        )
    matrix = np.concatenate(
        [np.frombuffer(rows, np.float32).reshape(-1, dimension) for _, rows in store.vectors(index.fingerprint)]
    )
    probes = cycle(np.concatenate(list(vectors(200, seed=9))))

    def fts() -> object:
        words = " OR ".join(f'"{word}"' for word in next(asked).split())
        query = f"SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT {TOP}"
        return plain.execute(query, (words,)).fetchall()

    def product() -> object:
        return np.argpartition(-(matrix @ next(probes)), TOP)[:TOP]

    def lance() -> object:
        search = index._tables().memories.search(query_type="hybrid", vector_column_name="vector", fts_columns="text")
        search = search.vector(next(probes)).text(next(asked)).distance_type("cosine")
        return search.select(["id"]).limit(TOP).rerank(RRFReranker()).to_arrow()

    row(f"instead: SQLite FTS5, bm25, top {TOP}", fts)
    row(f"instead: numpy product, exact top {TOP}", product)
    row(f"instead: LanceDB directly, hybrid, top {TOP}", lance)


def row(what: str, work: Callable[[], object], budget: str = "") -> None:
    """Run something, and print how long it took."""
    wall, processor = [], []
    for _ in range(CALLS):
        began, used = time.perf_counter(), time.process_time()
        work()
        wall.append(1000 * (time.perf_counter() - began))
        processor.append(1000 * (time.process_time() - used))
    p50, p95, p99 = np.percentile(wall, (50, 95, 99))
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(
        f"{what:44s} {p50:8.1f} {p95:8.1f} {p99:8.1f}  {np.median(processor):17.1f} {busy:6.1f}  {budget}", flush=True
    )


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description="Measure warm recall.")
    parser.add_argument("folder", type=Path, help="where the stores are made, and found the next time")
    parser.add_argument("sizes", type=int, nargs="+")
    given = parser.parse_args()
    for size in given.sizes:
        measure(given.folder, size)


if __name__ == "__main__":
    main()
