"""Global ids: ordered by time, stable, equal in copies of a store, and of another device in what a copy adds."""

import contextlib
import itertools
import shutil
import sqlite3
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator import curation
from curator.text import content_key
from effort import share
from factories import conversation, put
from store import Filter, NotFound, Store, TooNew, clock, restore, uids
from store.model import Message
from store.record import schema

DEVICE = "d0173ae1-7235-438f-8000-000000000000"


@settings(max_examples=share(50))
@given(
    st.sampled_from([uids.ObjectType.MEMORY, uids.ObjectType.COMMAND]), st.integers(0, 2**47), st.integers(1, 2**32 - 1)
)
def test_an_id_is_taken_apart_into_what_it_was_made_of(sort: uids.ObjectType, milliseconds: int, number: int) -> None:
    uid = uids.of_row(sort, milliseconds * 1000 + 7, number, DEVICE)
    assert (UUID(uid).version, UUID(uid).variant) == (7, "specified in RFC 4122")
    bits = (UUID(uid).int >> 64 & 0xFFF) << 62 | UUID(uid).int & (1 << 62) - 1
    assert (UUID(uid).int >> 80, bits) == (milliseconds, sort << 72 | number << 40 | 0xD0173AE172)
    if sort is uids.ObjectType.MEMORY:
        assert uids.number_of(uid) == number
    else:
        with pytest.raises(ValueError, match="not the id of a memory"):
            uids.number_of(uid)


@given(st.binary(min_size=16, max_size=16))
def test_an_ident_is_among_those_of_its_id(ident: bytes) -> None:
    assert UUID(uids.of_ident(ident)).version == 8
    found = uids.idents(uids.of_ident(ident))
    assert ident in found
    assert len(set(found)) == 64


def test_ids_of_a_row_rise_with_time_and_number() -> None:
    made = [
        uids.of_row(uids.ObjectType.MEMORY, at, number, DEVICE) for at, number in ((5_000, 9), (6_000, 2), (6_000, 3))
    ]
    assert made == sorted(made)
    assert len({*made, uids.of_row(uids.ObjectType.COMMAND, 6_000, 3, DEVICE)}) == 4


def test_what_is_no_id_is_said() -> None:
    for wrong in ("", "17", uids.of_ident(bytes(16)), uids.of_alert(DEVICE, DEVICE)):
        with pytest.raises(ValueError, match=r"."):
            uids.number_of(wrong)
    with pytest.raises(ValueError, match="not the id of a conversation"):
        uids.idents(uids.of_row(uids.ObjectType.MEMORY, 1, 1, DEVICE))


def test_two_stores_with_one_key_agree_on_a_log_and_others_do_not(tmp_path: Path) -> None:
    with contextlib.ExitStack() as open_:
        stores = [open_.enter_context(contextlib.closing(Store.open(tmp_path / name))) for name in "abc"]
        with stores[0].sqlite() as first, stores[1].sqlite() as second:
            (key,) = first.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()
            second.execute("UPDATE meta SET value = ? WHERE name = 'key'", (key,))
        put(stores[1], "I was here before")  # so that its local ids differ
        for store in stores:
            with store.command("import") as writer:
                store.raw.put_conversation(writer, conversation("trip", "I like Lisbon", "Good"))
        a, b, c = ([said.uid for said in messages(store)] for store in stores)
        assert a == b
        assert set(a).isdisjoint(c)
        what, one = stores[0].raw.by_uid(a[1])
        assert (what, stores[0].raw.message(one).text) == ("message", "Good")
        talk = stores[0].raw.conversation(1).uid
        assert stores[0].raw.by_uid(talk) == ("conversation", 1)
        assert stores[1].raw.conversation(1).uid == talk
        with pytest.raises(NotFound):
            stores[2].raw.by_uid(talk)


def messages(store: Store) -> list[Message]:
    return store.raw.messages(1)


def test_a_memory_is_found_by_its_id_and_keeps_it(store: Store) -> None:
    (one,) = put(store, "I like tea")
    uid = store.get(one).uid
    assert store.by_uid(uid) == one
    store.undo()
    with pytest.raises(NotFound, match="there is no memory"):
        store.by_uid(uid)
    put(store, "I like milk")
    store.undo()
    store.redo()
    (milk,) = store.list_ids(Filter())
    assert store.get(milk).uid != uid
    assert store.differences() == []


