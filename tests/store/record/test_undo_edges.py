"""Undo of commands that interact: by id, during an import, of undos, and with forgotten or repeated memories."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from curator import curation
from curator.models import Embedder, load_embedder
from curator.services.import_logs import distil_all, import_paths
from curator.text import content_key
from effort import thorough
from factories import conversation, memory, put, quote
from store import Conflict, Filter, Forgotten, ReliedOn, Store, clock
from store.model import Actor, Life, NewMemory, Origin, Relation, Review


@pytest.fixture
def lexical(tmp_path: Path) -> Embedder:
    return load_embedder("hashing", tmp_path)


def session(folder: Path, *said: str) -> Path:
    """Write a Claude Code session in which a person says these things."""
    file = folder / "session.jsonl"
    with file.open("w") as out:
        for n, text in enumerate(said):
            row = {
                "type": "user",
                "uuid": f"u{n}",
                "sessionId": "s",
                "cwd": "/home/ana/site",
                "timestamp": f"2026-01-01T10:00:{n:02d}Z",
                "message": {"role": "user", "content": text},
            }
            out.write(json.dumps(row) + "\n")
    return file


def test_an_undo_or_a_redo_cannot_itself_be_undone_by_id(store: Store) -> None:
    put(store, "I like tea")
    put(store, "I like trains")
    store.undo()
    with pytest.raises(Conflict, match="redo"):
        store.undo(3)
    store.redo()
    with pytest.raises(Conflict, match="itself"):
        store.undo(4)
    store.undo()
    store.undo()
    assert store.count(Filter()) == 0
    assert store.differences() == []


def test_what_was_done_to_a_memory_while_its_import_ran_is_seen(store: Store) -> None:
    with store.command("import") as writer:
        number = store.admit(writer, memory("I like tea")).added
        assert number is not None
        writer.pause()
        other = Store.open(store.folder)
        curation.tag(other, [number], add=["work"])
        other.close()
        writer.resume()
        store.admit(writer, memory("I like trains"))
    with pytest.raises(Conflict, match="2"):
        store.undo(1)
    assert store.differences() == []


def test_an_import_shown_again_is_not_hidden_under_memories_that_cite_it(store: Store) -> None:
    def bring_in() -> int:
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("a", "I like tea"))
        return store.journal.log(1)[0].id

    bring_in()
    store.undo()
    shown = bring_in()
    (found,) = store.raw.get_conversations()
    (message,) = store.raw.messages(found.id)
    with store.command("distil") as writer:
        store.admit(writer, memory("I like tea", evidence=(quote("tea", "I like tea", message=message.id),)))
    with pytest.raises(Conflict, match=str(store.journal.log(1)[0].id)):
        store.undo(shown)


def test_a_quote_added_later_to_an_older_memory_holds_its_message(store: Store) -> None:
    put(store, "I like tea")
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I like tea"))
    (message,) = store.raw.messages(store.raw.get_conversations()[0].id)
    with store.command("distil") as writer:
        store.admit(writer, memory("I like tea", evidence=(quote("tea", "I like tea", message=message.id),)))
    with pytest.raises(Conflict, match="3"):
        store.undo(2)


def test_undoing_an_earlier_part_of_a_file_does_not_keep_it_from_being_read_again(
    store: Store, lexical: Embedder, tmp_path: Path
) -> None:
    import_paths(store, [session(tmp_path, "I prefer tabs")], lexical, distil=False)
    import_paths(store, [session(tmp_path, "I prefer tabs", "I prefer spaces")], lexical, distil=False)
    store.undo(1)
    import_paths(store, [tmp_path / "session.jsonl"], lexical, distil=False)
    texts = [message.text for found in store.raw.get_conversations() for message in store.raw.messages(found.id)]
    assert sorted(texts) == ["I prefer spaces", "I prefer tabs"]


@thorough
def test_what_is_shown_again_is_distilled(store: Store, lexical: Embedder, tmp_path: Path) -> None:
    said = [f"I live in house number {n} with my dog." for n in range(30)]
    import_paths(store, [session(tmp_path, *said[:28])], lexical, distil=False)
    import_paths(store, [session(tmp_path, *said)], lexical, distil=False)
    store.undo(1)
    distil_all(store, lexical)
    before = store.count(Filter())
    import_paths(store, [tmp_path / "session.jsonl"], lexical)
    assert store.count(Filter()) > before


@pytest.mark.parametrize("life", [Life.EXPIRED, Life.SUPERSEDED, Life.FORGOTTEN, Life.LIVE])
def test_what_was_purged_comes_back_in_no_state_of_life(store: Store, life: Life) -> None:
    (number,) = put(store, "I keep bees on the roof")
    curation.purge(store, [number])
    again = memory("I keep bees on the roof", life=life, origin=Origin.IMPORT, external_id="elsewhere")
    with store.command("import") as writer:
        assert store.admit(writer, again).forgotten == number
    with store.sqlite() as connection:
        assert "bees" not in "\n".join(connection.iterdump())


def test_lifting_leaves_the_tombstones_of_the_purged(store: Store) -> None:
    def write(new: NewMemory) -> int:
        with store.command("import") as writer:
            return store.admit(writer, new).added or 0

    old = write(memory("I keep bees", life=Life.FORGOTTEN))
    (here,) = put(store, "I keep cats")
    curation.purge(store, [old])
    curation.forget(store, [here])
    curation.restore(store, [here])
    with pytest.raises(Forgotten):
        curation.add(store, "I keep bees")


def test_undo_makes_no_second_memory_of_what_is_said_by_now(store: Store) -> None:
    first = curation.add(store, "I like tea").id
    curation.edit(store, first, "I like trains")
    second = curation.add(store, "I like tea").id
    with pytest.raises(Conflict, match=str(second)):
        store.undo(2)
    curation.forget(store, [second])
    with pytest.raises(Conflict, match="forgotten"):
        store.undo(2)
    curation.edit(store, first, "I like boats")
    assert store.differences() == []


def test_what_stood_side_by_side_before_may_stand_so_again(store: Store) -> None:
    (here,) = put(store, "I like tea", scope="project:x")
    (there,) = put(store, "I like tea")
    states = [store.state_hash()]
    curation.forget(store, [there])
    states.append(store.state_hash())
    curation.pin(store, [here])
    states.append(store.state_hash())
    curation.forget(store, [here])
    for state in reversed(states):
        store.undo()
        assert store.state_hash() == state
    for state in states[1:]:
        store.redo()
        assert store.state_hash() == state


def test_an_earlier_change_of_another_column_is_undone_alone(store: Store) -> None:
    (number,) = put(store, "I like tea")
    curation.validate(store, [number])
    curation.pin(store, [number])
    store.undo(2)
    assert (store.get(number).review, store.get(number).pinned) == ("open", True)


def test_only_commands_that_added_a_quote_of_an_import_keep_it_from_being_undone(store: Store) -> None:
    (number,) = put(store, "I like tea")
    curation.pin(store, [number])
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I like tea"))
    (message,) = store.raw.messages(store.raw.get_conversations()[0].id)
    with store.command("distil") as writer:
        store.admit(writer, memory("I like tea", evidence=(quote("tea", "I like tea", message=message.id),)))
    curation.validate(store, [number])
    curation.tag(store, [number], "drinks")
    with pytest.raises(ReliedOn) as refused:
        store.undo(3)
    assert refused.value.commands == (4,)


def test_an_undo_makes_no_circle_of_superseded_memories(store: Store) -> None:
    first, second = put(store, "I like tea", "I like green tea")
    curation.supersede(store, [first], second)
    curation.restore(store, [first])
    restored = store.journal.log(1)[0].id
    curation.supersede(store, [second], first)
    before = store.state_hash()
    with pytest.raises(Conflict, match=f"memory {first} would be superseded by memory {second}"):
        store.undo(restored)
    assert store.state_hash() == before


def test_what_was_purged_is_beyond_undo_by_id(store: Store) -> None:
    (number,) = put(store, "I like tea")
    curation.validate(store, [number])
    curation.purge(store, [number])
    with pytest.raises(Conflict, match="cannot be undone: its memories were purged"):
        store.undo(2)


def test_an_undo_of_something_older_counts_as_a_change_since(store: Store) -> None:
    (old,) = put(store, "I like tea")
    with store.command("expire", Actor.SWEEP) as writer:
        writer.update("memories", [old], {"life": "expired"})
    (new,) = put(store, "I like tea")
    curation.forget(store, [new])
    forgetting = store.journal.log(1)[0].id
    curation.restore(store, [new])
    with store.command("expire", Actor.SWEEP) as writer:
        writer.update("memories", [new], {"life": "expired"})
    again = store.journal.log(1)[0].id
    store.undo(2)
    with pytest.raises(Conflict, match=str(old)):
        store.undo(again)
    assert forgetting < again
    assert [store.get(number).life for number in (old, new)] == [Life.LIVE, Life.EXPIRED]
    assert store.differences() == []


def test_restore_makes_no_second_memory(store: Store) -> None:
    (old,) = put(store, "I like tea", life=Life.EXPIRED)
    (new,) = put(store, "I like tea")
    with pytest.raises(Conflict, match=str(new)):
        curation.restore(store, [old])
    assert store.get(old).life is Life.EXPIRED


def test_only_a_live_memory_is_edited(store: Store) -> None:
    (number,) = put(store, "I like tea")
    curation.forget(store, [number])
    with pytest.raises(Conflict, match="live"):
        curation.edit(store, number, "I like trains")
    curation.restore(store, [number])
    curation.purge(store, [number])
    with pytest.raises(Conflict, match="purged"):
        curation.edit(store, number, "I like boats")


@thorough
def test_distilling_again_does_not_go_back_behind_an_edit(store: Store, lexical: Embedder, tmp_path: Path) -> None:
    said = [f"I work as a nurse in ward {n} in Braga." for n in range(26)]
    import_paths(store, [session(tmp_path, *said)], lexical)
    ids = store.list_ids(Filter())
    former = store.get(ids[0]).text
    curation.edit(store, ids[0], "Ich wohne in Lisboa")
    distil_all(store, lexical, again=True)
    assert former not in [found.text for found in store.get_many(store.list_ids(Filter()))]
    assert curation.add(store, former).text == former, "the person may say it again"


@thorough
def test_a_number_given_again_after_a_restore_is_not_taken_for_the_same(store: Store, tmp_path: Path) -> None:
    from curator.export.files import export_file
    from store import restore

    put(store, "I like tea")
    store.backup(tmp_path / "copy")
    put(store, "made after the backup")
    export_file(store, tmp_path / "all.jsonl", Filter())
    restore(store.folder, tmp_path / "copy", content_key)
    put(store, "typed after the restore")
    summary = import_paths(store, [tmp_path / "all.jsonl"], None)
    assert (summary.known, summary.memories) == (1, 1)
    texts = {found.text for found in store.get_many(store.list_ids(Filter()))}
    assert texts == {"I like tea", "typed after the restore", "made after the backup"}


@thorough
def test_another_stores_backup_under_an_open_store_brings_its_own_key(store: Store, tmp_path: Path) -> None:
    from store import restore

    other = Store.open(tmp_path / "other")
    (gone,) = put(other, "I like tea")
    curation.forget(other, [gone])
    other.backup(tmp_path / "copy")
    other.close()
    put(store, "I like trains")
    restore(store.folder, tmp_path / "copy", content_key)
    with pytest.raises(Forgotten):
        curation.add(store, "I like tea")


@thorough
def test_a_memory_that_went_while_an_import_compared_gets_no_quote(
    store: Store, lexical: Embedder, tmp_path: Path
) -> None:
    import_paths(store, [session(tmp_path, *(["I am allergic to peanuts."] * 26))], lexical)
    (number,) = store.list_ids(Filter())

    class Slow:
        """An embedder during whose work a memory is forgotten."""

        fingerprint = lexical.fingerprint

        def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
            made = lexical.embed(texts, progress)
            if len(texts) and store.get(number).life is Life.LIVE:
                other = Store.open(store.folder)
                curation.purge(other, [number])
                other.close()
            return made

    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("b", "I am allergic to peanuts!"))
    distil_all(store, cast(Embedder, Slow()))
    with store.sqlite() as connection:
        assert connection.execute("SELECT quote FROM evidence WHERE quote <> ''").fetchall() == []
    assert store.differences() == []


def test_connections_of_ended_threads_are_closed(store: Store) -> None:
    import threading

    for _ in range(20):
        thread = threading.Thread(target=store.journal.seq)
        thread.start()
        thread.join()
    assert len(store._pool._all) <= 3


def test_an_interruption_while_a_command_begins_leaves_no_lock(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", interrupt)
        with pytest.raises(KeyboardInterrupt):
            put(store, "I like tea")
    assert put(store, "I like tea") == [1]
    other = Store.open(store.folder)
    assert put(other, "I like trains") == [2]
    other.close()


def test_nothing_of_another_owner_is_read(store: Store) -> None:
    from store import Forbidden

    other = Store.open(store.folder, owner="ana")
    with other.command("import") as writer:
        theirs = other.admit(writer, memory("Ana's own", evidence=(quote("own", "Ana's own", reference="m1"),))).added
    assert theirs is not None
    for ask in (store.evidence, store.versions, store.get):
        with pytest.raises(Forbidden):
            ask(theirs)
    assert store.sources([theirs]) == {}
    assert store.alerts.open(theirs) == []
    other.close()


@pytest.mark.parametrize("found", ["quote", "conflict"])
def test_what_was_found_again_is_not_brought_back_a_second_time(store: Store, found: str) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I like bees"))
        number = store.raw.find_identity(writer, "chatgpt:a:0")
    one, other = put(store, "I like bees", "I keep bees")

    def find(turned: bool = False) -> None:
        with store.command("distil", Actor.SWEEP) as writer:
            if found == "quote":
                store.admit(writer, memory("I like bees", evidence=(quote("I like bees", "I like bees", number),)))
            elif turned:  # as on another device, where ids have another order
                row = (9, other, one, "duplicate", 1.0, "[]", "sync/1", None, "x", "y", 1, None, "[]")
                writer.insert("alerts", _ALERT, [row])
            else:
                store.alerts.put(writer, one, other, Relation.DUPLICATE, 1.0, [], judge="sync/1")

    find()
    store.undo(store.journal.log()[0].id)
    find(turned=True)
    with pytest.raises(Conflict, match=f"the same {found} was found again"):
        store.redo()
    assert (len(store.evidence(one)), len(store.alerts.open())) == ((1, 0) if found == "quote" else (0, 1))


_ALERT = (
    *("id", "a", "b", "relation", "score", "reasons", "judge", "cosine", "a_key", "b_key", "at", "later_until"),
    "former",
)


def test_a_review_of_many_is_undone_for_those_that_were_not_purged(store: Store) -> None:
    tea, trains, boats = put(store, "I like tea", "I like trains", "I like boats")
    curation.validate(store, [tea, trains, boats])
    curation.purge(store, [tea])
    store.undo(2)
    assert [memory.review for memory in store.get_many([trains, boats])] == [Review.OPEN, Review.OPEN]
    assert store.get(tea).life is Life.PURGED and store.get(tea).text == ""
    assert store.differences() == []
    store.redo()
    assert store.get(boats).review is Review.VALIDATED
    curation.purge(store, [trains, boats])
    assert [command.undoable for command in store.journal.log() if command.verb == "validate"] == [False]
