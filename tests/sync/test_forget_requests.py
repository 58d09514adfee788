"""Forget requests on several devices: all devices have them, and one seen on one device is seen on all."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from older_schemas import lead_back

from curator import curation
from curator.paths import sync_file
from curator.sync.key import words_of
from curator.sync.run import create, inspect_space, join, sync
from effort import thorough
from factories import conversation, put
from store import Conflict, Store, clock
from store.model import ForgetRequest
from store.record.sync.outbox import Batch
from store.record.sync.repository import Chain, Sync
from sync.devices import KEY, Device, Three, device, devices, numbered, said, settle, states

pytestmark = thorough

_TURN = "I live in Porto. Forget my old address."
_PLACE = (_TURN.index("my old"), len(_TURN))


def asks(device: Device, name: str = "x", turn: str = _TURN) -> None:
    """Import a chat whose first message asks to forget the old address."""
    with device.here() as store, store.command("import") as writer:
        store.raw.put_conversation(writer, conversation(name, turn, "Done."))
        store.forget_requests.put(writer, [(store.raw.find_identity(writer, f"chatgpt:{name}:0"), *_PLACE)])


def requests(device: Device) -> list[tuple[str, bool]]:
    return [(one.words, one.seen) for one in device.store.forget_requests.page()]


def see(device: Device, choose: Callable[[ForgetRequest], bool] = lambda request: True) -> None:
    with device.here() as store:
        store.forget_requests.mark_seen([one.place for one in store.forget_requests.page() if choose(one)])


def removes_unread(one: Device, gone: Device) -> None:
    """Remove a device whose last segments this one has not read."""
    uid = gone.store.sync.begin(gone.name).uid
    with one.here() as store:
        store.sync.remove(uid)


def joins(one: Device, target: str) -> None:
    with one.here() as store:
        join(store, inspect_space(store, target, one.name, words_of(KEY)))


def test_a_request_is_on_all_devices_and_seen_once(three: tuple[Three, Callable[[], None]]) -> None:
    made, agree = three
    a, b, _ = made
    asks(a)
    agree()
    assert [requests(one) for one in made] == [[("my old address", False)]] * 3
    see(b)
    agree()
    assert [requests(one) for one in made] == [[("my old address", True)]] * 3
    assert [one.store.forget_requests.count_unseen() for one in made] == [0, 0, 0]


def test_of_one_chat_imported_on_two_devices_a_request_seen_on_either_is_seen(
    three: tuple[Three, Callable[[], None]],
) -> None:
    made, agree = three
    a, b, c = made
    for one in (a, b):
        asks(one)
    see(b)
    asks(c, "y")
    agree()
    assert [requests(one) for one in made] == [[("my old address", False), ("my old address", True)]] * 3
    asks(a)
    agree()
    assert [one.store.forget_requests.count_unseen() for one in made] == [1, 1, 1], "imported again, it is known"


def test_a_request_goes_with_its_words_on_all_devices(three: tuple[Three, Callable[[], None]]) -> None:
    made, agree = three
    a, b, c = made
    asks(a)
    with a.here() as store:
        said(store, "z", "Forget my old address.")
    agree()
    see(c)
    with b.here() as store:
        store.purge([numbered(store, "Forget my old address.")])
    agree()
    assert [requests(one) for one in made] == [[], [], []]


def test_a_request_of_an_erased_log_is_nowhere(three: tuple[Three, Callable[[], None]]) -> None:
    made, agree = three
    a, b, _ = made
    asks(a)
    agree()
    with b.here() as store:
        store.erase_logs([1], clock.LATEST)
    see(a)
    agree()
    assert [requests(one) for one in made] == [[], [], []]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Device, Device]]:
    one, other = devices(tmp_path, "laptop", "desktop")
    yield one, other
    assert len({one.store.sync.digest(), other.store.sync.digest()}) == 1 or one.store.sync.gone()
    one.store.close()
    other.store.close()


def test_what_was_seen_waits_for_the_message(tmp_path: Path) -> None:
    a, b, c = devices(tmp_path, "a", "b", "c")
    asks(a)
    settle([a, b])
    see(b)
    b.sync()
    folder = tmp_path / "target" / a.space.tag(a.store.sync.begin("a").uid)
    hidden = folder.rename(tmp_path / "hidden")
    assert c.sync().waiting
    hidden.rename(folder)
    settle([c, b, a])
    assert requests(c) == [("my old address", True)]
    assert len(set(states([a, b, c]))) == 1


def test_requests_of_other_devices_are_in_segments_that_are_written_again(
    tmp_path: Path, pair: tuple[Device, Device]
) -> None:
    one, other = pair
    asks(one)
    settle([one, other])
    see(other)
    settle([one, other])
    with one.here() as store:
        sync(store, one.space, rewrite=True, remove=other.store.sync.begin("desktop").uid)
    tablet = device(tmp_path, "tablet")
    joins(tablet, one.space.target)
    settle([one, tablet])
    assert requests(tablet) == [("my old address", True)]
    assert len(set(states([one, tablet]))) == 1


def test_what_is_seen_after_a_sync_was_killed_is_written_by_the_next(
    monkeypatch: pytest.MonkeyPatch, pair: tuple[Device, Device]
) -> None:
    one, other = pair
    settle([one, other])
    asks(one)

    def killed(self: Sync, chain: Chain, batch: Batch) -> None:
        if "requests" in batch:
            raise KeyboardInterrupt
        written(self, chain, batch)

    written = Sync.written
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Sync, "written", killed)
        one.sync()
    see(one)
    settle([one, other])
    assert requests(other) == [("my old address", True)]


def test_requests_of_an_older_record_are_published(pair: tuple[Device, Device]) -> None:
    one, other = pair
    settle([one, other])
    asks(one)
    see(one)
    one.store.close()
    lead_back(one.home / "store", 15)
    one.store = Store.open(one.home / "store")
    settle([one, other])
    assert requests(other) == [("my old address", True)]


def test_what_one_device_alone_knew_of_a_removed_one_is_published(tmp_path: Path) -> None:
    laptop, desktop, phone = devices(tmp_path, "laptop", "desktop", "phone")
    asks(laptop)
    settle([laptop, desktop, phone])
    see(phone)
    phone.sync()
    desktop.sync()
    removes_unread(laptop, phone)
    settle([laptop, desktop])
    assert requests(laptop) == [("my old address", True)]


def test_a_removed_device_that_joins_again_publishes_what_was_not_read(tmp_path: Path) -> None:
    laptop, phone = devices(tmp_path, "laptop", "phone")
    asks(laptop)
    settle([laptop, phone])
    see(phone)
    phone.sync()
    removes_unread(laptop, phone)
    laptop.sync()
    with pytest.raises(Conflict, match="was removed"):
        phone.sync()
    joins(phone, laptop.space.target)
    settle([laptop, phone])
    assert requests(laptop) == [("my old address", True)]


def test_requests_go_to_a_new_space(tmp_path: Path, pair: tuple[Device, Device]) -> None:
    one, other = pair
    asks(one)
    settle([one, other])
    target = f"folder:{tmp_path / 'second'}"
    with one.here() as store:
        sync_file().unlink()
        create(store, target, one.name, KEY)
    tablet = device(tmp_path, "tablet")
    joins(tablet, target)
    settle([one, tablet])
    assert requests(tablet) == [("my old address", False)]
    tablet.store.close()


_HOME = "I live in Ghent near the canal."


def held(*made: Device) -> list[bool]:
    return [one.store.get(numbered(one.store, _HOME)).quarantined for one in made]


@pytest.fixture
def apart(pair: tuple[Device, Device]) -> tuple[Device, Device]:
    """Return two devices: one has a memory, the other the request to forget it."""
    one, other = pair
    with one.here() as store:
        put(store, _HOME, created_at=1)
    with other.here() as store, store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("x", f"Forget that {_HOME}"))
        store.forget_requests.put(writer, [(1, 12, 12 + len(_HOME))])
    return pair


@pytest.mark.parametrize("first", [0, 1])
def test_what_a_request_of_another_device_means_is_kept_from_models(apart: tuple[Device, Device], first: int) -> None:
    settle([apart[first], apart[1 - first]])
    assert held(*apart) == [True, True]


@pytest.mark.parametrize(("first", "step"), [(0, "reconcile"), (1, "reconcile"), (1, "forget_arrivals")])
def test_what_arrived_in_a_killed_pass_is_matched_by_the_next(
    monkeypatch: pytest.MonkeyPatch, apart: tuple[Device, Device], first: int, step: str
) -> None:
    late = apart[1 - first]
    apart[first].sync()

    def killed(self: Sync, *arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Sync, step, killed)
        late.sync()
    assert held(late) == [False], "an interrupted pass ends at once"
    settle([*apart])
    assert held(*apart) == [True, True]


def test_what_a_pass_matched_is_not_matched_again(apart: tuple[Device, Device]) -> None:
    settle([*apart])
    assert [one.store.sync.arrivals() for one in apart] == [None, None]


def test_a_removed_device_matches_what_it_read_last(apart: tuple[Device, Device]) -> None:
    one, other = apart
    settle([one, other])
    with other.here() as store, store.command("import") as writer:
        turn = "Forget that I keep four brown hens."
        store.raw.put_conversation(writer, conversation("y", turn))
        asked = store.raw.find_identity(writer, "chatgpt:y:0")
        store.forget_requests.put(writer, [(asked, 12, len(turn) - 1)])
    with one.here() as store:
        (hens,) = put(store, "I keep four brown hens.", created_at=1)
    other.sync()
    removes_unread(other, one)
    other.sync()
    with pytest.raises(Conflict, match="was removed"):
        one.sync()
    assert one.store.get(hens).quarantined


def test_a_request_that_was_seen_holds_back_nothing_more(apart: tuple[Device, Device]) -> None:
    see(apart[1])
    settle([*apart])
    assert held(*apart) == [False, False]


def test_a_decision_of_the_person_beats_the_quarantine(apart: tuple[Device, Device]) -> None:
    one, other = apart
    one.sync()
    other.sync()
    with one.here() as store:
        curation.validate(store, [numbered(store, _HOME)])
    settle([one, other])
    assert held(one, other) == [False, False]


def test_an_undo_of_the_person_ends_the_quarantine_on_all_devices(apart: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = apart
    settle([one, other])
    with other.here() as store:
        for command in store.journal.log(50):
            if command.verb == "quarantine" and command.undone is None:
                store.undo(command.id)
    tablet = device(tmp_path, "tablet")
    joins(tablet, one.space.target)
    settle([tablet, one, other])
    assert held(one, other, tablet) == [False, False, False]
    tablet.store.close()
