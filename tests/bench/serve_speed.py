"""Time what an assistant waits for: hooks, recall and MCP, with and without a resident process.

    python tests/bench/serve_speed.py 10000 100000            # sizes of the stores to make, in memories
    python tests/bench/serve_speed.py --keep FOLDER 10000     # keeps the stores, and uses them again
    python tests/bench/serve_speed.py --calls 1000 10000      # calls of each of ten clients at once, beside writes

Times are the median and the 95th percentile of interleaved runs, so that a busy machine affects all alike; `cpu` is the
processor time of the process itself, without the server's. Kept stores are copied first. Nothing here is a test.
"""

import argparse
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles

from curator.models import load_embedder
from curator.paths import cache_folder
from curator.serve import client
from installed import environment
from speed import QUERIES
from store import Store
from store.index import Index
from store_builder import build_store, write_chatgpt_export

RUNS = 25
WORDS_ONLY = """
from curator.serve import client, hook_client
client.start = lambda *module: None
hook_client.hook("claude", "prompt")
"""
FTS = """
import sqlite3, sys
connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
words = " OR ".join(word for word in sys.argv[2].split() if word.isalpha())
print(connection.execute("SELECT text FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10", (words,)).fetchall())
"""
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}


def main() -> None:
    """Print one table, with a column for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--calls", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as temporary:
        tables = {
            size: measured(options.keep, size, options.calls, Path(temporary) / str(size)) for size in options.sizes
        }
    print(f"{'':<62}{''.join(f'{size:>28,}' for size in tables)}")
    for name in next(iter(tables.values())):
        print(f"{name:<62}{''.join(f'{table[name]:>28}' for table in tables.values())}")


def measured(kept: Path | None, size: int, calls: int, temporary: Path) -> dict[str, str]:
    """Make a store of a size, or use the kept one, and measure a copy of it."""
    store = (kept or temporary) / str(size) / "store"
    if not store.exists():
        made = build_store(store, size)
        Index(made, load_embedder("minilm", cache_folder()).fingerprint).catch_up()
        made.close()
    home, fts = temporary / "home", temporary / "fts"
    shutil.copytree(store, home / "store")
    write_fts(home, fts)
    return measure(home, fts, calls, temporary)


def write_fts(home: Path, file: Path) -> None:
    """Write the texts into a plain FTS5 table."""
    store, words = Store.open(home / "store"), sqlite3.connect(file)
    words.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    with store.sqlite() as connection:
        rows = connection.execute("SELECT id, text FROM memories").fetchall()
    words.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", map(tuple, rows))
    words.commit()
    words.close()
    store.close()


def measure(home: Path, fts: Path, calls: int, temporary: Path) -> dict[str, str]:
    """Return the table of one size."""
    os.environ.update(environment(home))
    os.environ["XDG_RUNTIME_DIR"] = str(temporary)
    python, curator = sys.executable, Path(sys.executable).with_name("curator")
    server = subprocess.Popen([curator, "serve"], stderr=subprocess.DEVNULL)
    began = time.perf_counter()
    while not answered():
        time.sleep(0.02)
    table = {"the server answers after": f"{time.perf_counter() - began:.1f} s"}
    prompts = cycle(QUERIES)

    def hook(prompt: str) -> str:
        return json.dumps({"session_id": next(sessions), "cwd": str(home), "prompt": prompt})

    begun = [str(number) for number in range(3 * RUNS)]  # one session would get each memory only once
    for one in begun:
        ask(do="hook", host="claude", event="session-start", input=json.dumps({"session_id": one, "cwd": str(home)}))
    sessions = cycle(begun)
    rows: dict[str, Callable[[], object]] = {
        "python -c pass": lambda: run([python, "-c", "pass"]),
        "a script over a plain FTS5 table": lambda: run([python, "-c", FTS, str(fts), next(prompts)]),
        "recall, over an open socket": lambda: ask(do="recall", prompt=next(prompts)),
        "`curator hook claude prompt`, with the server": lambda: run(
            [curator, "hook", "claude", "prompt"], hook(next(prompts))
        ),
        "`curator recall`, with the server": lambda: run([curator, "recall", next(prompts)]),
        "`curator mcp`: the first answer": first_answer,
    }
    table |= timed(rows, RUNS)
    for n in range(1_000):
        ask(do="recall", prompt=QUERIES[n % len(QUERIES)])
    table["resident memory after 1,000 recalls"] = f"{int(str(ask(do='status')['memory'])) / 1e6:.0f} MB"
    table[f"ten clients, {calls:,} recalls each, during writes"] = at_once(calls, home, temporary)
    ask(do="stop")
    server.wait(30)
    words: dict[str, Callable[[], object]] = {
        "a hook without a server, by words": lambda: run([python, "-c", WORDS_ONLY], hook(next(prompts))),
    }
    cold: dict[str, Callable[[], object]] = {
        "`curator recall`, without a server": lambda: run([curator, "recall", next(prompts)])
    }
    return table | timed(words, RUNS) | timed(cold, 5)


def timed(rows: dict[str, Callable[[], object]], runs: int) -> dict[str, str]:
    """Return median and 95th percentile of each, and the processor time of the processes started for it."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
    for work in rows.values():
        work()
    for _ in range(runs):
        for name, work in rows.items():
            started, spent = time.perf_counter(), children()
            work()
            times[name].append(((time.perf_counter() - started) * 1000, (children() - spent) * 1000))
    table = {}
    for name, each in times.items():
        waits, spent = [wait for wait, _ in each], median(cpu for _, cpu in each)
        table[name] = f"{median(waits):.0f} ms p95 {quantiles(waits, n=20)[-1]:.0f} cpu {spent:.0f}"
    return table


