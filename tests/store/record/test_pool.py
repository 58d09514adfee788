"""Stores of one process share their connections, and none releases another's locks."""

import contextlib
import gc
import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.text import content_key
from effort import some, thorough
from factories import memory, put
from store import Filter, Store, Unusable, restore

ROOT = Path(__file__).parents[3]
POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX locks and fork")


def elsewhere(folder: Path, work: str = "store.count(Filter(lives=()))") -> str:
    """Open the store in another process, run an expression there, close it, and return the output."""
    script = (
        "import sys; from pathlib import Path; from store import Filter, Store; from factories import put\n"
        f"store = Store.open(Path({str(folder)!r})); print({work}); store.close()"
    )
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    return done.stdout.strip()


def open_again(store: Store, tmp_path: Path) -> None:
    """Open a second store of the same record through a link to its folder."""
    (tmp_path / "link").symlink_to(store.folder)
    with contextlib.closing(Store.open(tmp_path / "link", "someone else")) as again:
        assert again.count(Filter()) == 0


def back_up(store: Store, tmp_path: Path) -> None:
    """Back up the record."""
    store.backup(tmp_path / "copy.sqlite")


def restore_twice(store: Store, tmp_path: Path) -> None:
    """Restore the same backup twice."""
    store.backup(tmp_path / "copy.sqlite")
    restore(store.folder, tmp_path / "copy.sqlite", content_key)
    restore(store.folder, tmp_path / "copy.sqlite", content_key)


def check(store: Store, tmp_path: Path) -> None:
    """Check the record as `doctor` does."""
    assert store.differences() == []
    store.compact()


@thorough
@POSIX
@pytest.mark.parametrize("work", some([open_again, back_up, restore_twice, check], 2))
def test_nothing_takes_the_log_from_a_live_writer(
    store: Store, tmp_path: Path, work: Callable[[Store, Path], None]
) -> None:
    put(store, "I like tea")
    work(store, tmp_path)
    assert elsewhere(store.folder) == "1"
    assert (store.folder / "record.sqlite-wal").exists(), "the other process took itself for the last"
    put(store, "I like trains")
    assert elsewhere(store.folder) == "2"
    assert elsewhere(store.folder, "put(store, 'I like boats')") == "[3]"
    put(store, "I like kites")
    assert store.count(Filter()) == 4
    assert store.differences() == []
    assert elsewhere(store.folder, "store.differences()") == "[]"


def test_closing_one_store_leaves_the_other_open(store: Store) -> None:
    put(store, "I like tea")
    other = Store.open(store.folder)
    with store.sqlite() as connection:
        rows = connection.execute("SELECT text FROM memories")
        other.close()
        assert [row["text"] for row in rows] == ["I like tea"]
    put(store, "I like trains")
    assert other.count(Filter()) == 2, "a closed store opens anew"
    other.close()


def test_the_last_store_closes_the_connections_of_every_thread(store: Store) -> None:
    other = Store.open(store.folder)
    done = threading.Event()
    read = threading.Barrier(2)

    def wait() -> None:
        other.count(Filter())
        read.wait()
        done.wait()

    thread = threading.Thread(target=wait)
    thread.start()
    read.wait()
    store.close()
    assert (store.folder / "record.sqlite-wal").exists()
    other.close()
    assert not (store.folder / "record.sqlite-wal").exists()
    done.set()
    thread.join()


def test_a_connection_in_use_is_closed_when_its_thread_is_done_with_it(store: Store) -> None:
    put(store, "I like tea")
    using, closed = threading.Event(), threading.Event()
    seen: list[str] = []

    def use() -> None:
        with store.command("add") as writer:
            store.admit(writer, memory("I like trains"))
            using.set()
            closed.wait(10)
            seen.extend(row.text for row in store.get_many(store.list_ids(Filter())))

    thread = threading.Thread(target=use)
    thread.start()
    assert using.wait(10)
    store.close()
    closed.set()
    thread.join()
    assert sorted(seen) == ["I like tea", "I like trains"]
    store.close()
    assert not (store.folder / "record.sqlite-wal").exists()
    assert store.count(Filter()) == 2


def test_a_store_that_was_dropped_without_a_word_keeps_nothing_open(tmp_path: Path) -> None:
    Store.open(tmp_path).count(Filter())
    gc.collect()
    store = Store.open(tmp_path)
    store.close()
    assert not (tmp_path / "record.sqlite-wal").exists()


@POSIX
def test_a_record_that_was_replaced_takes_no_more_writes(store: Store, tmp_path: Path) -> None:
    put(store, "I like tea")
    store.backup(tmp_path / "copy.sqlite")
    (store.folder / "record.sqlite").rename(tmp_path / "moved.sqlite")
    with pytest.raises(Unusable, match="open the store again"):
        put(store, "I like trains")
    (tmp_path / "copy.sqlite").rename(store.folder / "record.sqlite")
    with pytest.raises(Unusable, match="open the store again"):
        put(store, "I like trains")
    with contextlib.closing(Store.open(store.folder)) as again:
        assert again.count(Filter()) == 1


@thorough
@POSIX
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_neither_uses_nor_harms_what_its_parent_has_open(store: Store) -> None:
    put(store, "I like tea")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for use in (lambda: store.count(Filter()), lambda: Store.open(store.folder), store.data_version):
                with pytest.raises(Unusable, match="fork"):
                    use()
            store.close()
            status = 0
        except BaseException:
            traceback.print_exc()
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert elsewhere(store.folder) == "1"
    put(store, "I like trains")
    assert elsewhere(store.folder) == "2"


@thorough
@POSIX
def test_a_forked_child_that_ends_as_usual_closes_nothing_of_its_parents(tmp_path: Path) -> None:
    script = f"""
import os, sys
from pathlib import Path
from store import Filter, Store
from factories import put
store = Store.open(Path({str(tmp_path / "store")!r}))
put(store, "I like tea")
child = os.fork()
if child == 0:
    sys.exit(0)  # the interpreter shuts down, and drops the store
os.waitpid(child, 0)
assert (store.folder / "record.sqlite-wal").exists()
put(store, "I like trains")
assert store.count(Filter()) == 2
"""
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONPATH": path})
    assert elsewhere(tmp_path / "store") == "2"
