"""`export --all` and its archive in `import` and `restore`: private, confirmed, never into another store."""

import zipfile
from pathlib import Path

import pytest

from cli.runner import Curator
from curator.paths import store_folder
from effort import thorough
from store import Store


@pytest.fixture
def filled(curator: Curator, tmp_path: Path) -> Path:
    """Return an archive of a store with two memories, one of them forgotten."""
    curator("add", "I like green tea")
    curator("add", "My dog is called Rex")
    curator("forget", "1", "--yes")
    file = tmp_path / "store.zip"
    assert curator("export", "--all", file).code == 0
    return file


def new_home(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("CURATOR_HOME", str(folder))


def state() -> str:
    store = Store.open(store_folder())
    try:
        return store.state_hash()
    finally:
        store.close()


@thorough
def test_an_export_tells_its_size_what_is_left_out_and_a_better_name(
    curator: Curator, filled: Path, tmp_path: Path
) -> None:
    done = curator("export", "--all", tmp_path / "again.zip")
    assert "the words of 1 forgotten or rejected memory are not in it" in done.out
    assert " kB)" in done.out and not done.err
    other = curator("export", "--all", tmp_path / "store.jsonl")
    assert "this is a zip archive; consider the name store.zip" in other.err


@thorough
def test_a_store_moves_to_another_home(
    curator: Curator, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state()
    assert curator("export", "--all", filled).code == 2
    assert curator("export", "--all", filled, "--force", "--with-forgotten-words").out.startswith("wrote")
    assert filled.stat().st_mode & 0o777 == 0o600
    new_home(monkeypatch, tmp_path / "other")
    refused = curator("import", filled)
    assert (refused.code, "not confirmed: restore the archive" in refused.err) == (2, True)
    assert not store_folder().exists()
    assert curator("import", filled, "--yes", "--json").rows == [{"memories": 2, "redacted": 0, "invalid": {}}]
    assert state() == before
    assert curator("restore", "1").code == 0
    again = curator("import", filled, "--yes")
    assert again.code == 1
    assert "is not empty (memories: 2)" in again.err
    assert "the previous store is kept" in curator("restore", filled, "--yes").out
    assert state() == before


@thorough
def test_the_history_says_which_words_the_export_left_out(
    curator: Curator, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_home(monkeypatch, tmp_path / "other")
    assert "(1 memory)" in curator("import", filled).err
    assert "imported 1 memory" in curator("import", filled, "--yes").out
    assert "is not empty (memories: 1)" in curator("import", filled, "--yes").err
    (line,) = [line for line in curator("log").out.splitlines() if " purge " in line]
    assert "words of forgotten memories, left out of the export that this store came from" in line
    assert "left out of the export" in curator("undo").err


def test_an_encrypted_one_needs_its_passphrase(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curator.export.sealed._MEMORY", 8192)
    curator("add", "My dog is called Rex")
    before, file = state(), tmp_path / "store.sealed"
    right, wrong, none = (tmp_path / name for name in ("right", "wrong", "none"))
    right.write_text("tea at five\n")
    wrong.write_text("coffee\n")
    none.write_text("\n")
    assert "--passphrase-file FILE" in curator("export", "--all", file, "--encrypt").err
    assert curator("export", "--all", file, "--passphrase-file", none).code == 2
    assert not file.exists()
    assert curator("export", "--all", file, "--passphrase-file", right).code == 0
    assert b"Rex" not in file.read_bytes()
    new_home(monkeypatch, tmp_path / "other")
    assert "wrong passphrase" in curator("import", file, "--yes", "--passphrase-file", wrong).err
    assert not (store_folder() / "record.sqlite").exists()
    assert curator("import", file, "--yes", "--passphrase-file", right).code == 0
    assert state() == before
    assert [path for path in store_folder().iterdir() if path.name.startswith("tmp")] == []


def test_a_passphrase_is_asked_twice(curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from curator.cli import archive

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    for words, sound in ((["tea", "tea"], True), (["tea", "coffee"], False), (["", ""], False)):
        said = iter(words)
        monkeypatch.setattr("getpass.getpass", lambda prompt, said=said: next(said))
        if sound:
            assert archive.new_passphrase(None) == "tea"
        else:
            with pytest.raises(Exception, match=r"differ|empty"):
                archive.new_passphrase(None)


@thorough
def test_a_whole_store_is_no_log(curator: Curator, filled: Path, tmp_path: Path) -> None:
    before = state()
    assert curator("import", tmp_path).code == 1  # the folder holds nothing but the archive
    assert curator("import", filled, tmp_path).code == 2
    assert curator("import", filled, "--dry-run").code == 2
    assert state() == before


def test_options_that_do_not_go_together(curator: Curator, tmp_path: Path) -> None:
    file = tmp_path / "memories.jsonl"
    assert curator("export", file, "--encrypt").code == 2
    assert curator("export", "--all").code == 2
    assert curator("export", "--all", file, "kind:fact").code == 2
    assert curator("export", "--all", store_folder() / "x.zip").code == 2
    assert not file.exists()


def test_other_tools_read_it(filled: Path) -> None:
    import hashlib
    import json

    with zipfile.ZipFile(filled) as archive:
        lines = [json.loads(line) for line in archive.read("memories.jsonl").splitlines()]
        assert [row["text"] for row in lines[1:]] == ["", "My dog is called Rex"]
        for line in archive.read("SHA256SUMS").decode().splitlines():
            digest, name = line.split("  ")
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest


@thorough
@pytest.mark.parametrize("encrypted", [False, True])
def test_a_truncated_archive_is_refused_alike(
    curator: Curator, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encrypted: bool
) -> None:
    words = tmp_path / "words"
    words.write_text("tea with milk and honey")
    words.chmod(0o600)
    if encrypted:
        assert curator("export", "--all", filled, "--force", "--encrypt", "--passphrase-file", words).code == 0
    filled.write_bytes(filled.read_bytes()[:-100])
    new_home(monkeypatch, tmp_path / "other")
    for command in ("import", "restore"):
        done = curator(command, filled, "--yes", "--passphrase-file", words)
        assert done.code == 1 and "is damaged or truncated" in done.err and "nothing was changed" in done.err
