"""`kill -9` at any moment loses no committed step, and the store always opens (I1, I2)."""

import contextlib
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from curator.models import load_embedder
from effort import share, thorough
from store import Filter, Store
from store.index import Index

WORKER = Path(__file__).with_name("busy_process.py")


def start(folder: Path, name: str, work: str, steps: int | None = None) -> subprocess.Popen[str]:
    """Start a worker process on the store."""
    root = WORKER.parents[2]
    path = os.pathsep.join((str(root), str(root / "tests"), os.environ.get("PYTHONPATH", "")))
    command = [sys.executable, str(WORKER), str(folder), name, work, *([] if steps is None else [str(steps)])]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})


def run_and_kill(folder: Path, name: str, work: str, seconds: float) -> int:
    """Let a worker finish at least one step and kill it `seconds` later; return the number of steps it printed."""
    process = start(folder, name, work)
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    assert lines[0], "the worker ended before its first step"
    reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()))
    reader.start()
    time.sleep(seconds)
    process.kill()
    process.wait()
    reader.join()
    return len([line for line in lines if line.endswith("\n")])


def missing_work(store: Store, name: str, work: str, steps: int) -> list[str]:
    """Return what is missing of the work of a worker's first `steps` steps."""
    if work == "import":
        wanted = {f"I like {name} {step} {part} {n}" for step in range(steps) for part in (0, 1) for n in range(5)}
        said = {f"I like {name} {step} {part} {n}" for step in range(steps) for part in (0, 1) for n in range(20)}
        with store.sqlite() as connection:
            said -= {row[0] for row in connection.execute("SELECT text FROM messages")}
    elif work == "decide":
        wanted, said = {f"{name} decided better {step}" for step in range(steps)}, set()
    else:
        wanted, said = {f"{name} indexed {step} {part}" for step in range(steps) for part in range(3)}, set()
    found = {memory.text for memory in store.get_many(store.list_ids(Filter()))}
    return sorted((wanted - found) | said)


@thorough
@pytest.mark.parametrize(
    ("work", "rounds"), [("import", share(12, 2)), ("decide", share(12, 2)), ("index", share(8, 1))]
)
def test_kill_loses_nothing_acknowledged(tmp_path: Path, work: str, rounds: int) -> None:
    chance = random.Random(work)
    folder = tmp_path / "store"
    done: dict[str, int] = {}
    for number in range(rounds):
        name = f"{work}{number}"
        done[name] = run_and_kill(folder, name, work, chance.uniform(0, 0.15 if work != "index" else 0.6))
        with contextlib.closing(Store.open(folder)) as store:
            assert missing_work(store, name, work, done[name]) == []
    with contextlib.closing(Store.open(folder)) as store:
        assert store.differences() == []
        for name, steps in done.items():
            assert missing_work(store, name, work, steps) == []
        if work == "index":
            index = Index(store, load_embedder("hashing", Path()).fingerprint)
            assert index.catch_up()
            assert index.check() == []


@thorough
def test_four_processes_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    works = [("a", "import"), ("b", "import"), ("c", "decide"), ("d", "decide")]
    processes = [start(folder, name, work, steps=15) for name, work in works]
    for process in processes:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        assert len(out.splitlines()) == 15
    with contextlib.closing(Store.open(folder)) as store:
        for name, work in works:
            assert missing_work(store, name, work, 15) == []
        texts = [memory.text for memory in store.get_many(store.list_ids(Filter()))]
        assert len(texts) == len(set(texts)) == 2 * 15 * 10 + 2 * 15
        assert store.differences() == []


@thorough
def test_four_processes_importing_the_same_log_make_it_once(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    processes = [start(folder, "same", "import", steps=10) for _ in range(4)]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    with contextlib.closing(Store.open(folder)) as store:
        assert sum(conversation.messages for conversation in store.raw.get_conversations()) == 10 * 2 * 20
        assert store.count(Filter()) == 10 * 2 * 5
        assert store.differences() == []
