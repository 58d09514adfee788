"""Conflicts view: the effect of each verb on the store, undo, and changes by other processes meanwhile."""

from dataclasses import dataclass, field, replace

import pytest

from curator import curation
from curator.tui.conflicts import queries
from curator.tui.conflicts.queue import ConflictQueue
from curator.tui.conflicts.view import Conflicts
from curator.tui.history.view import History
from curator.tui.memories.view import Memories
from curator.tui.screens.dialogs import Confirm, Menu
from curator.tui.screens.edit_dialog import Edit
from curator.tui.sources.view import Sources
from curator.ui_defaults import Keymap, Looks
from effort import some, thorough
from factories import conversation, put, quote
from store import Store
from store.model import Life, Relation, Review
from tui.conflict_pairs import DAY, TOLD, clash, clashes, settled
from tui.driver import QUICK, Driven, opened
from tui.sample_store import HOSTILE

pytestmark = thorough


def conflicts(app: Driven) -> Conflicts:
    assert isinstance(app.view, Conflicts)
    return app.view


def current(app: Driven) -> int | None:
    return conflicts(app).queue.current


@dataclass(frozen=True)
class Verb:
    """A verb: its keys, and the resolution and memory states it leaves."""

    keys: tuple[str, ...]
    plain: tuple[str, ...]
    settled: str | None
    lives: tuple[Life, Life] = (Life.LIVE, Life.LIVE)
    reviews: tuple[Review, Review] = (Review.OPEN, Review.OPEN)
    most: int = field(default=2)


VERBS = {
    "keep the newer": Verb(("enter",), ("enter",), "superseded", (Life.SUPERSEDED, Life.LIVE), most=1),
    "keep the older": Verb(("left", "enter"), ("left", "enter"), "superseded", (Life.LIVE, Life.SUPERSEDED)),
    "keep both": Verb(("b",), ("f5",), "not a conflict", most=1),
    "merge": Verb(
        ("m", "enter"), ("&", "enter"), "merged", (Life.SUPERSEDED, Life.LIVE), (Review.OPEN, Review.VALIDATED)
    ),
    "reject both": Verb(
        ("x",), ("f6",), "rejected", (Life.FORGOTTEN, Life.FORGOTTEN), (Review.REJECTED, Review.REJECTED), most=1
    ),
    "later": Verb(("l",), ("f7",), None, most=1),
}


@pytest.mark.parametrize("preset", some(["vim", "plain"], 1))
async def test_each_verb_takes_two_keys_at_most_and_undo_takes_it_back(store: Store, preset: Keymap) -> None:
    pair, other, _ = clashes(store)
    before = store.state_hash()
    async with opened(store, first="conflicts", looks=Looks(keymap=preset)) as app:
        for name, verb in VERBS.items():
            keys = verb.keys if preset == "vim" else verb.plain
            assert len(keys) <= verb.most <= 2
            assert current(app) == pair.alert.id and conflicts(app).panes.choice == "b" and "1 of 3" in app.seen(), name
            await app.press(*keys)
            a, b = store.get(pair.a.id), store.get(pair.b.id)
            assert settled(store, pair) == verb.settled
            assert ((a.life, b.life), (a.review, b.review)) == (verb.lives, verb.reviews)
            assert (store.alerts.get(pair.alert.id).later_until is not None) == (name == "later")
            assert "undo" in app.status and current(app) == other.alert.id and "1 of 2" in app.seen()
            assert conflicts(app).panes.choice == "b" and "1 reviewed · 2 left" in app.seen()
            said = app.status.split(" · ")[0]
            await app.press("u" if preset == "vim" else "f8")
            assert store.state_hash() == before and app.status.startswith(f"undone: {said} · ")
            assert current(app) == pair.alert.id and "0 reviewed · 3 left" in app.seen()


async def test_what_is_kept_takes_the_place_of_the_other(store: Store) -> None:
    pair = clash(store)
    async with opened(store, first="conflicts") as app:
        assert "keeps B “I live in Porto” · A is superseded" in app.seen()
        await app.press("left")
        assert "keeps A “I live in Lisbon” · B is superseded" in app.seen()
        await app.press("enter")
    assert [memory.id for memory in store.get_many(store.successors(pair.b.id))] == [pair.a.id]


