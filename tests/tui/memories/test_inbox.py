"""The inbox: most important first, one key per decision, and a count of progress."""

import dataclasses
from collections.abc import Sequence

import pytest

from curator import curation
from curator.tui.memories import queries
from curator.tui.memories.inbox import Inbox
from curator.tui.memories.view import Memories
from effort import share, some, thorough
from factories import memory, put
from store import Sort, Store, clock
from store.analytics import Analytics
from store.model import Given, Life, Origin, Review, Surprise, Tier
from tui.driver import opened
from tui.sample_store import NOW

pytestmark = thorough


def _store_out_of_order(store: Store) -> list[int]:
    """Store four memories out of order; return their ids in the order that the inbox should show."""
    calm = Surprise(0.5, 0.0, 0.5, 0.0, 0.0)
    opposed = dataclasses.replace(calm, contradiction=0.9)
    with store.command("import") as writer:
        low, core, plain, against = (
            store.admit(writer, new).added or 0
            for new in (
                memory("a detail", tier=Tier.LOW, surprise=calm),
                memory("central", tier=Tier.CORE, importance=9, surprise=calm),
                memory("plain", surprise=calm),
                memory("speaks against another", surprise=opposed),
            )
        )
    return [core, against, plain, low]


async def test_the_app_opens_on_what_waits_else_on_all(store: Store) -> None:
    async with opened(store, first=None) as app:
        assert isinstance(app.view, Memories)
    put(store, "waits")
    async with opened(store, first=None) as app:
        assert isinstance(app.view, Inbox)


async def test_the_weightiest_come_first(store: Store) -> None:
    wanted = _store_out_of_order(store)
    async with opened(store, first=None) as app:
        assert app.ids == wanted


async def test_what_a_person_decided_or_typed_or_put_off_is_not_in_it(store: Store) -> None:
    open_one, validated, rejected, later = put(store, "open", "validated", "rejected", "later")
    curation.add(store, "typed")
    curation.validate(store, [validated])
    curation.reject(store, [rejected])
    curation.later(store, [later], now=NOW)
    put(store, "imported", origin=Origin.IMPORT, review=Review.VALIDATED)
    async with opened(store, first="inbox") as app:
        assert app.ids == [open_one]
        assert app.seen().splitlines()[1].rstrip().endswith("1 · 1 snoozed"), "the other one of those not reviewed"
        await app.press("l")
        assert "2 memories snoozed" in app.seen()
        await app.press("u")
        assert "1 left · 1 snoozed" in app.seen()


async def test_each_decision_takes_one_out_and_is_counted(store: Store) -> None:
    ids = put(store, *(f"memory number {n}" for n in range(6)))[::-1]
    async with opened(store, first="inbox") as app:
        assert app.ids == ids
        await app.press("a", "x", "d", "l")
        states = [store.get(number) for number in ids]
        assert [state.review for state in states[:3]] == [Review.VALIDATED, Review.REJECTED, Review.OPEN]
        assert [state.life for state in states[:3]] == [Life.LIVE, Life.FORGOTTEN, Life.FORGOTTEN]
        assert (states[3].later_until or 0) > NOW and app.ids == ids[4:]
        assert "4 reviewed · 2 left" in app.seen() and " 0 s" not in app.seen()
        await app.press("u")
        assert "3 reviewed · 3 left" in app.seen() and app.ids == ids[3:]


async def test_the_count_says_how_long_it_took(store: Store) -> None:
    put(store, "one", "two", "three")
    moments = iter(range(NOW, NOW + 10**12, 65 * clock.SECOND))
    async with opened(store, first="inbox") as app:
        app.view.context.now = lambda: next(moments)
        await app.press("a", "a")
        assert "2 reviewed in " in app.seen() and " m " in app.seen().splitlines()[1]


async def test_a_tier_is_no_decision_and_leaves_it_there(store: Store) -> None:
    (only,) = put(store, "one")
    async with opened(store, first="inbox") as app:
        await app.press("t", "c", "p")
        assert app.ids == [only] and " done" not in app.seen()


async def test_an_empty_inbox_says_so_and_what_is_next(store: Store) -> None:
    put(store, "one", "two")
    async with opened(store, (80, 24), first="inbox") as app:
        await app.press("a", "a")
        assert "Nothing to review. 2 decisions this session." in app.seen()
        assert "2: all memories · I: import a chat log" in " ".join(app.seen().split())
        await app.press("j", "a", "x", "space", "enter")
        assert app.status == "nothing to review"
        await app.press("u")
        assert "Nothing to review" not in app.seen() and len(app.ids) == 1
        await app.press("2")
        assert isinstance(app.view, Memories) and len(app.ids) == 2


