"""Tests of the app do not wait for a person's fingers."""

import pytest

from curator.tui.areas import browser
from curator.tui.screens import frame
from curator.tui.widgets import facets


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "REST", 0.0)
    monkeypatch.setattr(browser, "SETTLED", 60.0)  # LanceDB takes 2 s to load
    monkeypatch.setattr(browser, "TYPING", 0.0)
    monkeypatch.setattr(facets, "PAUSE", 0.0)
    monkeypatch.setattr(frame, "WATCH", 0.2)
