"""Filter chips, facets, sort orders and lists of chosen memories."""

import pytest

from curator import curation
from curator.tui.memories.facets import Facets
from curator.tui.messages import Target
from effort import some, thorough
from factories import memory, put
from store import Store
from store.model import Kind, Tier
from tui.driver import Driven, opened
from tui.sample_store import fill

pytestmark = thorough


def _facets(app: Driven) -> dict[str, int]:
    facets = app.view.query_one(Facets)
    rows = [facets.row(number) for number in facets.ids]
    return {row.term: row.count for row in rows if row is not None and row.term}


async def test_the_filter_language_is_that_of_the_command_line(store: Store) -> None:
    ids = fill(store)
    async with opened(store) as app:
        await app.press("slash")
        for terms, expected in (
            ("kind:identity tier:core age:<90d", [ids["porto"]]),
            ("is:pinned score:>0.5 tag:home source:claude", [ids["tea"]]),
            ("has:conflict", [ids["porto"], ids["lisbon"]]),
            ("is:flagged", [ids["flagged"]]),
        ):
            await app.write(terms)
            assert [number for number in app.ids if number in ids.values()] == expected
            assert "found" in app.seen()


async def test_what_was_typed_stands_as_chips_and_esc_takes_it_off(store: Store) -> None:
    fill(store)
    async with opened(store) as app:
        everything = len(app.ids)
        await app.press("slash")
        await app.write("kind:identity lives")
        await app.press("enter")
        assert "kind:identity  lives" in app.seen() and len(app.ids) == 2
        await app.press("escape")
        assert len(app.ids) == everything and "kind:identity" not in app.seen()


async def test_words_that_no_memory_has_all_of_find_what_search_finds(store: Store) -> None:
    put(store, "My sister has allergies to all nuts", "I'm pescatarian", "The meeting is fine")
    async with opened(store, first="memories") as app:
        await app.press("slash")
        for typed, expected in (
            ("nuts my allergies", [1]),
            ("nuts allergies dad", [1]),
            ("pescaterian", [2]),
            ("meeting is", [3]),
            ('"is meeting"', []),
        ):
            await app.write(typed)
            assert app.ids[: max(len(expected), 1)] == expected, typed
        await app.write("alergies")
        assert app.ids[:1] == [1] and "also searched for: allergies" in app.seen()
        await app.write("nuts allergies")
        await app.press("enter", "escape")
        assert len(app.ids) == 3 and "nuts allergies" not in app.seen() and not app.status


async def test_what_is_said_of_a_list_is_gone_in_another_view(store: Store) -> None:
    put(store, "My sister has allergies to all nuts")
    async with opened(store, first="memories") as app:
        await app.press("slash")
        await app.write("nuts allergies dad")
        await app.press("enter")
        assert "no exact match" in app.status
        await app.press("6")
        assert not app.status
        await app.press("2", "a", "6")
        assert not app.status


async def test_facets_count_what_the_filter_leaves_and_choose(store: Store) -> None:
    put(store, "a", "b", kind=Kind.TASK)
    put(store, "c", kind=Kind.SKILL, tier=Tier.CORE)
    async with opened(store, (150, 36)) as app:
        assert _facets(app)["kind:task"] == 2 and _facets(app)["tier:core"] == 1
        await app.press("tab", "enter")
        assert "kind:task" in app.seen().splitlines()[1] and len(app.ids) == 2
        counts = _facets(app)
        assert counts["kind:skill"] == 1, "another kind can be added to this one"
        assert "tier:core" not in counts or counts["tier:core"] == 0
        await app.press("enter")
        assert len(app.ids) == 3
        await app.press("tab", "d")
        assert _facets(app)["kind:task"] + _facets(app)["kind:skill"] == 2, "the counts are live"


async def test_topics_are_the_first_facet_and_unfold(store: Store) -> None:
    for n in range(14):
        put(store, f"One thing about {n}", f"Another thing about {n}", project=f"project {n:02}")
    async with opened(store, (150, 36)) as app:
        assert _facets(app)['topic:"project 03"'] == 2 and 'topic:"project 13"' not in _facets(app)
        await app.press("tab", *["j"] * 12, "enter")
        assert _facets(app)['topic:"project 13"'] == 2
        await app.press("enter")
        assert 'topic:"project 12"' in app.seen().splitlines()[1] and app.ids == [26, 25]
        await app.press("tab", "slash")
        await app.write("topic:13 kind:fact")
        assert app.ids == [28, 27]
        await app.write("topic:chess")
        await app.press("enter")
        assert "no topic is named chess" in app.seen()


async def test_topics_of_a_large_store_are_found_only_once_one_is_asked_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curator.tui.memories.facets._TOPICS_OF", 3)
    put(store, "One thing", "Another thing", project="boat")
    put(store, "A third thing", "A fourth thing", project="barn")
    async with opened(store, (150, 36)) as app:
        assert _facets(app)["project:boat"] == 2
        assert "topic:boat" not in _facets(app)
        await app.press("slash")
        await app.write("topic:boat")
        await app.press("enter")
        assert _facets(app)["topic:boat"] == 2 and len(app.ids) == 2


