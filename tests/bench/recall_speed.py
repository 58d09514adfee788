"""Time a recall, warm and cold, with its parts and alternatives, and how time and disk grow with the memories.

    python tests/bench/recall_speed.py FOLDER 10000 100000

Memories and their vectors are synthetic (`stores.py`), questions are embedded for real. On a busy machine the wall
clock says little: the load is printed, and the processor time of each call.
"""

import argparse
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

import recall_cold
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.recall import SearchOptions, block, find
from curator.recall.candidates import sheets_of
from curator.recall.presets import RECIPES, rank_candidates
from curator.recall.search import candidate_options
from store import Filter, Store
from store.index import Index
from store_builder import build_store
from stores import texts, vectors

BUDGETS = {10_000: 20, 100_000: 25, 1_000_000: 35}
CALLS = 100
TOP = 10
PARTS = {"record": "record.sqlite*", "index": "index", "snapshot": "analytics", "backups": "backups"}


@dataclass(frozen=True, slots=True)
class Grown:
    """Cost of a store of a size: megabytes by part, seconds to make it and to open it, milliseconds of a recall."""

    size: int
    disk: dict[str, float]
    made: float | None
    opened: float
    warm: tuple[float, float, float]
    cold: float


def questions() -> Iterator[str]:
    """Yield prompts of a few words that occur in some of the memories."""
    starts = ("where did", "what do I know about", "plan a day around", "when was", "who told me of")
    for start, text in zip(cycle(starts), texts(2_000, seed=7), strict=False):
        yield f"{start} {' '.join(text.split()[2:8])}"


def disk_of(home: Path) -> dict[str, float]:
    """Return the megabytes of each part of a store."""
    known = {name: sum(_bytes(path) for path in home.glob(pattern)) / 1e6 for name, pattern in PARTS.items()}
    return {**known, "other": _bytes(home) / 1e6 - sum(known.values())}


def _bytes(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def measure(folder: Path, size: int) -> Grown:
    """Measure one store of a size."""
    home = folder / f"recall-{size}"
    began = time.perf_counter()
    there = home.exists()
    store = Store.open(home) if there else build_store(home, size)
    made = None if there else time.perf_counter() - began
    embedder = load_embedder("minilm", cache_folder())
    index = Index(store, embedder.fingerprint)
    began = time.perf_counter()
    index.catch_up()
    asked = questions()
    for _ in range(10):
        find(store, index, embedder, next(asked), Filter())
    opened, disk = time.perf_counter() - began, disk_of(home)
    print(f"\n{size:,} memories · {sum(disk.values()):,.0f} MB on disk · opened and warm in {opened:,.1f} s")
    print(f"{'':44s} {'p50':>8s} {'p95':>8s} {'p99':>8s}  ms   processor, p50   load")
    budget = f"p50 ≤ {BUDGETS[size]}, p95 ≤ {2 * BUDGETS[size]}" if size in BUDGETS else ""
    warm = row("recall", lambda: find(store, index, embedder, next(asked), Filter()), budget)
    row("recall and its block", lambda: block(store, find(store, index, embedder, next(asked), Filter()).hits, 800))
    row("  embedding the question", lambda: embedder.embed_query([next(asked)]))
    row("  one full-text search", lambda: index.search_text(next(asked), Filter(), 100))
    row("  a full-text search with context", lambda: index.search_text(next(asked), Filter(), 100, "context"))
    probes = cycle(np.concatenate(list(vectors(200, seed=9))))
    row("  the vector search", lambda: index.search_vector(next(probes), Filter(), 100))
    plain = candidate_options(SearchOptions())
    sheets = [next(sheets_of(store, index, embedder, [(next(asked), Filter())], plain)) for _ in range(20)]
    known = cycle(sheets)
    ids = cycle([[memory.id for memory in sheet.memories] for sheet, _ in sheets])
    row("  reading the candidates", lambda: index.record.outlines(next(ids)))
    row("  reading their vectors", lambda: index.record.vectors(next(ids)))
    row("  ranking them", lambda: rank_candidates(RECIPES[SearchOptions().preset], next(known)[0]))
    instead(store, index, embedder.fingerprint.dimension)
    return Grown(size, disk, made, opened, warm, recall_cold.show(home))


def growth(grown: list[Grown]) -> None:
    """Print how all figures grow with the memories."""
    names = list(grown[0].disk)
    print("\ngrowth with the number of memories")
    print(
        f"{'memories':>10s}"
        + "".join(f"{name:>10s}" for name in names)
        + f"{'MB in all':>11s}{'bytes each':>11s}{'made, s':>9s}{'opened, s':>10s}{'p50':>7s}{'p95':>7s}{'p99':>7s}"
        + f"{'cold, ms':>9s}"
    )
    for one in grown:
        whole = sum(one.disk.values())
        made = "reused" if one.made is None else f"{one.made:,.0f}"
        print(
            f"{one.size:10,d}"
            + "".join(f"{one.disk[name]:10,.1f}" for name in names)
            + f"{whole:11,.1f}{1e6 * whole / one.size:11,.0f}{made:>9s}{one.opened:10,.1f}"
            + "".join(f"{taken:7.1f}" for taken in one.warm)
            + f"{one.cold:9,.0f}"
        )


def instead(store: Store, index: Index, dimension: int) -> None:
    """Time SQLite's full text, a matrix product and LanceDB's hybrid search; the last two with ready vectors."""
    from lancedb.rerankers import RRFReranker

    asked = questions()
    plain = sqlite3.connect(":memory:")
    plain.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter')")
    with store.sqlite() as connection:
        plain.executemany(
            "INSERT INTO t(rowid, text) VALUES (?, ?)", connection.execute("SELECT id, text FROM memories")
        )
    matrix = np.concatenate(
        [np.frombuffer(rows, np.float32).reshape(-1, dimension) for _, rows in store.vectors.blocks(index.fingerprint)]
    )
    probes = cycle(np.concatenate(list(vectors(200, seed=9))))

    def fts() -> object:
        words = " OR ".join(f'"{word}"' for word in next(asked).split())
        query = f"SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT {TOP}"
        return plain.execute(query, (words,)).fetchall()

    def product() -> object:
        return np.argpartition(-(matrix @ next(probes)), TOP)[:TOP]

    def lance() -> object:
        search: Any = index._tables().memories.search(
            query_type="hybrid", vector_column_name="vector", fts_columns="text"
        )
        search = search.vector(next(probes)).text(next(asked)).distance_type("cosine")
        return search.select(["id"]).limit(TOP).rerank(RRFReranker()).to_arrow()

    row(f"instead: SQLite FTS5, bm25, top {TOP}", fts)
    row(f"instead: numpy product, exact top {TOP}", product)
    row(f"instead: LanceDB directly, hybrid, top {TOP}", lance)


def row(what: str, work: Callable[[], object], budget: str = "") -> tuple[float, float, float]:
    """Print how long some work took; return p50, p95 and p99 in milliseconds."""
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
    return float(p50), float(p95), float(p99)


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description="Measure warm recall.")
    parser.add_argument("folder", type=Path, help="folder for the stores, which are reused the next time")
    parser.add_argument("sizes", type=int, nargs="+")
    given = parser.parse_args()
    growth([measure(given.folder, size) for size in given.sizes])


if __name__ == "__main__":
    main()
