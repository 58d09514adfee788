"""An import recognises stores of Curator, wherever they are and however they are named, and skips them."""

import contextlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.importers import Format, Unrecognised, detect
from curator.services.import_logs import import_paths
from effort import exhaustive, some
from factories import put
from importers.sample_logs import gpt_chat, items, skipped, write_json
from store import Filter, Store

ROOT = Path(__file__).parents[2]
NOT_WINDOWS = pytest.mark.skipif(os.name == "nt", reason="links need rights there, and an open file has no other name")


def named_database(store: Store, folder: Path) -> Path:
    """Return the record itself."""
    return store.folder / "record.sqlite"


def its_folder(store: Store, folder: Path) -> Path:
    """Return the folder of the record, the index and the copies."""
    return store.folder


def its_log(store: Store, folder: Path) -> Path:
    """Return the record's write-ahead log."""
    return store.folder / "record.sqlite-wal"


def symlink(store: Store, folder: Path) -> Path:
    """Link to the record by another name."""
    (folder / "chats.json").symlink_to(store.folder / "record.sqlite")
    return folder / "chats.json"


def hard_link(store: Store, folder: Path) -> Path:
    """Hard-link the record by another name."""
    (folder / "chats.json").hardlink_to(store.folder / "record.sqlite")
    return folder / "chats.json"


def hard_link_of_its_log(store: Store, folder: Path) -> Path:
    """Hard-link the record's write-ahead log by another name."""
    (folder / "chats.zip").hardlink_to(store.folder / "record.sqlite-wal")
    return folder / "chats.zip"


def backup(store: Store, folder: Path) -> Path:
    """Back up the record under another name."""
    store.backup(folder / "2026.json")
    return folder / "2026.json"


def zipped(store: Store, folder: Path) -> Path:
    """Put a backup into an archive."""
    with zipfile.ZipFile(folder / "home.zip", "w") as archive:
        archive.write(backup(store, folder), "home/chats.db")
    (folder / "2026.json").unlink()
    return folder / "home.zip"


def of_another_home(store: Store, folder: Path) -> Path:
    """Open another person's store, and return its folder."""
    other = Store.open(folder / "other" / "store")
    put(other, "I like boats")
    return folder / "other"


FORMS = [
    named_database,
    its_folder,
    its_log,
    backup,
    zipped,
    of_another_home,
    *(pytest.param(form, marks=NOT_WINDOWS) for form in (symlink, hard_link, hard_link_of_its_log)),
]


@pytest.mark.parametrize("form", FORMS)
def test_a_store_is_left_alone_and_named(store: Store, tmp_path: Path, form: Callable[[Store, Path], Path]) -> None:
    put(store, "I like tea")
    place = tmp_path / "place"
    place.mkdir()
    path = form(store, place)
    with pytest.raises(Unrecognised, match="Curator store, left alone"):
        detect(path)
    for forced in (None, Format.OPENAI):
        with pytest.raises(Unrecognised, match="Curator store, left alone"):
            items(path, format=forced)
    write_json(place / "conversations.json", [gpt_chat("c", "Hello", "Hi")])
    if place not in path.parents:
        return
    found = skipped(items(place))
    assert found.get("curator_store", 0) == (0 if form is symlink else 1)
    assert found.get("other_file", 0) == 0


@exhaustive
@pytest.mark.parametrize("form", some(FORMS, 2))
def test_looking_at_a_store_takes_no_lock_from_it(
    store: Store, tmp_path: Path, form: Callable[[Store, Path], Path]
) -> None:
    put(store, "I like tea")
    path = form(store, tmp_path)
    with contextlib.suppress(Unrecognised):
        items(path)
    write_json(tmp_path / "conversations.json", [gpt_chat("c", "Hello", "Hi")])
    summary = import_paths(store, [tmp_path], None)
    assert summary.reasons["curator_store"] >= 1
    assert summary.conversations == 1
    visit(store.folder)
    put(store, "I like trains")
    visit(store.folder)
    assert store.count(Filter()) == 2
    assert store.differences() == []


def test_a_folder_with_a_record_keeps_its_logs(store: Store) -> None:
    """Import what lies in a store's folder without belonging to the store."""
    write_json(store.folder / "logs" / "conversations.json", [gpt_chat("c", "Hello", "Hi")])
    write_json(store.folder / "index" / "conversations.json", [gpt_chat("d", "Hello", "Hi")])
    assert import_paths(store, [store.folder], None).conversations == 1


def test_another_programs_database_is_not_taken_for_a_store(tmp_path: Path) -> None:
    shutil.copy(database(tmp_path / "a.db"), tmp_path / "b.sqlite")
    write_json(tmp_path / "conversations.json", [gpt_chat("c", "Hello", "Hi")])
    assert "curator_store" not in skipped(items(tmp_path))


def database(path: Path) -> Path:
    """Write a database of another program."""
    import sqlite3

    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
    return path


def visit(folder: Path) -> None:
    """Open and close the store in another process, which would delete the write-ahead log if no locks were held."""
    script = f"from pathlib import Path; from store import Store; Store.open(Path({str(folder)!r})).close()"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
    assert (folder / "record.sqlite-wal").exists()
