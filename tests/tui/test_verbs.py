"""Every verb, on the cursor and on marks: its effect on the store."""

import pytest

from curator import curation
from curator.tui import verbs
from effort import some, thorough
from factories import put
from store import Filter, Store
from store.model import Life, Review, Tier
from tui.driver import opened

pytestmark = thorough


@pytest.fixture
def ids(store: Store) -> list[int]:
    """Store four memories; return their ids as listed, from the top."""
    return put(store, "one", "two", "three", "four")[::-1]


async def test_validate_stays_listed_and_moves_on(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        assert app.ids == ids
        await app.press("a")
        assert store.get(ids[0]).review is Review.VALIDATED
        assert store.get(ids[1]).review is Review.OPEN
        assert app.ids == ids and app.listing.current == ids[1]
        shown = app.listing.row(ids[0])
        assert shown is not None and shown.review is Review.VALIDATED
        assert app.status == "validated “four” · u undo"


@pytest.mark.parametrize(("key", "review"), some([("x", Review.REJECTED), ("d", Review.OPEN)], 1))
async def test_letting_go_takes_it_out_of_the_list(store: Store, ids: list[int], key: str, review: Review) -> None:
    async with opened(store) as app:
        await app.press("j", key)
        gone = store.get(ids[1])
        assert (gone.life, gone.review) == (Life.FORGOTTEN, review)
        assert app.ids == [ids[0], ids[2], ids[3]] and app.listing.current == ids[2]


async def test_keys_faster_than_the_disk_each_hit_their_own_memory(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("d", "d", "a", "x")
        assert [store.get(memory).life for memory in ids] == [Life.FORGOTTEN, Life.FORGOTTEN, Life.LIVE, Life.FORGOTTEN]
        assert store.get(ids[2]).review is Review.VALIDATED
        assert app.ids == [ids[2]]


async def test_the_last_row_can_be_forgotten(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("G", "d")
        assert app.ids == ids[:3] and app.listing.current == ids[2]


@pytest.mark.parametrize(
    ("key", "field", "value"),
    some(
        [
            ("a", "review", Review.VALIDATED),
            ("x", "review", Review.REJECTED),
            ("d", "life", Life.FORGOTTEN),
            ("p", "pinned", True),
        ],
        2,
    ),
)
async def test_marks_beat_the_cursor(store: Store, ids: list[int], key: str, field: str, value: object) -> None:
    async with opened(store) as app:
        await app.press("space", "j", "space", key)
        changed = [getattr(store.get(memory), field) == value for memory in ids]
        assert changed == [True, False, True, False]
        assert not app.listing.marks
        assert len(store.journal.log(limit=9)) == 2


async def test_a_verb_on_marks_is_told_by_number(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("*", "d")
        assert app.status == "forgotten 4 memories · u undo"
        assert store.count(Filter()) == 0


async def test_tier_is_two_keys(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("t", "c")
        assert store.get(ids[0]).tier is Tier.CORE
        await app.press("t", "escape")
        assert store.get(ids[0]).tier is Tier.CORE
        assert "core" in app.seen()


async def test_pin_goes_on_and_off(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("p")
        assert store.get(ids[0]).pinned
        await app.press("p")
        assert not store.get(ids[0]).pinned


async def test_undo_brings_the_memory_and_the_cursor_back(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        before = store.state_hash()
        await app.press("j", "d", "G", "u")
        assert store.state_hash() == before
        assert app.ids == ids and app.listing.current == ids[1]
        assert app.status == "undone: forgotten “three” · U redo"


@pytest.mark.parametrize("key", some(["U", "ctrl+r"], 1))
async def test_redo_does_it_again(store: Store, ids: list[int], key: str) -> None:
    async with opened(store) as app:
        await app.press("space", "space", "x")
        after = store.state_hash()
        await app.press("u", key)
        assert store.state_hash() == after
        assert app.ids == ids[2:]


async def test_nothing_left_to_undo_is_said(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("u", "y", "u")
        assert app.status == "there is nothing to undo"


async def test_what_is_so_already_is_said(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("a", "k", "a")
        assert app.status == "already validated" and app.listing.current == ids[0]
        assert len(store.journal.log()) == 2


async def test_a_score_that_cannot_go_higher_is_named(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press(*["+"] * 12)
        assert app.status == "already scored 10"


async def test_of_several_it_is_said_that_they_are_so(store: Store, ids: list[int]) -> None:
    curation.set_tier(store, ids, Tier.CORE)
    async with opened(store) as app:
        await app.press("space", "space", "t", "c")
        assert app.status == "already done"


def test_whatever_is_so_already_is_named(store: Store) -> None:
    (only,) = put(store, "I like tea.")
    (memory,) = store.get_many([only])
    said = {
        verbs.set_tier_verb(memory.tier): "already tier medium",
        verbs.set_kind_verb(memory.kind): "already kind fact",
        verbs.set_scope_verb("global"): "already global",
        verbs.tag_verb([], []): "already untagged",
        verbs.edit_verb("I like tea."): "already the same text",
        verbs.VERBS_WITHOUT_DIALOG["restore"]: "already active",
    }
    for verb, words in said.items():
        assert verbs.result_text(verb, verbs.run_verb(store, verb, [only]), memory) == words
