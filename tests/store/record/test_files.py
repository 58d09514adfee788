"""Marks of log files: they save time, and the record never holds a file's name."""

from dataclasses import replace

from curator.curation import finish_purge
from curator.services.secret_scan import redact_found, scan
from store import Store
from store.model import FileMark

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
MARK = FileMark(f"/home/me/.claude/projects/{TOKEN}.jsonl", 120, b"digest", 1)


def stored(store: Store) -> bytes:
    """Return the bytes of all files of the store."""
    return b"".join(path.read_bytes() for path in store.folder.rglob("*") if path.is_file())


def test_a_mark_is_found_again_and_names_no_file(store: Store) -> None:
    assert not store.raw.has_file_marks()
    with store.command("import") as writer:
        store.raw.put_file_mark(writer, MARK)
    assert store.raw.has_file_marks() and store.raw.file_mark(MARK.path) == MARK
    assert store.raw.file_mark(MARK.path + "x") is None
    assert b".claude" not in stored(store) and TOKEN.encode() not in stored(store)
    assert not scan(store).found


def test_one_of_an_earlier_version_counts_until_it_is_written_anew_or_redacted(store: Store) -> None:
    with store.command("import") as writer:
        writer.connection.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?)", ("me", MARK.path, MARK.size, MARK.digest, MARK.conversations)
        )
    assert store.raw.file_mark(MARK.path) == MARK
    assert [one.sort for one in scan(store).found] == ["file name"]
    redact_found(store, scan(store), finish_purge)
    assert store.raw.file_mark(MARK.path) is None and TOKEN.encode() not in stored(store)
    grown = replace(MARK, size=200)
    with store.command("import") as writer:
        store.raw.put_file_mark(writer, grown)
    assert store.raw.file_mark(MARK.path) == grown
