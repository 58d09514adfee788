"""The data version: a number that tells that somebody has committed, and DuckDB's copy, which relies on it."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from curator import curation
from curator.text import content_key
from effort import thorough
from factories import memory, put
from store import Filter, Store, restore
from store.analytics import Analytics, reader
from store.model import Fingerprint


def test_it_stays_while_nobody_writes(store: Store) -> None:
    (tea,) = put(store, "I like tea")
    seen = store.data_version()
    store.get(tea)
    store.count(Filter())
    other = Store.open(store.folder)
    assert other.get(tea).text == "I like tea"
    other.close()
    assert store.data_version() == seen


def test_every_commit_of_this_thread_makes_it_another(store: Store, tmp_path: Path) -> None:
    (tea,) = put(store, "I like tea")
    store.backup(tmp_path / "copy")
    seen = [store.data_version()]
    for change in (
        lambda: curation.pin(store, [tea]),
        lambda: store.recalls.record_use([tea]),
        lambda: store.vectors.add(Fingerprint("test", "plain", "1", 2), [(tea, "I like tea", b"\0" * 8)]),
        lambda: store.undo(),
        lambda: restore(store.folder, tmp_path / "copy", content_key),
    ):
        change()
        seen.append(store.data_version())
    assert len(set(seen)) == 6


def test_what_is_not_committed_does_not_count(store: Store) -> None:
    seen = store.data_version()
    with pytest.raises(RuntimeError), store.command("add") as writer:
        store.admit(writer, memory("I like tea"))
        assert store.data_version() == seen
        raise RuntimeError
    assert store.data_version() == seen
    put(store, "I like trains")
    assert store.data_version() != seen


def test_another_thread_and_this_one_see_the_same_number(store: Store) -> None:
    seen = [store.data_version()]

    def work() -> None:
        seen.append(store.data_version())
        put(store, "I like tea")
        seen.append(store.data_version())

    other = threading.Thread(target=work)
    other.start()
    other.join()
    seen.append(store.data_version())
    before, there, after, here = seen
    assert before == there != after == here


@thorough
def test_another_process_makes_it_another(store: Store) -> None:
    put(store, "I like tea")
    seen = store.data_version()
    code = (
        "import sys; from pathlib import Path; from store import Filter, Store; store = Store.open(Path(sys.argv[1]));"
        "store.recalls.record_use([1]) if sys.argv[2] == 'write' else store.count(Filter()); store.close()"
    )
    for does, changes in (("read", False), ("write", True)):
        subprocess.run([sys.executable, "-c", code, str(store.folder), does], check=True)
        assert (store.data_version() != seen) is changes


def test_a_number_does_not_come_back_after_closing(store: Store) -> None:
    seen = set()
    for number in range(3):
        put(store, f"fact {number}")
        seen.add(store.data_version())
        store.close()
    assert len(seen) == 3


def test_a_follow_with_nothing_new_asks_for_no_mark(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    (tea,) = put(store, "I like tea")
    analytics = Analytics(store)
    analytics.follow()
    asked = []
    mark = reader.mark

    def watched(*arguments: object) -> reader.CopyPosition:
        asked.append(1)
        return mark(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "mark", watched)
    assert analytics.follow() == store.journal.seq()
    assert asked == []
    store.recalls.record_use([tea])
    analytics.follow()
    assert len(asked) == 1
    assert analytics.count(Filter(used_least=1)) == 1
    analytics.close()


def test_what_is_committed_while_it_follows_is_taken_in_by_the_next(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "I like tea")
    analytics = Analytics(store)
    mark = reader.mark

    def then_another_writes(*arguments: object) -> reader.CopyPosition:
        found = mark(*arguments)  # type: ignore[arg-type]
        other = threading.Thread(target=put, args=(store, "I like trains"))
        other.start()
        other.join()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(reader, "mark", then_another_writes)
        analytics.follow()
    assert analytics.count(Filter()) == 1
    analytics.follow()
    assert analytics.count(Filter()) == 2
    analytics.close()
