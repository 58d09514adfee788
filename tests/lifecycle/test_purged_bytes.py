"""Purge of a long-lived memory: no byte of the words remains in the person's folder."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator import curation
from curator.lifecycle import plan, run
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.services.import_logs import import_paths, index_memories
from curator.services.import_summary import Summary
from curator.services.search_session import open_index
from effort import thorough
from factories import conversation, memory, put, quote
from store import Store, clock
from store.analytics import Analytics
from store.index import Index
from store.model import Actor, Failure, Judgment, Relation

WORDS = "the Zaubertrank under the Kastanienbaum"
SAID = f"I keep {WORDS}, since 1987."
_OTHER = """
import sys
from pathlib import Path
from store import Store
store = Store.open(Path(sys.argv[1]))
assert store.get(int(sys.argv[2])).text
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def beside(store: Store) -> Iterator[list["subprocess.Popen[str]"]]:
    """Return a list for other processes, which end with the test."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


def _lived(store: Store, tmp_path: Path) -> int:
    """Store a memory: imported, embedded, indexed, merged, tagged in bulk, recalled, scored, judged and tidied."""
    embedder = load_embedder("hashing", cache_folder())
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", SAID, f"So you keep {WORDS}!"))
        first, *_ = store.raw.messages(1)
        new = memory(SAID, evidence=(quote(WORDS, SAID, first.id),), object=WORDS)
        number = store.admit(writer, new).added
    assert number is not None
    (other,) = put(store, f"{SAID} Really.")
    import_paths(store, [_file(tmp_path)], embedder)
    curation.tag(store, [number, other], add=["cellar"])
    curation.score(store, [number, other], 7)
    index_memories(store, embedder, Summary())
    with contextlib.closing(Analytics(store)) as analytics:
        analytics.follow()
    store.recalls.record_use([number])
    store.recalls.put("r0123456789", [number])
    store.recalls.put_answer("r0123456789", f"You told me of {WORDS}.")
    with store.command("compare", Actor.SWEEP) as writer:
        store.alerts.put(writer, number, other, Relation.DUPLICATE, 0.9, [f"both: {WORDS}"])
        store.wordings.put(writer, number, "model/1", f"Keeps {WORDS}.")
        (alert,) = store.alerts.open()
        store.judgments.put(writer.connection, Judgment(alert.id, "m", Relation.DUPLICATE, (WORDS,), 1))
        store.replies.put(writer.connection, [(b"k", "judge", "m", f'{{"why": "{WORDS}"}}')])
        store.sweeps.put_failure(Failure(0, "judge/1", alert.id, 0, 0, WORDS, WORDS, "m", 1, 1))
    curation.merge(store, [number, other], f"{SAID} Really, really.", number)
    curation.edit(store, number, f"{SAID} Once more.")
    store.undo()
    run(store, plan(store, clock.now() + 60 * clock.DAY))
    Index.drop(store)
    open_index(store).catch_up()
    return number


def _file(folder: Path) -> Path:
    file = folder / "ready.jsonl"
    file.write_text('{"id": "x1", "text": "The cellar is damp."}\n')
    return file


@thorough
def test_no_byte_is_left_while_a_second_process_is_open(
    store: Store, tmp_path: Path, beside: list["subprocess.Popen[str]"]
) -> None:
    number = _lived(store, tmp_path)
    assert _holding(store.folder)
    other = subprocess.Popen(
        [sys.executable, "-c", _OTHER, str(store.folder), str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    beside.append(other)
    assert other.stdout is not None and other.stdout.readline() == "open\n"
    with contextlib.closing(Analytics(store)) as app:  # as a running app does
        app.follow()
        open_index(store).catch_up()
        purged, left = curation.purge(store, [number])
        assert number in purged.memories and not left
        assert _holding(store.folder) == []
    assert _holding(store.folder) == [] and not store.differences()


def _holding(folder: Path) -> list[str]:
    """Return the files below a folder that hold a part of the words, as UTF-8 or UTF-16."""
    parts = [form for part in ("Zaubertrank", "Kastanienbaum") for form in (part.encode(), part.encode("utf-16-le"))]
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(part in path.read_bytes() for part in parts)
    ]
