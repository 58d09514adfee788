"""Stores that were used before they join one space."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from curator import curation
from curator.sync.key import words_of
from curator.sync.run import create, inspect_space, join
from curator.text import content_key
from effort import share, thorough
from factories import conversation, memory, quote
from store import Filter, Store, clock, restore
from store.model import Actor, Life, NewConversation
from store.record import meta
from store.record.changes import unpacked
from sync.devices import KEY, Device, act, device, repeat, settle, states

pytestmark = thorough

TEXTS = ("I like tea", "I keep bees", "I play chess", "I live in Porto", "My password hint is Xanadu")


def enters(folder: Path, one: Device) -> None:
    """Join the space, or begin it if there is none."""
    target = f"folder:{folder / 'target'}"
    with one.here() as store:
        if (folder / "target" / "space").exists():
            join(store, inspect_space(store, target, one.name, words_of(KEY)))
        else:
            create(store, target, one.name, KEY)


def log(size: int, name: str = "trip") -> NewConversation:
    return conversation(name, *(f"{TEXTS[n % len(TEXTS)]} and so on {n}." for n in range(size)))


def imported(store: Store, size: int) -> None:
    """Import the beginning of a log, and distil each of the person's messages."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, log(size))
    with store.command("distil", Actor.SWEEP) as writer:
        for n in range(0, size, 2):
            said = f"{TEXTS[n % len(TEXTS)]} and so on {n}."
            (number, _) = store.raw.find_messages([f"trip-{n}"])[f"trip-{n}"]
            store.admit(writer, memory(said[:-1], evidence=(quote(said[:-1], said, number),)))


def texts(store: Store, life: Life = Life.LIVE) -> list[str]:
    return sorted(one.text for one in store.get_many(store.list_ids(Filter(lives=(life,)))))


def everything(store: Store) -> str:
    """Return every row of every table, and the journal, as text."""
    with store.sqlite() as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [str(tuple(row)) for table in tables for row in connection.execute(f"SELECT * FROM {table}")]
        changes = connection.execute("SELECT changes FROM events").fetchall()
        return "\n".join([*rows, *(str(unpacked(row[0])) for row in changes)])


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Device, Device]:
    """Return a laptop and a desktop with separate stores."""
    return device(tmp_path, "laptop"), device(tmp_path, "desktop")


