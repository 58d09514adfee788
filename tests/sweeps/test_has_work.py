"""Each sweep tells whether there is work for it, so that none is missed at the start of the app."""

from collections.abc import Callable

import pytest
from scripted_sweeps import models, stored, sweeper, talk

from curator.config import settings
from curator.lifecycle import allow
from curator.share.run import create as start_sharing
from curator.sweeps import NAMES
from curator.sync.run import create
from factories import put
from store import Store

KEY = bytes(range(32))


def synced(store: Store) -> None:
    create(store, f"folder:{store.folder.parent / 'target'}", "laptop", KEY)


def shared(store: Store) -> None:
    start_sharing(store, "garden", f"folder:{store.folder.parent / 'target'}", "Anna", KEY)


@pytest.fixture
def only(store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that switches off all sweeps but one; the store is the person's own."""
    monkeypatch.setattr("curator.paths.store_folder", lambda: store.folder)
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")

    def switch(name: str) -> None:
        for each in NAMES:
            monkeypatch.setenv(f"CURATOR_SWEEP_{each.upper()}__ENABLED", str(each == name).lower())
        settings.cache_clear()

    return switch


@pytest.mark.parametrize(
    ("name", "prepare"),
    [
        ("embed", lambda store: put(store, "I like tea")),
        ("compare", lambda store: put(store, "I like tea")),
        ("backup", lambda store: put(store, "I like tea")),
        ("tidy", allow),
        ("sync", synced),
        ("sync", shared),
        ("snapshot", lambda store: None),
    ],
)
def test_there_is_work_once_there_is_something_to_do(
    store: Store,
    only: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    prepare: Callable[[Store], object],
) -> None:
    only(name)
    assert not sweeper(store, models()).has_work()
    if name == "snapshot":
        monkeypatch.setenv("CURATOR_SNAPSHOT__TARGET", f"folder:{store.folder.parent / 'target'}")
        settings.cache_clear()
    prepare(store)
    assert sweeper(store, models()).has_work()
    only("distil")
    assert not sweeper(store, models()).has_work()


def test_without_a_chat_model_its_sweeps_have_no_work(store: Store, only: Callable[[str], None]) -> None:
    stored(store, talk("talk", "I like tea"))
    only("distil")
    assert not sweeper(store, models()).has_work()


def test_watching_logs_is_never_done(store: Store, only: Callable[[str], None]) -> None:
    only("watch")
    assert sweeper(store, models()).has_work()
