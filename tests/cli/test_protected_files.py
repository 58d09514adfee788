"""Curator's own files are never overwritten by a command that writes a file."""

import os
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from effort import thorough

BOTH = pytest.mark.parametrize("verb", ["export", "backup"])


@thorough
@BOTH
def test_own_files_are_refused_under_every_name(curator: Curator, tmp_path: Path, verb: Any) -> None:
    home = Path(os.environ["CURATOR_HOME"])
    curator("add", "I like tea")
    curator("export", tmp_path / "first.jsonl")
    curator("config", "ui.theme", "dark")
    (home / "config.toml").touch()
    (home / "themes").mkdir()
    (tmp_path / "hard").hardlink_to(home / "signing.key")
    (tmp_path / "soft").symlink_to(home / "config.toml")
    (tmp_path / "record").hardlink_to(home / "store" / "record.sqlite")
    (tmp_path / "folder").symlink_to(home)
    before = {path: path.read_bytes() for path in home.glob("*") if path.is_file()}
    for target in (
        home / "signing.key",
        home / "Signing.KEY",
        home / "trusted_keys",  # does not exist yet
        home / "trusted_keys.lock",
        home / "config.toml",
        home / "themes" / "mine.toml",
        home / "store" / ".." / "signing.key",
        tmp_path / "folder" / "signing.key",
        tmp_path / "hard",
        tmp_path / "soft",
        tmp_path / "record",
    ):
        ran = curator(verb, target)
        assert ran.code == 2, target
        assert "own files" in ran.err or "under another name" in ran.err, ran.err
        assert str(target) in ran.err
    assert {path: path.read_bytes() for path in home.glob("*") if path.is_file()} == before
    assert curator(verb, home / "out").code == 0
