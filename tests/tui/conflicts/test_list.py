"""The list of conflicts beside the pair, and the ways to open a conflict."""

from itertools import count

import pytest

from curator import curation
from curator.curation import Pair
from curator.tui.conflicts import list as conflict_list
from curator.tui.conflicts import queries
from curator.tui.conflicts.list import ConflictList
from curator.tui.conflicts.queue import ConflictQueue
from curator.tui.conflicts.view import Conflicts
from curator.tui.memories.inbox import Inbox
from curator.tui.memories.view import Memories
from curator.tui.sources.view import Sources
from curator.ui_defaults import Looks
from effort import thorough
from factories import put
from store import Store, StoreError
from store.model import Relation, Review
from tui.conflict_pairs import clash, clashes
from tui.driver import Driven, opened
from tui.sample_store import NOW

pytestmark = thorough


def conflicts(app: Driven) -> Conflicts:
    assert isinstance(app.view, Conflicts)
    return app.view


def listed(app: Driven) -> str:
    return app.view.query_one(ConflictList).render().plain


async def test_a_wide_screen_lists_the_conflicts_and_moves_with_the_same_keys(store: Store) -> None:
    pairs = clashes(store, 3)
    async with opened(store, (120, 36), first="conflicts") as app:
        assert "I live in Lisbon" in listed(app) and "I drink tea only" in listed(app) and "update" in listed(app)
        assert listed(app).startswith("▌ I live in Lisbon")
        await app.press("]", "]")
        assert conflicts(app).queue.current == pairs[2].alert.id and "▌ I work at the harbour" in listed(app)
        await app.pilot.click(ConflictList, offset=(5, 2))
        await app.rest()
        assert conflicts(app).queue.current == pairs[1].alert.id
        await app.press("b")
        assert "I drink coffee" not in listed(app) and conflicts(app).queue.current == pairs[2].alert.id
        await app.press("u")
        assert "I drink coffee" in listed(app)


@pytest.mark.parametrize("width", [120, 80])
async def test_the_keys_of_every_list_move_between_conflicts_and_never_between_sides(store: Store, width: int) -> None:
    pairs = clashes(store, 3)
    async with opened(store, (width, 36), first="conflicts") as app:
        keys = {
            "j": 1,
            "down": 2,
            "k": 1,
            "up": 0,
            "pagedown": 2,
            "pageup": 0,
            "G": 2,
            "ctrl+u": 0,
            "ctrl+d": 2,
            "g": 0,
        }
        for key, index in keys.items():
            await app.press(key)
            assert conflicts(app).queue.current == pairs[index].alert.id and conflicts(app).panes.choice == "b", key
        await app.press("j", "left", "enter")
    assert store.get(pairs[1].b.id).superseded_by == pairs[1].a.id


def conflicts_of_a_move(store: Store) -> list[Pair]:
    """Store a conflict about tea and three about one move, the first of which is the strongest."""
    clash(store, "I drink coffee", "I drink tea only", score=0.85)
    first = clash(store, "I live in Lisbon", "We moved from Lisbon to Porto", score=0.9)
    (home,) = put(store, "My home is in Lisbon", created_at=first.a.created_at)
    (now,) = put(store, "Porto it is, we live in Porto", created_at=first.b.created_at)
    with store.command("compare") as writer:
        store.alerts.put(writer, home, first.b.id, Relation.UPDATE, 0.7, [], judge="rules/2")
        store.alerts.put(writer, first.a.id, now, Relation.UPDATE, 0.6, [], judge="rules/2")
    return [pair for pair in curation.waiting(store, curation.ConflictFilter()) if "tea" not in pair.b.text]


async def test_conflicts_about_one_change_stand_under_one_line_and_fold(store: Store) -> None:
    pairs = conflicts_of_a_move(store)
    async with opened(store, (120, 36), first="conflicts") as app:
        assert "▾ Two homes: Lisbon, then Porto · 3" in listed(app) and "1 of 4 · 1 of 3 in group" in app.seen()
        assert conflicts(app).queue.ids[:3] == [pair.alert.id for pair in pairs]
        assert listed(app).index("My home is in Lisbon") < listed(app).index("I drink coffee")
        await app.press("]", "h")
        assert "▌ ▸ Two homes: Lisbon, then Porto · 3" in listed(app) and "My home" not in listed(app)
        assert conflicts(app).queue.current == pairs[0].alert.id
        await app.press("]")
        assert "▌ I drink coffee" in listed(app)
        await app.press("pageup")
        assert "▌ ▸ Two homes" in listed(app)
        await app.press("j")
        assert "▌ I drink coffee" in listed(app)
        for key in ("h", "*"):
            await app.press(key)
            assert app.status == "not in a group"
            await app.press("3")
        await app.press("[", "h")
        assert "▌ I live in Lisbon" in listed(app) and "My home is in Lisbon" in listed(app)


