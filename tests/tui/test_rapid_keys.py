"""Keys pressed while a verb is written or a list is read: each acts on the row that the person sees."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from curator import curation
from curator.tui import verbs
from curator.tui.memories import queries
from effort import thorough
from factories import put
from store import Store, Unusable
from store.model import Life, Review, Tier
from tui.driver import QUICK, opened
from tui.test_races import locked

pytestmark = thorough


@pytest.fixture
def ids(store: Store) -> list[int]:
    """Store five memories; return their ids as listed, from the top."""
    return put(store, "tea one", "tea two", "tea three", "tea four", "tea five")[::-1]


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Return an event; while it is cleared, no list is read beyond its first two rows."""
    go, full_list = threading.Event(), queries.ListReader.full_list
    go.set()

    def held(*given: Any) -> queries.Listing:
        assert go.wait(30)
        return full_list(*given)

    monkeypatch.setattr(queries.ListReader, "full_list", held)
    monkeypatch.setattr(queries, "FIRST", 2)
    yield go
    go.set()


def reviews(store: Store, ids: list[int]) -> list[str]:
    return [str(store.get(number).review) for number in ids]


async def test_again_means_the_verb_pressed_last_though_it_is_not_written_yet(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("a")
        with locked(store):
            await app.pilot.press("x", ".")
        await app.rest()
        assert reviews(store, ids) == ["validated", "rejected", "rejected", "open", "open"]


async def test_again_after_a_verb_that_failed_tries_that_one(
    store: Store, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(store) as app:
        await app.press("a")
        with monkeypatch.context() as broken:
            broken.setattr(verbs, "run_verb", _full)
            await app.press("x")
        await app.press(".")
        assert reviews(store, ids) == ["validated", "rejected", "open", "open", "open"]


async def test_a_key_after_a_verb_on_marks_hits_the_one_under_the_cursor(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("space", "space")
        with locked(store):
            await app.pilot.press("a", "j", "x")
        await app.rest()
        assert reviews(store, ids) == ["validated", "validated", "open", "rejected", "open"]
        assert not app.listing.marks


async def test_marks_set_while_a_verb_is_written_stay(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("space", "space")
        with locked(store):
            await app.pilot.press("a", "g", "space", "G", "space")
        await app.rest()
        assert app.listing.marks == {ids[0], ids[4]}


async def test_what_was_marked_is_marked_again_if_the_verb_fails(
    store: Store, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verbs, "run_verb", _full)
    async with opened(store) as app:
        await app.press("space", "space", "a")
        assert app.listing.marks == set(ids[:2]) and "the disk is full" in app.status
        await app.press("escape", "p")
        assert not app.listing.marks, "what was not marked is not"


@pytest.mark.parametrize("keys", [("x", "."), ("space", "space", "x", "j", "a")], ids=["again", "marks"])
async def test_in_recall(store: Store, ids: list[int], keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    async with opened(store, first="recall") as app:
        await app.write("tea")
        await app.press("enter", "p")
        shown = list(app.view.list.ids)  # type: ignore[attr-defined]
        with locked(store):
            await app.pilot.press(*keys)
        await app.rest()
        now = reviews(store, shown[:4])
        pinned = [store.get(number).pinned for number in ids].count(True)
        if keys[-1] == ".":
            assert (now, pinned) == (["rejected", "open", "open", "open"], 1)
        else:
            assert now == ["rejected", "rejected", "open", "validated"]


async def test_a_verb_on_marks_waits_until_all_of_them_are_listed(
    store: Store, ids: list[int], reading: threading.Event
) -> None:
    async with opened(store) as app:
        await app.press("*")
        reading.clear()
        await app.pilot.press("slash", "t", "enter")
        while len(app.ids) != 2:
            await app.pilot.pause(0.01)
        await app.pilot.press("d")
        await app.pilot.pause()
        assert "still loading the marked" in app.status and not app.view.writing
        reading.set()
        await app.rest()
        await app.press("d")
        assert [store.get(number).life for number in ids] == [Life.FORGOTTEN] * 5


async def test_a_verb_on_the_cursor_does_not_wait_for_the_list(
    store: Store, ids: list[int], reading: threading.Event
) -> None:
    async with opened(store) as app:
        reading.clear()
        await app.pilot.press("slash", "t", "enter")
        while len(app.ids) != 2:
            await app.pilot.pause(0.01)
        await app.pilot.press("x")
        while store.get(ids[0]).life is Life.LIVE:
            await app.pilot.pause(0.01)
        reading.set()
        await app.rest()
        assert app.ids == ids[1:]


async def test_a_mark_goes_with_its_row(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("slash")
        await app.write("tier:medium")
        await app.press("enter")
        with locked(store):
            await app.pilot.press("t", "c")
            await app.pilot.pause()
            await app.pilot.press("space")
        await app.rest()
        assert store.get(ids[0]).tier is Tier.CORE and app.ids == ids[1:] and not app.listing.marks
        await app.press("x")
        assert reviews(store, ids).count("rejected") == 1, "a mark that nobody sees does not hold up what is seen"


async def test_no_verb_hits_what_was_listed_before_the_search(store: Store, ids: list[int]) -> None:
    go = threading.Event()
    async with opened(store) as app:
        await app.press("p")
        held = asyncio.ensure_future(app.app.context.executors["ids"].run(lambda: go.wait(30)))
        await app.pilot.press("slash", *"one", "enter", ".", "x")
        await app.pilot.pause()
        assert app.status.startswith("still searching") and app.ids == ids
        go.set()
        await held
        await app.rest()
        assert reviews(store, ids).count("open") == 5 and app.ids == ids[4:]
        assert [store.get(number).pinned for number in ids].count(True) == 1
        await app.press("x")
        assert store.get(ids[4]).review is Review.REJECTED


@pytest.mark.parametrize("meanwhile", [False, True], ids=["before", "meanwhile"])
async def test_a_verb_does_not_hide_what_others_wrote(
    store: Store, ids: list[int], meanwhile: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    verb = verbs.VERBS_WITHOUT_DIALOG["validate"]

    def run(store: Store, memories: Any) -> int:
        if meanwhile:
            curation.add(store, "said by another process")
        return verb.run(store, memories)

    monkeypatch.setitem(verbs.VERBS_WITHOUT_DIALOG, "validate", replace(verb, run=run))
    unwatched = replace(QUICK, watch=3600)  # otherwise the main screen might notice it first
    async with opened(store, timings=unwatched) as app:
        if not meanwhile:
            curation.add(store, "said by another process")
        await app.press("a")
        assert "said by another process" in app.seen() and len(app.ids) == 6


def _full(*_: object) -> None:
    raise Unusable("the disk is full")
