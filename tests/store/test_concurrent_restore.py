"""Long work during a restore: it stops, and does not touch the restored record."""

import json
from pathlib import Path

import pytest

from curator import curation, lifecycle
from curator.models import load_embedder
from curator.services.import_logs import distil_all, import_paths
from curator.services.import_summary import Progress
from curator.text import content_key
from effort import thorough
from factories import memory, put
from store import Store, StoreReplaced, restore
from store.errors import LeaseLost
from store.model import Actor, Command

pytestmark = thorough


def commands(store: Store) -> list[Command]:
    return store.journal.commands(store.journal.command_ids())


@pytest.fixture
def newer(store: Store, tmp_path: Path) -> Path:
    """Return a backup with three memories; the store itself has only the first."""
    put(store, "I like tea")
    store.backup(tmp_path / "older")
    put(store, "I like trains")
    put(store, "I like boats")
    store.backup(tmp_path / "newer")
    restore(store.folder, tmp_path / "older", content_key)
    return tmp_path / "newer"


def test_a_paused_command_does_not_go_on_as_another_of_the_same_number(store: Store, newer: Path) -> None:
    with pytest.raises(StoreReplaced, match="restored meanwhile; run it again"), store.command("add") as writer:
        store.admit(writer, memory("I like swans"))
        writer.pause()
        restore(store.folder, newer, content_key)
        before, hashed = commands(store), store.state_hash()
        assert writer.id in {command.id for command in before}
        writer.resume()
    assert commands(store) == before
    assert store.state_hash() == hashed
    assert store.differences() == []


def test_a_command_that_ends_while_it_pauses_notices_it_too(store: Store, newer: Path) -> None:
    with pytest.raises(StoreReplaced), store.command("add") as writer:
        writer.pause()
        restore(store.folder, newer, content_key)
        before = commands(store)
    assert commands(store) == before
    assert store.differences() == []


def test_a_command_of_the_backup_that_has_done_nothing_yet_is_not_dropped(store: Store, tmp_path: Path) -> None:
    store.backup(tmp_path / "empty")
    with store.command("import", summary="theirs") as theirs:
        theirs.pause()
        store.backup(tmp_path / "copy")
        theirs.resume()
    restore(store.folder, tmp_path / "empty", content_key)
    with pytest.raises(StoreReplaced), store.command("distil") as ours:
        assert ours.id == theirs.id
        ours.pause()
        restore(store.folder, tmp_path / "copy", content_key)
        ours.resume()
    with store.sqlite() as connection:
        assert [row["summary"] for row in connection.execute("SELECT summary FROM commands")] == ["theirs"]


@pytest.mark.parametrize("stage", ["reading", "distilling"])
def test_an_import_stops_and_changes_nothing_of_what_was_restored(
    store: Store, newer: Path, tmp_path: Path, stage: str
) -> None:
    file = tmp_path / "chat.json"
    turns = [{"role": "user", "content": "I live in Porto."}, {"role": "assistant", "content": "Noted."}]
    file.write_text(json.dumps({"messages": turns}))
    hashed: list[str] = []

    def replace(progress: Progress) -> None:
        if progress.stage == stage and not hashed:
            restore(store.folder, newer, content_key)
            hashed.append(store.state_hash())

    with pytest.raises(StoreReplaced):
        import_paths(store, [file], load_embedder("hashing", tmp_path), report=replace)
    assert [store.state_hash()] == hashed
    assert {command.verb for command in commands(store)} == {"add"}
    assert store.differences() == []


def test_distilling_anew_stops_as_well(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": [{"role": "user", "content": "I live in Porto."}]}))
    embedder = load_embedder("hashing", tmp_path)
    import_paths(store, [file], embedder)
    store.backup(tmp_path / "copy")
    seen: list[str] = []

    def replace(progress: Progress) -> None:
        if not seen:
            restore(store.folder, tmp_path / "copy", content_key)
            seen.append(store.state_hash())

    with pytest.raises(StoreReplaced):
        distil_all(store, embedder, again=True, report=replace)
    assert [store.state_hash()] == seen
    assert store.differences() == []


def test_a_lease_of_the_backup_is_not_the_one_that_was_taken_since(store: Store, tmp_path: Path) -> None:
    store.backup(tmp_path / "empty")
    assert store.sweeps.take("distil:1", "me", 60) is not None
    store.backup(tmp_path / "copy")
    restore(store.folder, tmp_path / "empty", content_key)
    lease = store.sweeps.take("distil:1", "me", 60)
    assert lease is not None
    restore(store.folder, tmp_path / "copy", content_key)
    with pytest.raises(LeaseLost, match="restored"), store.sweeps.holding(lease):
        pass
    with pytest.raises(LeaseLost), store.command("distil", Actor.MODEL) as writer:
        store.sweeps.confirm(writer.connection, lease)
    again = store.sweeps.take("distil:1", "me", 60)
    assert again is not None
    with store.sweeps.holding(again):
        pass


def test_a_plan_to_tidy_is_of_the_memories_it_was_made_for(store: Store, newer: Path) -> None:
    curation.reject(store, [1])
    planned = lifecycle.plan(store)
    restore(store.folder, newer, content_key)
    hashed = store.state_hash()
    with pytest.raises(StoreReplaced):
        lifecycle.run(store, planned)
    assert store.state_hash() == hashed
