"""A removed member cannot change what they shared before, even for somebody who reads it for the first time."""

from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.share import manage
from curator.share.project import Share
from curator.share.segments import seal
from curator.sync.segments import SegmentPath, digest_of
from curator.targets import FolderTarget
from effort import thorough
from share.people import Person, join, people, person
from share.test_hostile import GOOD

FULL: dict[str, Any] = {"schema": 1, "name": "x", "ends": True, "statements": [], "withdrawn": [], "votes": []}
GATE = "The gate code was changed to nine"
BEDS = [f"Bed {number} is for roses of sort {number}" for number in range(3)]


def removed(folder: Path) -> tuple[Person, Share, str, bytes]:
    """Remove Ben, who shared three memories; return Anna, Ben's copy of the share, his device's tag and the new key."""
    anna, ben = people(folder, "Anna", "Ben")
    for text in BEDS:
        ben.add(text)
        ben.sync()
    anna.sync()
    known = ben.share()
    with ben.here() as store:
        tag = known.tag(store.shares.device())
    with anna.here() as store:
        return anna, known, tag, manage.rekey(store, anna.share(), "Ben")


def write(share: Share, folder: Path, tag: str, generation: int, parts: int, text: str = GATE) -> None:
    target, digest = FolderTarget(folder / "target"), ""
    for number in range(1, parts + 1):
        path = SegmentPath(tag, generation, number)
        statement = GOOD | {"id": str(number), "text": f"{text} {number}"}
        data = seal(share, path, digest, FULL | {"statements": [statement]})
        target.delete(path.name)
        target.put(path.name, data)
        digest = digest_of(data)


@thorough
@pytest.mark.parametrize(("generation", "parts"), [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (0, 2)])
@pytest.mark.parametrize("instead", [True, False])
def test_what_was_said_is_not_rewritten(tmp_path: Path, generation: int, parts: int, instead: bool) -> None:
    anna, known, tag, key = removed(tmp_path)
    if instead:
        for number in range(1, 4):
            FolderTarget(tmp_path / "target").delete(SegmentPath(tag, 1, number).name)
    write(known, tmp_path, tag, generation, parts)
    cara = person(tmp_path, "Cara")
    join(cara, tmp_path, key)
    anna.sync()
    problems = cara.sync().problems
    assert not [text for text in cara.memories() if GATE in text]
    if generation == 1:
        assert len(problems) == 1 and "what Ben had said" in problems[0]
    elif not instead:
        assert {*cara.memories()} == {*BEDS}


@thorough
def test_what_was_said_before_is_read(tmp_path: Path) -> None:
    anna, *_, key = removed(tmp_path)
    cara = person(tmp_path, "Cara")
    join(cara, tmp_path, key)
    anna.sync()
    assert not cara.sync().problems
    assert {*cara.memories()} == {*BEDS}


@thorough
def test_a_generation_before_the_last_is_not_brought_back(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    number = ben.add(BEDS[0])
    ben.sync()
    with ben.here() as store:
        curation.forget(store, [number])
        tag = ben.share().tag(store.shares.device())
    ben.add(BEDS[1])
    ben.sync()
    anna.sync()
    known = ben.share()
    with anna.here() as store:
        key = manage.rekey(store, anna.share(), "Ben")
    FolderTarget(tmp_path / "target").delete(SegmentPath(tag, 2, 1).name)
    write(known, tmp_path, tag, 1, 2)
    cara = person(tmp_path, "Cara")
    join(cara, tmp_path, key)
    (problem,) = cara.sync().problems
    assert "Ben" in problem and not cara.memories()