async def test_enter_alone_loses_no_fact_about_health(store: Store) -> None:
    allergy = "I'm severely allergic to shrimp"
    pair = clash(store, allergy, "Shrimp is confirmed, sky-high IgE", score=0.9)
    both = clash(store, "I take warfarin every morning", "I'm allergic to nuts")
    async with opened(store, first="conflicts") as app:
        assert conflicts(app).panes.choice == "a" and "lost with it" not in app.seen()
        await app.press("right")
        assert "lost with it" in app.seen()
        await app.press("left", "enter")
        assert settled(store, pair) == "superseded" and store.get(pair.a.id).life is Life.LIVE
        await app.press("enter")
        assert settled(store, both) is None and "both state a fact about health: choose a side first" in app.status
        await app.press("right", "enter")
        assert settled(store, both) == "superseded"


async def test_enter_alone_loses_no_other_personal_facts(store: Store) -> None:
    pair = clash(store, "I'm Ana, 41, and I live in Lisbon with our two kids, Rui and Eva", "I live in Porto now")
    async with opened(store, first="conflicts") as app:
        assert conflicts(app).panes.choice == "b" and "lost with it" in app.seen()
        await app.press("enter")
        assert settled(store, pair) is None and "choose a side first, or merge: A also says “I'm Ana, 41" in app.status
        await app.press("left", "right", "enter")
        assert settled(store, pair) == "superseded" and store.get(pair.b.id).life is Life.LIVE


@pytest.mark.parametrize("keys", some([("right", "left"), ("tab", "shift+tab")], 1))
async def test_left_right_and_tab_highlight_a_side_and_reach_the_draft(store: Store, keys: tuple[str, str]) -> None:
    clashes(store)
    onward, back = keys
    async with opened(store, (140, 36), first="conflicts") as app:
        first, panes = current(app), conflicts(app).panes
        seen = []
        for key in (onward, onward, back, "m", onward, onward, back):
            await app.press(key)
            seen.append(panes.choice)
        assert seen == ["a", "b", "a", "draft", "a", "b", "a"]
        assert current(app) == first


async def test_both_sides_are_told_apart_word_by_word_with_dates_sources_uses_and_reasons(store: Store) -> None:
    with store.command("import") as writer:
        said = "You know, I live in Porto now"
        store.raw.put_conversation(writer, conversation("move", said, source="claude"))
    (talk,) = store.raw.get_conversations()
    message = store.raw.messages(talk.id)[0].id
    pair = clash(store, "I live in Lisbon with two flatmates")
    with store.command("quote") as writer:
        store.add_evidence(writer, pair.b.id, [quote("I live in Porto", said, message)])
    store.recalls.record_use([pair.b.id])
    async with opened(store, first="conflicts") as app:
        seen = app.seen()
        assert "I live in ⟦Lisbon with two flatmates⟧" in seen and "I live in ⟦Porto⟧" in seen
        assert "A · older · said 11 Apr 1970" in seen and "B · newer · said 19 Jun 1972" in seen
        assert "update, score 80%" in seen and "Two homes: Lisbon, then Porto" in seen
        assert (
            "never recalled" in seen
            and "recalled 1 time" in seen
            and "“I live in Porto”" in seen
            and "About move" in seen
        )
        await app.press("o")
        assert isinstance(app.view, Sources)
        await app.press("escape")
        await app.press("3", "i")
        assert isinstance(app.view, History)


async def test_what_a_text_holds_is_shown_and_not_obeyed(store: Store) -> None:
    clash(store, HOSTILE, "Says [red]hello[/red]", tags=("a",), scope="project:[b]x[/b]")
    async with opened(store, first="conflicts") as app:
        await app.press("m")
        seen = app.seen()
        assert "[red]" in seen and "‹202e›" in seen and "only in project [b]x[/b]" in seen
        assert "\x1b" not in seen and "\u202e" not in seen


