"""Time what an assistant waits for: hooks, recall and MCP, with a resident process and without.

    python tests/bench/serve_speed.py 10000 100000            # sizes of the stores to make, in memories
    python tests/bench/serve_speed.py --keep FOLDER 10000     # keeps the stores, and uses them again
    python tests/bench/serve_speed.py --calls 1000 10000      # calls of each of ten clients at once, beside writes

Each figure is the median of runs that alternate with the others, so that a busy machine shifts all alike. Nothing here
is a test.
"""

import argparse
import json
import os
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

from curator.serve import client
from installed import environment
from speed import QUERIES
from store import Store
from store_builder import build_store

RUNS = 25
WORDS_ONLY = "from curator.serve import client, relay; client.start = lambda: None; relay.hook('claude', 'prompt')"
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
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--calls", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as temporary:
        for size in options.sizes:
            home = (options.keep or Path(temporary)) / str(size)
            if not (home / "store").exists():
                build_store(home / "store", size).close()
            fts = Path(temporary) / f"{size}.fts"
            write_fts(home, fts)
            measure(home, fts, size, options.calls, Path(temporary))


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


def measure(home: Path, fts: Path, size: int, calls: int, temporary: Path) -> None:
    """Print the table of one size."""
    print(f"\n## {size:,} memories\n")
    os.environ.update(environment(home))
    os.environ["XDG_RUNTIME_DIR"] = str(temporary)
    alone = {**os.environ, "XDG_RUNTIME_DIR": str(temporary / "none")}
    python, curator = sys.executable, Path(sys.executable).with_name("curator")
    server = subprocess.Popen([curator, "serve"], stderr=subprocess.DEVNULL)
    began = time.perf_counter()
    while not answered():
        time.sleep(0.02)
    print(f"{'the server answers after':<58}{time.perf_counter() - began:8.1f} s")
    warm = client.connect(30)
    warm.close()
    prompts = cycle(QUERIES)

    def hook(prompt: str, session: int) -> str:
        return json.dumps({"session_id": str(session), "cwd": "/home/nora/site", "prompt": prompt})

    sessions = iter(range(10**6))
    rows: dict[str, Callable[[], object]] = {
        "python -c pass": lambda: run([python, "-c", "pass"]),
        "recall, over an open socket": lambda: ask(do="recall", prompt=next(prompts)),
        "`curator hook claude prompt`, with the server": lambda: run(
            [curator, "hook", "claude", "prompt"], hook(next(prompts), next(sessions))
        ),
        "`curator recall`, with the server": lambda: run([curator, "recall", next(prompts)]),
        "`curator mcp`: the first answer": first_answer,
        "a hook without a server, by words": lambda: run([python, "-c", WORDS_ONLY], hook(next(prompts), 0), alone),
        "a script over a plain FTS5 table": lambda: run([python, "-c", FTS, str(fts), next(prompts)]),
    }
    for work in rows.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(RUNS):
        for name, work in rows.items():
            started = time.perf_counter()
            work()
            times[name].append((time.perf_counter() - started) * 1000)
    cold = []
    for _ in range(5):
        started = time.perf_counter()
        run([str(curator), "recall", next(prompts)], "", alone)
        cold.append((time.perf_counter() - started) * 1000)
    times["`curator recall`, without a server"] = cold
    for name, each in times.items():
        print(f"{name:<58}{median(each):8.0f} ms   p95 {quantiles(each, n=20)[-1]:6.0f}")
    for n in range(1_000):
        ask(do="recall", prompt=QUERIES[n % len(QUERIES)])
    status = ask(do="status")
    print(f"{'resident memory after 1,000 recalls':<58}{int(str(status['memory'])) / 1e6:8.0f} MB")
    at_once(calls, home)
    ask(do="stop")
    server.wait(30)


def answered() -> bool:
    """Return True if the server answers a recall."""
    try:
        return "text" in ask(do="recall", prompt=QUERIES[0])
    except (client.Unreachable, OSError):
        return False


def run(command: Sequence[object], text: str = "", variables: dict[str, str] | None = None) -> str:
    """Run a process and return what it prints."""
    done = subprocess.run(
        list(map(str, command)), input=text, capture_output=True, text=True, env=variables or dict(os.environ)
    )
    return done.stdout


def ask(**request: object) -> dict[str, object]:
    """Send one request and return the reply."""
    connection = client.connect(30)
    connection.send(request)
    reply = connection.receive()
    connection.close()
    return reply


def first_answer() -> object:
    """Start the relay and wait for the answer to `initialize`."""
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


def at_once(calls: int, home: Path) -> None:
    """Ten clients, while this process validates memories: print the waits, and what failed."""
    waits: list[float] = []
    failed: list[str] = []

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

    from curator.curation import validate

    threads = [threading.Thread(target=work, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    store = Store.open(home / "store")
    written = 0
    while any(thread.is_alive() for thread in threads):
        validate(store, [written % 1_000 + 1])
        written += 1
        time.sleep(0.02)
    store.close()
    last = quantiles(waits, n=20)[-1]
    name = f"ten clients, {calls:,} recalls each, beside {written:,} validations"
    print(f"{name:<58}{median(waits):8.0f} ms   p95 {last:6.0f}   {len(failed)} errors {failed[:1] or ''}")


if __name__ == "__main__":
    main()
