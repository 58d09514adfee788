"""The person's own editor: what it saves is taken over, and no words are lost if that fails."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from curator.editor import edited


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))


def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str) -> None:
    """Set the editor to a line of Python; `file` is the file it edits."""
    script = tmp_path / "editor.py"
    script.write_text(f"import sys\nfrom pathlib import Path\nfile = Path(sys.argv[1])\n{does}\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f'"{sys.executable}" "{script}"')


def left(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "temporary").rglob("*.txt"))


@pytest.mark.parametrize(
    ("does", "text"),
    [
        ("pass", None),
        ("file.write_bytes(file.read_bytes() + b'\\n\\n')", None),
        ("file.write_text('Tee trinkt Jörg\\n', encoding='utf-8')", "Tee trinkt Jörg"),
        ("file.write_text('Tee trinkt Jörg\\n', encoding='utf-8-sig')", "Tee trinkt Jörg"),
    ],
    ids=["nothing", "blank lines", "another text", "with the mark that Windows puts first"],
)
def test_what_is_saved_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str, text: str | None
) -> None:
    use(tmp_path, monkeypatch, does)
    assert edited("I like tea") == text
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_words_in_another_encoding_are_kept_where_the_message_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    written = "Jörg drinks tea: a long thought about it"
    use(tmp_path, monkeypatch, f"file.write_bytes({written!r}.encode({encoding!r}))")
    with pytest.raises(ValueError, match="did not save UTF-8; nothing was changed, and your words are in ") as caught:
        edited("I like tea")
    assert not isinstance(caught.value, UnicodeError)
    named = re.search(r"your words are in (.+?): ", str(caught.value))
    assert named is not None
    file = Path(named[1])
    assert left(tmp_path) == [file]
    assert file.read_bytes().decode(encoding) == written
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    shutil.rmtree(file.parent)


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("file.write_text('half'); sys.exit(3)", "ended with 3; nothing was changed"),
        ("file.unlink()", "left no text .*; nothing was changed"),
    ],
)
def test_an_editor_that_fails_is_said_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str, said: str
) -> None:
    use(tmp_path, monkeypatch, does)
    with pytest.raises(ValueError, match=said):
        edited("I like tea")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_program_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "no-such-editor")
    with pytest.raises(ValueError, match=r"cannot run the editor no-such-editor: .*set EDITOR"):
        edited("I like tea")
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (r'"C:\Program Files\x.exe" -w', [r"C:\Program Files\x.exe", "-w"]),
        (r'C:\Tools\x.exe "-w"', [r"C:\Tools\x.exe", "-w"]),
    ],
)
def test_an_editor_of_windows_is_started_without_its_quotes(
    monkeypatch: pytest.MonkeyPatch, command: str, words: list[str]
) -> None:
    started: list[list[str]] = []

    def start(command: list[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        started.append(command[:-1])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(subprocess, "run", start)
    monkeypatch.setenv("VISUAL", command)
    assert edited("I like tea") is None
    assert started == [words]
