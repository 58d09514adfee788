"""Measure how the program scales: stores of several sizes, each beside plain SQLite FTS5 and LanceDB on the same data.

    python tests/bench/scale.py FOLDER 10000:100000 1000000:10000000       # memories:messages
    python tests/bench/scale.py FOLDER 10000:100000 --stages recall alone  # only some stages again

Stores are made in FOLDER and used again the next time. Each stage runs in its own process, whose memory is measured;
its figures are stored in FOLDER/SIZE/figures.json, and the table of all sizes is printed at the end. A figure is the
minimum of a few runs, unless it says p50 or p95. A million memories with ten million messages take half an hour and
15 GB. With CURATOR_INDEX__URI the index is on object storage.
"""

import argparse
import contextlib
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any

import numpy as np

from app import answered, at_rest, relisted, watched
from curator import curation
from curator.conflicts.alert_policy import rules_label
from curator.distill import DISTILLER
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.recall import find
from curator.recall.message_search import grep
from curator.services.search_session import open_index
from curator.sync.key import saved
from curator.sync.run import create, sync
from curator.tui.memories.queries import INBOX
from installed import ROOT, environment
from recall_speed import disk_of, questions
from store import Filter, Sort, Store
from store.index import Index
from store_builder import add_messages, build_store, multiply, write_chatgpt_export
from stores import vectors
from terminal import DOWN, Terminal

Figures = dict[str, float]

DIFFERENT = 1_000_000  # number of memories; larger stores repeat them
TOP = 10
LOG, DISTILLED = 10, 0.2  # megabytes of an imported log
COMMANDS = 500
SYNCED = 1_000_000  # memories of the largest store that is synced as a whole


def build(home: Path, size: int, messages: int) -> Figures:
    """Make the record, with everything marked as distilled and compared; memories beyond a million are copies."""
    began = time.perf_counter()
    build_store(home / "store", min(size, DIFFERENT)).close()
    with contextlib.closing(Store.open(home / "store")) as store:
        multiply(store, size // DIFFERENT)
        made = time.perf_counter()
        add_messages(store, messages)
        with store.sqlite() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO compared (memory, key, rules) SELECT id, content_key, ? FROM memories",
                (rules_label(),),
            )
            connection.execute(
                "INSERT OR REPLACE INTO distilled (conversation, distiller, upto)"
                " SELECT conversation, ?, max(id) FROM messages GROUP BY conversation",
                (DISTILLER,),
            )
    return {"record made, memories, s": made - began, "record made, messages, s": time.perf_counter() - made}


def indexed(home: Path) -> None:
    """Bring the search index up to date with the record."""
    with contextlib.closing(Store.open(home / "store")) as store:
        open_index(store).catch_up()


def index(home: Path, size: int, messages: int) -> Figures:
    """Build the index from nothing, and measure updating it when nothing is new."""
    with contextlib.closing(Store.open(home / "store")) as store:
        Index.drop(store)
    began = time.perf_counter()
    indexed(home)
    taken, disk = time.perf_counter() - began, disk_of(home / "store")
    began = time.perf_counter()
    indexed(home)
    return {
        "index built, s": taken,
        "index, nothing new, s": time.perf_counter() - began,
        "record, MB": disk["record"],
        "index, MB": disk["index"],
        "messages": messages,
    }


