"""People without the model of search by meaning, which takes long to load."""

import pytest


@pytest.fixture(autouse=True)
def lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
