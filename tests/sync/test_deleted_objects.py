"""Deletion of many objects of a sync space."""

import pytest

from curator.errors import TargetUnreachable
from curator.sync.compaction import delete_objects
from curator.sync.segments import SegmentPath

PATHS = [SegmentPath("a" * 32, 1, number) for number in range(1, 1_001)]


class Target:
    """Accepts `most` deletions, then cannot be reached."""

    def __init__(self, most: int) -> None:
        self.most, self.deleted = most, list[str]()

    def delete(self, name: str) -> None:
        if len(self.deleted) == self.most:
            raise TargetUnreachable("gone")
        self.deleted.append(name)

    def names(self) -> list[str]:
        raise NotImplementedError

    def prepare(self) -> None:
        raise NotImplementedError

    def get(self, name: str) -> bytes | None:
        raise NotImplementedError

    def put(self, name: str, data: bytes) -> bool:
        raise NotImplementedError


def test_deleting_many_objects_compares_few_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    compared, equal = 0, SegmentPath.__eq__

    def counted(self: SegmentPath, other: object) -> bool:
        nonlocal compared
        compared += 1
        return equal(self, other)

    paths, target = list(PATHS), Target(len(PATHS))
    monkeypatch.setattr(SegmentPath, "__eq__", counted)
    delete_objects(target, paths, PATHS[500:])
    monkeypatch.undo()
    assert paths == PATHS[:500] and len(target.deleted) == 500
    assert compared <= 2 * len(PATHS)


def test_what_was_deleted_before_an_error_is_no_longer_listed() -> None:
    paths = list(PATHS)
    with pytest.raises(TargetUnreachable):
        delete_objects(Target(3), paths, PATHS[:10])
    assert paths == PATHS[3:]
