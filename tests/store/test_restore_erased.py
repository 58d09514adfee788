"""Memories forgotten after a backup do not come back with it: not by undo, in a name, or as a secret."""

import contextlib
import sqlite3
from pathlib import Path

import pytest

from curator import curation
from curator.curation import finish_purge
from curator.services import secret_scan
from curator.text import content_key
from effort import thorough
from factories import memory, put
from store import Filter, Restored, Store, StoreError, restore
from store.model import Life
from store.record.changes import decode

pytestmark = thorough

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def bring_back(store: Store, file: Path) -> Restored:
    done = restore(store.folder, file, content_key, secret_scan.redactors_for)
    assert store.differences() == []
    return done


def live(store: Store) -> list[str]:
    return sorted(found.text for found in store.get_many(store.list_ids(Filter())))


def everything(store: Store) -> str:
    """Return all texts in the record, including the journal."""
    found: list[object] = []
    with contextlib.closing(sqlite3.connect(store.folder / "record.sqlite")) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            found += connection.execute(f"SELECT * FROM {table}").fetchall()
        found += [decode(data) for (data,) in connection.execute("SELECT changes FROM events")]
    return repr(found)


def test_no_undo_takes_back_a_purge_of_what_the_backup_has_not(store: Store, tmp_path: Path) -> None:
    put(store, "I like tea")
    store.backup(tmp_path / "copy")
    curation.purge(store, put(store, "I own a boat"))
    curation.forget(store, put(store, "I own a kite"))
    done = bring_back(store, tmp_path / "copy")
    assert (done.reapplied.purged, done.reapplied.forgotten, done.reapplied.by_hash) == (1, 1, 1)
    for _ in range(5):
        with contextlib.suppress(StoreError):
            store.undo()
    assert live(store) == []
    gone = store.peek_memory(memory("I own a boat")).forgotten
    assert gone is not None and store.get(gone).life is Life.PURGED
    assert store.differences() == []


def test_words_a_memory_got_after_the_backup_stay_away_with_it(store: Store, tmp_path: Path) -> None:
    put(store, "I like tea", "I like trains")
    store.backup(tmp_path / "copy")
    curation.edit(store, 1, "I adore green tea")
    curation.purge(store, [1])
    curation.edit(store, 2, "I adore night trains")
    curation.forget(store, [2])
    done = bring_back(store, tmp_path / "copy")
    assert (done.reapplied.purged, done.reapplied.forgotten) == (1, 1)
    for text in ("I like tea", "I adore green tea", "I like trains", "I adore night trains"):
        assert store.peek_memory(memory(text)).forgotten is not None, text


def test_only_what_was_forgotten_is_forgotten_again(store: Store, tmp_path: Path) -> None:
    put(store, "I indent with tabs")
    put(store, "I indent with tabs", scope="project:kernel", project="kernel")
    store.backup(tmp_path / "copy")
    curation.forget(store, [1])
    done = bring_back(store, tmp_path / "copy")
    assert done.reapplied.forgotten == 1
    assert (store.get(1).life, store.get(2).life) == (Life.FORGOTTEN, Life.LIVE)


def test_other_writings_that_were_purged_are_purged_again(store: Store, tmp_path: Path) -> None:
    put(store, "I am allergic to hazelnuts")
    with store.command("add") as writer:
        fields = {"tags": ("i-am-allergic-to-hazelnuts",), "project": "I am -- ALLERGIC to *hazelnuts*"}
        store.admit(writer, memory("Shopping notes for the kitchen", **fields))
    store.backup(tmp_path / "copy")
    curation.purge(store, [1], variants=True)
    assert "hazelnuts" not in everything(store)
    for _ in range(2):
        assert bring_back(store, tmp_path / "copy").reapplied.purged == 1
        assert "hazelnuts" not in everything(store)
    assert live(store) == ["Shopping notes for the kitchen"]


def test_other_writings_that_were_kept_are_kept_again(store: Store, tmp_path: Path) -> None:
    put(store, "I am allergic to hazelnuts", "I AM (allergic) to -hazelnuts-, as my son is")
    store.backup(tmp_path / "copy")
    curation.purge(store, [1])
    assert len(live(store)) == 1
    assert bring_back(store, tmp_path / "copy").reapplied.purged == 1
    assert live(store) == ["I AM (allergic) to -hazelnuts-, as my son is"]


def test_former_words_of_a_purged_memory_go_from_names(store: Store, tmp_path: Path) -> None:
    put(store, "I like tea")
    put(store, "Plans for the summer", project="I own a yellow submarine")
    store.backup(tmp_path / "copy")
    curation.edit(store, 1, "I own a yellow submarine")
    curation.purge(store, [1])
    assert bring_back(store, tmp_path / "copy").reapplied.by_hash == 0
    assert "submarine" not in everything(store)


@pytest.mark.parametrize(
    "fields",
    [
        {"project": "I own a yellow submarine"},
        {"scope": "project:I own a yellow submarine"},
        {"tags": ("I own a yellow submarine",)},
        {"subject": "As I said, I own a yellow submarine at home"},
    ],
    ids=str,
)
def test_names_with_the_words_of_a_purge_the_backup_has_not(
    store: Store, tmp_path: Path, fields: dict[str, object]
) -> None:
    put(store, "Painting plans for the summer", **fields)
    put(store, "Other plans", tags=("summer",))
    store.backup(tmp_path / "copy")
    curation.tag(store, [2], remove=["summer"])
    curation.purge(store, put(store, "I own a yellow submarine"))
    assert "submarine" not in everything(store)
    done = bring_back(store, tmp_path / "copy").reapplied
    assert "submarine" not in everything(store)
    assert (done.purged, done.memories, done.by_hash) == (1, 1, 1)
    assert live(store) == ["Other plans", "Painting plans for the summer"]


def test_a_secret_that_was_redacted_stays_so(store: Store, tmp_path: Path) -> None:
    put(store, f"Deploy uses {TOKEN} daily", "I like tea")
    store.backup(tmp_path / "copy")
    secret_scan.redact_found(store, secret_scan.scan(store), finish_purge)
    assert bring_back(store, tmp_path / "copy").redacted == 1
    assert TOKEN not in everything(store)
    assert live(store) == ["Deploy uses [REDACTED] daily", "I like tea"]


def test_a_secret_no_detector_finds_by_now_stays_redacted(store: Store, tmp_path: Path) -> None:
    put(store, f"Deploy uses {TOKEN} daily", f"With {TOKEN} at night")
    store.backup(tmp_path / "copy")
    secret_scan.redact_found(store, secret_scan.scan(store), finish_purge)
    done = restore(store.folder, tmp_path / "copy", content_key)
    assert (done.redacted, done.reapplied.memories) == (0, 2)
    assert TOKEN not in everything(store)
    assert store.differences() == []
