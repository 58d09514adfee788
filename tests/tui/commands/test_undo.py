"""The undo key: takes back the command it offers, and asks before a large command that is not recent."""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from curator import curation
from curator.tui import verbs
from curator.tui.screens.dialogs import Confirm
from curator.ui_defaults import Looks
from effort import some, thorough
from factories import put
from store import Filter, Store
from store.model import Command, Life, Review, Tier
from tui.driver import opened
from tui.memories.test_inbox_groups import alike

pytestmark = thorough


async def test_it_is_named_as_it_was_done(store: Store) -> None:
    put(store, "likes milk", "likes tea", "likes coffee")
    async with opened(store) as app:
        await app.press("d", "u")
        assert app.status == "undone: forgotten “likes coffee” · U redo"
        await app.press("U")
        assert app.status == "redone: forgotten “likes coffee” · u undo"
        await app.press("*", "p", "u")
        assert app.status == "undone: pinned or unpinned 2 memories · U redo"


@pytest.mark.parametrize(
    ("looks", "undo", "redo"),
    some(
        [
            (Looks(keymap="plain"), "f8 undo", "f12 redo"),
            (Looks(keys={"undo": ["Z"], "redo": []}), "Z undo", "redo"),
        ],
        1,
    ),
)
async def test_the_keys_that_are_named_are_the_persons(store: Store, looks: Looks, undo: str, redo: str) -> None:
    put(store, "likes milk", "likes tea")
    async with opened(store, looks=looks) as app:
        await app.app.run_action("add")
        await app.rest()
        await app.write("likes coffee")
        await app.press("enter")
        assert app.status.endswith(f"added “likes coffee” · {undo}")
        await app.press(undo.split()[0])
        assert app.status == f"undone: added “likes coffee” · {redo}"


async def test_of_a_group_too(store: Store) -> None:
    alike(store, "Prefers tea to coffee", "Tea, not coffee")
    async with opened(store, first="inbox") as app:
        await app.press("a", "u")
        assert app.status == "undone: validated one wording of 2 memories · U redo"


async def test_what_was_done_before_the_app_was_opened_has_its_words(store: Store) -> None:
    ids = put(store, "likes tea", "likes coffee")
    curation.reject(store, ids[:1])
    curation.forget(store, ids[1:])
    curation.set_tier(store, ids[:1], Tier.CORE)
    async with opened(store) as app:
        await app.press("u")
        assert isinstance(app.app.screen, Confirm) and store.get(ids[0]).tier is Tier.CORE
        seen = app.seen()
        assert "Undo: changed the tier of “likes tea”?" in seen and "Not done in this session." in seen
        await app.press("y")
        assert app.status == "undone: changed the tier of “likes tea” · U redo"
        await app.press("u", "enter")
        assert app.status == "undone: forgotten “likes coffee” · U redo"
        await app.press("U", "u")
        assert app.status == "undone: forgotten “likes coffee” · U redo"


async def test_an_offer_that_is_another_step_by_now_takes_nothing_back(store: Store, tmp_path: Path) -> None:
    one, _, three = put(store, "one", "two", "three")
    async with opened(store) as app:
        await app.press("j", "x")
        other = Store.open(tmp_path / "store")
        curation.validate(other, [one])
        other.close()
        before = store.state_hash()
        app.app.action_undo()
        await app.rest()
        assert store.state_hash() == before and isinstance(app.app.screen, Confirm)
        seen = app.seen()
        assert "Undo: validated “one”?" in seen and "Done by another process since your last change." in seen
        await app.press("y")
        assert app.status == "undone: validated “one” · U redo"
        assert store.get(one).review is Review.OPEN and store.list_ids(Filter(), descending=False) == [one, three]


async def test_an_offer_ends_when_somebody_else_takes_it(store: Store, tmp_path: Path) -> None:
    put(store, "one", "two")
    async with opened(store) as app:
        await app.press("x")
        assert app.status.endswith("u undo")
        other = Store.open(tmp_path / "store")
        other.undo()
        other.close()
        await app.frame._look()
        await app.rest()
        assert app.status == "undone by another process: rejected “two” · U redo" and not app.app.offers_undo
        await app.press("u")
        assert isinstance(app.app.screen, Confirm) and store.count(Filter()) == 2


async def test_what_somebody_else_did_is_not_taken_back_unsaid(store: Store, tmp_path: Path) -> None:
    one, *_ = put(store, "one", "two", "three")
    async with opened(store) as app:
        await app.press("x")
        with contextlib.closing(Store.open(tmp_path / "store")) as other:
            curation.pin(other, [one])
        await app.frame._look()  # the app notices the other process's write and withdraws the offer
        await app.rest()
        assert not app.app.offers_undo
        await app.press("u")
        assert store.get(one).pinned and "Undo: changed the pin of “one”?" in app.seen()
        await app.press("y")
        assert not store.get(one).pinned and app.status == "undone: changed the pin of “one” · U redo"


