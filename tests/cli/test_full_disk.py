"""Full disks: reading works, writing says what is full and what helps, and nothing is half done."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from effort import exhaustive, some, thorough
from store import Filter, Store

resource = pytest.importorskip("resource", reason="limits on the size of files are POSIX")

LIMITED = """
import contextlib, functools, io, json, resource, sys
import typer.main
from curator.main import main

typer.main.get_command = functools.cache(typer.main.get_command)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
for line in json.loads(sys.argv[1]):
    sys.argv[1:] = line
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        except BaseException as error:
            code = repr(error)
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""
READING = {
    "list": "I like tea",
    "show 1": "I like tea",
    "search tea": "I like tea",
    "recall tea": "I like tea",
    "grep trains": "by night",
    "stats": "memories",
    "log": "import",
    "doctor": "rows and journal agree",
}
WRITING = ("add something_else", "forget 1 --yes", "undo", "restore {copy} --yes", "backup {other}", "export {other}")


def run_limited(commands: list[str]) -> list[tuple[int | str, str, str]]:
    """Run commands in a process in which no file may grow, as on a full disk."""
    lines = json.dumps([command.split() for command in commands])
    done = subprocess.run([sys.executable, "-c", LIMITED, lines], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


@exhaustive
@pytest.mark.parametrize("state", some(["indexed", "no index", "open elsewhere"], 1))
def test_reading_goes_on_and_writing_says_what_helps(
    curator: Curator, tmp_path: Path, state: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    curator("add", "I like tea")
    (tmp_path / "chat.md").write_text("# A\n\n**User:** I like trains, by night.\n\n**Assistant:** Noted.\n")
    assert curator("import", tmp_path / "chat.md").code == 0
    copy, other = tmp_path / "copy", tmp_path / "other"
    curator("backup", copy)
    if state != "no index":
        assert curator("search", "tea").code == 0
    home, folder = Path(os.environ["CURATOR_HOME"]), tmp_path / "second" / "store"
    with contextlib.closing(Store.open(home / "store")) as store, store.sqlite() as connection:
        before = store.state_hash()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(home, folder.parent, ignore=shutil.ignore_patterns("*-wal", "*-shm"))
    if state == "no index":
        shutil.rmtree(folder / "index", ignore_errors=True)
    monkeypatch.setenv("CURATOR_HOME", str(folder.parent))
    everything = [*READING, *(line.format(copy=copy, other=other) for line in WRITING)]
    if state == "open elsewhere":
        with contextlib.closing(Store.open(folder)):
            ran = run_limited(everything)
    else:
        assert not (folder / "record.sqlite-shm").exists()
        ran = run_limited(everything)
    for (command, words), (code, out, err) in zip(READING.items(), ran[: len(READING)], strict=True):
        assert words in out, (command, code, out, err)
        assert code == (3 if command == "doctor" and state == "no index" else 0), (command, code, err)
        if state == "no index" and command.startswith(("search", "grep")):
            assert "made in memory" in err
    for command, (code, out, err) in zip(WRITING, ran[len(READING) :], strict=True):
        assert code == 3, (command, code, out, err)
        assert "cannot" in err and ("free some space" in err or "check" in err), (command, err)
        assert "rollback" not in err
    assert not other.exists() and not list(tmp_path.glob("*.partial"))
    with contextlib.closing(Store.open(folder)) as store:
        assert store.state_hash() == before
        assert store.differences() == []
        assert store.count(Filter()) == 2


@thorough
def test_the_cause_is_said_and_not_that_nothing_can_be_rolled_back(store: Store) -> None:
    script = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from factories import put
from store import Store, Unwritable

store = Store.open(Path(sys.argv[1]))
put(store, "I like tea")
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
for work in (
    lambda: put(store, "I like trains"),
    lambda: store.recalls.put_answer("x", "y"),
    lambda: store.recalls.record_use([1]),
    lambda: store.recalls.warm({1: 0.1}),
):
    try:
        work()
    except Exception as error:
        print(type(error).__name__, error)
print(store.differences())
"""
    tests = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", script, str(store.folder), tests], capture_output=True, text=True, timeout=60
    )
    *errors, last = done.stdout.splitlines()
    assert last == "[]", done.stderr
    assert len(errors) >= 3
    assert all("rollback" not in line for line in errors)
    assert errors[0].startswith("Unwritable") and "free some space" in errors[0]