def test_alerts_of_a_pair_have_one_id_in_whatever_order() -> None:
    a, b = (uids.of_row(uids.ObjectType.MEMORY, at, 1, DEVICE) for at in (1_000_000, 2_000_000))
    assert uids.of_alert(a, b) == uids.of_alert(b, a)
    assert UUID(uids.of_alert(a, b)).int >> 80 == 2_000


def devices(store: Store) -> list[str | None]:
    return [command.device for command in store.journal.log()]


def test_a_copied_store_is_a_device_of_its_own_and_a_moved_one_is_not(tmp_path: Path) -> None:
    with contextlib.closing(Store.open(tmp_path / "a")) as store:
        put(store, "I like tea")
        put(store, "I like milk")
        (own,) = set(devices(store))
    (tmp_path / "a").rename(tmp_path / "moved")
    with contextlib.closing(Store.open(tmp_path / "moved")) as store:
        put(store, "I like coffee")
        assert set(devices(store)) == {own}
    shutil.copytree(tmp_path / "moved", tmp_path / "copy")
    with contextlib.closing(Store.open(tmp_path / "moved")) as store:
        put(store, "I like juice")
    with (
        contextlib.closing(Store.open(tmp_path / "copy")) as copy,
        contextlib.closing(Store.open(tmp_path / "moved")) as store,
    ):
        put(copy, "I like juice")
        assert devices(store)[0] == own
        assert devices(copy)[0] != own
        first, second = ([memory.uid for memory in one.get_many(one.list_ids(Filter()))] for one in (store, copy))
        assert set(first) & set(second) == set(first[1:])
        assert copy.differences() == []


def test_a_restored_store_is_a_device_of_its_own(tmp_path: Path) -> None:
    with contextlib.closing(Store.open(tmp_path / "a")) as store:
        put(store, "I like tea")
        store.backup(tmp_path / "copy")
        put(store, "I like milk")
        taken = {memory.uid for memory in store.get_many(store.list_ids(Filter()))}
    restore(tmp_path / "a", tmp_path / "copy", content_key)
    with contextlib.closing(Store.open(tmp_path / "a")) as store:
        (one,) = put(store, "I like juice")
        assert store.get(one).uid not in taken
        assert store.differences() == []


def test_clocks_rise_whatever_the_machine_says(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    present = clock.now()
    for number, at in enumerate((present, present - 400 * clock.DAY, present + 3 * clock.DAY, 0, -clock.DAY, present)):
        monkeypatch.setattr(clock, "now", lambda at=at: at)
        put(store, f"I like number {number}")
    with store.sqlite() as connection:
        clocks = [row[0] for row in connection.execute("SELECT clock FROM events ORDER BY seq")]
    assert all(one < other for one, other in itertools.pairwise(clocks))
    assert clocks[0] >> 16 == present // 1000
    assert clocks[2] >> 16 == (present + 3 * clock.DAY) // 1000
    assert clocks[-1] - clocks[2] == 3, "ahead by no more than the clock once was"
    assert store.journal.days_ahead() >= 2
    assert store.differences() == []


def test_the_check_finds_clocks_and_devices_that_are_wrong(store: Store) -> None:
    put(store, "I like tea")
    put(store, "I like milk")
    with store.sqlite() as connection:
        connection.execute("UPDATE events SET clock = 1 WHERE seq = 2")
        connection.execute("UPDATE commands SET device = 77 WHERE id = 1")
    assert store.differences() == [
        "commands: 1 is of a device that is not there",
        "event 2 has a clock that is not after the one before",
    ]


def test_an_open_store_writes_nothing_once_a_newer_program_was_there(store: Store) -> None:
    (one,) = put(store, "I like tea")
    before = store.state_hash()
    with contextlib.closing(sqlite3.connect(store.folder / "record.sqlite")) as newer:
        newer.execute(f"PRAGMA user_version={schema.NEWEST + 1}")
    for write in (
        lambda: put(store, "I like milk"),
        lambda: store.undo(),
        lambda: curation.forget(store, [one]),
        lambda: store.recalls.record_use([one]),
    ):
        with pytest.raises(TooNew, match="the store is newer than this program"):
            write()
    assert store.state_hash() == before
    assert store.get(one).text == "I like tea", "reading goes on"
    with pytest.raises(TooNew):
        Store.open(store.folder)
