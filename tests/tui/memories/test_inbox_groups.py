"""Duplicate groups in the inbox: listed together, accepted or rejected together."""

import itertools

import pytest

from curator import curation
from curator.tui.memories.inbox import Inbox
from curator.tui.screens.edit_dialog import Edit
from effort import thorough
from factories import put
from store import Store
from store.model import Life, Relation, Review
from tui.conflict_pairs import clash
from tui.driver import Driven, opened
from tui.memories.test_detail_queries import embed

pytestmark = thorough


def alike(store: Store, *texts: str) -> list[int]:
    """Store memories, each with a duplicate alert to the next; return their ids as listed, the last one first."""
    ids = put(store, *texts)
    with store.command("compare") as writer:
        for a, b in itertools.pairwise(ids):
            store.alerts.put(writer, a, b, Relation.DUPLICATE, 0.9, ["nearly the same words"], judge="rules/2")
    return ids[::-1]


@pytest.fixture
def group(store: Store) -> list[int]:
    """Store a duplicate group of three between two other memories; return their ids as the inbox lists them."""
    (last,) = put(store, "Owns a folding bicycle")
    tea = alike(store, "Prefers tea to coffee", "Would rather have tea than coffee", "Tea, not coffee")
    (first,) = put(store, "Reads on paper")
    return [first, *tea, last]


def waiting(app: Driven) -> list[int]:
    assert isinstance(app.view, Inbox)
    return app.ids


async def test_they_stand_on_one_line_until_they_are_unfolded(store: Store, group: list[int]) -> None:
    first, tea, second, third, last = group
    async with opened(store, first="inbox") as app:
        assert waiting(app) == [first, tea, last] and "▸3 Tea, not coffee" in app.seen()
        assert "unfold" not in app.seen()
        await app.press("j")
        assert "→ unfold" in app.seen()
        await app.press("right")
        assert waiting(app) == [first, tea, second, third, last] and "▾3 Tea, not coffee" in app.seen()
        await app.press("j", "j")
        assert app.listing.current == third and "← fold" in app.seen()
        await app.press("left")
        assert waiting(app) == [first, tea, last] and app.listing.current == tea


async def test_they_are_accepted_together_and_one_undo_takes_that_back(store: Store, group: list[int]) -> None:
    first, tea, second, third, last = group
    before = store.state_hash()
    async with opened(store, first="inbox") as app:
        await app.press("j", "a")
        assert store.get(tea).review is Review.VALIDATED and store.get(tea).text == "Tea, not coffee"
        assert [store.get(memory).life for memory in (second, third)] == [Life.SUPERSEDED] * 2
        assert {version.text for version in store.versions(tea)} >= {"Prefers tea to coffee"}
        assert store.alerts.open() == [] and "validated one wording of 3 memories" in app.status
        assert waiting(app) == [first, last] and app.listing.current == last and "3 reviewed · 2 left" in app.seen()
        await app.press("u")
        assert store.state_hash() == before and waiting(app) == [first, tea, last]


async def test_of_an_unfolded_group_the_wording_under_the_cursor_is_taken(store: Store, group: list[int]) -> None:
    first, tea, second, third, last = group
    async with opened(store, first="inbox") as app:
        await app.press("j", "right", "j", "a")
        assert store.get(second).review is Review.VALIDATED
        assert [store.get(memory).life for memory in (tea, third)] == [Life.SUPERSEDED] * 2
        assert waiting(app) == [first, last] and app.listing.current == last


@pytest.mark.parametrize(("key", "life"), [("x", Life.FORGOTTEN), ("d", Life.FORGOTTEN), ("l", Life.LIVE)])
async def test_they_are_rejected_forgotten_and_put_off_together(
    store: Store, group: list[int], key: str, life: Life
) -> None:
    first, tea, second, third, last = group
    before = store.state_hash()
    async with opened(store, first="inbox") as app:
        await app.press("j", key)
        assert [store.get(memory).life for memory in (tea, second, third)] == [life] * 3
        assert waiting(app) == [first, last] and store.journal.log(limit=1)[0].count == 3
        await app.press("u")
        assert store.state_hash() == before and waiting(app) == [first, tea, last]


async def test_of_an_unfolded_group_one_alone_is_rejected(store: Store, group: list[int]) -> None:
    first, tea, second, third, last = group
    async with opened(store, first="inbox") as app:
        await app.press("j", "right", "x")
        assert store.get(tea).review is Review.REJECTED and store.get(second).life is Life.LIVE
        assert waiting(app) == [first, second, third, last] and "▾2" in app.seen()


async def test_marks_take_their_groups_along(store: Store, group: list[int]) -> None:
    first, tea, second, _third, last = group
    before = store.state_hash()
    async with opened(store, first="inbox") as app:
        await app.press("space", "space", "a")
        assert store.get(first).review is Review.VALIDATED and store.get(tea).review is Review.VALIDATED
        assert store.get(second).life is Life.SUPERSEDED and waiting(app) == [last]
        await app.press("u")
        assert store.state_hash() == before


async def test_keys_in_haste_do_not_hit_what_has_just_been_taken(store: Store, group: list[int]) -> None:
    first, tea, second, _, last = group
    async with opened(store, first="inbox") as app:
        await app.press("j", "right", "a", "x")
        assert store.get(tea).review is Review.VALIDATED and store.get(second).life is Life.SUPERSEDED
        assert store.get(last).review is Review.REJECTED and store.get(first).review is Review.OPEN


