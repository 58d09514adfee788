"""Restoring a backup: what comes back, what stays forgotten, and which files are refused."""

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.text import content_key
from effort import some, thorough
from factories import conversation, memory, put, quote
from store import Damaged, Filter, Foreign, NotFound, Restored, Store, Unusable, restore
from store.model import Life, Review
from store.record import database, migrations, schema
from store.record.changes import Insert, encode

pytestmark = thorough


def bring_back(store: Store, file: Path) -> Restored:
    return restore(store.folder, file, content_key)


def texts(store: Store, **which: object) -> set[str]:
    return {found.text for found in store.get_many(store.list_ids(Filter(**which)))}  # type: ignore[arg-type]


@pytest.fixture
def copy(store: Store, tmp_path: Path) -> Path:
    """Return a backup of a store with three memories and a log, from which one was distilled."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I like tea with hazelnut milk.", "Noted."))
        (message, *_) = store.raw.messages(1)
        evidence = (quote("I like tea with hazelnut milk", message.text, message.id),)
        store.admit(writer, memory("I like tea with hazelnut milk", evidence=evidence))
    put(store, "I like trains", "I like boats")
    curation.validate(store, [2])
    store.backup(tmp_path / "copy")
    return tmp_path / "copy"


def test_everything_comes_back_and_what_was_there_is_kept(store: Store, copy: Path) -> None:
    before = store.state_hash()
    put(store, "I like kites")
    after = store.state_hash()
    done = bring_back(store, copy)
    assert store.state_hash() == before
    assert store.differences() == []
    assert (done.memories, done.foreign, done.invalid) == (3, [], {})
    assert done.kept is not None
    bring_back(store, done.kept)
    assert store.state_hash() == after
    assert store.differences() == []
    store.undo()
    assert store.state_hash() == before
    with pytest.raises(ValueError, match="is the store itself"):
        bring_back(store, store.folder / "record.sqlite")
    os.link(store.folder / "record.sqlite", copy.with_name("link"))
    with pytest.raises(ValueError, match="is the store itself"):
        bring_back(store, copy.with_name("link"))


def test_what_was_let_go_of_since_is_let_go_of_again(store: Store, copy: Path) -> None:
    curation.forget(store, [2])
    curation.reject(store, [3])
    (later,) = put(store, "I like kites")
    curation.forget(store, [later])
    put(store, "I like swans")
    done = bring_back(store, copy)
    assert (done.reapplied.forgotten, done.reapplied.rejected, done.reapplied.purged) == (2, 1, 0)
    assert texts(store) == {"I like tea with hazelnut milk"}
    assert texts(store, lives=(Life.FORGOTTEN,)) == {"I like trains", "I like boats", "I like kites"}
    assert store.get(3).review is Review.REJECTED
    assert store.differences() == []
    for text in ("I like trains", "I like boats", "I like kites"):
        assert store.peek_memory(memory(text)).forgotten is not None
    store.undo()
    assert texts(store) == {"I like tea with hazelnut milk", "I like trains", "I like boats"}
    assert store.differences() == []
    assert done.kept is not None
    again = bring_back(store, done.kept)
    assert texts(store) == {"I like tea with hazelnut milk", "I like swans"}
    assert again.reapplied.forgotten == 0
    assert store.differences() == []


def test_a_forget_that_was_taken_back_before_the_backup_is_not_done_again(store: Store, tmp_path: Path) -> None:
    put(store, "I like tea")
    curation.forget(store, [1])
    store.backup(tmp_path / "forgotten")
    curation.restore(store, [1])
    store.backup(tmp_path / "back")
    bring_back(store, tmp_path / "forgotten")
    assert texts(store) == set()
    bring_back(store, tmp_path / "back")
    assert texts(store) == {"I like tea"}


def test_what_was_purged_since_leaves_no_words(store: Store, copy: Path) -> None:
    assert b"hazelnut" in copy.read_bytes()
    curation.purge(store, [1])
    done = bring_back(store, copy)
    assert done.reapplied.purged == 1
    assert store.get(1).life is Life.PURGED
    assert store.differences() == []
    store.close()
    for file in store.folder.rglob("*"):
        assert not file.is_file() or b"hazelnut" not in file.read_bytes(), file
    with contextlib.closing(Store.open(store.folder)) as again:
        assert again.peek_memory(memory("I like tea with hazelnut milk")).forgotten is not None
        assert texts(again) == {"I like trains", "I like boats"}


def test_words_purged_with_a_memory_that_the_backup_has_not_are_covered(store: Store, tmp_path: Path) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I like hazelnut milk in tea.", "Noted."))
    store.backup(tmp_path / "copy")
    (message, *_) = store.raw.messages(1)
    put(store, "I like hazelnut milk", evidence=(quote("I like hazelnut milk", message.text, message.id),))
    curation.purge(store, [1])
    done = bring_back(store, tmp_path / "copy")
    assert done.reapplied.messages == 1
    assert "hazelnut" not in store.raw.messages(1)[0].text
    assert store.peek_memory(memory("I like hazelnut milk")).forgotten is not None
    assert store.differences() == []
    store.close()
    assert not [file for file in store.folder.glob("record*") if b"hazelnut" in file.read_bytes()]


def test_another_stores_backup_is_taken_and_said_to_be_another(store: Store, copy: Path, tmp_path: Path) -> None:
    with contextlib.closing(Store.open(tmp_path / "other")) as other:
        put(other, "I like swans")
        assert not bring_back(other, copy).reapplied.comparable
        assert len(texts(other)) == 3


@pytest.mark.parametrize("version", some([version for version, _ in schema.MIGRATIONS], 4))
def test_backups_of_older_schemas_are_led_on(store: Store, tmp_path: Path, version: int) -> None:
    put(store, "I like trains")
    file = tmp_path / "old"
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as old:
        steps = tuple(step for step in schema.MIGRATIONS if step[0] <= version)
        migrations.apply_migrations(old, steps)
        row: dict[str, Any] = {
            **{"id": 1, "owner": "me", "text": "I like tea", "content_key": "k", "kind": "fact", "tier": "medium"},
            **{"origin": "rules", "review": "open", "rank": "new", "life": "live", "pinned": 0, "confidence": 0.5},
            **{"importance": 5, "scope": "global", "created_at": 1, "added_at": 1},
        }
        old.execute("INSERT INTO commands (id, at, owner, actor, verb) VALUES (1, 1, 'me', 'person', 'add')")
        event = encode([Insert("memories", tuple(row), (tuple(row.values()),))])
        columns = {"seq": 1, "command": 1, "changes": event}
        if any(name == "clock" for _, name, *_ in old.execute("PRAGMA table_info(events)")):
            columns["clock"] = 1
        marks = ", ".join("?" * len(columns))
        old.execute(f"INSERT INTO events ({', '.join(columns)}) VALUES ({marks})", tuple(columns.values()))
        old.execute("INSERT INTO touched VALUES (1, 1)")
        names = ", ".join((*row, "seq"))
        old.execute(f"INSERT INTO memories ({names}) VALUES ({', '.join('?' * len(row))}, 1)", tuple(row.values()))
    bring_back(store, file)
    assert texts(store) == {"I like tea"}
    assert store.differences() == []
    with store.sqlite() as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.NEWEST


HARMLESS = {
    "trigger": "CREATE TRIGGER theirs AFTER INSERT ON memories BEGIN DELETE FROM memories; END",
    "view": "CREATE VIEW theirs AS SELECT * FROM memories",
    "table": "CREATE TABLE theirs (a CHECK (a > 1))",
    "index": "CREATE INDEX theirs ON memories (text)",
    "column": "ALTER TABLE memories ADD COLUMN theirs TEXT DEFAULT 'x'",
    "generated": "ALTER TABLE memories ADD COLUMN theirs AS (abs(id)) VIRTUAL",
}


@pytest.mark.parametrize("sort", HARMLESS)
def test_nothing_of_a_foreign_schema_is_taken(store: Store, copy: Path, sort: str) -> None:
    before = store.state_hash()
    with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as theirs:
        theirs.execute(HARMLESS[sort])
    done = bring_back(store, copy)
    assert done.foreign
    assert store.state_hash() == before
    assert store.differences() == []
    with store.sqlite() as connection:
        everything = "\n".join(str(row[0]) for row in connection.execute("SELECT sql FROM sqlite_master"))
    assert "theirs" not in everything
    put(store, "I like kites")
    assert "I like kites" in texts(store)


HOSTILE = {
    "no such kind": "UPDATE memories SET kind = 'nonsense'",
    "a text for a number": "UPDATE memories SET pinned = 'yes'",
    "a blob for a text": "UPDATE memories SET text = x'ff00ff'",
    "no text": "UPDATE memories SET text = CAST(x'ff00ff' AS TEXT)",
    "no message": "UPDATE messages SET text = CAST(x'ff00ff' AS TEXT)",
    "no role": "UPDATE messages SET role = 'root'",
    "a huge text": "UPDATE memories SET text = hex(zeroblob(1000000))",
    "a huge number": "UPDATE sqlite_sequence SET seq = 9223372036854775807; UPDATE memories SET importance = 1 << 60",
    "no JSON": "UPDATE memories SET surprise = '{\"a\":1}'",
    "no such memory": "UPDATE evidence SET memory = 99",
    "no such conversation": "UPDATE messages SET conversation = 99",
    "a row behind the journal's back": "UPDATE memories SET tier = 'core'",
    "a memory less": "DELETE FROM memories WHERE id = 3",
    "no event": "UPDATE events SET changes = x'00'",
    "an event in SQL": """UPDATE events SET changes = '[{"t":"meta; --","c":["name"],"i":[["x"]]}]'""",
    "an event of no column": """UPDATE events SET changes = '[{"t":"memories","c":["id, x) --"],"i":[[1]]}]'""",
    "an event of a huge number": """UPDATE events SET changes = '[{"t":"tags","c":["tag"],"i":[[1e999]]}]'""",
    "a table less": "DROP TABLE versions",
    "a view for a table": "DROP TABLE tags; CREATE VIEW tags AS SELECT 1 AS memory, 'a' AS tag",
    "a column less": "ALTER TABLE memories DROP COLUMN span",
    "no key": "DELETE FROM meta WHERE name = 'key'",
    "no identity": "UPDATE meta SET value = x'00' WHERE name = 'id'",
    "schema 0": "PRAGMA user_version=0",
    "schema -5": "PRAGMA user_version=-5",
    "an older schema": "PRAGMA user_version=3",
    "schema 10^9": "PRAGMA user_version=1000000000",
    "another program": "PRAGMA application_id=7",
}


@pytest.mark.parametrize("how", some(list(HOSTILE), 9))
def test_what_is_unsound_is_refused_before_anything_changes(store: Store, copy: Path, how: str) -> None:
    put(store, "I like kites")
    before = store.state_hash()
    with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as theirs:
        theirs.executescript(HOSTILE[how])
    with pytest.raises(Unusable, match="nothing was changed"):
        bring_back(store, copy)
    assert store.state_hash() == before
    assert store.differences() == []
    assert not (store.folder / "backups").exists()


def test_rows_that_can_be_made_again_are_left_out_one_by_one(store: Store, copy: Path) -> None:
    with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as theirs:
        theirs.execute("INSERT INTO uses VALUES (1, 3, 5), (2, 'many', 5)")
        theirs.execute("INSERT INTO spaces VALUES (1, 'nonsense'), (2, 'a|b|c|2||0')")
        theirs.execute(
            "INSERT INTO vectors (memory, space, vector) VALUES (1, 1, x'00'), (1, 2, x'00'), (2, 2, zeroblob(8))"
        )
    assert bring_back(store, copy).invalid == {"uses": 1}
    assert store.recalls.uses([1, 2]).keys() == {1}
    (space,) = store.vectors.spaces()
    assert store.vectors.of(2, space) == bytes(8)
    assert [memory for memory, _ in store.vectors.missing(space, 9)] == [1, 3]


def test_what_is_no_copy_is_refused(store: Store, copy: Path, tmp_path: Path) -> None:
    before = store.state_hash()
    (tmp_path / "text").write_bytes(b"hello" * 100)
    (tmp_path / "cut").write_bytes(copy.read_bytes()[:20_000])
    (tmp_path / "nothing").touch()
    _, first = schema.MIGRATIONS[0]
    with contextlib.closing(sqlite3.connect(tmp_path / "utf16", isolation_level=None)) as theirs:
        theirs.executescript(f"PRAGMA encoding='UTF-16'; {first} PRAGMA application_id={database.APPLICATION};")
    for name, kind in (("text", Damaged), ("cut", Damaged), ("utf16", Damaged), ("nothing", Foreign)):
        with pytest.raises(kind, match="nothing was changed"):
            bring_back(store, tmp_path / name)
    with pytest.raises(NotFound):
        bring_back(store, tmp_path / "missing")
    (tmp_path / "copy-wal").write_bytes(b"x")
    with pytest.raises(Damaged, match="copy-wal"):
        bring_back(store, copy)
    assert store.state_hash() == before
    assert not (store.folder / "backups").exists()


@pytest.mark.parametrize("how", ["rubbish", "pages", "version"])
def test_a_damaged_store_is_kept_and_replaced(store: Store, copy: Path, how: str) -> None:
    path = store.folder / "record.sqlite"
    store.close()
    if how == "version":
        with contextlib.closing(sqlite3.connect(path)) as forged:
            forged.execute("PRAGMA user_version=-5")
        harmed = path.read_bytes()
    else:
        whole = path.read_bytes()
        harmed = b"rubbish" * 1000 if how == "rubbish" else whole[:100] + b"\xa5" * 4000 + whole[4100:]
        path.write_bytes(harmed)
    done = restore(store.folder, copy, content_key)
    assert done.kept is not None and not done.reapplied.comparable
    assert done.kept.read_bytes() == harmed
    with contextlib.closing(Store.open(store.folder)) as again:
        assert len(texts(again)) == 3
        assert again.differences() == []


def test_another_that_has_it_open_sees_the_new_state(store: Store, copy: Path) -> None:
    from curator.models import load_embedder
    from store.index import Index

    put(store, "I like kites")
    index = Index(store, load_embedder("hashing", Path()).fingerprint)
    assert [found for found, _ in index.search_text("kites", Filter(), 5)] == [4]
    bring_back(store, copy)
    put(store, "I like swans")
    assert index.search_text("kites", Filter(), 5) == []
    assert [found for found, _ in index.search_text("swans", Filter(), 5)] == [4]


def test_kill_at_any_moment_leaves_the_old_state_or_the_new(store: Store, copy: Path) -> None:
    old, new = {"I like kites"}, {"I like trains", "I like tea with hazelnut milk"}
    put(store, "I like kites", *(f"I like kite number {n}" for n in range(300)))
    curation.forget(store, [3])
    script = (
        "import sys; from pathlib import Path; from curator.text import content_key; from store import restore\n"
        "print('ready', flush=True); restore(Path(sys.argv[1]), Path(sys.argv[2]), content_key); print('done')"
    )
    store.close()
    for attempt in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(store.folder), str(copy)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.05 * attempt)
        process.kill()
        finished = "done" in process.communicate()[0]
        with contextlib.closing(Store.open(store.folder)) as again:
            found = texts(again)
            assert found == new if "I like kites" not in found else old < found and not finished
            assert "I like boats" not in found, "it was forgotten since"
            assert again.differences() == []
