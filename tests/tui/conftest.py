"""Tests of the app do not wait for a person's fingers."""

from pathlib import Path

import pytest

from curator.tui import modelling, sweeping
from curator.tui.areas import browser, conflicts, reading, recall
from curator.tui.screens import frame
from curator.tui.widgets import facets


async def _no_offer(*_: object) -> None:
    """As if it had been made."""


@pytest.fixture(autouse=True)
def _impatient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for home in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(home, str(tmp_path))  # no logs of the developer's are found
    monkeypatch.setattr(modelling, "offer", _no_offer)  # no server of the developer's is found
    monkeypatch.setattr(sweeping, "BEGIN", 3600.0)
    monkeypatch.setattr(browser, "TYPING", 0.0)
    monkeypatch.setattr(reading, "REST", 0.0)
    monkeypatch.setattr(reading, "SETTLED", 60.0)  # LanceDB takes 2 s to load
    monkeypatch.setattr(conflicts, "TYPING", 0.0)
    monkeypatch.setattr(recall, "TYPING", 0.0)
    monkeypatch.setattr(recall, "REST", 0.0)
    monkeypatch.setattr(facets, "PAUSE", 0.0)
    monkeypatch.setattr(frame, "WATCH", 0.2)
