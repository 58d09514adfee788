"""A purge killed after its commit: the next command finishes it, and until then it is reported as unfinished."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from cli.runner import Curator
from curator import curation
from curator.models import load_embedder
from curator.paths import store_folder
from effort import exhaustive, some, thorough
from factories import conversation, memory, put, quote
from store import Store
from store.analytics import Analytics
from store.index import Index

PROCESS = Path(__file__).with_name("purge_process.py")
STEPS = ("commit", "copy", "copies", "compact", "snapshot", "index", "done")
SECRET = "Zaubertrank under the Kastanienbaum"


def files_with_secret(folder: Path) -> list[str]:
    """Return the files that hold the secret, in any encoding."""
    needles = [SECRET.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be")]
    return [str(path) for path in folder.rglob("*") if path.is_file() and any(n in path.read_bytes() for n in needles)]


def copy(store: Store, name: str) -> None:
    """Write a copy of the record, as the program does by itself."""
    (store.folder / "backups").mkdir(exist_ok=True)
    with store.sqlite() as connection, contextlib.closing(sqlite3.connect(store.folder / "backups" / name)) as target:
        connection.backup(target)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store whose secret is in the record, two copies, a snapshot and the index; memory 1 holds it."""
    folder = tmp_path_factory.mktemp("template") / "store"
    with contextlib.closing(Store.open(folder)) as store:
        copy(store, "empty.sqlite")
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("a", f"I keep the {SECRET}, tell nobody", "fine"))
        with store.command("distil") as writer:
            turn = store.raw.messages(1)[0]
            store.admit(writer, memory(f"Keeps the {SECRET}", evidence=(quote(SECRET, turn.text, message=turn.id),)))
        put(store, "I like tea")
        copy(store, "one.sqlite")
        copy(store, "two.sqlite")
        Index(store, load_embedder("hashing", Path()).fingerprint).catch_up()
        analytics = Analytics(store)
        analytics.follow()
        analytics._save()
        analytics.close()
    assert len(files_with_secret(folder)) >= 3
    return folder


def purge_and_kill(folder: Path, step: str) -> None:
    """Purge memory 1 in a process that is killed at a step."""
    root = PROCESS.parents[2]
    path = os.pathsep.join((str(root), str(root / "tests"), os.environ.get("PYTHONPATH", "")))
    ended = subprocess.run(
        [sys.executable, str(PROCESS), str(folder), "1", step], env={**os.environ, "PYTHONPATH": path}, timeout=60
    )
    assert ended.returncode == -signal.SIGKILL


@thorough
@pytest.mark.parametrize("step", some(list(STEPS), 3))
def test_the_next_command_finishes_it(template: Path, curator: Curator, step: str) -> None:
    folder = store_folder()
    shutil.copytree(template, folder)
    purge_and_kill(folder, step)
    first = curator("list")
    assert first.code == 0 and "I like tea" in first.out
    assert ("finished an interrupted purge" in first.err) == (step != "done")
    assert files_with_secret(folder) == []
    assert [file.name for file in (folder / "backups").iterdir()] == ["empty.sqlite"]
    assert "purge" not in curator("list").err
    with contextlib.closing(Store.open(folder)) as store:
        assert store.differences() == []


@exhaustive
def test_until_then_every_command_says_so(template: Path, curator: Curator) -> None:
    folder = store_folder()
    shutil.copytree(template, folder)
    purge_and_kill(folder, "commit")
    with FileLock(folder / "purge.lock"):
        for command in (["list"], ["search", "tea"], ["doctor"], ["stats"]):
            ran = curator(*command)
            (line,) = [line for line in ran.err.splitlines() if "purge" in line]
            assert "a purge is not finished: another process is purging" in line
            assert ran.code == (3 if command == ["doctor"] else 0)
        assert curator("stats", "--json").rows[0]["unfinished_purge"] is True
        (row,) = curator("doctor", "--json").rows
        assert (row["record"], row["index"], row["unfinished_purge"]) == ([], [], True)
    assert "finished an interrupted purge" in curator("doctor").err
    assert curator("stats", "--json").rows[0]["unfinished_purge"] is False
    assert files_with_secret(folder) == []


def test_a_later_purge_does_not_forget_what_an_earlier_left(store: Store) -> None:
    first, second = put(store, SECRET, "Another blue vault")
    copy(store, "both.sqlite")
    curation.edit(store, second, "Another green vault")
    store.purge([first])
    copy(store, "after.sqlite")
    noted = store.unfinished_purge()
    assert noted is not None and noted.clean == ()
    store.purge([second])
    store.end_purge(noted)
    assert store.unfinished_purge() is not None, "the later one is not done"
    assert curation.continue_purge(store) == ()
    assert files_with_secret(store.folder) == [] and store.unfinished_purge() is None


def test_where_nothing_can_be_written_it_is_only_said(store: Store) -> None:
    (number,) = put(store, SECRET)
    store.purge([number])
    (store.folder / "purge.lock").mkdir()  # makes locking fail, as on a read-only disk
    (said,) = curation.continue_purge(store)
    assert "cannot be written" in said and store.unfinished_purge() is not None
    (store.folder / "purge.lock").rmdir()
    assert curation.continue_purge(store) == () and store.unfinished_purge() is None
