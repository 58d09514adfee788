"""Decisions on two devices, and their combined result."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from curator import curation
from curator.curation.reasons import reason
from curator.text import content_key
from effort import thorough
from factories import conversation, memory, put, quote
from store import Conflict, Filter, Store, clock
from store.model import Actor, Life, Review, Tier
from sync.devices import Device, devices, settle, states

HOUR = 3600 * clock.SECOND


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Device, Device]]:
    """Return a laptop and a desktop with one memory in common, with id 1 on both."""
    one, other = devices(tmp_path, "laptop", "desktop")
    with one.here() as store:
        curation.add(store, "I like tea")
    settle([one, other])
    yield one, other
    assert len(set(states([one, other]))) == 1
    for device in (one, other):
        device.store.close()


def texts(store: Store) -> list[str]:
    return sorted(memory.text for memory in store.get_many(store.list_ids(Filter())))


def both(pair: tuple[Device, Device]) -> tuple[Store, Store]:
    settle([*pair])
    return pair[0].store, pair[1].store


@thorough
def test_what_one_adds_the_other_has_with_the_same_global_id(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with other.here() as store:
        curation.add(store, "I keep bees")
        put(store, "I play chess")
    with one.here() as store:
        curation.add(store, "I live in Porto")
    a, b = both(pair)
    assert texts(a) == texts(b) == ["I keep bees", "I like tea", "I live in Porto", "I play chess"]
    ids = {memory.text: memory.uid for memory in a.get_many(a.list_ids(Filter()))}
    for found in b.get_many(b.list_ids(Filter())):
        assert found.uid == ids[found.text]
        assert a.get(a.by_uid(found.uid)).text == found.text


@thorough
def test_decisions_on_different_things_join(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with one.here() as store:
        curation.tag(store, [1], ["home"])
        curation.set_tier(store, [1], Tier.CORE)
    with other.here() as store:
        curation.tag(store, [1], ["drinks"])
        curation.pin(store, [1])
    for store in both(pair):
        found = store.get(1)
        assert (found.tags, found.tier, found.pinned) == (("drinks", "home"), Tier.CORE, True)


@thorough
def test_forgetting_beats_all_but_a_later_restore(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with one.here() as store:
        curation.forget(store, [1])
    other.at = HOUR
    with other.here() as store:
        curation.edit(store, 1, "I like green tea")
        curation.pin(store, [1])
    a, b = both(pair)
    assert a.get(1).life is b.get(1).life is Life.FORGOTTEN
    with other.here() as store:
        curation.restore(store, [1])
    a, b = both(pair)
    assert a.get(1).life is b.get(1).life is Life.LIVE
    assert a.get(1).text == "I like green tea"


@thorough
def test_what_is_forgotten_on_one_device_does_not_come_back_from_the_other(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with one.here() as store:
        curation.forget(store, add_one(store, "I keep bees"))
    with other.here() as store:
        put(store, "I keep bees")
    a, b = both(pair)
    assert texts(a) == texts(b) == ["I like tea"]


def add_one(store: Store, text: str) -> list[int]:
    """Add a memory; return its id in a list."""
    return [curation.add(store, text).id]


@thorough
def test_a_person_beats_a_machine(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with one.here() as store:
        curation.add(store, "I might move")
    settle([*pair])
    one.at = HOUR
    with one.here() as store, store.command("expire", Actor.SWEEP) as writer:
        writer.update("memories", [1, 2], {"life": "expired"})
    with other.here() as store:
        curation.set_tier(store, [1], Tier.LOW)
    a, b = both(pair)
    assert a.get(1).life is b.get(1).life is Life.LIVE
    assert a.get(2).life is b.get(2).life is Life.EXPIRED


@thorough
def test_two_texts_further_apart_are_a_conflict_that_names_both_devices(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with one.here() as store:
        curation.edit(store, 1, "I like black tea")
    other.at = HOUR
    with other.here() as store:
        curation.edit(store, 1, "I like green tea")
    a, b = both(pair)
    assert texts(a) == texts(b) == ["I like black tea", "I like green tea"]
    (alert,) = a.alerts.open()
    assert len(b.alerts.open()) == 1
    why = reason(alert, a.get(alert.a), a.get(alert.b))
    assert "on laptop (" in why and "on desktop (" in why
    with one.here() as store:
        curation.keep(store, curation.pair(store, alert.id), "b")
    for store in both(pair):
        assert len(texts(store)) == 1 and not store.alerts.open()


@thorough
def test_of_two_texts_minutes_apart_the_later_holds_and_the_other_is_a_version(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with one.here() as store:
        curation.edit(store, 1, "I like black tea")
    other.at = 60 * clock.SECOND
    with other.here() as store:
        curation.edit(store, 1, "I like green tea")
    for store in both(pair):
        assert texts(store) == ["I like green tea"] and not store.alerts.open()
        assert {version.text for version in store.versions(1)} == {"I like tea", "I like black tea"}


@thorough
def test_a_former_text_that_both_replaced_is_told_once(pair: tuple[Device, Device]) -> None:
    for device, text in zip(pair, ("I like black tea", "I like green tea"), strict=True):
        with device.here() as store:
            curation.edit(store, 1, text)
    for store in both(pair):
        assert sorted(version.text for version in store.versions(1)) == ["I like black tea", "I like tea"]


@thorough
def test_a_clock_that_is_far_ahead_loses_against_who_knew_of_it(pair: tuple[Device, Device]) -> None:
    one, other = pair
    one.at = 48 * HOUR
    with one.here() as store:
        curation.edit(store, 1, "I like black tea")
        curation.set_tier(store, [1], Tier.LOW)
    settle([*pair])
    one.at = 0
    with other.here() as store:
        curation.edit(store, 1, "I like green tea")
        curation.set_tier(store, [1], Tier.CORE)
    for store in both(pair):
        assert texts(store) == ["I like green tea"] and not store.alerts.open()
        assert store.get(1).tier is Tier.CORE


@thorough
def test_what_was_decided_with_knowledge_of_the_other_is_no_conflict(pair: tuple[Device, Device]) -> None:
    one, other = pair
    other.at = -48 * HOUR  # its clock is wrong, yet what it has read counts as earlier
    with one.here() as store:
        curation.edit(store, 1, "I like black tea")
    settle([*pair])
    with other.here() as store:
        curation.edit(store, 1, "I like green tea")
    for store in both(pair):
        assert texts(store) == ["I like green tea"] and not store.alerts.open()


@thorough
def test_what_both_say_becomes_one_memory_with_the_quotes_of_both(pair: tuple[Device, Device]) -> None:
    said = "I keep bees in Porto"
    for device, name in zip(pair, "xy", strict=True):
        with device.here() as store, store.command("import") as writer:
            store.raw.put_conversation(writer, conversation(name, said))
            number = store.raw.find_identity(writer, f"chatgpt:{name}:0")
            store.admit(writer, memory(said, evidence=(quote(said, said, number),)))
    for store in both(pair):
        assert texts(store) == [said, "I like tea"]
        (found,) = [one.id for one in store.get_many(store.list_ids(Filter())) if one.text == said]
        assert sorted(quoted.reference or "" for quoted in store.evidence(found)) == ["x-0", "y-0"]


def test_two_that_people_kept_are_left_to_them(pair: tuple[Device, Device]) -> None:
    for device in pair:
        with device.here() as store:
            curation.add(store, "I keep bees")
    for store in both(pair):
        assert texts(store) == ["I keep bees", "I keep bees", "I like tea"]
        assert len(store.alerts.open()) == 1
        assert all(one.review is Review.VALIDATED for one in store.get_many(store.list_ids(Filter())))


@thorough
def test_a_log_that_both_import_is_there_once(pair: tuple[Device, Device]) -> None:
    one, other = pair
    for device, turns in ((one, ("hello", "hi")), (other, ("hello", "hi", "bye"))):
        with device.here() as store, store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("x", *turns))
    for store in both(pair):
        (number,) = store.raw.conversation_ids()
        assert [message.text for message in store.raw.messages(number)] == ["hello", "hi", "bye"]
    with other.here() as store:
        store.undo()
    for store in both(pair):
        assert [message.text for message in store.raw.messages(1)] == ["hello", "hi"]


@thorough
def test_an_undone_import_leaves_what_the_other_device_decided_on(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with one.here() as store:
        put(store, "I keep bees", "I play chess")
    settle([*pair])
    with one.here() as store:
        store.undo()
    with other.here() as store:
        curation.validate(store, [2])
        curation.tag(store, [2], ["garden"])
    for store in both(pair):
        assert texts(store) == ["I keep bees", "I like tea"]
        (found,) = [one for one in store.get_many(store.list_ids(Filter())) if one.text == "I keep bees"]
        assert found.review is Review.VALIDATED and found.tags == ("garden",)


@thorough
def test_undo_takes_back_the_last_step_of_this_device_only(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with one.here() as store:
        curation.pin(store, [1])
    other.at = HOUR
    with other.here() as store:
        curation.tag(store, [1], ["drinks"])
    a, b = both(pair)
    with one.here():
        assert a.undo().verb == "pin"
        assert a.redo().verb == "pin"
        a.undo()
    with other.here():
        (tagged,) = [command for command in b.journal.log() if command.verb == "tag"]
    (elsewhere,) = [command for command in a.journal.log() if command.verb == "tag"]
    assert (elsewhere.uid, elsewhere.elsewhere, tagged.elsewhere) == (tagged.uid, "desktop", "")
    both(pair)
    with one.here():
        a.undo(elsewhere.id)  # any command can be undone by its id
    for store in both(pair):
        assert (store.get(1).pinned, store.get(1).tags) == (False, ())


def test_vectors_come_along(pair: tuple[Device, Device]) -> None:
    from store.model import Fingerprint

    made = Fingerprint("test", "plain", "1", 2)
    one, _ = pair
    with one.here() as store:
        store.vectors.add(made, [(1, "I like tea", b"\1" * 8)])
    a, b = both(pair)
    assert a.vectors.of(1, made) == b.vectors.of(1, made) == b"\1" * 8


@thorough
def test_what_was_reworded_elsewhere_while_it_was_forgotten_does_not_come_back(pair: tuple[Device, Device]) -> None:
    one, other = pair
    with one.here() as store:
        curation.forget(store, [1])
    with other.here() as store:
        curation.edit(store, 1, "I like green tea")
    for store in both(pair):
        assert store.get(1).life is Life.FORGOTTEN
        assert store.tombstones.any_of([content_key("I like tea")]) == store.tombstones.any_of(
            [content_key("I like green tea")]
        )


@thorough
def test_recalls_add_up_once(pair: tuple[Device, Device]) -> None:
    one, other = pair
    for times, device in enumerate(pair, 2):
        with device.here() as store:
            for _ in range(times):
                store.recalls.record_use([1])
    for store in both(pair):
        assert store.recalls.uses([1])[1].times == 5
    with one.here() as store:
        store.sync.rewrite()
        store.recalls.record_use([1])
    for store in both(pair):
        assert store.recalls.uses([1])[1].times == 6
    assert not other.sync().written


@thorough
def test_two_decisions_on_what_a_third_device_undid_are_both_kept(tmp_path: Path) -> None:
    made = devices(tmp_path, "laptop", "desktop", "phone")
    one, other, third = made
    with third.here() as store:
        put(store, "I keep bees")
    settle(made)
    with third.here() as store:
        store.undo()
    with one.here() as store:
        curation.set_scope(store, [1], "project:site")
        curation.tag(store, [1], ["garden"])
    with other.here() as store:
        curation.set_tier(store, [1], Tier.CORE)
    third.sync()
    settle(made)
    assert len(set(states(made))) == 1
    for device in made:
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert (found.scope, found.tier, found.tags) == ("project:site", Tier.CORE, ("garden",))
        device.store.close()


@thorough
def test_what_one_device_undid_stays_if_the_other_imported_it_too(pair: tuple[Device, Device]) -> None:
    for device in pair:
        with device.here() as store, store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("x", "I keep bees"))
    with pair[0].here() as store:
        store.undo()
    for store in both(pair):
        (number,) = store.raw.conversation_ids()
        assert [message.text for message in store.raw.messages(number)] == ["I keep bees"]
    with pair[0].here() as store, suppress(Conflict):
        store.redo()
    both(pair)
    with pair[1].here() as store, suppress(Conflict):
        store.undo()
    both(pair)