async def test_the_cursor_goes_to_the_head_of_a_folded_group(store: Store) -> None:
    pairs = conflicts_of_a_move(store)
    (tea,) = [pair for pair in curation.waiting(store, curation.ConflictFilter()) if "tea" in pair.b.text]
    curation.keep_both(store, tea)
    async with opened(store, (120, 36), first="conflicts") as app:
        await app.press("h", "G")
        assert conflicts(app).queue.current == pairs[0].alert.id
        assert "▌ ▸ Two homes: Lisbon, then Porto · 3" in listed(app)


def test_the_title_of_a_group_is_read_from_few_of_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, read = conflicts_of_a_move(store), list[int]()
    plain = queries.listed

    def noted(store: Store, alerts: list[int]) -> dict[int, Pair]:
        read.extend(alerts)
        return plain(store, alerts)

    monkeypatch.setattr(queries, "TITLED", 2)
    monkeypatch.setattr(queries, "listed", noted)
    assert list(queries.titles(store, [[pair.alert.id for pair in pairs]])) == [pairs[0].alert.id]
    assert read == [pair.alert.id for pair in pairs[:2]]


async def test_one_side_is_kept_in_all_about_it_after_the_counts(store: Store) -> None:
    pairs = conflicts_of_a_move(store)
    before = store.state_hash()
    async with opened(store, (120, 36), first="conflicts") as app:
        await app.press("*")
        assert "Keep the newer side in all 3?" in app.seen() and "supersedes 2 memories" in app.seen()
        await app.press("n")
        assert store.state_hash() == before
        await app.press("*", "y")
        assert "resolved 3 conflicts, superseded 2 memories" in app.status
        assert "⟦coffee⟧" in app.seen() and len(conflicts(app).queue.ids) == 1
        await app.press("u")
        assert store.state_hash() == before and len(conflicts(app).queue.group(pairs[0].alert.id)) == 3


async def test_a_filter_holds_for_the_decision_on_a_group(store: Store) -> None:
    pairs = conflicts_of_a_move(store)
    filtered = f"memory:{pairs[0].a.id}"
    async with opened(store, (120, 36), first="conflicts") as app:
        await app.press("/", *filtered, "enter")
        assert len(conflicts(app).queue.grouped) == 2
        await app.press("*", "y")
        assert "resolved 2 conflicts, superseded 1 memory" in app.status
    assert store.alerts.get(pairs[1].alert.id).settled is None


async def test_keeping_one_side_offers_the_others_about_it(store: Store) -> None:
    conflicts_of_a_move(store)
    async with opened(store, (120, 36), first="conflicts", looks=Looks(keys={"keep-in-group": "z"})) as app:
        await app.press("enter")
        assert "1 more conflict resolved with it · 1 more in this group · u undo · z keep in group" in app.status
        await app.press("[")
        assert app.status.endswith("u undo"), "the key would decide on another group"
        await app.press("]", "enter")
        assert "in this group" not in app.status


async def test_moving_lays_nothing_out_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    conflicts_of_a_move(store)
    times = list[int]()
    plain = conflict_list.laid_out

    def noted(queue: ConflictQueue) -> list[object]:
        times.append(len(queue.ids))
        return list(plain(queue))

    async with opened(store, (120, 36), first="conflicts") as app:
        monkeypatch.setattr(conflict_list, "laid_out", noted)
        await app.press("]", "]", "[")
        assert times == []
        await app.press("h")
        assert times == [4]
        await app.press("h", "l")
        assert 3 in times and len(conflicts(app).queue.ids) == 3


async def test_of_many_only_those_in_view_are_read(store: Store) -> None:
    for number in range(30):
        clash(store, f"I own {number} cats", f"I own {number + 40} cats", score=0.9 - number / 100)
    async with opened(store, (130, 20), first="conflicts") as app:
        await app.press("G")
        assert "▌ I own 29 cats" in listed(app) and "I own 69 cats" in listed(app) and "I own 3 cats" not in listed(app)


