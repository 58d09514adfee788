"""Shared projects with one hostile or interrupted member: the others sync on."""

import zlib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from curator import curation
from curator.cli.commands import app
from curator.errors import TargetUnreachable
from curator.share.invitation import invitation
from curator.share.members import LISTS, Member, MemberList, publish_members
from curator.share.segments import seal
from curator.sync import segments
from curator.sync.segments import SegmentPath, parse_path
from curator.targets import FolderTarget
from effort import thorough
from share.people import KEY, Person, join, people, person, start, target_in
from share.test_hostile import GOOD

FULL = {"schema": 1, "name": "x", "ends": True, "statements": [], "withdrawn": [], "votes": []}


class Killed(BaseException):
    """The end of the process."""


def test_preview_is_of_the_project_that_is_shared(tmp_path: Path) -> None:
    """Preview what would be shared, for a project name with spaces around it from a hostile owner."""
    anna, ben = person(tmp_path, "Anna"), person(tmp_path, "Ben")
    start(anna, tmp_path)
    one = anna.share()
    with anna.here():
        publish_members(
            one, FolderTarget(tmp_path / "target"), MemberList(" work", (Member(one.member, "Anna", True),))
        )
    ben.add("The merger is signed in May", project="work")
    words = " ".join(invitation(KEY, one.owner))
    with ben.here():
        told = CliRunner().invoke(app, ["share", "join", target_in(tmp_path), "--yes"], input=words)
    assert "1 memory would be shared" in told.output


def test_a_former_generation_is_deleted_after_an_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Delete a forgotten memory from the target even if its deletion was interrupted once."""
    (anna,) = people(tmp_path, "Anna")
    number = anna.add("The roses are cut in March")
    anna.sync()
    with anna.here() as store:
        curation.forget(store, [number])

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(FolderTarget, "delete", die)
        anna.sync()
    anna.sync()
    with anna.here() as store:
        tag = anna.share().tag(store.shares.device())
    left = [name for name in FolderTarget(tmp_path / "target").names() if name.startswith(tag)]
    assert left == [f"{tag}/000002/0000000001"]


@pytest.mark.parametrize("plain", [b"no zlib", zlib.compress(b"no json"), zlib.compress(b"[1]")])
def test_unreadable_insides_are_a_problem_of_one_segment(tmp_path: Path, plain: bytes) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    path, share = first_path(ben), ben.share()
    header = segments.MAGIC + segments.header_of(path, "")
    data = header + segments._encrypt(share.space(share.epoch), header, plain)
    FolderTarget(tmp_path / "target").put(path.name, data)
    others_go_on(anna, cara)


@thorough
@pytest.mark.parametrize("content", [[1], "x", {"schema": 2}, FULL | {"statements": [GOOD | {"text": None}]}])
def test_another_form_is_a_problem_of_one_segment(tmp_path: Path, content: Any) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    path = first_path(ben)
    FolderTarget(tmp_path / "target").put(path.name, seal(ben.share(), path, "", content))
    others_go_on(anna, cara)


@pytest.mark.parametrize("content", [[1], {"schema": 1}])
def test_a_request_without_a_name_is_a_problem(tmp_path: Path, content: Any) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    path = SegmentPath("0" * 32, 0, 1)
    FolderTarget(tmp_path / "target").put(f"join/{path.name}", seal(ben.share(), path, "", content))
    others_go_on(anna, cara)


def first_path(one: Person) -> SegmentPath:
    with one.here() as store:
        return SegmentPath(one.share().tag(store.shares.device()), 1, 1)


def others_go_on(anna: Person, cara: Person) -> None:
    """Check that a pass reports one problem and reads another member's memory."""
    cara.add("The shed is locked at night")
    cara.sync()
    assert len(anna.sync().problems) == 1
    assert [*anna.memories()] == ["The shed is locked at night"]


@pytest.mark.parametrize("epoch", [0, 7])
def test_what_is_no_list_of_members_stops_nobody(tmp_path: Path, epoch: int) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    target = FolderTarget(tmp_path / "target")
    target.put(SegmentPath(LISTS, epoch, 99).name, b"junk")
    target.put("keys/000007", b"x" * 80)
    (problem,) = ben.sync().problems
    assert "list of members" in problem
    join(person(tmp_path, "Cara"), tmp_path)
    assert anna.sync().admitted == ["Cara"]


@pytest.mark.parametrize(
    "name", ["2147483648/0000000001", "000001/4611686018427387904", "000001/0000000001-0001000001", "1" * 5000 + "/1"]
)
def test_names_out_of_bounds_are_of_no_segment(name: str) -> None:
    assert parse_path(f"{'a' * 32}/{name}") is None
    assert parse_path(f"{'a' * 32}/000001/0000000001-0001000000") is not None


def test_an_interrupted_join_asks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (anna,) = people(tmp_path, "Anna")
    ben = person(tmp_path, "Ben")
    put = FolderTarget.put

    def unplugged(self: FolderTarget, name: str, data: bytes) -> bool:
        if name.startswith("join/"):
            raise TargetUnreachable("the stick is gone")
        return put(self, name, data)

    with monkeypatch.context() as patch, pytest.raises(TargetUnreachable):
        patch.setattr(FolderTarget, "put", unplugged)
        join(ben, tmp_path)
    assert not ben.sync().is_member
    assert anna.sync().admitted == ["Ben"]
    assert ben.sync().is_member
