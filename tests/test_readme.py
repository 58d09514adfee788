"""What the README says is so."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.main import get_command

from curator.cli import app
from curator.config import settings
from curator.looks import Keymap
from curator.tui.actions import SCOPES
from curator.tui.keymaps import keymap
from curator.tui.looks import load
from readme import README, with_table

TEXT = README.read_text("utf-8")


def test_its_key_table_is_the_apps() -> None:
    assert with_table(TEXT) == TEXT, "run `python tests/readme.py`"


def test_its_commands_are_those_there_are() -> None:
    table = TEXT.split("## Commands")[1].split("\n\n")[1]
    named = {" ".join(words).strip() for words in re.findall(r"`([a-z]+)(?: ([a-z]+))?", table)}
    there = set(_commands(get_command(app)))
    assert there - named == set(), "the table lacks these"
    assert named - there == set(), "there are no such commands"


def _commands(group: Any, before: str = "") -> Iterator[str]:
    """Every command by its words, those of groups too; what `list` does is done by the group's name alone."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield before.strip() if before and name == "list" else f"{before}{name}"


def test_it_has_the_two_commands_and_the_picture() -> None:
    assert re.search(r"^python3 -m venv .* && \.venv/bin/curator demo$", TEXT, re.M)
    assert re.search(r"^python3 -m venv .*pytest", TEXT, re.M)
    (picture,) = re.findall(r"!\[[^]]*\]\(([^)]*)\)", TEXT)
    assert (Path(README).parent / picture).is_file()


@pytest.mark.parametrize("block", re.findall(r"```toml\n(.*?)```", TEXT, re.S))
def test_its_settings_are_taken(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text(block, "utf-8")
    settings()
    looks = load()
    for preset in get_args(Keymap):
        keymap(SCOPES, preset, looks.keys, tmp_path / "config.toml")


LINES = [line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.S) for line in block.splitlines()]


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("curator ")])
def test_its_examples_are_understood(line: str) -> None:
    command: Any = get_command(app)
    words = shlex.split(line, comments=True)[1:]
    while words and words[0] in getattr(command, "commands", ()):
        command = command.commands[words.pop(0)]
    assert command.make_context("curator", words, resilient_parsing=False) is not None
