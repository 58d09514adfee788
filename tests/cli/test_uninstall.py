"""`curator uninstall` removes what was added to other programs' files, and never deletes a memory."""

from pathlib import Path

import pytest

from cli.conftest import curator as curator
from cli.runner import Curator
from connect.conftest import home as home
from connect.samples import CODEX, GEMINI
from connect.test_changes import snapshot
from curator.errors import ConfigError
from curator.paths import store_folder
from curator.serve import client
from curator.services import block_files
from curator.services.block_files import BlockFile
from effort import thorough
from serve.fake_server import FakeServer


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the server's socket."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    return tmp_path / "run" / "curator"


@thorough
def test_all_that_was_put_elsewhere_goes_and_the_memories_stay(
    curator: Curator, home: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in ((".gemini/settings.json", GEMINI), (".codex/config.toml", CODEX), ("site/CLAUDE.md", "# Rules")):
        (home / name).parent.mkdir()
        (home / name).write_text(text, "utf-8")
    before = snapshot(home)
    curator("add", "Keep answers short.")
    for host in ("gemini", "codex", "cursor"):
        assert curator("connect", host, "--yes").code == 0
    monkeypatch.chdir(home / "site")
    assert curator("export", "--format", "claude-md").code == 0
    assert curator("export", "--format", "cursor").code == 0
    fake = FakeServer("0.0.1")
    fake.start()
    (place / "x.log").touch()

    shown = curator("uninstall")
    assert shown.code == 2 and "--yes" in shown.err
    for part in (
        f"+++ {home / '.gemini' / 'settings.json'}",
        "remove the block",
        "CLAUDE.md",
        "stop the background process",
    ):
        assert part in shown.out
    assert "short" in (home / "site" / "CLAUDE.md").read_text("utf-8") and fake.asked == []

    done = curator("uninstall", "--yes")
    assert done.code == 0, done.err
    for part in ("disconnected Gemini CLI", "disconnected Codex", "removed the block from", "restart them"):
        assert part in done.out
    assert f"your memories are in {store_folder()}" in done.out
    assert snapshot(home) == before and not client.is_running() and fake.asked == ["stop"]
    assert [file.name for file in place.iterdir()] == ["x.log"], "another store's"
    assert curator("list").out.count("Keep answers short.") == 1

    again = curator("uninstall")
    assert again.code == 0 and again.out.startswith("nothing to remove\n")
    assert f"your memories are in {store_folder()}" in again.out


def test_what_cannot_be_taken_out_is_named_and_the_rest_goes(curator: Curator, home: Path, place: Path) -> None:
    for host in ("gemini", "cursor"):
        assert curator("connect", host, "--yes").code == 0
    broken = home / ".gemini" / "settings.json"
    broken.write_text("{", "utf-8")
    done = curator("uninstall", "--yes")
    assert done.code == 2 and str(broken) in done.err
    assert not (home / ".cursor" / "mcp.json").exists() and "disconnected Cursor" in done.out


@pytest.mark.parametrize("error", [ConfigError("the list cannot be written"), OSError(28, "No space left on device")])
def test_a_full_disk_does_not_keep_the_background_process(
    curator: Curator, home: Path, place: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    curator("add", "Keep answers short.")
    monkeypatch.chdir(home)
    assert curator("export", "--format", "claude-md").code == 0
    (store_folder().parent / "photos").mkdir()

    def fail(entry: BlockFile) -> None:
        raise error

    monkeypatch.setattr(block_files, "remove_block", fail)
    fake = FakeServer("0.0.1")
    fake.start()
    done = curator("uninstall", "--yes")
    assert done.code == 2 and "a memory block was not removed" in done.err
    assert fake.asked == ["stop"] and not client.is_running()
    listed = done.out.partition("delete:\n")[2].splitlines()
    assert f"  {store_folder()}" in listed and f"  {store_folder().parent}" not in listed, "others use CURATOR_HOME"


def test_without_a_store_none_is_made(curator: Curator, home: Path, place: Path) -> None:
    assert curator("uninstall").code == 0
    assert not store_folder().exists()