def app(home: Path, size: int, messages: int) -> Figures:
    """Open the app, press keys, search and sort, as seen at a terminal."""
    with contextlib.closing(Store.open(home / "store")) as store:
        text = store.get(store.list_ids(INBOX, Sort.MATTERS, 1)[0]).text[:20].encode()
    shutil.rmtree(home / "store" / "analytics", ignore_errors=True)
    found: Figures = {}
    for what in ("first time", "again"):
        with watched(home, "memories") as (terminal, trace):
            listed = trace.wait(lambda state: state.get("whole"), limit=600)
            counted = trace.wait(lambda state: state.get("facets"), limit=600)
            found[f"app: all listed and counted, {what}, s"] = max(listed, counted) - terminal.began
            found[f"app: event loop held up meanwhile, {what}, ms"] = 1000 * trace.stall(terminal.began + 0.4)
            trace.wait(lambda state: state.get("filled"), limit=600)
            time.sleep(15 if what == "first time" and size >= 1_000_000 else 4)  # time for the app to save the snapshot
            found[f"app: memory at most, {what}, MB"] = terminal.memory()[1]
    painted = []
    for _ in range(3):
        terminal = Terminal(["-m", "curator"], environment(home))
        painted.append(terminal.until(text))
        time.sleep(0.5)
        terminal.end()
    found["app: first memory on the screen, ms"] = 1000 * min(painted)
    with at_rest(home, "memories") as (terminal, trace):
        found["app: key down, ms"] = 1000 * min(answered(terminal, DOWN) for _ in range(20))
        found["app: key validate, ms"] = 1000 * min(answered(terminal, b"a") for _ in range(10))
        taken = []
        for word in (b"saffron", b"tea", b"Lisbon"):
            terminal.press(b"/")
            time.sleep(0.5)
            pressed = 0.0
            for letter in word:
                pressed = terminal.press(bytes([letter]))
                time.sleep(0.02)
            before = trace.state()["listed"]
            taken.append(trace.wait(partial(relisted, before=before), pressed) - pressed)
            terminal.press(b"\x1b", b"\x1b", rate=2)
            time.sleep(2)
        found["app: `/` search, from last key to list, ms"] = 1000 * min(taken)
        terminal.press(b"s")
        time.sleep(0.5)
        pressed = terminal.press(b"t")
        sorted_at = trace.wait(
            lambda state: state["order"] == "text" and state["whole"] and not state["reading"], pressed
        )
        found["app: another order, ms"] = 1000 * (sorted_at - pressed)
        found["app: opened and used, memory at most, MB"] = terminal.memory()[1]
    return found


def recall(home: Path, size: int, messages: int) -> Figures:
    """Recall in one process, and search messages."""
    embedder = load_embedder("minilm", cache_folder())
    with contextlib.closing(Store.open(home / "store")) as store:
        index = open_index(store, embedder.fingerprint)
        asked = questions()
        began = time.perf_counter()
        find(store, index, embedder, next(asked), Filter())
        first = time.perf_counter() - began
        for _ in range(10):
            find(store, index, embedder, next(asked), Filter())
        used = time.process_time()
        warm = spread(lambda: find(store, index, embedder, next(asked), Filter()))
        used = 1000 * (time.process_time() - used) / 100
        probes = cycle(np.concatenate(list(vectors(200, seed=9))))
        words = spread(lambda: index.search_text(next(asked), Filter(), 100))
        near = spread(lambda: index.search_vector(next(probes), Filter(), 100))
        said = spread(lambda: grep(store, index, " ".join(next(asked).split()[-2:])), 30)
    cold = [_timed(home, "recall", next(asked))[0] for _ in range(3)]
    return {
        "recall: first of a process, s": first,
        **named("recall: warm", warm),
        "recall: warm, processor time, ms": used,
        "recall: of it one search for words, ms": words[0],
        "recall: of it the search for vectors, ms": near[0],
        **named("grep: messages", said),
        "recall: whole command, ms": 1000 * min(cold),
    }


def write(home: Path, size: int, messages: int) -> Figures:
    """Add memories, validate them, and undo that."""
    embedder = load_embedder("minilm", cache_folder())
    numbers, salt = count(), time.time_ns()
    adding, catching = [], []
    with contextlib.closing(Store.open(home / "store")) as store:
        index = open_index(store, embedder.fingerprint)
        index.catch_up()
        for _ in range(20):
            text = f"The scale bench {salt} says {next(numbers)}."
            began = time.perf_counter()
            memory = curation.add(store, text).id
            store.vectors.add(embedder.fingerprint, [(memory, text, embedder.embed([text])[0].tobytes())])
            added = time.perf_counter()
            index.catch_up()
            adding.append(1000 * (added - began))
            catching.append(1000 * (time.perf_counter() - added))
        ids = iter(store.list_ids(INBOX, limit=200))
        keep = spread(lambda: curation.validate(store, [next(ids)]), 50)
        back = spread(store.undo, 50)
        followed = spread(lambda: Store.open(home / "store").close(), 20)
    commands = [_timed(home, "add", f"a bench adds {salt} and {next(numbers)}")[0] for _ in range(3)]
    return {
        "add: one memory and its vector, ms": min(adding),
        "add: the index brought up to date, ms": min(catching),
        "add: whole command, ms": 1000 * min(commands),
        "validate, ms": keep[0],
        "undo, ms": back[0],
        "store opened, ms": followed[0],
    }