async def test_again_takes_the_next_group(store: Store) -> None:
    one = alike(store, "Prefers tea to coffee", "Tea, not coffee")
    two = alike(store, "Uses the fish shell", "The shell is fish")
    async with opened(store, first="inbox") as app:
        await app.press("a", ".")
        assert [store.get(memory).life for memory in (*two, *one)] == [Life.LIVE, Life.SUPERSEDED] * 2
        assert waiting(app) == []
        (three,) = put(store, "Reads on paper")
        await app.press("2")
        await app.pilot.pause(0.4)
        await app.rest()
        assert app.listing.current == three
        await app.press(".")
        assert store.get(three).review is Review.VALIDATED


async def test_one_memory_is_drafted_of_a_group(store: Store, group: list[int]) -> None:
    _, tea, second, third, _ = group
    async with opened(store, first="inbox") as app:
        await app.press("j", "m")
        assert isinstance(app.app.screen, Edit) and "Merge 3 memories" in app.seen()
        await app.write("Tea rather than coffee")
        await app.press("enter")
        lives = [store.get(memory).life for memory in (tea, second, third)]
        assert sorted(lives) == [Life.LIVE, Life.SUPERSEDED, Life.SUPERSEDED]
        assert store.get(tea).text == "Tea rather than coffee"


async def test_what_is_no_conflict_is_no_group_any_more(store: Store) -> None:
    tea, coffee = alike(store, "Prefers tea to coffee", "Tea, not coffee")
    async with opened(store, first="inbox") as app:
        assert waiting(app) == [tea]
        await app.press("V")
        await app.press("b", "escape")
        assert waiting(app) == [tea, coffee] and "ways" not in app.seen()


async def test_what_differs_in_scope_or_was_decided_on_or_contradicts_stands_alone(store: Store) -> None:
    apart = alike(store, "Prefers tea to coffee", "Tea, not coffee")
    curation.set_scope(store, apart[:1], "project:kiln")
    decided = alike(store, "Uses the fish shell", "The shell is fish")
    curation.validate(store, decided[:1])
    pair = clash(store)
    async with opened(store, first="inbox") as app:
        assert set(waiting(app)) == {*apart, decided[1], pair.a.id, pair.b.id} and "ways" not in app.seen()


class TestTheNearestDuplicate:
    """`m` on a memory merges it with its nearest duplicate in two keys."""

    async def test_what_an_alert_calls_a_duplicate_comes_first(self, store: Store) -> None:
        tea, same = alike(store, "Prefers tea to coffee", "Prefers tea to any coffee")
        (against,) = put(store, "Never has tea")
        with store.command("compare") as writer:
            store.alerts.put(writer, tea, against, Relation.CONTRADICTION, 0.99, ["never"], judge="rules/2")
        async with opened(store) as app:
            await app.press("j")
            assert app.listing.current == tea
            await app.press("m", "enter")
            assert sorted(store.get(memory).life for memory in (tea, same)) == [Life.LIVE, Life.SUPERSEDED]
            assert store.get(against).life is Life.LIVE
            await app.press("u")
            assert store.get(same).life is store.get(tea).life is Life.LIVE

    async def test_without_an_alert_what_is_near_and_says_the_same_is_offered(self, store: Store) -> None:
        other, same, tea = put(store, "Owns a bicycle", "Prefers tea over coffee", "Prefers tea to coffee")
        embed(store, {other: [0, 1], same: [1, 0.1], tea: [1, 0]})
        async with opened(store) as app:
            assert app.listing.current == tea
            await app.press("m")
            assert isinstance(app.app.screen, Edit) and "Merge 2 memories" in app.seen()
            await app.press("enter")
        assert sorted(store.get(memory).life for memory in (tea, same)) == [Life.LIVE, Life.SUPERSEDED]
        assert store.get(other).life is Life.LIVE


async def test_all_counts_are_of_memories_and_lines_that_stand_for_more_say_so(store: Store, group: list[int]) -> None:
    async with opened(store, first="inbox") as app:
        assert "Inbox·5" in app.seen() and "5 · 2 duplicates folded" in app.seen()
        await app.press("x")
        assert "1 reviewed · 4 left · 2 duplicates folded" in app.seen()
        await app.press("right")
        assert "1 reviewed · 4 left" in app.seen()
        await app.press("left", "x")
        assert "4 reviewed · 1 left" in app.seen()


async def test_what_is_there_no_more_is_no_decision_that_stands(store: Store) -> None:
    put(store, "one", "two")
    async with opened(store, first="inbox") as app:
        await app.press("a", "a")
        assert "2 decisions this session" in app.seen()
        await app.press("u", "u")
        assert "0 reviewed · 2 left" in app.seen()
        await app.press("u", "y")
        assert "No memories yet" in app.seen() and "this session" not in app.seen()


async def test_what_another_process_takes_back_counts_no_more(store: Store) -> None:
    put(store, "one", "two", "three")
    async with opened(store, first="inbox") as app:
        await app.press("a", "a")
        store.undo()
        app.view.follow()
        await app.rest()
        assert "1 reviewed · 2 left" in app.seen()
