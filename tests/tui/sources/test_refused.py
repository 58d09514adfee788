"""Refused passages in the Sources view: listed with their reasons, and accepted."""

import pytest

from curator.tui.messages import Target
from curator.tui.sources import loaders
from effort import thorough
from factories import conversation, put
from store import Filter, Store
from tui.driver import opened
from tui.sources.sample_sources import TEA, TURNS, margin, note, refuse, sources, tell

pytestmark = thorough


class TestRefused:
    @pytest.fixture
    def number(self, store: Store) -> int:
        (number,) = tell(store, conversation("talk", *TURNS))
        refuse(store, number, ("I like walks.", "low_surprise"), ("My sister lives in Leeds.", "vague"))
        return number

    async def test_the_reason_is_shown_in_code_and_words(self, store: Store, number: int) -> None:
        async with opened(store, first="sources") as app:
            assert margin(app, "My sister") == "·" and margin(app, TEA) == ""
            await app.press("n", "n")
            assert note(app) == "refused · low surprise\nadds little to what is known"
            await app.press("enter")
            assert "low_surprise: adds little to what is known" in app.status

    async def test_a_reason_that_says_it_in_words_is_shown_once(self, store: Store) -> None:
        (number,) = tell(store, conversation("talk", *TURNS))
        refuse(store, number, ("I like walks.", "too_short"))
        async with opened(store, first="sources") as app:
            await app.press("n")
            assert note(app).split("\n") == ["refused · too short", ""]
            await app.press("enter")
            assert app.status.startswith("refused, too short")

    async def test_taking_in_under_the_cursor_and_back(self, store: Store, number: int) -> None:
        before = store.state_hash()
        async with opened(store, first="sources") as app:
            assert "a admit" not in app.seen()
            await app.press("n")
            assert "a admit" in app.seen()
            await app.press("a")
            (memory,) = store.get_many(store.list_ids(Filter()))
            assert memory.text == "My sister lives in Leeds." and memory.review == "validated"
            assert "admitted “My sister lives in Leeds.”" in app.status and "u undo" in app.status
            assert note(app).startswith("validated memory") and margin(app, "My sister") == "┃"
            await app.press("u")
            assert store.state_hash() == before and note(app).startswith("refused · vague")

    async def test_one_that_was_searched_for_is_admitted(self, store: Store, number: int) -> None:
        async with opened(store, first="sources") as app:
            await app.press("X", "/", *"sister", "enter")
            await app.rest()
            assert note(app).startswith("refused · vague") and "a admit" in app.seen()
            await app.press("a")
            await app.rest()
            (memory,) = store.get_many(store.list_ids(Filter()))
            assert memory.text == "My sister lives in Leeds." and "admitted" in app.status
            await app.press("u")
            assert store.list_ids(Filter()) == []

    async def test_the_list_shows_words_reason_and_the_place_in_the_transcript(self, store: Store, number: int) -> None:
        async with opened(store, first="inbox") as app:
            app.view.go("sources", Target(terms="refused"))
            await app.rest()
            first, second = app.seen().splitlines()[2:4]
            assert first.startswith("▌  I like walks.") and "low surprise" in first and "vague" in second
            assert "2 refused" in app.seen() and note(app).startswith("refused · low surprise")
            await app.press("j")
            assert note(app) == "refused · vague\nunclear without context"
            await app.press("X")
            assert "1 conversation" in app.seen()

    async def test_the_view_opens_with_its_conversations_after_a_visit_from_the_inbox(
        self, store: Store, number: int
    ) -> None:
        async with opened(store, first="inbox") as app:
            await app.press("X")
            assert "2 refused" in app.seen()
            await app.press("1", "5")
            assert "1 conversation" in app.seen()
            await app.press("1", "X", "escape")
            assert app.view.id == "inbox"
            await app.press("5")
            assert "1 conversation" in app.seen()
            await app.press("X", "1", "5")
            assert "2 refused" in app.seen(), "opened here, so it stays"

    async def test_one_key_a_decision_however_fast(self, store: Store, number: int) -> None:
        async with opened(store, first="sources") as app:
            await app.press("X")
            await app.pilot.press("a", "a")
            await app.rest()
            texts = {memory.text for memory in store.get_many(store.list_ids(Filter()))}
            assert texts == {"My sister lives in Leeds.", "I like walks."} and store.distillation.refusals() == []
            assert "Nothing was refused." in app.seen()
            await app.press("u")
            (row,) = sources(app).loader.rows.ids
            assert sources(app).refusals.location is not None and "1 refused" in app.seen() and row is not None

    async def test_many_are_taken_in_by_one_step(self, store: Store, number: int) -> None:
        before = store.state_hash()
        async with opened(store, first="sources") as app:
            await app.press("X", "*")
            assert "2 marked of 2" in app.seen()
            await app.press("a")
            assert "admitted 2 memories" in app.status and store.distillation.refusals() == []
            await app.press("u")
            assert store.state_hash() == before and "2 refused" in app.seen()

    async def test_what_cannot_be_taken_in_stays_and_it_is_said_why(self, store: Store, number: int) -> None:
        put(store, "I like walks.")
        async with opened(store, first="sources") as app:
            await app.press("X", "a")
            assert "says the same" in app.status and len(sources(app).loader.rows.ids) == 2
            assert sources(app).concerned()[0].reason == "low_surprise", "the cursor is on the row that it speaks of"
            await app.press("j")
            assert not app.status, "it speaks of another row"
            await app.press("*", "a")
            assert "admitted 1 memory; 1 still refused: memory" in app.status
            assert [row.start for row in store.distillation.refusals()] == [TURNS[2].index("I like")]

    async def test_more_than_fifty_are_asked_about(self, store: Store) -> None:
        (number,) = tell(store, conversation("talk", *(f"I like walk number {n}." for n in range(60))))
        refuse(store, number, *((f"I like walk number {n}.", "vague") for n in range(60)))
        async with opened(store, first="sources") as app:
            await app.press("X", "*", "a")
            assert "Admit 60 passages?" in app.seen() and len(store.distillation.refusals()) == 60
            await app.press("y")
            assert store.distillation.refusals() == [] and "admitted 60 memories" in app.status

    async def test_put_better_before_it_is_taken_in(self, store: Store, number: int) -> None:
        async with opened(store, first="sources") as app:
            await app.press("X", "e")
            await app.write("Likes long walks")
            await app.press("enter")
            (memory,) = store.get_many(store.list_ids(Filter()))
            assert memory.text == "Likes long walks" and store.evidence(memory.id)[0].quote == "I like walks."
            assert "1 refused" in app.seen()

    async def test_an_empty_wording_is_not_kept_and_stays_in_the_field(self, store: Store, number: int) -> None:
        async with opened(store, first="sources") as app:
            await app.press("X", "e")
            await app.write("  ")
            await app.press("enter")
            assert "a memory needs text" in app.seen() and len(store.distillation.refusals()) == 2

    async def test_one_reason_by_a_menu_with_counts(self, store: Store, number: int) -> None:
        async with opened(store, first="sources") as app:
            await app.press("X", "f")
            assert "1 unclear without context" in app.seen()
            await app.press("down", "enter")
            listed = [sources(app).refusals.rows.row(row) for row in sources(app).loader.rows.ids]
            assert [row.refusal.reason for row in listed if row] == ["low_surprise"]
            assert "refused: low_surprise" in app.seen() and "1 refused" in app.seen()

    async def test_a_menu_longer_than_the_screen_goes_on(self, store: Store) -> None:
        (number,) = tell(store, conversation("talk", *(f"I like walk number {n}." for n in range(12))))
        refuse(store, number, *((f"I like walk number {n}.", f"reason_{n}") for n in range(12)))
        async with opened(store, (80, 16), first="sources") as app:
            await app.press("X", "f")
            assert "reason_1 " in app.seen() and "reason_9" not in app.seen()
            await app.press("+")
            assert "reason_9" in app.seen()
            await app.press("up", "enter")
            assert "refused: reason_9" in app.seen() and "1 refused" in app.seen()

    async def test_a_long_list_is_read_in_portions(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loaders, "PORTION", 50)
        monkeypatch.setattr(loaders, "_NEAR", 10)
        (number,) = tell(store, conversation("talk", *(f"I like walk number {n}." for n in range(120))))
        refuse(store, number, *((f"I like walk number {n}.", "vague") for n in range(120)))
        async with opened(store, first="sources") as app:
            await app.press("X")
            rows = sources(app).loader.rows
            assert len(rows.ids) == 50 and "120 refused" in app.seen()
            for _ in range(3):
                await app.press("G")
            assert len(rows.ids) == 120 and "I like walk number 0." in app.seen()
            await app.press("a")
            assert len(rows.ids) == 119 and len(store.distillation.refusals()) == 119
