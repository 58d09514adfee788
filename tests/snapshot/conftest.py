"""Fixtures: snapshot targets in a folder and in buckets of local servers."""

from pathlib import Path

import pytest

from curator.targets import Target, target_of
from object_servers import new_bucket


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache folder of the machine that reads."""
    monkeypatch.setenv("CURATOR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an empty target, in the form of the setting; of more kinds for tests marked EVERYWHERE."""
    if request.param == "folder":
        return f"folder:{tmp_path / 'target'}"
    return new_bucket(request.param, monkeypatch.setenv).url + "/snapshot"


@pytest.fixture
def target(place: str) -> Target:
    """Open the same target for inspection."""
    return target_of(place)
