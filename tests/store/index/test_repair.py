"""A damaged index is rebuilt, and nothing purged remains in it."""

import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from index_helpers import ANY, SPACE, change, embed, found, memory, remember, talk

from effort import some, thorough
from store import Store
from store.index import Index, versions
from store.model import Life, NewEvidence


@pytest.fixture
def index(store: Store) -> Index:
    return Index(store, SPACE)


def _current(store: Store) -> Path:
    folder = versions.current(versions.home(store.folder, store.owner))
    assert folder is not None
    return folder


def _garbage(folder: Path, pattern: str) -> None:
    for path in folder.rglob(pattern):
        if path.is_file():
            path.write_bytes(b"\x00garbage")


DAMAGES: dict[str, Callable[[Store], object]] = {
    "index folder gone": lambda store: shutil.rmtree(store.folder / "index"),
    "generation gone": lambda store: shutil.rmtree(_current(store)),
    "table gone": lambda store: shutil.rmtree(_current(store) / "memories.lance"),
    "messages gone": lambda store: shutil.rmtree(_current(store) / "messages.lance"),
    "no name": lambda store: (_current(store).parent / "current").unlink(),
    "wrong name": lambda store: (_current(store).parent / "current").write_text("../../.."),
    "binary name": lambda store: (_current(store).parent / "current").write_bytes(b"\xff\xfe"),
    "no mark": lambda store: (_current(store) / "mark.json").unlink(),
    "half a mark": lambda store: (_current(store) / "mark.json").write_text('{"seq": 3'),
    "another mark": lambda store: (_current(store) / "mark.json").write_text('{"seq": "x", "store": 1}'),
    "data overwritten": lambda store: _garbage(_current(store) / "memories.lance" / "data", "*"),
    "manifest overwritten": lambda store: _garbage(_current(store) / "memories.lance" / "_versions", "*"),
    "full text overwritten": lambda store: _garbage(_current(store) / "messages.lance" / "_indices", "*"),
    "words overwritten": lambda store: _garbage(_current(store), "words.sqlite"),
    "words gone": lambda store: (_current(store) / "words.sqlite").unlink(),
    "ahead of the record": lambda store: versions.write_mark(
        _current(store), versions.IndexPosition(store.identity, SPACE.label, 10**6)
    ),
    "of another record": lambda store: versions.write_mark(
        _current(store), versions.IndexPosition("x", SPACE.label, 2)
    ),
}


class TestDamage:
    @thorough
    @pytest.mark.parametrize("name", some(list(DAMAGES), 6))
    def test_a_damaged_index_is_built_anew_without_asking(self, store: Store, name: str) -> None:
        first, _ = remember(store, "A violin in the attic", "A cello in the cellar")
        (said,) = talk(store, "where is the violin")
        Index(store, SPACE).catch_up()
        DAMAGES[name](store)
        index = Index(store, SPACE)
        assert found(index.search_text("violin", ANY, 5)) == [first]
        assert found(index.search_messages("violin", 5)) == [said]
        (third,) = remember(store, "Another violin")
        assert index.catch_up()
        assert set(found(index.search_text("violin", ANY, 5))) == {first, third}
        assert index.check() == []

    def test_check_names_what_differs(self, store: Store, index: Index) -> None:
        assert index.check() == ["there is no search index yet"]
        first, second, third = remember(store, "one", "two", "three")
        index.catch_up()
        change(store, [first], life=Life.FORGOTTEN)
        change(store, [second], pinned=1)
        (fourth,) = remember(store, "four")
        (said,) = talk(store, "five")
        assert index.check() == [
            f"memory {first} is in the index and should not be",
            f"memory {fourth} is not in the index",
            f"memory {second} is not in the index as it is now",
            f"message {said} is not in the index",
        ]
        assert str(third) not in " ".join(index.check())

    def test_a_small_change_does_not_cost_a_rebuild(self, store: Store, index: Index) -> None:
        ids = remember(store, "one", "two")
        embed(store, ids[:1], np.eye(8)[:1])
        index.catch_up()
        before = _current(store)
        change(store, ids, text="three")
        talk(store, "four")
        index.catch_up()
        assert _current(store) == before


def test_a_thread_that_is_not_to_wait_leaves_the_update_to_the_other(store: Store, index: Index) -> None:
    remember(store, "A violin in the attic")
    writing, done, updated = threading.Event(), threading.Event(), []

    def hold(_done: int, _total: int) -> None:
        writing.set()
        assert done.wait(60)

    thread = threading.Thread(target=lambda: updated.append(index.catch_up(hold)))
    thread.start()
    assert writing.wait(60)
    asked = threading.Thread(target=lambda: updated.append(index.catch_up(wait=False)), daemon=True)
    asked.start()
    asked.join(2)
    first = list(updated)
    done.set()
    thread.join()
    assert (first, updated) == ([False], [False, True])
    assert index.check() == []


class TestPurge:
    @thorough
    @pytest.mark.parametrize("dropped", [False, True])
    def test_no_byte_of_what_was_purged_stays(self, store: Store, index: Index, dropped: bool) -> None:
        secret = "Zweiundvierzig Flamingos"
        said = talk(store, f"so: {secret}!")
        evidence = NewEvidence(secret, 4, 4 + len(secret), said[0])
        gone, kept = remember(store, replace(memory(secret), evidence=(evidence,)), "A heron")
        index.catch_up()
        change(store, [kept], text="Two herons")
        index.catch_up()
        assert _holds(store.folder / "index", secret)
        store.purge([gone])
        if dropped:
            Index.drop(store)
        else:
            index.catch_up()
        assert not _holds(store.folder / "index", secret)
        assert index.search_messages("Flamingos", 5) == []
        assert found(index.search_text("heron", ANY, 5)) == [kept]
        index.catch_up()
        assert index.check() == []
        assert not _holds(store.folder / "index", secret)


def _holds(folder: Path, text: str) -> bool:
    words = [word.casefold().encode() for word in text.split()]
    return any(word in path.read_bytes().lower() for path in folder.rglob("*") if path.is_file() for word in words)
