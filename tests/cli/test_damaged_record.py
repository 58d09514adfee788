"""A damaged record on the command line: every command ends with a message, and `doctor --json` prints its object."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from curator import purge_everywhere
from curator.paths import store_folder
from effort import thorough
from factories import put
from store import RECORD, Store


def damage(sort: str) -> None:
    """Write a damaged record of a store with one memory, in the place of the store."""
    file = store_folder() / RECORD
    with contextlib.closing(Store.open(file.parent.with_name("sound"))) as store:
        put(store, "I like tea")
        file.parent.mkdir(parents=True)
        store.backup(file)
    if sort == "no database":
        file.write_bytes(b"x" * 8192)
        return
    if sort == "pages":
        with file.open("r+b") as stream:
            stream.seek(3 * 4096)
            stream.write(b"\x9d\x17" * (10 * 4096))
        return
    with contextlib.closing(sqlite3.connect(file)) as record:
        record.execute("UPDATE memories SET device = 77 WHERE id = 1")
        record.commit()


@thorough
@pytest.mark.parametrize("sort", ["no database", "pages", "no device"])
def test_doctor_prints_its_object_whatever_is_damaged(curator: Curator, sort: Any) -> None:
    damage(sort)
    ran = curator("doctor", "--json")
    assert ran.code == 3
    (told,) = ran.rows
    assert told.keys() == {"record", "index", "weights", "unfinished_purge", "days_ahead"} and told["record"]


@thorough
def test_doctor_prints_its_object_though_something_of_a_purge_is_left(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge_everywhere, "finish_purge", lambda store: ("AGENTS.md is away",))
    ran = curator("doctor", "--compact", "--json")
    assert ran.code == 3 and "AGENTS.md is away" in ran.err
    (told,) = ran.rows
    assert told["index"] == []


def test_a_memory_of_a_lost_device_is_told_in_words(curator: Curator, tmp_path: Path) -> None:
    damage("no device")
    for words in (["list", "--json"], ["show", "1", "--json"], ["export", tmp_path / "all.jsonl"]):
        ran = curator(*words)
        assert ran.code == 3 and "curator doctor" in ran.err and "memory 1" in ran.err
    assert curator("show", "1").code == 0


def test_a_superseded_memory_names_the_one_that_stands(curator: Curator) -> None:
    for text in ("I live in Porto", "I live in Lisbon"):
        curator("add", text)
    assert curator("merge", 2, 1, "--yes").code == 0
    older = curator("show", 1).out + curator("show", 2).out
    assert "superseded by memory" in older
