"""Objects put in the place of another member's device: they hide nothing from the others."""

from pathlib import Path

import pytest

from curator.share.segments import seal
from curator.sync.segments import SegmentPath
from curator.targets import FolderTarget
from effort import thorough
from share.people import people

ROSES = "The roses are cut in March"


@thorough
@pytest.mark.parametrize("generation", [2, 9, (1 << 31) - 1])
@pytest.mark.parametrize("data", [b"junk", None])
def test_what_is_put_in_the_place_of_another_device_keeps_nothing_from_the_others(
    tmp_path: Path, generation: int, data: bytes | None
) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    anna.add(ROSES)
    anna.sync()
    with anna.here() as store:
        path = SegmentPath(anna.share().tag(store.shares.device()), generation, 1)
    full = {"schema": 1, "name": "x", "ends": True, "statements": [], "withdrawn": [], "votes": []}
    FolderTarget(tmp_path / "target").put(path.name, data or seal(ben.share(), path, "", full))
    cara.sync()
    anna.add("The shed is locked at night")
    for one in (anna, cara, anna, cara):
        last = one.sync()
    assert not last.problems and {*cara.memories()} == {ROSES, "The shed is locked at night"}
    assert not anna.sync().written


@thorough
def test_what_is_put_there_before_its_first_word_keeps_nothing_from_the_others(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    with anna.here() as store:
        path = SegmentPath(anna.share().tag(store.shares.device()), 1, 1)
    full = {"schema": 1, "name": "x", "ends": True, "statements": [], "withdrawn": [], "votes": []}
    FolderTarget(tmp_path / "target").put(path.name, seal(ben.share(), path, "", full))
    anna.add(ROSES)
    for one in (cara, anna, cara, anna, cara):
        last = one.sync()
    assert not last.problems and {*cara.memories()} == {ROSES}