async def test_marked_ones_are_decided_together(store: Store) -> None:
    ids = put(store, *(f"memory number {n}" for n in range(6)))[::-1]
    async with opened(store, first="inbox") as app:
        await app.press("space", "j", "space", "x")
        assert app.ids == [ids[1], ids[3], ids[4], ids[5]] and "2 reviewed · 4 left" in app.seen()


async def test_a_filter_narrows_the_inbox_down(store: Store) -> None:
    put(store, "likes tea", "likes coffee")
    async with opened(store, first="inbox") as app:
        await app.press("slash")
        await app.write("coffee")
        await app.press("enter", "a", "escape")
        assert len(app.ids) == 1 and "1 reviewed · 1 left" in app.seen()


async def test_hundreds_in_one_go(store: Store) -> None:
    rounds = share(40, 8)
    ids = put(store, *(f"memory number {n}" for n in range(5 * rounds)))
    async with opened(store, first="inbox") as app:
        for _ in range(rounds):
            await app.pilot.press("a", "x", "d", "l", "a")
        await app.rest()
        assert app.ids == [] and f"{5 * rounds} decisions this session" in app.seen()
        assert len(store.journal.log(limit=1000)) == 5 * rounds + 1
        assert {store.get(number).review for number in ids[1::5]} <= {Review.REJECTED, Review.VALIDATED, Review.OPEN}


async def test_what_is_always_given_once_validated_comes_first_and_says_so(store: Store) -> None:
    plain = put(store, "likes tea", tier=Tier.CORE, importance=9)
    order, allergy = put(store, "Always answer in metric", "I'm allergic to hazelnuts", tier=Tier.LOW)
    curation.set_given(store, [order], Given.ALWAYS)
    curation.set_scope(store, [order], "project:kitchen")
    async with opened(store, first=None) as app:
        assert app.ids == [allergy, order, *plain]
        assert "validating makes it always" in app.seen() and "H changes that" in app.seen()
        assert "always given once validated" in app.seen()
        first, second = (line.split("│")[0] for line in app.seen().splitlines()[2:4])
        assert "allergic" in first and "◐" in first and "●" not in first
        assert "in metric" in second and "●" in second and "◐" not in second
        await app.press("H", "r")
        assert store.get(allergy).given is Given.RELEVANT and app.ids == [order, *plain, allergy]
        assert app.listing.current == allergy and "once validated" not in app.seen()
        await app.press("g")
        assert "always given: with every prompt in kitchen" in " ".join(app.seen().replace("│", " ").split())
        await app.press("G", "a")
    assert store.get(allergy).given is Given.RELEVANT, "the person has said when"


def test_texts_are_read_once_until_they_change(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    allergy, tea = put(store, "I'm allergic to hazelnuts", "likes tea")
    query = queries.Query(queries.INBOX, Sort.MATTERS, grouped=True)
    reader = queries.ListReader(store, Analytics(store))
    read: list[str] = []

    def once(store: Store, texts: Sequence[str]) -> list[Given]:
        read.extend(texts)
        return curation.given_once_validated(store, texts)

    monkeypatch.setattr(queries, "given_once_validated", once)

    def urgent() -> set[int]:
        return set(reader.always_given_ids(query, store.id_array(query.filter, query.sort)))

    assert urgent() == urgent() == {allergy} and len(read) == 2
    curation.edit(store, tea, "allergic to tea")
    curation.edit(store, allergy, "likes hazelnuts")
    assert urgent() == {tea} and sorted(read[2:]) == ["allergic to tea", "likes hazelnuts"]


@pytest.mark.parametrize("size", some([(80, 24), (120, 36)], 1))
async def test_the_project_is_in_the_row_and_beside_the_kind(store: Store, size: tuple[int, int]) -> None:
    put(store, "Default off", project="freightdesk", scope="project:freightdesk", created_at=NOW)
    put(store, "Likes tea", created_at=NOW - clock.DAY)
    async with opened(store, size, first="inbox") as app:
        lines = app.seen().splitlines()
        assert any("Default off" in line and "freightdesk" in line for line in lines)
        assert any("only in project freightdesk" in line for line in lines[:20])
        assert all("freightdesk" not in line for line in lines if "Likes tea" in line)