async def test_without_both_dates_neither_side_is_called_older(store: Store) -> None:
    (undated,) = put(store, "I live in Lisbon", created_at=None)
    faro = quote("Faro", "Faro", said_at=800 * DAY)
    (other,) = put(store, "My home is Faro", created_at=None, evidence=(faro,))
    dated, same = put(store, "I live in Porto", "I live in Porto, by the river", created_at=900 * DAY)
    with store.command("compare") as writer:
        for a, b, score in ((undated, dated, 0.9), (other, dated, 0.8), (dated, same, 0.7)):
            store.alerts.put(writer, a, b, Relation.UPDATE, score, [], judge="rules/2")
    async with opened(store, first="conflicts") as app:
        assert "A · no date" in app.seen() and "B · said 19 Jun" in app.seen()
        assert "older" not in app.seen() and "newer" not in app.seen()
        await app.press("]")
        assert "A · said 11 Mar" in app.seen(), "the date of its quote"
        await app.press("G")
        assert "A · said 19 Jun" in app.seen() and "older" not in app.seen() and "newer" not in app.seen()
        await app.press("g", "B", "d")
        assert "A (B is next)" in app.seen() and "older" not in app.seen()
        await app.press("enter")
        assert "B · enter keeps both" in app.seen()
        await app.press("escape", "*")
        assert "Keep the B side in 1 of 2?" in app.seen() and "B wins" in app.seen()


async def test_told_apart_by_dates(store: Store) -> None:
    pair = clash(store)
    before = store.state_hash()
    async with opened(store, first="conflicts") as app:
        await app.press("B", "d")
        assert isinstance(app.app.screen, Edit) and "I live in Lisbon (until 1972-06-19)" in app.seen()
        await app.press("enter")
        assert "I live in Porto (since 1972-06-19)" in app.seen()
        await app.press("enter")
        assert store.get(pair.a.id).text == "I live in Lisbon (until 1972-06-19)"
        assert store.get(pair.b.id).text == "I live in Porto (since 1972-06-19)"
        assert settled(store, pair) == "both hold"
        await app.press("u")
        assert store.state_hash() == before


@pytest.mark.parametrize(
    ("a", "said", "why"),
    [
        ("I live in Rome and work as a nurse", 100 * DAY, "only part of A changed: say in both texts when they hold"),
        ("I live in Rome", None, "no date found: say in both texts when they hold"),
    ],
)
async def test_why_no_dates_are_proposed_is_said_above_the_texts(
    store: Store, a: str, said: int | None, why: str
) -> None:
    older, newer = put(store, a, created_at=said) + put(store, "I live in Oslo", created_at=900 * DAY)
    with store.command("compare") as writer:
        store.alerts.put(writer, older, newer, Relation.UPDATE, 0.7, [], judge="rules/2")
    async with opened(store, first="conflicts") as app:
        await app.press("B", "d")
        assert isinstance(app.app.screen, Edit) and why in app.seen()
        await app.press(*" once", "enter")
        assert "I live in Oslo" in app.seen() and why in app.seen()


async def test_where_it_holds_is_typed_over_and_unchanged_it_keeps_both(store: Store) -> None:
    pair, other = clash(store), clash(store, *TOLD[1], score=0.7)
    async with opened(store, (80, 24), first="conflicts") as app:
        await app.press("B", "a")
        assert "global, project:NAME, or session:ID (one conversation)" in app.seen()
        await app.press(*"session:1", "enter")
        assert store.get(pair.a.id).scope == "session:1" and "kept both, clarified" in app.status
        await app.press("B", "b", "enter")
        assert settled(store, other) == "not a conflict" and "kept both · u undo" in app.status


async def test_what_else_is_settled_with_it_is_told(store: Store) -> None:
    pair = clash(store)
    for words, relation in (("My home is Faro", Relation.UPDATE), ("I live there", Relation.UNSURE)):
        (more,) = put(store, words, created_at=1)
        with store.command("compare") as writer:
            store.alerts.put(writer, more, pair.a.id, relation, 0.5, [], judge="rules/2")
    async with opened(store, first="conflicts") as app:
        await app.press("enter")
        assert "kept “I live in Porto”, superseded the other · 1 more conflict resolved with it" in app.status


async def test_the_reason_is_one_sentence_without_what_the_rules_measured(store: Store) -> None:
    first, then = put(store, "I always run", "I run no more")
    told = ["a change is said", "words replaced: alway", "modality: almost / –", "negation: – / no"]
    with store.command("compare") as writer:
        store.alerts.put(writer, first, then, Relation.UPDATE, 0.8, told, judge="rules/2")
    async with opened(store, first="conflicts") as app:
        assert "score 80%   B says otherwise: “I run no more”" in app.seen()
        assert "replaced" not in app.seen() and "modality" not in app.seen()


