"""What all tests share: a store of their own, and no look at the developer's settings."""

from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from effort import EXAMPLES, share
from store import Store

hypothesis.settings.register_profile("curator", max_examples=share(EXAMPLES), deadline=None)
hypothesis.settings.load_profile("curator")


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test has a home of its own; the model cache stays shared."""
    from curator.paths import cache_folder

    monkeypatch.setenv("CURATOR_CACHE", str(cache_folder()))
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    yield
    from curator.config import settings
    from curator.secrets.off import reread_settings

    settings.cache_clear()
    reread_settings()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    opened = Store.open(tmp_path / "store")
    yield opened
    opened.close()
