"""Files that `export` and `backup` write, and paths that they refuse."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from effort import exhaustive, share, thorough

BOTH = pytest.mark.parametrize("verb", ["export", "backup"])


@BOTH
def test_nothing_is_written_into_the_stores_folder(
    curator: Curator, tmp_path: Path, verb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    curator("add", "I like tea")
    store = Path(os.environ["CURATOR_HOME"]) / "store"
    (tmp_path / "link").symlink_to(store / "record.sqlite")
    (tmp_path / "folder").symlink_to(store)
    (store / "out").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(store)
    for target in (
        store / "record.sqlite",
        store / "new",
        store / "index" / "new",
        store / "out",
        store / ".." / "store" / "record.sqlite",
        tmp_path / "link",
        tmp_path / "folder" / "record.sqlite",
        "record.sqlite",
    ):
        ran = curator(verb, target)
        assert ran.code == 2, target
        assert "inside the store's own folder" in ran.err
        assert str(target) in ran.err
    assert {path.name for path in store.iterdir()} <= {"record.sqlite", "record.sqlite-wal", "record.sqlite-shm", "out"}
    assert curator("list", "--json").rows[0]["text"] == "I like tea"


@BOTH
def test_a_target_must_be_a_file(curator: Curator, tmp_path: Path, verb: Any) -> None:
    curator("add", "I like tea")
    for target in (tmp_path, "", "."):
        ran = curator(verb, target)
        assert ran.code == 2
        assert "name a file in it" in ran.err
    assert curator(verb, os.devnull).code == 2
    assert not list(tmp_path.rglob("*.partial*"))


@BOTH
@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_only_the_owner_may_read_what_is_written(curator: Curator, tmp_path: Path, verb: Any) -> None:
    curator("add", "I like tea")
    file = tmp_path / "out"
    file.write_text("older and open")
    file.chmod(0o644)
    assert curator(verb, file, "--yes").code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.stat().st_size > 100
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "out"]


@BOTH
def test_an_error_leaves_the_former_file_and_nothing_else(
    curator: Curator, tmp_path: Path, verb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    curator("add", "I like tea")
    file = tmp_path / "out"
    file.write_text("former")
    curator("key")  # otherwise the export would make one first
    monkeypatch.setattr(Path, "replace", _no_space)
    ran = curator(verb, file, "--yes")
    assert ran.code == 3
    assert str(file) in ran.err and "No space left" in ran.err and "free some space" in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "out"]
    assert file.read_text() == "former"


@BOTH
def test_a_persons_own_files_beside_it_stay(curator: Curator, tmp_path: Path, verb: Any) -> None:
    curator("add", "I like tea")
    own = [tmp_path / f"out{suffix}" for suffix in (".partial", ".partial-wal", ".partial-journal", ".partial-shm")]
    for place in own:
        place.write_text("mine")
    assert curator(verb, tmp_path / "out").code == 0
    assert [place.read_text() for place in own] == ["mine"] * 4
    assert len(list(tmp_path.iterdir())) == len(own) + 2


@exhaustive
@BOTH
def test_two_at_once_write_the_same_file(curator: Curator, tmp_path: Path, verb: Any) -> None:
    curator("add", "I like tea")
    command = [sys.executable, "-m", "curator", verb, str(tmp_path / "out")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(share(3, 2))]
    for process in running:
        printed, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and "wrote" in printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "out"]


def _no_space(self: Path, target: Path) -> None:
    raise OSError(28, "No space left on device")


def test_a_file_that_is_no_copy_is_not_called_the_store(curator: Curator, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("my notes")
    ran = curator("restore", tmp_path / "notes", "--yes")
    assert ran.code == 3
    assert "is not a copy of a store" in ran.err


@thorough
def test_a_restore_says_what_it_did_again_and_where_the_former_store_is(curator: Curator, tmp_path: Path) -> None:
    for text in ("I like tea", "I like trains", "I like boats"):
        curator("add", text)
    assert curator("backup", tmp_path / "copy").code == 0
    curator("forget", "1", "--yes")
    curator("purge", "2", "--yes")
    ran = curator("restore", tmp_path / "copy", "--yes")
    assert ran.code == 0
    assert "restored 2 memories" in ran.out and "record-before-restore-" in ran.out
    assert "applied again, because it is newer than the backup: 1 forgotten, 1 purged" in ran.out
    assert "still contains the erased words" in ran.out
    assert [row["text"] for row in curator("list", "--json").rows] == ["I like boats"]
    assert curator("doctor").code == 0


@BOTH
@pytest.mark.parametrize("name", ["no/such/folder/out", "file/out", "x" * 300])
def test_a_file_that_cannot_be_written_is_wrong_usage(curator: Curator, tmp_path: Path, verb: Any, name: Any) -> None:
    curator("add", "I like tea")
    (tmp_path / "file").write_text("mine")
    ran = curator(verb, tmp_path / name)
    assert ran.code == 2 and f"cannot write {tmp_path / name}" in ran.err, ran.err


def test_a_backup_that_is_not_there_is_said_before_asking(curator: Curator, tmp_path: Path) -> None:
    ran = curator("restore", tmp_path / "nothing")
    assert (ran.code, ran.out) == (1, "") and "there is no file" in ran.err and "--yes" not in ran.err


@thorough
@BOTH
def test_somebody_elses_file_is_not_overwritten_unasked(curator: Curator, tmp_path: Path, verb: Any) -> None:
    curator("add", "I like tea")
    (tmp_path / "thesis.txt").write_text("my thesis")
    ran = curator(verb, tmp_path / "thesis.txt")
    assert ran.code == 2 and "thesis.txt exists and is no" in ran.err and "--yes" in ran.err
    assert (tmp_path / "thesis.txt").read_text() == "my thesis"
    for _ in range(2):
        assert curator(verb, tmp_path / "out").code == 0, "an older one of the program's own is replaced"
    assert curator(verb, tmp_path / "thesis.txt", "--yes").code == 0
    assert curator(verb, tmp_path / "thesis.txt").code == 0


def test_a_block_is_taken_out_of_a_file_again(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "CLAUDE.md"
    file.write_text("# Rules\n")
    curator("add", "I like tea")
    curator("export", "--format", "claude-md")
    assert "I like tea" in file.read_text()
    assert curator("export", "--format", "claude-md", "--remove").out == "removed the block from CLAUDE.md\n"
    assert file.read_text() == "# Rules\n"
    refused = curator("export", "CLAUDE.md", "--remove")
    assert refused.code == 2 and "has no block" in refused.err
    assert curator("export", "--remove").code == 2
