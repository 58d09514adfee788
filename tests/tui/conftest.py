"""Tests of the app do not wait for a person's fingers."""

import pytest

from curator.tui.screens import memories


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "REST", 0.0)
    monkeypatch.setattr(memories, "TYPING", 0.0)
    monkeypatch.setattr(memories, "WATCH", 0.2)
