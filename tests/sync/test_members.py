"""Removed devices, and what is known of the others."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator import curation
from curator.sync.key import words_of
from curator.sync.run import inspect_space, join, sync
from curator.targets import FolderTarget
from effort import share, thorough
from factories import conversation
from store import Conflict, Filter, Store, clock
from sync.devices import KEY, Device, act, device, devices, repeat, settle, states

pytestmark = thorough


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[Device]]:
    """Return three devices that have read each other; each wrote something, the phone also imported and recalled."""
    made = devices(tmp_path, "laptop", "desktop", "phone")
    for one, text in zip(made, ("I like tea", "I keep bees", "A secret place is Xanadu"), strict=True):
        with one.here() as store:
            curation.add(store, text)
    with made[2].here() as store:
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("x", "We met in Xanadu", "Nice"))
        store.recalls.record_use([1])
    settle(made)
    yield made
    for one in made:
        one.store.close()


def removes(one: Device, gone: Device) -> None:
    with one.here() as store:
        (uid,) = [chain.uid for chain in store.sync.chains() if chain.name == gone.name]
        sync(store, one.space, remove=uid)


def joins(folder: Path, one: Device) -> None:
    with one.here() as store:
        join(store, inspect_space(store, f"folder:{folder / 'target'}", one.name, words_of(KEY)))


def segments(folder: Path, one: Device) -> list[Path]:
    tag = one.space.tag(one.store.sync.begin(one.name).uid)
    return sorted(file for file in (folder / "target" / tag).rglob("*") if file.is_file())


def texts(store: Store) -> list[str]:
    return sorted(memory.text for memory in store.get_many(store.list_ids(Filter())))


def test_what_a_gone_device_wrote_stays_and_a_new_one_gets_it(three: list[Device], tmp_path: Path) -> None:
    laptop, desktop, phone = three
    assert segments(tmp_path, phone)
    removes(laptop, phone)
    assert not segments(tmp_path, phone)
    settle([laptop, desktop])
    tablet = device(tmp_path, "tablet")
    joins(tmp_path, tablet)
    settle([laptop, desktop, tablet])
    assert len(set(states([laptop, desktop, tablet]))) == 1
    assert "A secret place is Xanadu" in texts(tablet.store)
    names = {command.elsewhere for command in tablet.store.journal.log(20)}
    assert len(tablet.store.raw.conversation_ids()) == 1 and len(names) > 1
    with tablet.store.sqlite() as connection:
        assert connection.execute("SELECT sum(times) FROM uses").fetchone()[0] == 1
    tablet.store.close()


def test_a_purge_waits_no_more_for_a_gone_device_and_leaves_no_segment_with_the_words(
    three: list[Device], tmp_path: Path
) -> None:
    laptop, desktop, phone = three
    removes(laptop, phone)
    settle([laptop, desktop])
    with desktop.here() as store:
        store.purge([one for one in store.list_ids(Filter()) if "Xanadu" in store.get(one).text])
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("x", "We met in Xanadu", "Nice", "So"))
    settle([laptop, desktop])
    assert not desktop.store.sync.unconfirmed()
    tablet = device(tmp_path, "tablet")
    joins(tmp_path, tablet)
    settle([laptop, desktop, tablet])
    with tablet.store.sqlite() as connection:
        said = [row[0] for row in connection.execute("SELECT text FROM memories UNION ALL SELECT text FROM versions")]
    assert not any("secret place is Xanadu" in text for text in said)
    assert len(set(states([laptop, desktop, tablet]))) == 1
    tablet.store.close()


def test_a_removed_device_is_told_and_joins_again_with_what_it_wrote_meanwhile(
    three: list[Device], tmp_path: Path
) -> None:
    laptop, desktop, phone = three
    with phone.here() as store:
        curation.add(store, "I sail")
    removes(laptop, phone)
    desktop.sync()
    with pytest.raises(Conflict, match="was removed"):
        phone.sync()
    with pytest.raises(Conflict, match="curator sync join"):
        phone.sync()
    with phone.here() as store:
        curation.add(store, "I dance")
    settle([laptop, desktop])
    joins(tmp_path, phone)
    settle(three)
    assert len(set(states(three))) == 1
    assert {"I sail", "I dance", "A secret place is Xanadu"} < set(texts(laptop.store))
    with phone.here() as store:
        curation.add(store, "I paint")
    settle(three)
    assert "I paint" in texts(desktop.store)


def test_what_only_another_one_had_read_of_a_gone_device_is_kept(three: list[Device], tmp_path: Path) -> None:
    laptop, desktop, phone = three
    with phone.here() as store:
        curation.add(store, "I sail")
    phone.sync()
    desktop.sync()
    with desktop.here() as store:
        curation.tag(store, [one for one in store.list_ids(Filter()) if store.get(one).text == "I sail"], ["water"])
    desktop.sync()
    segments(tmp_path, phone)[-1].unlink()  # lost before the laptop could read it
    with laptop.here() as store:
        (uid,) = [chain.uid for chain in store.sync.chains() if chain.name == "phone"]
        done = sync(store, laptop.space, remove=uid)
    assert done.waiting
    settle_in_the_end([laptop, desktop])
    tablet = device(tmp_path, "tablet")
    joins(tmp_path, tablet)
    settle([laptop, desktop, tablet])
    assert len(set(states([laptop, desktop, tablet]))) == 1
    assert "I sail" in texts(tablet.store)
    tablet.store.close()


def settle_in_the_end(made: list[Device]) -> None:
    """Sync all devices, some of which may first wait for what others have to send again."""
    for _ in range(3):
        for one in made:
            one.sync()
    settle(made)


def test_devices_go_one_after_the_other(three: list[Device], tmp_path: Path) -> None:
    laptop, desktop, phone = three
    removes(desktop, phone)
    laptop.sync()
    removes(laptop, desktop)
    assert {file.parts[-3] for file in (tmp_path / "target").rglob("0*") if file.is_file()} == {
        laptop.space.tag(laptop.store.sync.begin("laptop").uid)
    }
    tablet = device(tmp_path, "tablet")
    joins(tmp_path, tablet)
    settle([laptop, tablet])
    assert len(set(states([laptop, tablet]))) == 1
    assert texts(tablet.store) == texts(laptop.store) == ["A secret place is Xanadu", "I keep bees", "I like tea"]
    tablet.store.close()


def test_segments_of_a_gone_device_that_are_carried_late_are_deleted(three: list[Device], tmp_path: Path) -> None:
    laptop, _, phone = three
    shutil.copytree(tmp_path / "target", tmp_path / "late")
    removes(laptop, phone)
    shutil.copytree(tmp_path / "late", tmp_path / "target", dirs_exist_ok=True)
    assert segments(tmp_path, phone)
    laptop.sync()
    assert not segments(tmp_path, phone)


class Killed(BaseException):
    """The end of the process."""


@pytest.mark.parametrize("nth", range(1, 4))
def test_a_removal_that_was_killed_is_taken_up_again(
    three: list[Device], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    laptop, desktop, phone = three
    put, count = FolderTarget.put, 0

    def killing_put(self: FolderTarget, name: str, data: bytes) -> bool:
        nonlocal count
        count += 1
        if count == nth:
            raise Killed
        return put(self, name, data)

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(FolderTarget, "put", killing_put)
        removes(laptop, phone)
    assert segments(tmp_path, phone)
    settle_in_the_end([laptop, desktop])
    assert not segments(tmp_path, phone)
    tablet = device(tmp_path, "tablet")
    joins(tmp_path, tablet)
    settle([laptop, desktop, tablet])
    assert len(set(states([laptop, desktop, tablet]))) == 1
    tablet.store.close()


def test_when_each_wrote_last(three: list[Device]) -> None:
    laptop = three[0].store.sync
    times = laptop.times()
    assert set(times) == {chain.uid for chain in laptop.chains()}
    assert all(0 <= clock.now() - at < clock.DAY for at in times.values())


@pytest.mark.parametrize("seed", range(share(60, 2)))
def test_random_devices_agree_when_one_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Remove one of three devices while segments are on their way; it may come back, and a new one joins."""
    repeat(monkeypatch, seed)
    rng = random.Random(seed)
    made = devices(tmp_path, "a", "b", "c")
    for one in made:
        one.at = rng.choice([0, 0, 2 * clock.DAY, -2 * clock.DAY, clock.DAY // 24])
    acting(made, rng, 40)
    gone = made.pop(rng.randrange(3))
    gone.sync()
    remover = rng.choice(made)
    remover.sync()
    removes(remover, gone)
    acting(made, rng, 15)
    with gone.here() as store:
        for _ in range(5):
            act(store, rng)
    if rng.random() < 0.5:
        settle_in_the_end(made)
        with pytest.raises(Conflict, match="was removed"):
            gone.sync()
        joins(tmp_path, gone)
        made.append(gone)
        acting(made, rng, 10)
    new = device(tmp_path, "d")
    joins(tmp_path, new)
    made.append(new)
    acting(made, rng, 10)
    settle_in_the_end(made)
    assert len(set(states(made))) == 1
    for one in {id(one): one for one in (*made, gone)}.values():
        one.store.close()


def acting(made: list[Device], rng: random.Random, count: int) -> None:
    for _ in range(count):
        with rng.choice(made).here() as store:
            act(store, rng)
        if rng.random() < 0.2:
            rng.choice(made).sync(rng.choice([0.3, 1.0]), rng)
