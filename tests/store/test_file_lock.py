"""File locks: held by one, refused to others with a message, and released however the holder ends."""

import contextlib
from pathlib import Path

import pytest

from store import Busy
from store.file_lock import locked


def test_a_lock_is_held_by_one_until_its_block_ends(tmp_path: Path) -> None:
    path, busy = tmp_path / "new" / "lock", Busy("wait for it")
    with contextlib.suppress(ValueError), locked(path, 0, busy):
        with pytest.raises(Busy, match="wait for it"):
            locked(path, 0, busy)
        raise ValueError
    with locked(path, 0, busy):
        pass


def test_a_lock_that_cannot_be_made_is_no_lock_of_another(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        locked(tmp_path / "file" / "lock", 0, Busy("wait for it"))