def children() -> float:
    """Return the processor seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def answered() -> bool:
    """Return True if the server answers a recall."""
    try:
        return "text" in ask(do="recall", prompt=QUERIES[0])
    except (client.Unreachable, OSError):
        return False


def run(command: Sequence[object], text: str = "") -> str:
    """Run a process and return its output."""
    return subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True).stdout


def ask(**request: object) -> dict[str, object]:
    """Send one request and return the reply."""
    connection = client.connect(30)
    connection.send(request)
    reply = connection.receive()
    connection.close()
    return reply


def first_answer() -> object:
    """Start the MCP relay and wait for the answer to `initialize`."""
    process = subprocess.Popen(
        [Path(sys.executable).with_name("curator"), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    line = process.stdout.readline()
    process.stdin.close()
    process.wait()
    return json.loads(line)


def at_once(calls: int, home: Path, temporary: Path) -> str:
    """Let ten clients recall while memories are validated and logs imported; return the waits and errors."""
    from curator.curation import validate

    waits: list[float] = []
    failed: list[str] = []
    imported = 0

    def work(n: int) -> None:
        for call in range(calls):
            started = time.perf_counter()
            try:
                reply = ask(do="recall", prompt=QUERIES[(n + call) % len(QUERIES)])
                if "error" in reply:
                    failed.append(str(reply["error"]))
            except (client.Unreachable, OSError) as error:
                failed.append(str(error))
            waits.append((time.perf_counter() - started) * 1000)

    def take_in() -> None:
        nonlocal imported
        while any(thread.is_alive() for thread in threads):
            export = temporary / f"conversations-{imported}.json"
            write_chatgpt_export(export, 1, seed=time.time_ns())
            run([Path(sys.executable).with_name("curator"), "import", export])
            imported += 1

    threads = [threading.Thread(target=work, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    importing = threading.Thread(target=take_in)
    importing.start()
    store = Store.open(home / "store")
    written = 0
    while any(thread.is_alive() for thread in threads):
        validate(store, [written % 1_000 + 1])
        written += 1
        time.sleep(0.02)
    store.close()
    importing.join()
    print(
        f"{written:,} validations and {imported} imports beside {len(waits):,} recalls; errors: {set(failed) or 'none'}"
    )
    return f"{median(waits):.0f} ms p95 {quantiles(waits, n=20)[-1]:.0f}, {len(failed)} errors"


if __name__ == "__main__":
    main()
