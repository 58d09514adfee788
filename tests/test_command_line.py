"""Quoting of settings and environment variables in commands, on each system."""

import sys
from pathlib import Path

import pytest

from curator.command_line import split_command


@pytest.mark.parametrize(
    ("platform", "command", "words"),
    [
        ("linux", "code -w", ["code", "-w"]),
        ("linux", "'/opt/my editor/x' -w", ["/opt/my editor/x", "-w"]),
        ("linux", r"/opt/my\ editor/x -w", ["/opt/my editor/x", "-w"]),
        ("win32", r'"C:\Program Files\x.exe" -w', [r"C:\Program Files\x.exe", "-w"]),
        ("win32", r"C:\Windows\notepad.exe", [r"C:\Windows\notepad.exe"]),
        ("win32", r'"C:\Program Files\x.exe" --title "" a"b', [r"C:\Program Files\x.exe", "--title", "", 'a"b']),
    ],
)
def test_quotes_group_words_and_are_removed(
    monkeypatch: pytest.MonkeyPatch, platform: str, command: str, words: list[str]
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert split_command(command) == words


def test_the_path_of_a_file_is_one_word(tmp_path: Path) -> None:
    file = tmp_path / "my editor"
    assert split_command(str(file))[-1] == "editor"
    file.touch()
    assert split_command(str(file)) == [str(file)]


def test_an_open_quote_is_an_error() -> None:
    with pytest.raises(ValueError, match="quotation"):
        split_command('"code -w')
