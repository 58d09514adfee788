"""One person with two devices in sync, and a project shared with somebody else."""

from pathlib import Path

import pytest

from curator import curation
from curator.recall.block import exclusion_reason
from curator.share import manage
from curator.share.project import find
from curator.sync import run as devices
from curator.sync.key import saved, words_of
from effort import thorough
from share.people import KEY, Person, join, person, settle, start
from store import Filter, clock
from store.model import Life, Origin

pytestmark = thorough

ROSES, SHED, POND = "The roses are cut in March", "The shed is locked at night", "The pond is deep"


def pair(folder: Path) -> tuple[Person, Person]:
    """Return a laptop and a desktop of Ben's, in one sync space."""
    laptop, desktop = person(folder, "Ben"), person(folder, "desktop")
    desktop.name = "Ben"
    target = f"folder:{folder / 'own'}"
    with laptop.here() as store:
        devices.create(store, target, "laptop", KEY)
    with desktop.here() as store:
        devices.join(store, devices.inspect_space(store, target, "desktop", words_of(KEY)))
    return laptop, desktop


def exchange(*own: Person) -> None:
    """Sync a person's devices until nothing is new."""
    for _ in range(3):
        for one in own:
            with one.here() as store:
                space = saved()
                assert space is not None
                assert not devices.sync(store, space).problems


@pytest.mark.parametrize("both", [False, True], ids=["one joins", "both join"])
@pytest.mark.parametrize("first", ["share", "sync"])
def test_nothing_received_is_doubled(tmp_path: Path, both: bool, first: str) -> None:
    anna = person(tmp_path, "Anna")
    laptop, desktop = pair(tmp_path)
    start(anna, tmp_path)
    anna.add(ROSES)
    anna.sync()
    join(laptop, tmp_path)
    if both:
        anna.sync()
        join(desktop, tmp_path)
    assert (anna.sync().admitted == ["Ben"]) is not both
    sharing = [laptop, desktop] if both else [laptop]
    laptop.add(SHED)
    if first == "sync":
        exchange(laptop, desktop)
    settle([anna, *sharing])
    exchange(laptop, desktop)
    settle([anna, *sharing])
    exchange(laptop, desktop)
    for one in (laptop, desktop):
        live = [memory.text for memory in one.store.get_many(live_ids(one))]
        assert sorted(live) == [ROSES, SHED]
        assert one.given() == {SHED}
        assert one.store.differences() == []
    assert sorted(anna.memories()) == [ROSES, SHED]
    assert len({laptop.store.sync.digest(), desktop.store.sync.digest()}) == 1
    if both:
        assert laptop.share().member == desktop.share().member
        assert [one.name for one in anna.store.shares.members(anna.share().id)] == ["Anna", "Ben"]
    with desktop.here() as store:
        curation.validate(store, [desktop.memories()[ROSES].id])
    if both:
        settle([anna, *sharing])  # the laptop does not know of the validation yet
    else:
        exchange(laptop, desktop)
        settle([anna, *sharing])
    attribution = anna.store.shares.attribution(anna.memories()[ROSES].id)
    assert attribution is not None and attribution.validated == ("Ben",)


def live_ids(one: Person) -> list[int]:
    with one.store.sqlite() as connection:
        return [row[0] for row in connection.execute("SELECT id FROM memories WHERE life = 'live'")]


def test_a_device_that_has_not_synced_yet_takes_nothing_back(tmp_path: Path) -> None:
    anna = person(tmp_path, "Anna")
    laptop, desktop = pair(tmp_path)
    start(anna, tmp_path)
    join(laptop, tmp_path)
    join(desktop, tmp_path)
    anna.sync()
    one = laptop.add(ROSES)
    laptop.add(SHED)
    exchange(laptop, desktop)
    settle([anna, laptop, desktop])
    laptop.add(POND)
    with laptop.here() as store:
        curation.edit(store, one, "The roses are cut in April")
    laptop.sync()
    desktop.sync()  # the desktop knows of neither change
    anna.sync()
    assert sorted(anna.memories()) == [POND, "The roses are cut in April", SHED]
    with desktop.here() as store:
        curation.forget(store, [desktop.memories()[SHED].id])
    desktop.sync()
    laptop.sync()  # the laptop still has the memory
    anna.sync()
    assert sorted(anna.memories()) == [POND, "The roses are cut in April"]
    exchange(laptop, desktop)
    settle([anna, laptop, desktop])
    assert sorted(anna.memories()) == [POND, "The roses are cut in April"]
    for device in (laptop, desktop):
        assert sorted(device.memories()) == [POND, "The roses are cut in April"]


def test_trust_is_of_one_device(tmp_path: Path) -> None:
    anna = person(tmp_path, "Anna")
    laptop, desktop = pair(tmp_path)
    start(anna, tmp_path)
    anna.add(ROSES)
    anna.sync()
    join(laptop, tmp_path)
    join(desktop, tmp_path)
    anna.sync()
    settle([laptop, desktop])
    exchange(laptop, desktop)
    laptop.trust("Anna")
    exchange(laptop, desktop)
    settle([laptop, desktop])
    exchange(laptop, desktop)
    settle([laptop, desktop])
    assert laptop.given() == desktop.given() == {ROSES}  # the later decision, which both know
    with laptop.here() as store:
        manage.distrust(store, find("garden"), "Anna")
    exchange(laptop, desktop)
    settle([laptop, desktop])
    assert laptop.given() == desktop.given() == set()


def test_what_was_forgotten_on_one_device_does_not_come_to_the_other(tmp_path: Path) -> None:
    anna = person(tmp_path, "Anna")
    laptop, desktop = pair(tmp_path)
    start(anna, tmp_path)
    one = anna.add(ROSES)
    anna.sync()
    join(laptop, tmp_path)
    join(desktop, tmp_path)
    anna.sync()
    laptop.sync()
    with laptop.here() as store:
        curation.forget(store, [laptop.memories()[ROSES].id])
    exchange(laptop, desktop)
    desktop.sync()
    exchange(laptop, desktop)
    assert not laptop.memories() and not desktop.memories()
    with anna.here() as store:
        curation.tag(store, [one], ["flowers"], [])
    settle([anna, laptop, desktop])
    exchange(laptop, desktop)
    assert not laptop.memories() and not desktop.memories()
    assert {laptop.store.get(number).life for number in (1,)} == {Life.FORGOTTEN}


def test_own_words_do_not_become_one_with_what_another_said(tmp_path: Path) -> None:
    anna = person(tmp_path, "Anna")
    laptop, desktop = pair(tmp_path)
    start(anna, tmp_path)
    join(laptop, tmp_path)
    anna.sync()
    anna.add(ROSES)
    anna.sync()
    desktop.add(ROSES)
    laptop.sync()
    exchange(laptop, desktop)
    for one in (laptop, desktop):
        found = {memory.origin: memory for memory in one.store.get_many(one.store.list_ids(Filter()))}
        assert {str(origin) for origin in found} == {"person", "shared"}
        assert exclusion_reason(found[Origin.PERSON], clock.now()) is None
        assert exclusion_reason(found[Origin.SHARED], clock.now()) is not None
