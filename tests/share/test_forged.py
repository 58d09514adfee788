"""Members who forge what only the owner may write: they are reported, and the others sync on."""

from dataclasses import replace
from pathlib import Path

import pytest

from curator.share import manage
from curator.share.members import LISTS
from curator.share.project import Share
from curator.share.segments import seal
from curator.share.signatures import seal_box
from curator.sync.segments import SegmentPath
from curator.targets import FolderTarget
from effort import thorough
from share.people import Person, join, people, person
from store import Conflict

ROSES = "The roses are cut in March"


def forge(one: Person, folder: Path, *, number: int = 99, epoch: int = 0, key: bytes = b"") -> Share:
    """Write a list of members that names its writer as the owner."""
    share = one.share()
    share = replace(share, owner=share.member, keys={**share.keys, epoch: key} if key else share.keys)
    path = SegmentPath(LISTS, epoch, number)
    content = {"schema": 1, "space": share.id, "owner": share.member, "former": {}, "project": "garden"}
    content |= {"members": [{"key": share.member, "name": "Anna", "validates": True}], "removed": []}
    FolderTarget(folder / "target").put(path.name, seal(share, path, "", content))
    return share


def goes_on(anna: Person, other: Person) -> None:
    """Check that passes work beside a forged list, which is reported until the owner has synced."""
    other.add("The shed is locked at night")
    (problem,) = other.sync().problems
    assert "a list of members" in problem and "passed over" in problem
    anna.add(ROSES)
    (problem,) = anna.sync().problems
    assert "a list of members" in problem
    assert not other.sync().problems and not anna.sync().problems
    assert ROSES in other.memories() and "The shed is locked at night" in anna.memories()
    assert other.share().owner == anna.share().member


@thorough
def test_a_forged_list_stops_nobody(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    forge(ben, tmp_path)
    goes_on(anna, cara)
    with anna.here() as store:
        assert manage.allow(store, anna.share(), "Cara", True)
    cara.sync()
    assert [one.validates for one in cara.store.shares.members(cara.share().id) if one.name == "Cara"] == [True]


@thorough
@pytest.mark.parametrize("boxes", [b"", b"x" * 80, b"x" * 144, b"x" * 7])
def test_a_list_with_keys_of_an_unknown_epoch_stops_nobody(tmp_path: Path, boxes: bytes) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    forge(ben, tmp_path, epoch=7, key=bytes(32))
    if boxes:
        FolderTarget(tmp_path / "target").put("keys/000007", boxes)
    goes_on(anna, cara)


@thorough
def test_a_list_with_a_key_for_all_but_not_of_the_owner_is_passed_over(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    key = bytes(range(1, 33))
    forge(ben, tmp_path, epoch=7, key=key)
    boxes = b"".join(seal_box(one.share().member, key) for one in (anna, ben, cara))
    FolderTarget(tmp_path / "target").put("keys/000007", boxes)
    goes_on(anna, cara)
    assert 7 not in cara.share().keys


@thorough
@pytest.mark.parametrize("number", [(1 << 62) - 1, (1 << 62) - 2, 4, 99])
def test_the_owner_can_still_change_the_members(tmp_path: Path, number: int) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    forge(ben, tmp_path, number=number)
    for epoch in (1, 999_999, (1 << 31) - 1):
        FolderTarget(tmp_path / "target").put(f"keys/{epoch:06d}", b"x" * 80)
    with anna.here() as store:
        manage.rekey(store, anna.share(), "Ben")
    cara.sync()
    assert [one.name for one in cara.store.shares.members(cara.share().id) if not one.former] == ["Anna", "Cara"]
    anna.add(ROSES)
    anna.sync()
    cara.sync()
    assert ROSES in cara.memories()
    with pytest.raises(Conflict, match="no longer a member"):
        ben.sync()


@thorough
def test_a_forged_list_keeps_nobody_from_joining(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    path = SegmentPath(LISTS, 0, 99)
    FolderTarget(tmp_path / "target").put(path.name, seal(ben.share(), path, "", {"owner": anna.share().member}))
    cara = person(tmp_path, "Cara")
    join(cara, tmp_path)
    assert cara.share().owner == anna.share().member
    assert anna.sync().admitted == ["Cara"]
