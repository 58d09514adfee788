"""A member who shares too much: the others sync on, and the problem is reported with a remedy."""

import zlib
from pathlib import Path
from typing import Any

import pytest

from curator.share import bounds, members, run
from curator.share.project import find
from curator.share.segments import seal
from curator.share.signatures import seal_box
from curator.sync import segments
from curator.sync.segments import SegmentPath, digest_of
from curator.targets import FolderTarget
from effort import thorough
from share.people import Person, join, people, person
from share.test_hostile import GOOD

FULL: dict[str, Any] = {"schema": 1, "name": "x", "ends": True, "statements": [], "withdrawn": [], "votes": []}


def flood(ben: Person, folder: Path, parts: int, each: int, generation: int = 1) -> None:
    """Write `parts` segments of a member, with `each` memories in each."""
    share, digest = ben.share(), ""
    with ben.here() as store:
        tag = share.tag(store.shares.device())
    for number in range(1, parts + 1):
        said = [
            GOOD | {"id": f"{number} {one}", "text": f"Bed {generation} {number} {one} is green", "written": generation}
            for one in range(each)
        ]
        path = SegmentPath(tag, generation, number)
        data = seal(share, path, digest, FULL | {"statements": said})
        FolderTarget(folder / "target").put(path.name, data)
        digest = digest_of(data)


def sweep(one: Person) -> run.PassResult:
    with one.here() as store:
        return run.sync(store, find("garden"))


@thorough
def test_who_says_much_is_read_at_once_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    cara.add("The shed is locked at night")
    cara.sync()
    flood(ben, tmp_path, 7, 10)
    monkeypatch.setattr(bounds, "_PASS_ITEMS", 30)
    (problem,) = sweep(anna).problems
    assert "Ben shared more than one sync reads" in problem and "curator share remove garden 'Ben'" in problem
    assert len(anna.memories()) == 31 and "The shed is locked at night" in anna.memories()
    for _ in range(2):  # background sweeps read no more of this member
        assert len(sweep(anna).problems) == 1 and len(anna.memories()) == 31
    assert "ask the owner" in sweep(cara).problems[0]
    assert len(anna.sync().problems) == 1 and len(anna.memories()) == 61
    assert not anna.sync().problems and len(anna.memories()) == 71
    assert anna.share().paused == ()


@thorough
def test_the_size_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    flood(ben, tmp_path, 7, 10)
    monkeypatch.setattr(bounds, "_PASS_BYTES", 3_000)
    anna.sync()
    assert 0 < len(anna.memories()) < 70


@thorough
def test_what_is_kept_of_a_member_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    flood(ben, tmp_path, 2, 10)
    monkeypatch.setattr(bounds, "_KEPT", 10)
    anna.sync()
    flood(ben, tmp_path, 1, 5, generation=2)
    for _ in range(2):
        (problem,) = anna.sync().problems
        assert "shared more than the limit" in problem and "remove garden 'Ben'" in problem
    assert len(anna.memories()) == 20


def test_votes_on_nothing_are_bounded(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    share = ben.share()
    with ben.here() as store:
        path = SegmentPath(share.tag(store.shares.device()), 1, 1)
    target = FolderTarget(tmp_path / "target")
    for votes in (
        [[f"{number:032x}", "x" * 32, "validated", 1] for number in range(1_001)],
        [["s" * 10_000, "x" * 32, "validated", 1]],
    ):
        target.put(path.name, seal(share, path, "", FULL | {"votes": votes}))
        assert len(anna.sync().problems) == 1 and not anna.store.shares.votes(share.id)
        target.delete(path.name)


@thorough
def test_large_objects_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    cara.add("The shed is locked at night")
    cara.sync()
    flood(ben, tmp_path, 1, 1)
    target = FolderTarget(tmp_path / "target")
    with ben.here() as store:
        path = SegmentPath(ben.share().tag(store.shares.device()), 2, 1)
    target.put(path.name, bytes(40_000))
    target.put(f"join/{'0' * 32}/000000/0000000001", bytes(40_000))
    target.put(SegmentPath(members.LISTS, 0, 50).name, bytes(40_000))
    monkeypatch.setattr(run, "OBJECT", 30_000)
    problems = anna.sync().problems
    assert len([one for one in problems if "more than any that is read" in one]) == 3
    assert "The shed is locked at night" in anna.memories()
    dora = person(tmp_path, "Dora")
    join(dora, tmp_path)
    assert anna.sync().admitted == ["Dora"]


@thorough
def test_what_unpacks_to_very_much_is_refused(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    share = ben.share()
    with ben.here() as store:
        path = SegmentPath(share.tag(store.shares.device()), 1, 1)
    header = segments.MAGIC + segments.header_of(path, "")
    data = header + segments._encrypt(share.space(0), header, zlib.compress(bytes(bounds.UNPACKED + 1)))
    FolderTarget(tmp_path / "target").put(path.name, data)
    (problem,) = anna.sync().problems
    assert "is too long" in problem


@thorough
def test_many_devices_requests_and_keys_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    cara.add("The shed is locked at night")
    cara.sync()
    anna.sync()
    monkeypatch.setattr(run, "NEW_DEVICES", 3)
    monkeypatch.setattr(members, "MEMBERS", 3)
    target = FolderTarget(tmp_path / "target")
    for number in range(40):
        target.put(SegmentPath(f"{number:032x}", 1, 1).name, b"junk")
    target.put("keys/000003", b"".join(seal_box(ben.share().member, bytes(32)) for _ in range(9)))
    target.put(
        SegmentPath(members.LISTS, 3, 60).name,
        segments.MAGIC + segments.header_of(SegmentPath(members.LISTS, 3, 60), ""),
    )
    join(person(tmp_path, "Dora"), tmp_path)
    cara.add("The pond is deep")
    cara.sync()
    done = anna.sync()
    assert {*anna.memories()} == {"The shed is locked at night", "The pond is deep"}
    assert not done.admitted and len(done.problems) == 6
    told = "; ".join(done.problems)
    assert "3 of them are read" in told and "too many keys" in told and "3 members already" in told


def test_not_all_problems_are_listed() -> None:
    assert bounds.shortened(["x"] * 20) == ["x"] * 20
    assert bounds.shortened(["x"] * 25)[20:] == ["and 5 more"]
