"""`kill -9` during a migration: the record is the old one or the new one, never a part."""

import contextlib
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from older_schemas import lead_back

from effort import share, thorough
from factories import put
from store import Filter, Store
from store.record import schema

OPENER = """
import sys
from pathlib import Path
from store import Store

print("go", flush=True)
Store.open(Path(sys.argv[1]))
"""
MEMORIES = 3_000


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a store of schema 6."""
    folder = tmp_path_factory.mktemp("older") / "store"
    with contextlib.closing(Store.open(folder)) as store:
        put(store, *(f"fact {number} " * 20 for number in range(MEMORIES)))
    lead_back(folder, 6)
    return folder


@thorough
@pytest.mark.parametrize("attempt", range(share(4, 2)))
def test_a_killed_migration_leaves_the_old_record_or_the_new_one(older: Path, tmp_path: Path, attempt: int) -> None:
    folder = tmp_path / "store"
    shutil.copytree(older, folder)
    process = subprocess.Popen([sys.executable, "-c", OPENER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(random.Random(attempt).uniform(0.01, 0.5))
    process.kill()
    process.communicate()
    with contextlib.closing(sqlite3.connect(folder / "record.sqlite")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] in (6, schema.NEWEST)
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (MEMORIES,)
    with contextlib.closing(Store.open(folder)) as store:
        assert store.count(Filter()) == MEMORIES
        assert store.differences() == []
    assert [file.name for file in (folder / "backups").iterdir() if file.suffix == ".sqlite"] == ["record-v6.sqlite"]
