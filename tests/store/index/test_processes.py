"""The search index with several processes at once, and after `kill -9`."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from effort import share, thorough
from store import Filter, Store
from store.index import Index
from store.model import Fingerprint, Kind, Life, NewConversation, NewMemory, NewMessage, Origin, Role

SPACE = Fingerprint("test", "plain", "1", 4)

FOLLOWER = """
import sys
from pathlib import Path
from store import Filter, Store
from store.index import Index
from store.model import Fingerprint

store = Store.open(Path(sys.argv[1]))
index = Index(store, Fingerprint("test", "plain", "1", 4))
print("ready", flush=True)
for _ in range(int(sys.argv[2])):
    index.catch_up()
    index.search_text("number nosuchword", Filter(), 5)
    index.search_vector(b"\\0\\0\\x80\\x3f" * 4, Filter(), 5)
    index.search_messages("number", 5)
    print("done", flush=True)
"""


def follower(folder: Path, rounds: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", FOLLOWER, str(folder), str(rounds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def write(store: Store, start: int, count: int) -> list[int]:
    """Add memories with vectors and messages, and forget an older one."""
    with store.command("add") as writer:
        new = [
            NewMemory(text=f"number {number}", key=str(number), kind=Kind.FACT, origin=Origin.PERSON)
            for number in range(start, start + count)
        ]
        ids = [store.admit(writer, memory).added or 0 for memory in new]
        messages = tuple(
            NewMessage(identity=f"{start}/{place}", role=Role.USER, text=f"number {place}") for place in range(count)
        )
        store.raw.put_conversation(writer, NewConversation(identity=str(start), source="markdown", messages=messages))
        writer.update("memories", ids[:1], {"life": Life.FORGOTTEN})
    texts = [(memory.id, memory.text, b"\0\0\x80\x3f" * 4) for memory in store.get_many(ids)]
    store.vectors.add(SPACE, texts)
    return ids


@thorough
def test_processes_that_catch_up_at_once_double_and_lose_nothing(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "home")
    write(store, 0, 20)
    others = [follower(store.folder, share(8, 4)) for _ in range(3)]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
    for start in range(100, 400, 20):
        write(store, start, 20)
        time.sleep(0.02)
    for other in others:
        _, errors = other.communicate(timeout=120)
        assert other.returncode == 0
        assert errors == ""  # nothing that would draw over the app
    index = Index(store, SPACE)
    assert index.catch_up()
    assert index.check() == []
    assert len(index.search_text("number", Filter(), 1_000)) == store.count(Filter())
    store.close()


@thorough
def test_whatever_a_kill_leaves_is_repaired(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "home")
    chance = random.Random(11)
    for attempt in range(share(5, 2)):
        write(store, attempt * 1_000, 60)
        other = follower(store.folder, 10_000)
        assert other.stdout is not None
        for _ in range(1 + attempt % 3):
            other.stdout.readline()
        for step in range(4):
            write(store, attempt * 1_000 + 100 * (step + 1), 10)
            time.sleep(chance.uniform(0, 0.12))
        other.send_signal(signal.SIGKILL)
        other.communicate()
        index = Index(store, SPACE)
        expected = sorted(store.list_ids(Filter()))
        assert sorted(number for number, _ in index.search_text("number", Filter(), 1_000)) == expected
        assert sorted(number for number, _ in index.search_vector(b"\0\0\x80\x3f" * 4, Filter(), 1_000)) == expected
        assert index.catch_up()
        assert index.check() == []
    store.close()