async def test_conflicts_that_cannot_be_read_are_said_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(store: Store, alerts: list[int]) -> dict[int, Pair]:
        raise StoreError("the disk is gone")

    clashes(store, 2)
    monkeypatch.setattr(queries, "listed", fail)
    async with opened(store, (120, 36), first="conflicts") as app:
        assert "could not be read" in listed(app) and "…" not in listed(app) and "the disk is gone" in app.seen()


async def test_a_small_screen_has_no_list(store: Store) -> None:
    clashes(store, 2)
    async with opened(store, (119, 36), first="conflicts") as app:
        assert not app.view.query_one(ConflictList).display and "⟦Lisbon⟧" in app.seen()


@pytest.mark.parametrize("first", ["inbox", "memories"])
async def test_validating_one_side_says_so_and_v_opens_that_conflict(store: Store, first: str) -> None:
    put(store, "I like kites")
    pair = clash(store, relation=Relation.CONTRADICTION)
    times = count(NOW)  # each time the list is read the clock is later
    async with opened(store, (120, 36), first=first, now=lambda: next(times)) as app:
        app.listing.move_to(app.ids.index(pair.b.id))
        await app.press("a")
        assert store.get(pair.b.id).review is Review.VALIDATED
        assert "validated, but it contradicts “I live in Lisbon”" in app.status and "V side by side" in app.status
        await app.press("V")
        assert conflicts(app).queue.current == pair.alert.id and f"memory:{pair.b.id}" in app.seen()
        await app.press("escape")
        assert isinstance(app.view, Inbox if first == "inbox" else Memories)


async def test_of_a_memory_without_a_conflict_v_says_so(store: Store) -> None:
    pair = clash(store)
    (kites,) = put(store, "I like kites")
    async with opened(store, (120, 36), first="memories") as app:
        app.listing.move_to(app.ids.index(kites))
        await app.press("V")
        assert app.status == "no open conflict" and isinstance(app.view, Memories)
        assert "side by side" not in app.seen().splitlines()[-1]
        app.listing.move_to(app.ids.index(pair.b.id))
        await app.rest()
        assert not app.status and "side by side" in app.seen()


async def test_the_offer_ends_when_the_cursor_moves_on(store: Store) -> None:
    first = clash(store, score=0.9)
    other = clash(store, "I drink coffee", "I drink tea only")
    async with opened(store, (120, 36), first="memories") as app:
        app.listing.move_to(app.ids.index(first.b.id))
        await app.press("a")
        assert app.status.endswith("V side by side")
        app.listing.move_to(app.ids.index(other.b.id))
        await app.rest()
        assert app.status.endswith("u undo"), "the key means another conflict now"
        await app.press("V")
        assert conflicts(app).queue.current == other.alert.id


async def test_the_offer_ends_when_another_list_is_shown(store: Store) -> None:
    first = clash(store, score=0.9)
    other = clash(store, "I drink coffee", "I drink tea only")
    async with opened(store, (120, 36), first="memories") as app:
        app.listing.move_to(app.ids.index(first.b.id))
        await app.press("a", "/")
        await app.write("tea only")
        await app.press("enter")
        assert "V side by side" not in app.status and app.listing.current == other.b.id
        await app.press("V")
        assert conflicts(app).queue.current == other.alert.id


async def test_the_offer_stays_when_the_list_is_read_again_because_of_the_validation(store: Store) -> None:
    pair = clash(store)
    put(store, "I like kites")
    async with opened(store, (120, 36), first="inbox") as app:
        app.listing.move_to(app.ids.index(pair.b.id))
        await app.press("space", "space", "a")
        assert "V side by side" in app.status
        await app.press("V")
        assert conflicts(app).queue.current == pair.alert.id


async def test_the_conflict_stands_above_the_scores(store: Store) -> None:
    clash(store)
    async with opened(store, (120, 40), first="memories") as app:
        seen = app.seen()
        assert seen.index("CONFLICTS") < seen.index("confidence")


async def test_esc_leads_from_the_refused_passages_back_to_the_inbox(store: Store) -> None:
    put(store, "I like tea")
    async with opened(store, (120, 36), first="inbox") as app:
        await app.press("X")
        assert isinstance(app.view, Sources)
        await app.press("escape")
        assert isinstance(app.view, Inbox)
        await app.press("5", "escape")
        assert isinstance(app.view, Sources)
