"""Tests of the app do not wait for a person's fingers."""

from pathlib import Path

import pytest

from curator.tui.commands import model_setup
from curator.tui.conflicts import view as conflicts
from curator.tui.memories import browser, detail_loader, facets
from curator.tui.recall import view as recall
from curator.tui.screens import main
from curator.tui.sweeps import controller


async def _no_offer(*_: object) -> None:
    """As if it had been made."""


@pytest.fixture(autouse=True)
def _impatient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for home in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(home, str(tmp_path))  # no logs of the developer's are found
    monkeypatch.setattr(model_setup, "offer", _no_offer)  # no server of the developer's is found
    monkeypatch.setattr(controller, "BEGIN", 3600.0)
    monkeypatch.setattr(browser, "TYPING", 0.0)
    monkeypatch.setattr(detail_loader, "REST", 0.0)
    monkeypatch.setattr(detail_loader, "SETTLED", 60.0)  # LanceDB takes 2 s to load
    monkeypatch.setattr(conflicts, "TYPING", 0.0)
    monkeypatch.setattr(recall, "TYPING", 0.0)
    monkeypatch.setattr(recall, "REST", 0.0)
    monkeypatch.setattr(facets, "PAUSE", 0.0)
    monkeypatch.setattr(main, "WATCH", 0.2)