def test_two_filled_stores_become_one(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    with one.here() as store:
        imported(store, 4)
        curation.validate(store, [1])
        curation.forget(store, [curation.add(store, "I drink coffee").id])
        curation.add(store, "I sail")
    with other.here() as store:
        imported(store, 6)
        curation.tag(store, [1], ["drinks"])
        curation.add(store, "I drink coffee")
        curation.add(store, "I dance")
    enters(tmp_path, one)
    one.sync()
    enters(tmp_path, other)
    settle([one, other])
    assert len(set(states([one, other]))) == 1
    for store in (one.store, other.store):
        said = [f"{TEXTS[n]} and so on {n}" for n in (0, 2, 4)]
        assert texts(store) == sorted([*said, "I dance", "I sail"])
        assert "I drink coffee" in texts(store, Life.FORGOTTEN)
        (tea,) = [one for one in store.get_many(store.list_ids(Filter())) if one.text.startswith("I like tea")]
        assert tea.review.value == "validated" and tea.tags == ("drinks",)
        with store.sqlite() as connection:
            assert connection.execute("SELECT count(*), count(DISTINCT ident) FROM messages").fetchone()[:] == (6, 6)
            assert connection.execute("SELECT count(*) FROM conversations").fetchone()[0] == 1


def test_each_goes_on_undoing_its_own(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    with one.here() as store:
        curation.add(store, "I like tea")
    with other.here() as store:
        number = curation.add(store, "I keep bees").id
        curation.edit(store, number, "I keep ten bees")
        curation.forget(store, [number])
    enters(tmp_path, one)
    enters(tmp_path, other)
    settle([one, other])
    with other.here() as store:
        assert store.undo().verb == "forget"
        assert store.undo().verb == "edit"
        assert store.get(number).text == "I keep bees"
    with one.here() as store:
        store.undo()
    settle([one, other])
    assert len(set(states([one, other]))) == 1
    assert texts(one.store) == texts(other.store) == ["I keep bees"]


@pytest.mark.parametrize("purger", [0, 1])
@pytest.mark.parametrize("when", ["before", "later"])
def test_what_was_purged_on_either_goes_and_never_comes_back(
    pair: tuple[Device, Device], tmp_path: Path, purger: int, when: str
) -> None:
    purging, keeping = pair[purger], pair[1 - purger]
    with purging.here() as store:
        imported(store, 5)
        store.purge([number for number in store.list_ids(Filter()) if "Xanadu" in store.get(number).text])
    with keeping.here() as store:
        if when == "before":
            imported(store, 5)
            (hint,) = [number for number in store.list_ids(Filter()) if "Xanadu" in store.get(number).text]
            curation.edit(store, hint, "I like rain")  # so that a former text says it
        else:
            curation.add(store, "I like rain")
    for one in pair:
        enters(tmp_path, one)
        one.sync()
    settle([*pair])
    if when == "later":
        with keeping.here() as store:
            imported(store, 5)
        settle([*pair])
    assert len(set(states([*pair]))) == 1
    for one in pair:
        with one.here() as store:
            assert store.tombstones.matching(content_key(f"{TEXTS[4]} and so on 4")) is not None
            assert "Xanadu" not in everything(store), one.name
            imported(store, 5)
            assert not any("Xanadu" in text for text in texts(store))
    settle([*pair])
    third = device(tmp_path, "phone")
    enters(tmp_path, third)
    settle([*pair, third])
    with third.here() as store:
        imported(store, 5)
        assert not any("Xanadu" in text for text in texts(store))
        assert "Xanadu" not in everything(store)


def test_a_log_is_imported_once_whoever_had_read_it(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    with other.here() as store, store.command("import") as writer:
        store.raw.put_conversation(writer, log(3))
    for device_ in pair:
        enters(tmp_path, device_)
    settle([one, other])
    for at in (one, other):
        with at.here() as store:
            assert store.raw.peek_conversation(log(3)).fresh == ()
            assert len(store.raw.peek_conversation(log(5)).fresh) == 2
    with one.here() as store, store.command("import") as writer:
        store.raw.put_conversation(writer, log(5))
    settle([one, other])
    assert len(set(states([one, other]))) == 1
    with other.here() as store:
        assert store.raw.peek_conversation(log(5)).fresh == ()


def join_after_a_backup(pair: tuple[Device, Device], folder: Path) -> tuple[Device, Device]:
    """Join two filled stores, the second one after a backup in `copy`."""
    one, other = pair
    with one.here() as store:
        curation.add(store, "I like tea")
    with other.here() as store:
        imported(store, 5)
        store.backup(folder / "copy")
    for device_ in pair:
        enters(folder, device_)
    settle([one, other])
    return pair


def test_a_backup_from_before_is_restored_with_what_was_forgotten_since(
    pair: tuple[Device, Device], tmp_path: Path
) -> None:
    one, other = join_after_a_backup(pair, tmp_path)
    with other.here() as store:
        store.purge([number for number in store.list_ids(Filter()) if "Xanadu" in store.get(number).text])
    settle([one, other])
    with other.here() as store:
        store.close()
        done = restore(store.folder, tmp_path / "copy", content_key)
        assert done.reapplied.comparable
    settle([one, other])
    assert len(set(states([one, other]))) == 1
    for device_ in pair:
        assert "Xanadu" not in everything(device_.store)


def test_a_backup_from_before_in_an_empty_home_joins_again_by_itself(
    pair: tuple[Device, Device], tmp_path: Path
) -> None:
    one, other = join_after_a_backup(pair, tmp_path)
    with other.here() as store:
        curation.add(store, "I sail")
    settle([one, other])
    with other.here() as store:
        store.close()
        for file in store.folder.glob("record.sqlite*"):
            file.unlink()
        restore(store.folder, tmp_path / "copy", content_key)
        curation.add(store, "I dance")
    settle([one, other])
    assert len(set(states([one, other]))) == 1
    assert {"I sail", "I dance", "I like tea"} < set(texts(other.store))
    with other.store.sqlite() as connection:
        assert connection.execute("SELECT count(*) FROM messages").fetchone()[0] == 5


def test_copies_of_one_store_that_went_apart_join(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    with one.here() as store:
        imported(store, 4)
        store.backup(tmp_path / "copy")
        curation.add(store, "I sail")
    with other.here() as store:
        store.close()
        restore(store.folder, tmp_path / "copy", content_key)
        curation.tag(store, [1], ["drinks"])
    for device_ in pair:
        enters(tmp_path, device_)
    settle([one, other])
    assert len(set(states([one, other]))) == 1
    assert one.store.get(1).tags == ("drinks",) and "I sail" in texts(other.store)


_RUNS = share(100, 2)


@pytest.mark.parametrize("seed", range(_RUNS))
def test_random_pasts_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Join three devices one after the other, each of which was used before."""
    repeat(monkeypatch, seed)
    rng = random.Random(seed)
    made = [device(tmp_path, name) for name in ("a", "b", "c")]
    for one in made:
        one.at = rng.choice([0, 0, 2 * clock.DAY, -2 * clock.DAY, clock.DAY // 24])
        with one.here() as store:
            for _ in range(40 if one.name != "c" else rng.choice([0, 20])):
                act(store, rng)
    before = [purged_keys(one.store) for one in made]
    for one in made:
        enters(tmp_path, one)
        one.sync()
    for _ in range(30):
        with rng.choice(made).here() as store:
            act(store, rng)
        if rng.random() < 0.15:
            rng.choice(made).sync(rng.choice([0.3, 1.0]), rng)
    settle(made)
    assert len(set(states(made))) == 1
    for one in made:
        with one.here() as store:
            live = {store.get(number).text for number in store.list_ids(Filter())}
            for gone in before:
                assert not [text for text in live if gone(text)]
        one.store.close()


def purged_keys(store: Store) -> Callable[[str], bool]:
    """Return a function that tells whether the store has purged a text."""
    with store.sqlite() as connection:
        key = meta.get(connection, "key")
        rows = connection.execute(
            "SELECT t.content_key FROM tombstones t JOIN memories m ON m.id = t.memory WHERE m.life = 'purged'"
        ).fetchall()
    keys = {row[0] for row in rows}
    return lambda text: meta.hashed(key, content_key(text)) in keys
