"""Memories with an id from a file: forgotten ones stay away, and an unproven id blocks no other memory."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.export.files import export_file
from curator.services.import_logs import import_paths, preview
from curator.signature import own_fingerprint, signer, trust
from effort import thorough
from factories import put
from store import Filter, Store
from store.model import Memory, Review

pytestmark = thorough

LISBON = "I live in Lisbon with my wife Ana."
CAPITAL = "We live in the capital of Portugal"


def ready(folder: Path, *rows: dict[str, Any]) -> Path:
    file = folder / "ready.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def live(store: Store) -> list[Memory]:
    return store.get_many(store.list_ids(Filter()))


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Open the store of another device."""
    opened = Store.open(tmp_path / "other" / "store")
    yield opened
    opened.close()


def exported(store: Store, file: Path, monkeypatch: pytest.MonkeyPatch, *, trusted: bool = True) -> Path:
    """Export a store as its own device would, with its key trusted here if `trusted`; return the file."""
    monkeypatch.setenv("CURATOR_HOME", str(store.folder.parent))
    export_file(store, file, Filter(lives=()))
    fingerprint = own_fingerprint()
    monkeypatch.setenv("CURATOR_HOME", str(file.parent / "home"))
    if trusted and fingerprint is not None:
        trust(fingerprint)
    return file


@pytest.mark.parametrize("trusted", [False, True])
def test_what_was_put_better_and_forgotten_does_not_come_back_from_another_device(
    store: Store, other: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    curation.validate(other, put(other, LISBON))
    file = exported(other, tmp_path / "other.jsonl", monkeypatch, trusted=trusted)
    (mine,) = put(store, LISBON)
    curation.edit(store, mine, CAPITAL)
    curation.forget(store, [mine])
    assert preview(store, [file]).memories == 0
    summary = import_paths(store, [file], None)
    assert (summary.memories, summary.forgotten) == (0, {mine: 1})
    assert live(store) == []


def test_what_was_imported_put_better_and_forgotten_does_not_come_back_under_another_id(
    store: Store, tmp_path: Path
) -> None:
    import_paths(store, [ready(tmp_path, {"id": "a", "text": LISBON})], None)
    curation.edit(store, 1, CAPITAL)
    curation.forget(store, [1])
    rows = ({"id": "b", "text": LISBON}, {"id": "c", "text": LISBON, "scope": "project:x"}, {"id": "a", "text": LISBON})
    summary = import_paths(store, [ready(tmp_path, *rows)], None)
    assert (summary.memories, summary.forgotten, summary.known) == (0, {1: 2}, 1)
    assert live(store) == []


def test_what_was_put_better_or_superseded_is_known(store: Store, tmp_path: Path) -> None:
    better, former, now = put(store, LISBON, "I work in Porto", "I work in Faro", created_at=1_700_000_000_000_000)
    curation.edit(store, better, CAPITAL)
    curation.supersede(store, [former], now)
    summary = import_paths(
        store, [ready(tmp_path, {"id": "b", "text": LISBON}, {"id": "c", "text": "I work in Porto"})], None
    )
    assert (summary.memories, summary.known) == (0, 2)
    assert {memory.text for memory in live(store)} == {CAPITAL, "I work in Faro"}


def test_two_memories_of_another_store_of_which_one_said_what_the_other_says_both_come(
    store: Store, other: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (edited,) = put(other, LISBON)
    curation.edit(other, edited, CAPITAL)
    curation.forget(other, [edited])
    curation.add(other, LISBON)
    file = exported(other, tmp_path / "other.jsonl", monkeypatch)
    assert import_paths(store, [file], None).memories == 2
    assert [memory.text for memory in live(store)] == [LISBON]
    assert import_paths(store, [file], None).known == 2


@pytest.mark.parametrize("forged", [True, False])
def test_an_unproven_id_does_not_keep_the_memory_away_that_it_names(
    store: Store, other: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forged: bool
) -> None:
    curation.validate(other, put(other, "I am allergic to nuts", "I play the cello"))
    file = exported(other, tmp_path / "other.jsonl", monkeypatch)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    squatting = [{"id": row["id"], "text": f"I like kites {n}"} for n, row in enumerate(rows)]
    if forged:  # change the words but keep the signature
        squatting = [{**row, "text": f"I like kites {n}"} for n, row in enumerate(rows)]
    squat = ready(tmp_path, *squatting)
    assert import_paths(store, [squat], None).memories == 2
    assert import_paths(store, [squat], None).known == 2
    summary = import_paths(store, [file], None)
    assert (summary.memories, summary.known) == (2, 0)
    found = {memory.text: memory.review for memory in live(store)}
    assert found["I am allergic to nuts"] is found["I play the cello"] is Review.VALIDATED
    assert found["I like kites 0"] is found["I like kites 1"] is Review.OPEN
    assert import_paths(store, [file, squat], None).known == 4
    assert store.differences() == []


def test_a_file_without_its_signatures_is_known_after_the_signed_one_and_before(
    store: Store, other: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(other, "I am allergic to nuts", "I play the cello")
    file = exported(other, tmp_path / "other.jsonl", monkeypatch)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    stripped = ready(tmp_path, *({name: row[name] for name in row if name != "signature"} for row in rows))
    import_paths(store, [file], None)
    curation.edit(store, 1, "I am allergic to peanuts")
    curation.purge(store, [2])
    assert import_paths(store, [stripped], None).known == 2

    second = Store.open(tmp_path / "second")
    assert import_paths(second, [stripped], None).memories == 2
    assert import_paths(second, [file], None).known == 2
    second.close()


def test_an_own_export_without_its_signatures_is_known(store: Store, tmp_path: Path) -> None:
    put(store, "I am allergic to nuts", "I play the cello")
    export_file(store, tmp_path / "own.jsonl", Filter(lives=()))
    curation.edit(store, 1, "I am allergic to peanuts")
    curation.forget(store, [2])
    rows = [json.loads(line) for line in (tmp_path / "own.jsonl").read_text().splitlines()]
    stripped = ready(tmp_path, *({name: row[name] for name in row if name != "signature"} for row in rows))
    assert import_paths(store, [stripped], None).known == 2
    assert [memory.text for memory in live(store)] == ["I am allergic to peanuts"]


@pytest.mark.parametrize("claim", [{"life": "purged"}, {"state": "purged"}])
def test_a_purged_memory_with_words_is_refused(store: Store, tmp_path: Path, claim: dict[str, str]) -> None:
    row = {"id": "x", "text": LISBON, **claim}
    signed = {**row, "signature": dict(signer()(row))}
    for one in (row, signed):
        summary = import_paths(store, [ready(tmp_path, one, {"id": "y", "text": "I like tea"})], None)
        assert "purged" in str(summary.unreadable)
    assert [memory.text for memory in store.get_many(store.list_ids(Filter(lives=())))] == ["I like tea"]
