"""Secrets in names: tags, scopes, ids, file names and the journal are scanned and redacted as texts are."""

import sqlite3
from contextlib import closing

from curator import curation
from curator.curation import finish_purge
from curator.services.secret_scan import redact_found, scan
from effort import thorough
from factories import conversation, memory, put, quote
from store import Store
from store.model import Actor, Relation

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
OTHER = "ghp_" + "9Zx8Yw7Vu6Ts5Rq4Po3Nm2Lk1Ji0Hg9Fe8Dc"


def holds(store: Store) -> bool:
    """Return True if any file of the store holds a token, in any case."""
    stored = b"".join(path.read_bytes() for path in store.folder.rglob("*") if path.is_file()).lower()
    return any(token.casefold().encode() in stored for token in (TOKEN, OTHER))


def tagged(store: Store, number: int, *tags: str) -> None:
    """Tag a memory without redaction, as an older version did."""
    with store.command("tag") as writer:
        writer.insert("tags", ("memory", "tag"), [(number, tag) for tag in tags])


def test_tags_are_found_and_cleaned_so_that_undo_works(store: Store) -> None:
    one, two = put(store, "I like tea", "I like coffee", scope=f"project:{TOKEN}", project=TOKEN)
    tagged(store, one, TOKEN.casefold(), OTHER.casefold(), "drinks")
    tagged(store, two, TOKEN.casefold())
    with store.command("tag") as writer:
        writer.delete("tags", "memory = ?", (two,))
    assert scan(store).found
    done, left = redact_found(store, scan(store), finish_purge)
    assert not left and {one, two} <= set(done.memories)
    assert not holds(store) and not scan(store).found and not store.differences()
    tags = store.get(one).tags
    assert len(tags) == 3 and "drinks" in tags
    assert store.get(one).scope == "project:[REDACTED]"
    assert store.undo().verb == "tag" and len(store.get(two).tags) == 1
    store.undo()
    store.undo()
    assert store.get(one).tags == () and not store.differences()
    for _ in range(3):
        store.redo()
    assert store.get(one).tags == tags and not store.differences() and not holds(store)


def test_what_stands_in_the_journal_alone_is_found(store: Store) -> None:
    (one,) = put(store, "I like tea")
    tagged(store, one, TOKEN)
    store.undo()
    assert [found.sort for found in scan(store).found] == ["earlier change"]
    redact_found(store, scan(store), finish_purge)
    assert not holds(store) and not scan(store).found and not store.differences()


def test_ids_stay_distinct(store: Store) -> None:
    one, two = (put(store, text, external_id=id_)[0] for text, id_ in (("I like tea", TOKEN), ("A dog", OTHER)))
    redact_found(store, scan(store), finish_purge)
    ids = {store.get(number).external_id for number in (one, two)}
    assert len(ids) == 2 and not holds(store) and not store.differences()
    assert store.hashed_id(TOKEN) in ids


NO_WORDS = {  # columns that only the program writes
    "owner", "ident", "actor", "verb", "role", "channel", "content_key", "kind", "tier", "origin", "review", "rank",
    "given", "life", "surprise", "settled", "judge", "a_key", "b_key", "former", "sweep", "holder", "host", "model",
    "task", "uid", "name", "label", "item", "rules", "key", "memories",
}  # fmt: skip
OWN = {
    ("conversations", "source"),
    ("alerts", "relation"),
    ("judgments", "relation"),
    ("distilled", "distiller"),
    ("wordings", "distiller"),
}


def filled(store: Store) -> None:
    """Store a row in every table that holds words."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I like tea.", project="home"))
    names = dict.fromkeys(("session", "subject", "relation", "object", "span", "source", "flag", "distiller"), "x")
    cited = quote("tea", "I like tea.", title="t", reference="r", source="s")
    with store.command("add") as writer:
        for text in ("I like tea.", "I like coffee."):
            store.admit(writer, memory(text, external_id=text, project="p", tags=("a",), evidence=(cited,), **names))
    curation.edit(store, 1, "I like green tea.")
    with store.command("compare", Actor.SWEEP) as writer:
        store.alerts.put(writer, 1, 2, Relation.UNSURE, 0.5, ["words"])
    store.recalls.put("r0000000000", [1])
    store.recalls.put_answer("r0000000000", "Hello.")


def places(store: Store) -> list[tuple[str, str]]:
    """Return (table, column) of every text column in tables that have rows."""
    with closing(sqlite3.connect(store.folder / "record.sqlite")) as record:
        tables = [row[0] for row in record.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        filled_ones = [table for table in tables if record.execute(f"SELECT 1 FROM {table}").fetchone()]
        return [
            (table, column[1])
            for table in filled_ones
            if not table.startswith("sqlite_")
            for column in record.execute(f"PRAGMA table_info({table})")
            if column[2] == "TEXT" and column[1] not in NO_WORDS and (table, column[1]) not in OWN
        ]


@thorough
def test_no_column_of_the_record_is_left_out(store: Store) -> None:
    filled(store)
    found = places(store)
    assert {"messages", "memories", "evidence", "tags", "versions", "alerts", "turns"} <= {table for table, _ in found}
    for table, column in found:
        words = f'["{TOKEN}"]' if column == "reasons" else TOKEN
        with closing(sqlite3.connect(store.folder / "record.sqlite")) as record, record:
            (before,) = record.execute(f"SELECT {column} FROM {table} LIMIT 1").fetchone()
            record.execute(f"UPDATE {table} SET {column} = ? WHERE {column} IS ?", (words, before))
        assert scan(store).found, (table, column)
        redact_found(store, scan(store), finish_purge)
        assert not holds(store), (table, column)
        assert not scan(store).found