def log(home: Path, size: int, messages: int) -> Figures:
    """Import and distil a short log, half of whose sentences become memories; then import a longer one."""
    export, found = home / "conversations.json", Figures()
    for what, megabytes, more in (("distilled", DISTILLED, []), ("not distilled", LOG, ["--no-distil"])):
        write_chatgpt_export(export, megabytes, seed=time.time_ns())
        taken, peak = _timed(home, "import", str(export), "--json", *more)
        found |= {f"import of {megabytes} MB, {what}, s": taken, f"import, {what}: memory at most, MB": peak}
    export.unlink()
    return found


def synced(home: Path, size: int, messages: int) -> Figures:
    """Sync with a folder that no other device uses: the first pass writes everything."""
    if size > SYNCED:
        return {}
    os.environ["CURATOR_HOME"] = str(home)
    target = home / "target"
    shutil.rmtree(target, ignore_errors=True)
    (home / "sync.json").unlink(missing_ok=True)
    store = Store.open(home / "store")
    began = time.perf_counter()
    create(store, f"folder:{target}", "bench", bytes(range(32)))
    space = saved()
    assert space is not None
    sync(store, space)
    first = time.perf_counter() - began
    idle = spread(lambda: sync(store, space), 5)
    ids = store.list_ids(Filter(), limit=COMMANDS)
    for number, memory in enumerate(ids):
        curation.set_importance(store, [memory], number % 10 + 1)
    began = time.perf_counter()
    sync(store, space)
    changes = time.perf_counter() - began
    written = sum(file.stat().st_size for file in target.rglob("*") if file.is_file()) / 1e6
    store.close()
    shutil.rmtree(target)
    (home / "sync.json").unlink(missing_ok=True)
    return {
        "sync: everything written, s": first,
        "sync: written, MB": written,
        "sync: nothing to do, ms": idle[0],
        f"sync: {COMMANDS} commands, ms": 1000 * changes,
    }


def alone(home: Path, size: int, messages: int) -> Figures:
    """Measure SQLite's full text and LanceDB by themselves, on the same texts and vectors."""
    return {**_fts(home), **_lance(home, size)}


def _fts(home: Path) -> Figures:
    file = home / "fts.sqlite"
    file.unlink(missing_ok=True)
    asked = questions()
    began = time.perf_counter()
    with contextlib.closing(sqlite3.connect(file)) as plain, contextlib.closing(Store.open(home / "store")) as store:
        plain.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter')")
        with store.sqlite() as connection, plain:
            plain.executemany(
                "INSERT INTO t (rowid, text) VALUES (?, ?)", connection.execute("SELECT id, text FROM memories")
            )
        made = time.perf_counter() - began

        def ask() -> object:
            words = " OR ".join(f'"{word}"' for word in next(asked).split())
            query = f"SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT {TOP}"
            return plain.execute(query, (words,)).fetchall()

        figures = named("FTS5 alone: search", spread(ask, 50))
    size = file.stat().st_size / 1e6
    file.unlink()
    return {"FTS5 alone: made, s": made, "FTS5 alone, MB": size, **figures}