def in_thread(work: Callable[[], object]) -> None:
    thread = Thread(target=work)
    thread.start()
    thread.join()


def pin_elsewhere(folder: Path, memory: int) -> None:
    with contextlib.closing(Store.open(folder / "store")) as other:
        curation.pin(other, [memory])


async def test_a_change_of_another_process_during_a_step_is_not_named_after_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, one, two = put(store, "three", "one", "two")
    run_verb = verbs.run_verb

    def overtaken(*arguments: Any) -> verbs.Done:
        done = run_verb(*arguments)
        in_thread(partial(pin_elsewhere, tmp_path, one))
        return done

    monkeypatch.setattr(verbs, "run_verb", overtaken)
    async with opened(store) as app:
        await app.press("x", "u")
        assert "Undo: changed the pin of “one”?" in app.seen() and store.get(one).pinned
        await app.press("y")
        assert app.status == "undone: changed the pin of “one” · U redo"
        await app.press("u")
        assert app.status == "undone: rejected “two” · U redo" and store.get(two).life is Life.LIVE


async def test_what_is_undone_is_what_is_named(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, *_ = put(store, "one", "two", "three")
    undo_or_redo = verbs.undo_or_redo

    def overtaken(*arguments: Any) -> tuple[Command, list[int]]:
        in_thread(partial(pin_elsewhere, tmp_path, one))
        return undo_or_redo(*arguments)

    monkeypatch.setattr(verbs, "undo_or_redo", overtaken)
    async with opened(store) as app:
        await app.press("x", "u")
        assert app.status == "undone: rejected “three” · U redo" and store.count(Filter(pinned=True)) == 1


async def test_a_large_merge_is_asked_about(store: Store) -> None:
    put(store, *(f"wording number {n}" for n in range(7)))
    async with opened(store) as app:
        await app.press("*", "m", "enter", "u")
        assert isinstance(app.app.screen, Confirm) and store.count(Filter()) == 1
        await app.press("y")
        assert store.count(Filter()) == 7


async def test_a_step_before_a_purge_is_asked_about(store: Store) -> None:
    one, two = put(store, "one", "two")
    curation.reject(store, [one])
    curation.purge(store, [two])
    async with opened(store) as app:
        await app.press("u")
        assert isinstance(app.app.screen, Confirm) and store.get(one).review is Review.REJECTED
        await app.press("y")
        assert store.get(one).review is Review.OPEN


async def test_typed_in_haste_each_undo_is_of_the_step_before(store: Store) -> None:
    put(store, "one", "two", "three")
    before = store.state_hash()
    async with opened(store) as app:
        await app.pilot.press("x", "x", "u", "x", "u", "u")
        await app.rest()
        assert store.state_hash() == before


async def test_undo_of_very_many_says_what_it_does_meanwhile(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "one", "two", "three")
    said: list[str] = []
    monkeypatch.setattr("curator.tui.verbs.SLOW_ABOVE", 2)
    async with opened(store) as app:
        monkeypatch.setattr(app.app, "say", said.append)
        await app.press("l", "u")
        assert said == [] and app.status.startswith("undone: ")
        await app.press("*", "l", "u", "U")
        assert said == ["undoing: snoozed for a week 3 memories …", "redoing: snoozed for a week 3 memories …"]
        assert app.status.startswith("redone: ")
        await app.press("7")
        monkeypatch.setattr(app.view, "say", lambda text, *_: said.append(text))
        await app.press("z")
        assert said[2] == "changing 3 memories …" and said[3].startswith("undone: ")


async def test_many_that_were_not_done_here_are_asked_about(store: Store) -> None:
    put(store, *(f"memory number {n}" for n in range(60)))
    before = store.state_hash()
    async with opened(store) as app:
        await app.press("u")
        assert isinstance(app.app.screen, Confirm) and "Undo: added 60 memories?" in app.seen()
        await app.press("escape")
        assert store.state_hash() == before
        await app.press("u", "enter")
        assert store.count(Filter()) == 0 and app.status.startswith("undone: added 60 memories")
        await app.press("U")
        assert isinstance(app.app.screen, Confirm) and store.count(Filter()) == 0
        await app.press("enter")
        assert store.count(Filter()) == 60
        await app.press("u")
        assert isinstance(app.app.screen, Confirm) and store.count(Filter()) == 60


@pytest.mark.parametrize("key", some(["x", "d"], 1))
async def test_many_that_were_done_here_are_one_key(store: Store, key: str) -> None:
    put(store, *(f"memory number {n}" for n in range(60)))
    async with opened(store) as app:
        await app.press("*", key, "enter")
        assert store.count(Filter()) == 0
        await app.press("u")
        assert store.count(Filter()) == 60
        await app.press("U")
        assert store.count(Filter()) == 0