async def test_a_note_of_another_area_is_gone(store: Store) -> None:
    put(store, "I like tea")
    async with opened(store) as app:
        await app.press("m")
        assert "no duplicate found" in app.status
        await app.press("3")
        assert "nothing is known" not in app.status


async def test_the_draft_is_of_the_side_that_is_highlighted(store: Store) -> None:
    pair = clash(store)
    async with opened(store, first="conflicts") as app:
        await app.press("left", "m")
        assert "merges both: A becomes “I live in Lisbon”, validated" in app.seen()
        await app.press("enter")
    assert store.get(pair.b.id).superseded_by == pair.a.id


async def test_told_apart_by_where_one_holds(store: Store) -> None:
    pair = clash(store)
    async with opened(store, first="conflicts") as app:
        await app.press("B", "a")
        await app.write("nowhere")
        await app.press("enter")
        assert store.get(pair.a.id).scope == "global" and "nowhere" in app.seen()
        await app.write("project:kiln")
        await app.press("enter")
        assert store.get(pair.a.id).scope == "project:kiln" and settled(store, pair) == "both hold"


@pytest.mark.parametrize("key", some(["m", "e"], 1))
async def test_two_scopes_are_not_drafted_and_the_way_is_in_the_app(store: Store, key: str) -> None:
    pair = clash(store)
    curation.set_scope(store, [pair.b.id], "project:kiln")
    async with opened(store, (80, 24), first="conflicts") as app:
        await app.press(key)
        assert app.status == "different scopes: set one with `scope` in Memories first"


async def test_the_draft_is_shown_first_and_can_be_put_better_or_let_go(store: Store) -> None:
    pair = clash(store)
    before = store.state_hash()
    async with opened(store, first="conflicts") as app:
        await app.press("m")
        assert store.state_hash() == before and app.view.query_one("#side-draft").display
        assert "merges both: B becomes" in app.seen()
        await app.press("escape")
        assert not app.view.query_one("#side-draft").display and "keeps B" in app.seen()
        await app.press("e")
        assert isinstance(app.app.screen, Edit)
        await app.write("I moved from Lisbon to Porto")
        await app.press("enter")
        assert store.get(pair.b.id).text == "I moved from Lisbon to Porto"
        assert store.get(pair.a.id).life is Life.SUPERSEDED and settled(store, pair) == "merged"
        await app.press("u")
        assert store.state_hash() == before


async def test_one_settled_elsewhere_is_said_and_the_next_is_shown(store: Store) -> None:
    pair, other, _ = clashes(store)
    async with opened(store, first="conflicts") as app:
        curation.keep_both(store, pair)
        await app.pilot.pause(0.4)
        await app.rest()
        assert f"conflict {pair.alert.id} is already resolved" in app.status and "showing the next one" in app.status
        assert current(app) == other.alert.id and "1 of 2" in app.seen()


async def test_one_put_differently_elsewhere_is_said_and_shown_as_it_is_now(store: Store) -> None:
    pair, *_ = clashes(store)
    async with opened(store, first="conflicts") as app:
        curation.edit(store, pair.b.id, "I live in Porto and Braga")
        await app.pilot.pause(0.4)
        await app.rest()
        assert "edited meanwhile" in app.status and "Porto and Braga" in app.seen()
        assert "update, score 90%   before a text was edited" in app.seen()