async def test_facets_of_a_list_named_one_by_one_count_and_narrow_that(store: Store) -> None:
    put(store, "water the plants", "mend the bicycle", kind=Kind.TASK, tier=Tier.LOW)
    put(store, "Lives in Porto", "Speaks Portuguese", kind=Kind.FACT)
    with store.command("pin") as writer:
        writer.update("memories", [1, 3], {"pinned": 1})
    async with opened(store, (150, 36), first="history") as app:
        await app.press("enter")
        assert set(app.ids) == {1, 3}
        assert _facets(app)["kind:task"] == 1 and _facets(app)["kind:fact"] == 1
        app.view.on_facets_picked(Facets.Picked("state:any kind:task"))  # type: ignore[attr-defined]
        await app.rest()
        assert app.ids == [1] and "changed by command 3 (pin)" in app.seen()


@pytest.mark.parametrize("size", some([(80, 24), (120, 36)], 1))
async def test_what_is_said_of_a_term_that_means_nothing_can_be_read_to_its_end(
    store: Store, size: tuple[int, int]
) -> None:
    put(store, "water the plants")
    async with opened(store, size) as app:
        await app.press("slash")
        await app.write("is:nonsense")
        await app.press("enter")
        told = " ".join(app.seen().split())
        assert "is:nonsense is not a filter" in told and "has: takes conflict" in told
        await app.press("escape")
        assert app.seen().splitlines()[2].strip().startswith("water") or "water" in app.seen().splitlines()[2]


@pytest.mark.parametrize("size", some([(80, 24), (100, 30), (60, 20)], 1))
async def test_where_there_is_little_room_the_facets_come_over_the_list(store: Store, size: tuple[int, int]) -> None:
    put(store, "a", "b", kind=Kind.TASK)
    put(store, "c", kind=Kind.SKILL)
    async with opened(store, size) as app:
        assert "KIND" not in app.seen()
        await app.press("f")
        assert "KIND" in app.seen()
        await app.press("enter", "escape")
        assert "KIND" not in app.seen() and len(app.ids) == 2
        await app.press("x")
        assert len(app.ids) == 1


async def test_an_order_is_two_keys_and_the_same_again_turns_it_round(store: Store) -> None:
    with store.command("add") as writer:
        b, c, a = (
            store.admit(writer, new).added or 0
            for new in (memory("b", confidence=0.9), memory("c", confidence=0.1), memory("a", confidence=0.5))
        )
    async with opened(store) as app:
        await app.press("s", "t")
        assert app.ids == [a, b, c] and "sort: text" in app.seen()
        await app.press("s", "c")
        assert app.ids == [b, a, c]
        await app.press("s", "c")
        assert app.ids == [c, a, b]
        await app.press("s", "n")
        assert app.ids == [a, c, b] and "sort:" not in app.seen()


async def test_the_forgotten_say_who_let_them_go(store: Store) -> None:
    one, two, _ = put(store, "one", "two", "three")
    curation.forget(store, [one])
    curation.reject(store, [two])
    async with opened(store) as app:
        await app.press("slash")
        await app.write("is:forgotten")
        await app.press("enter")
        assert set(app.ids) == {one, two}
        assert "rejected" in app.seen() and "forgotten" in app.seen()
        assert "by you" in app.seen() or "you" in app.seen()


async def test_the_palette_finds_a_memory_by_its_words(store: Store) -> None:
    ids = put(store, *(f"memory number {n}" for n in range(300)))
    async with opened(store, first="inbox") as app:
        await app.press(":")
        await app.pilot.press(*"number 57")
        await app.pilot.pause(0.5)
        assert "memory number 57" in app.seen()
        await app.press("enter")
        assert app.view.NAME == "memories" and app.listing.current == ids[57]


async def test_next_alert_goes_round(store: Store) -> None:
    ids = fill(store)
    async with opened(store) as app:
        await app.press("j", "j", "c")
        assert app.listing.current == ids["lisbon"]
        await app.press("c")
        assert app.listing.current == ids["porto"]


async def test_esc_lists_all_after_a_list_that_was_opened_over_what_was_found_instead(store: Store) -> None:
    ids = put(store, "My sister has allergies to all nuts", "I'm pescatarian", "The meeting is fine")
    async with opened(store, first="memories") as app:
        await app.press("slash")
        await app.write("nuts allergies")
        await app.press("enter")
        assert app.ids[:1] == [ids[0]]
        await app.frame.open_view("memories", Target(memories=(ids[1],), title="these"))
        await app.rest()
        assert app.ids == [ids[1]]
        await app.press("escape")
        assert sorted(app.ids) == sorted(ids)
