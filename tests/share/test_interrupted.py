"""Passes that end at any moment, and restored stores."""

import random
from pathlib import Path

import pytest

from curator import curation
from curator.errors import TargetUnreachable
from curator.share import run
from curator.share.project import find
from curator.targets import FolderTarget
from effort import some, thorough
from share.people import Person, people, settle
from store import Store
from store.record.restore import restore

ROSES, SHED = "The roses are cut in March", "The shed is locked at night"


class Killed(BaseException):
    """The end of the process."""


@thorough
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("put", range(5))
def test_a_pass_that_is_killed_is_taken_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: int, when: str
) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    monkeypatch.setattr(run, "_ITEMS", 2)
    numbers = [anna.add(f"Bed {number} is for {what}") for number, what in enumerate("roses kale beans peas".split())]
    settle([anna, ben])
    numbers.append(anna.add(ROSES))
    with anna.here() as store:
        curation.edit(store, numbers[0], "Bed 0 is for dahlias")
        curation.forget(store, [numbers[1]])
    real, count = FolderTarget.put, 0

    def dying(target: FolderTarget, name: str, data: bytes) -> bool:
        nonlocal count
        count += 1
        if count == put + 1 and when == "before":
            raise Killed
        done = real(target, name, data)
        if count == put + 1:
            raise Killed
        return done

    with monkeypatch.context() as patch, pytest.raises(Killed) if put < 3 else pytest.MonkeyPatch.context():
        patch.setattr(FolderTarget, "put", dying)
        anna.sync()
    ben.sync()
    settle([anna, ben])
    assert sorted(ben.memories()) == ["Bed 0 is for dahlias", "Bed 2 is for beans", "Bed 3 is for peas", ROSES]
    for file in (tmp_path / "target").rglob("*"):
        assert not file.name.startswith(".")


def test_offline_is_said(tmp_path: Path) -> None:
    anna, _ = people(tmp_path, "Anna", "Ben")
    (tmp_path / "target").rename(tmp_path / "away")
    with pytest.raises(TargetUnreachable):
        anna.sync()
    anna.add(ROSES)
    (tmp_path / "away").rename(tmp_path / "target")
    assert anna.sync().written == 1


@thorough
def test_a_restored_store_goes_on(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    anna.add(ROSES)
    settle([anna, ben])
    with anna.here() as store:
        store.backup(tmp_path / "copy.sqlite")
    anna.add(SHED)
    settle([anna, ben])
    with anna.here() as store:
        from curator.text import content_key

        store.close()
        restore(store.folder, tmp_path / "copy.sqlite", content_key)
    anna.store = Store.open(anna.home / "store")
    anna.add("The pond is deep")
    settle([anna, ben])
    assert sorted(ben.memories()) == ["The pond is deep", ROSES, SHED]
    assert sorted(anna.memories()) == ["The pond is deep", ROSES]
    settle([anna, ben])


@thorough
@pytest.mark.parametrize("seed", some([*range(6)], 2))
def test_random_members_come_to_agree(tmp_path: Path, seed: int) -> None:
    """After random changes and undo, everybody has what the others share."""
    rng = random.Random(seed)
    made = people(tmp_path, "Anna", "Ben", "Cara")
    count = 0
    for _ in range(40):
        one = rng.choice(made)
        own = [number for text, number in _own(one).items() if "Bed" in text]
        with one.here() as store:
            match rng.randrange(6):
                case 0 | 1:
                    count += 1
                    curation.add(store, f"Bed {count} is for {rng.choice(['kale', 'peas'])}", project="garden")
                case 2 if own:
                    count += 1
                    curation.edit(store, rng.choice(own), f"Bed {count} is for {rng.choice(['kale', 'peas'])}")
                case 3 if own:
                    curation.forget(store, [rng.choice(own)])
                case 4 if own:
                    curation.pin(store, [rng.choice(own)])
                case _:
                    assert not run.sync(store, find("garden")).problems
    settle(made)
    shared = sorted(text for one in made for text in _own(one))
    for one in made:
        assert sorted(one.memories()) == shared
        assert one.store.differences() == []


def _own(one: Person) -> dict[str, int]:
    return {text: memory.id for text, memory in one.memories().items() if memory.author is None}