def _lance(home: Path, size: int) -> Figures:
    os.environ.setdefault("LANCEDB_LOG", "error")
    import lancedb
    import pyarrow as pa
    from lancedb.index import FTS, IvfRq
    from lancedb.rerankers import RRFReranker

    folder = home / "lance"
    shutil.rmtree(folder, ignore_errors=True)
    dimension = load_embedder("minilm", cache_folder()).fingerprint.dimension
    schema = pa.schema([("id", pa.int64()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), dimension))])

    def rows(store: Store) -> Iterator[pa.RecordBatch]:
        with store.sqlite() as connection:
            cursor = connection.execute(
                "SELECT m.id, m.text, v.vector FROM vectors v JOIN memories m ON m.id = v.memory ORDER BY m.id"
            )
            while some := cursor.fetchmany(50_000):
                ids, texts, blobs = zip(*some, strict=True)
                flat = pa.array(np.frombuffer(b"".join(blobs), np.float32))
                columns = [pa.array(ids), pa.array(texts), pa.FixedSizeListArray.from_arrays(flat, dimension)]
                yield pa.record_batch(columns, schema=schema)

    began = time.perf_counter()
    with contextlib.closing(Store.open(home / "store")) as store:
        made = lancedb.connect(folder, read_consistency_interval=timedelta(0)).create_table("t", schema=schema)
        for batch in rows(store):
            made.add(pa.Table.from_batches([batch]))
    made.create_index("text", config=FTS(stem=True))
    if size >= 20_000:
        made.create_index("vector", config=IvfRq(distance_type="cosine"))
    taken = time.perf_counter() - began
    probes, asked = cycle(np.concatenate(list(vectors(200, seed=9)))), questions()

    def ask() -> object:
        search: Any = made.search(query_type="hybrid", vector_column_name="vector", fts_columns="text")
        search = search.vector(next(probes)).text(next(asked)).distance_type("cosine").nprobes(20).refine_factor(10)
        return search.select(["id"]).limit(TOP).rerank(RRFReranker()).to_arrow()

    for _ in range(3):
        ask()
    figures = named("LanceDB alone: hybrid search", spread(ask, 50))
    megabytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    shutil.rmtree(folder)
    return {"LanceDB alone: made, s": taken, "LanceDB alone, MB": megabytes, **figures}


def named(what: str, figures: tuple[float, float, float]) -> Figures:
    """Return the result of `spread` with names."""
    least, p50, p95 = figures
    return {f"{what}, least, ms": least, f"{what}, p50, ms": p50, f"{what}, p95, ms": p95}


def spread(work: Callable[[], object], times: int = 100) -> tuple[float, float, float]:
    """Return minimum, p50 and p95 of some calls, in milliseconds."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - began))
    p50, p95 = np.percentile(taken, (50, 95))
    return min(taken), float(p50), float(p95)


def _timed(home: Path, *words: str) -> tuple[float, float]:
    """Run a command; return its seconds, and the peak megabytes of the largest child so far."""
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "curator", *words], env=environment(home), capture_output=True)
    taken = time.perf_counter() - began
    if done.returncode > 1:  # 1: no match
        raise RuntimeError(done.stderr.decode())
    return taken, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


STAGES = {
    "build": build,
    "index": index,
    "app": app,
    "recall": recall,
    "write": write,
    "log": log,
    "synced": synced,
    "alone": alone,
}


def measure(folder: Path, size: int, messages: int, stages: list[str]) -> None:
    """Run the stages for one size, each in a process of its own."""
    home = folder / str(size)
    home.mkdir(parents=True, exist_ok=True)
    for stage in stages:
        if stage == "build" and (home / "store").exists():
            continue
        words = [str(home), f"{size}:{messages}", "--within", stage]
        done = subprocess.run([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"{size:,}: {stage} failed", file=sys.stderr)
            continue
        figures = json.loads(done.stdout.splitlines()[-1])
        known = json.loads((home / "figures.json").read_text()) if (home / "figures.json").exists() else {}
        (home / "figures.json").write_text(json.dumps(known | figures, indent=1))
        for what, value in figures.items():
            print(f"{size:>10,}  {what:56}{short(value):>12}", flush=True)


def table(folder: Path) -> None:
    """Print the figures of all sizes side by side."""
    known = {int(file.parent.name): json.loads(file.read_text()) for file in folder.glob("*/figures.json")}
    sizes = sorted(known)
    print("\n| memories | " + " | ".join(f"{size:,}" for size in sizes) + " |")
    print("|---|" + "---|" * len(sizes))
    for what in dict.fromkeys(what for size in sizes for what in known[size]):
        print(f"| {what} | " + " | ".join(short(known[size].get(what)) for size in sizes) + " |")


def short(value: float | None) -> str:
    """Format a figure with two or three digits."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def main() -> None:
    """Measure each size, or run one stage inside its own process."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("sizes", nargs="+", metavar="MEMORIES:MESSAGES")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--within", choices=STAGES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    sizes = [[int(number) for number in f"{text}:0".split(":")[:2]] for text in given.sizes]
    if given.within:
        figures = STAGES[given.within](given.folder, *sizes[0])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        more = {"memory of the process at most, MB": peak, "load of the machine": os.getloadavg()[0]}
        print(json.dumps(figures | {f"{given.within}: {what}": value for what, value in more.items()}))
        return
    for size, messages in sizes:
        measure(given.folder, size, messages, given.stages)
    table(given.folder)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