@pytest.mark.parametrize("how", ["settled", "reworded", "forgotten"])
async def test_a_key_that_comes_too_late_changes_nothing_and_says_why(
    store: Store, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, other, _ = clashes(store)
    async with opened(store, first="conflicts", timings=replace(QUICK, watch=3600)) as app:
        if how == "settled":
            curation.keep(store, pair, "a")
        elif how == "reworded":
            curation.edit(store, pair.b.id, "I live in Porto and Braga")
        else:
            curation.forget(store, [pair.b.id])
        before = store.state_hash()
        await app.press("enter")
        assert store.state_hash() == before
        told = {"settled": "already resolved", "reworded": "edited", "forgotten": "is forgotten now"}[how]
        assert told in app.status
        assert current(app) == (pair if how == "reworded" else other).alert.id
        assert "0 reviewed" in app.seen()


async def test_keys_in_haste_settle_one_after_the_other(store: Store) -> None:
    pairs = clashes(store, 6)
    async with opened(store, first="conflicts") as app:
        await app.press("b", "x", "enter", "b", "l")
        assert current(app) == pairs[5].alert.id
    assert [settled(store, pair) for pair in pairs] == [
        "not a conflict",
        "rejected",
        "superseded",
        "not a conflict",
        None,
        None,
    ]


async def test_one_moves_through_the_queue(store: Store) -> None:
    ids = [pair.alert.id for pair in clashes(store, 4)]
    async with opened(store, first="conflicts") as app:
        await app.press("]", "]")
        assert current(app) == ids[2] and "3 of 4" in app.seen()
        await app.press("[")
        assert current(app) == ids[1]
        await app.press("G")
        assert current(app) == ids[3]
        await app.press("]", "g", "[")
        assert current(app) == ids[0]


async def test_an_empty_queue_says_so_and_how_many_were_decided(store: Store) -> None:
    put(store, "nothing to argue about")
    async with opened(store, first="conflicts") as app:
        assert "No conflicts." in app.seen()
        await app.press("b")
        assert app.status == "no open conflict"
        await app.press("enter", "b", "x", "M", "m", "e", "B", "]")
        assert isinstance(app.view, Conflicts)
    clash(store)
    async with opened(store, first="conflicts") as app:
        await app.press("b")
        assert "No conflicts. 1 decision this session." in app.seen()
        await app.press("u")
        assert "1 of 1" in app.seen()


async def test_only_some(store: Store) -> None:
    update = clash(store, *TOLD[0], score=0.9)
    against = clash(store, *TOLD[1], score=0.7, relation=Relation.CONTRADICTION, sources=("codex", "codex"))
    async with opened(store, first="conflicts") as app:
        assert conflicts(app).queue.ids == [update.alert.id, against.alert.id]
        await app.press("f")
        assert isinstance(app.app.screen, Menu) and "class:contradiction" in app.seen()
        await app.press("c")
        assert conflicts(app).queue.ids == [against.alert.id] and "class:contradiction" in app.seen()
        await app.press("f", "s")
        assert conflicts(app).queue.ids == [update.alert.id]
        await app.press("escape")
        assert conflicts(app).queue.ids == [update.alert.id, against.alert.id]
        for words, wanted in (
            ("source:codex", [against]),
            ("lisbon", [update]),
            ("class:update class:contradiction score:>=0.8", [update]),
            (f"memory:{against.a.id}", [against]),
            ("is:later", []),
        ):
            await app.press("/")
            await app.write(words)
            await app.press("enter")
            assert conflicts(app).queue.ids == [pair.alert.id for pair in wanted], words
        assert "No conflicts match is:later" in app.seen()
        await app.press("/")
        await app.write("class:nonsense")
        assert "invalid filter" in app.seen()
        await app.press("enter")
        assert "class is one of" in app.seen()
        await app.press("escape")
        assert len(conflicts(app).queue.ids) == 2


async def test_the_sides_of_a_memory_from_the_list_and_back(store: Store) -> None:
    pair, other = clashes(store, 2)
    async with opened(store) as app:
        await app.press("c")
        assert app.listing.current in (pair.a.id, pair.b.id, other.a.id, other.b.id)
        here = app.listing.current
        await app.press("V")
        (shown,) = conflicts(app).queue.ids
        assert here in (store.alerts.get(shown).a, store.alerts.get(shown).b)
        await app.press("escape")
        assert isinstance(app.view, Memories) and app.listing.current == here


async def test_many_at_once_are_one_step_with_counts_first(store: Store) -> None:
    pairs = clashes(store, 4)
    curation.validate(store, [pairs[0].a.id])
    before = store.state_hash()
    async with opened(store, first="conflicts") as app:
        await app.press("M")
        seen = app.seen()
        assert "Resolve 4 conflicts in one step" in seen and "resolves 4, supersedes 4" in seen
        assert "resolves 1, supersedes 1, leaves 3" in seen and "Claude wins" in seen
        await app.press("v")
        assert settled(store, pairs[0]) == "superseded" and store.get(pairs[0].b.id).life is Life.SUPERSEDED
        assert [settled(store, pair) for pair in pairs[1:]] == [None] * 3
        assert "resolved 1 conflict, superseded 1 memory" in app.status
        await app.press("u")
        assert store.state_hash() == before
        await app.press("M", "n")
        assert [settled(store, pair) for pair in pairs] == ["superseded"] * 4 and conflicts(app).queue.ids == []
        assert all(store.get(pair.a.id).life is Life.SUPERSEDED for pair in pairs)
        await app.press("u")
        assert store.state_hash() == before and len(conflicts(app).queue.ids) == 4


@pytest.mark.parametrize(
    ("filter", "of"), some([("", " of 4 conflicts"), ("keep", " conflicts"), ("keep", " of 4 conflicts")], 2)
)
async def test_of_more_than_one_step_takes_the_number_of_all_is_named(
    store: Store, monkeypatch: pytest.MonkeyPatch, filter: str, of: str
) -> None:
    monkeypatch.setattr(queries, "MOST", 2)
    for n in range(4):
        clash(store, f"I keep {n} bees", f"I keep {n} hives", score=0.7)
    async with opened(store, first="conflicts") as app:
        conflicts(app).search_for(filter)
        await app.rest()
        if of == " conflicts":  # the total is unknown until the whole queue is read
            monkeypatch.setattr(ConflictQueue, "total", None)
        await app.press("M")
        assert f"Resolve the strongest 2{of} in one step" in app.seen()


async def test_words_of_the_filter_are_shown_as_they_were_typed(store: Store) -> None:
    clash(store, *TOLD[0])
    async with opened(store, first="conflicts") as app:
        conflicts(app).search_for("I live in class:update")
        await app.rest()
        assert "I live in  class:update" in app.seen()


async def test_the_head_is_whole_after_an_undo_in_an_empty_view(store: Store) -> None:
    clash(store, *TOLD[0])
    async with opened(store, first="conflicts") as app:
        (head,) = [line for line in app.seen().splitlines() if "1 of 1" in line]
        await app.press("enter")
        assert "1 of 1" not in app.seen()
        await app.press("u")
        assert head in app.seen()


async def test_many_by_source_and_only_those_that_are_listed(store: Store) -> None:
    chosen = clash(store, *TOLD[0])
    other = clash(store, *TOLD[1], relation=Relation.CONTRADICTION)
    async with opened(store, first="conflicts") as app:
        await app.press("f", "u", "M")
        assert "Resolve 1 conflict in one step" in app.seen()
        await app.press("1")
        assert settled(store, chosen) == "superseded" and store.get(chosen.a.id).life is Life.LIVE  # from ChatGPT
        assert settled(store, other) is None


async def test_more_than_fifty_at_once_are_asked_about(store: Store) -> None:
    for n in range(51):
        clash(store, f"I keep {n} bees", f"I keep {n} hives", score=0.7)
    async with opened(store, first="conflicts") as app:
        await app.press("M", "n")
        assert isinstance(app.app.screen, Confirm) and "Resolve 51 conflicts?" in app.seen()
        await app.press("n")
        assert len(conflicts(app).queue.ids) == 51
        await app.press("M", "n", "y")
        assert conflicts(app).queue.ids == [] and "resolved 51 conflicts" in app.status
        await app.press("u")
        assert len(conflicts(app).queue.ids) == 51


@pytest.mark.parametrize("size", some([(80, 24), (120, 36), (60, 24), (40, 20)], 1))
async def test_all_that_decides_is_on_the_screen_at_any_size(store: Store, size: tuple[int, int]) -> None:
    clash(store, "I live in Lisbon " + "with many words " * 40)
    async with opened(store, size, first="conflicts") as app:
        for keys in ((), ("m",)):
            await app.press(*keys)
            seen = app.seen()
            assert "A · older" in seen and "B · newer" in seen and "1 of 1" in seen and "▸" in seen
            assert ("merges both" if keys else "keeps B") in seen and "enter" in seen


async def test_a_very_small_terminal_shows_both_texts(store: Store) -> None:
    clash(store)
    async with opened(store, (40, 10), first="conflicts") as app:
        assert "Lisbon" in app.seen() and "Porto" in app.seen()


async def test_on_the_way_back_the_footer_keeps_quit(store: Store) -> None:
    clash(store)
    async with opened(store, (80, 24)) as app:
        await app.press("V")
        assert "esc back" in app.seen().splitlines()[-1] and app.seen().splitlines()[-1].strip().endswith("q quit")
