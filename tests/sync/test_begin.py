"""Beginning a sync space in a process that ends at any step: its key is known in the end, and shown."""

from pathlib import Path

import pytest

from curator.paths import pending_sync_file
from curator.sync import run
from curator.sync.key import saved, words_of
from curator.targets import FolderTarget
from store import Conflict, Store
from store.record.sync.repository import Sync

FIRST, SECOND = bytes(range(32)), bytes(range(32, 64))


class Killed(BaseException):
    """The end of the process."""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "home"))
    return Store.open(tmp_path / "home" / "store")


def die(*_: object) -> None:
    raise Killed


@pytest.mark.parametrize("step", ["put", "start_anew", "save", "show"])
def test_what_was_interrupted_goes_on(store: Store, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = f"folder:{tmp_path / 'target'}"
    shown: list[bytes] = []
    with monkeypatch.context() as patch, pytest.raises(Killed):
        if step == "put":
            patch.setattr(FolderTarget, "put", die)
        elif step == "start_anew":
            patch.setattr(Sync, "start_anew", die)
        elif step == "save":
            patch.setattr(run, "_finish", die)
        run.create(store, target, "laptop", FIRST, die if step == "show" else bool)
    run.create(store, target, "laptop", SECOND, shown.append)
    space = saved()
    assert space is not None and shown == [space.key] and not pending_sync_file().exists()
    run.sync(store, space)
    assert run.inspect_space(store, target, "desktop", words_of(space.key)).key == store.sync.record_key()
    with pytest.raises(Conflict, match="sync space already"):
        run.create(store, target, "laptop", FIRST)


def test_the_key_of_another_device_s_space_is_not_taken_for_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = f"folder:{tmp_path / 'target'}"
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(FolderTarget, "put", die)
        run.create(store, target, "laptop", FIRST)
    other = Store.open(tmp_path / "other" / "store")
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "other"))
    run.create(other, target, "desktop", SECOND)
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "home"))
    with pytest.raises(Conflict, match="sync space already"):
        run.create(store, target, "laptop", FIRST)
    assert saved() is None
