"""What the README says is so."""

import re
from pathlib import Path

from readme import README, with_table

TEXT = README.read_text("utf-8")


def test_its_key_table_is_the_apps() -> None:
    assert with_table(TEXT) == TEXT, "run `python tests/readme.py`"


def test_its_commands_are_those_there_are() -> None:
    from curator.cli import app

    there = {command.name for command in app.registered_commands}
    table = TEXT.split("## Commands")[1].split("\n\n")[1]
    named = set(re.findall(r"`([a-z]+)", table))
    assert named == there


def test_it_has_the_two_commands_and_the_picture() -> None:
    assert re.search(r"^python3 -m venv .* && \.venv/bin/curator demo$", TEXT, re.M)
    assert re.search(r"^python3 -m venv .*pytest", TEXT, re.M)
    (picture,) = re.findall(r"!\[[^]]*\]\(([^)]*)\)", TEXT)
    assert (Path(README).parent / picture).is_file()
