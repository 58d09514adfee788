"""A shared project on object storage, with local servers."""

from pathlib import Path

import pytest

from curator import curation
from curator.share import manage, members, run
from curator.share.invitation import invitation
from curator.sync.segments import SegmentPath
from curator.targets import target_of
from effort import thorough
from object_servers import EVERYWHERE, Bucket
from share.people import KEY, person, settle

ROSES = "The roses are cut in March"


@thorough
@EVERYWHERE
def test_people_share_a_project_in_a_bucket(tmp_path: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    where = f"{bucket.url}/garden"
    anna, ben, cara = (person(tmp_path, name) for name in ("Anna", "Ben", "Cara"))
    number = anna.add(ROSES)
    with anna.here() as store:
        words = invitation(KEY, run.create(store, "garden", where, "Anna", KEY).owner)
    for one in (ben, cara):
        with one.here() as store:
            share, _ = run.open_invitation(where, words)
            run.join(store, share, "garden", one.name)
    assert sorted(anna.sync().admitted) == ["Ben", "Cara"]
    ben.add("The shed is locked at night")
    settle([anna, ben, cara])
    assert {*cara.memories()} == {ROSES, "The shed is locked at night"}
    target = target_of(where)
    target.put(SegmentPath(members.LISTS, 7, 9).name, b"x" * 50_000)
    monkeypatch.setattr(run, "OBJECT", 40_000)
    (problem,) = cara.sync().problems
    assert "more than any that is read" in problem
    with anna.here() as store:
        curation.forget(store, [number])
        manage.rekey(store, anna.share(), "Ben")
    anna.add("The pond is deep")
    settle([anna, cara])
    assert {*cara.memories()} == {"The shed is locked at night", "The pond is deep"}
