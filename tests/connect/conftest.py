"""Fixtures: a person's home with assistants, and a Curator executable whose path contains spaces."""

import sys
from pathlib import Path

import pytest

from cli.conftest import curator as curator

PYTHON = "/opt/my tools/python"
COMMAND = (PYTHON, "-P", "-m", "curator")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the person's home: empty, with a space in its name."""
    folder = tmp_path / "ada lovelace"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys, "executable", PYTHON)
    for variable in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "APPDATA"):
        monkeypatch.delenv(variable, raising=False)
    return folder
