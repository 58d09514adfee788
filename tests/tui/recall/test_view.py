"""Recall view: the block for a prompt, its score parts, omissions, and the effect of a change on it."""

from threading import Event

import pytest
from textual.widgets import Static

from curator import curation
from curator.recall import Hit, block
from curator.recall.types import Preset
from curator.tui.recall.panes import RULE
from curator.tui.recall.queries import GROUPS, RecallAnswer, bars
from curator.tui.recall.view import Recall
from effort import thorough
from factories import conversation, put, quote
from store import Filter, Store
from store.model import Given, Kind, Life, Review
from tui.conflict_pairs import clash
from tui.driver import Driven, opened

pytestmark = thorough

PROMPT = "what does my sister drink"


@pytest.fixture(autouse=True)
def _by_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")  # no weights needed, the same on every machine


def view(app: Driven) -> Recall:
    found = app.view
    assert isinstance(found, Recall)
    return found


def injected(app: Driven) -> list[int]:
    """Return the ids of the memories that the block holds, in order."""
    ids = list(view(app).list.ids)
    return ids[: ids.index(RULE)] if RULE in ids else ids


def left_out(app: Driven) -> dict[int, str]:
    answer = view(app).answer
    return {} if answer is None else {line.memory.id: line.label for line in answer.below}


def note(app: Driven) -> str:
    return str(view(app).query_one("#note", Static).content)


def shown_block(app: Driven) -> str:
    return str(view(app).query_one("#block", Static).content)


async def ask(app: Driven, prompt: str = PROMPT) -> None:
    if not view(app).line.typing:
        await app.press("slash")
    await app.write(prompt)
    await app.press("enter")


@pytest.fixture
def tea(store: Store) -> int:
    (found,) = put(store, "My sister drinks tea", kind=Kind.RELATIONSHIP)
    put(store, "My sister owns a folding bicycle", "My sister keeps receipts in a shoe box")
    return found


class TestAsking:
    async def test_a_prompt_shows_what_would_be_given_as_it_is_typed(self, store: Store, tea: int) -> None:
        async with opened(store) as app:
            await app.press("4")
            assert view(app).line.typing and "Type a prompt" in app.seen()
            await app.write("drinks")
            assert view(app).line.typing and injected(app)[0] == tea
            made = view(app).answer
            assert made is not None and shown_block(app) == made.block.text
            assert "- My sister drinks tea (" in shown_block(app) and made.block.memories[0] == tea
            told = str(view(app).query_one("#tokens", Static).content)
            assert told.startswith(f"{made.block.tokens} of 1,200 tokens, 1 memory · preference ")

    async def test_the_key_of_the_open_field_is_not_typed_into_it(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await app.press("slash")
            assert view(app).line.typing and view(app).line.text == ""
            await app.press("slash", "a")
            assert view(app).line.text == "/a"
        async with opened(store, first="recall") as app:
            await app.press("a", "slash", "b")
            assert view(app).line.text == "a/b"

    async def test_looking_is_no_use(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            assert injected(app)[0] == tea
        assert not store.recalls.uses([tea])
        assert store.recalls.warmth([tea]) == {tea: 0.5}

    async def test_what_was_left_out_stands_below_a_line_with_the_reason(self, store: Store, tea: int) -> None:
        (flagged,) = put(store, "My sister drinks whatever the instructions say", flag="injection")
        async with opened(store, first="recall") as app:
            await ask(app)
            assert injected(app)[0] == tea and left_out(app)[flagged] == "flagged"
            assert "left out" in app.seen()
            await app.press("j")
            assert view(app).list.current != RULE
            view(app).list.move_to(list(view(app).list.ids).index(flagged))
            await app.rest()
            assert "in quarantine, not validated" in note(app)

    async def test_a_smaller_budget_leaves_out_more(self, store: Store) -> None:
        put(
            store,
            "My sister drinks tea in the morning, before she cycles to work",
            "A glass of milk is what she drinks",
        )
        put(store, "In summer the drink of the garden is lemonade with mint, which my sister makes for everybody")
        async with opened(store, first="recall") as app:
            await ask(app)
            before = len(injected(app))
            await app.press("=")
            await app.write("100")
            await app.press("enter")
            answer = view(app).answer
            assert answer is not None and 0 < answer.block.tokens <= 100
            assert len(injected(app)) < before and "budget" in left_out(app).values()

    async def test_another_preset_ranks_and_one_beside_it_says_how_places_differ(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("s", "l")
            assert view(app).question.preset is Preset.LYNKR and "by lynkr" in app.seen()
            assert "importance" in note(app)
            await app.press("V", "c")
            assert "by lynkr vs curator" in app.seen()
            assert view(app).answer is not None and view(app).answer.above[0].moved == 0  # type: ignore[union-attr]

    async def test_the_last_prompt_wins(self, store: Store, tea: int) -> None:
        (kiln,) = put(store, "The kiln log works without a network")
        async with opened(store, first="recall") as app:
            await app.pilot.press(*"sister")
            await app.pilot.press(*["backspace"] * 6, *"kiln")
            await app.rest()
            assert injected(app)[0] == kiln

    async def test_esc_takes_the_prompt_off(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("escape")
            assert view(app).answer is None and not view(app).list.ids and "Type a prompt" in app.seen()


class TestArriving:
    async def test_what_is_typed_after_its_key_is_always_a_prompt(self, store: Store, tea: int) -> None:
        async with opened(store) as app:
            for prompt in ("bicycle", "tax day"):
                await app.press("4")
                assert view(app).line.typing
                await app.press(*(character if character != " " else "space" for character in prompt))
                assert view(app).prompt == prompt
                await app.press("enter", "2")
            await app.press("4", "down")
            assert not view(app).line.typing and view(app).prompt == "tax day"
            await app.press("4", "end", *"s")
            assert view(app).prompt == "tax days" and view(app).line.typing
        assert {memory.review for memory in store.get_many(store.list_ids(Filter()))} == {Review.OPEN}

    async def test_a_tab_clicked_does_the_same_and_what_was_looked_at_leads_back(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("w", "escape")
            assert app.view.NAME == "recall" and not view(app).line.typing
            await app.press("enter", "enter", "escape", "escape")
            assert app.view.NAME == "recall" and not view(app).line.typing and injected(app)[0] == tea
            await app.press("2")
            place = app.seen().splitlines()[0].index("Recall")
            await app.pilot.click("TabBar", offset=(place, 0))
            await app.rest()
            assert view(app).line.typing and view(app).prompt == PROMPT


class TestChanging:
    async def test_a_verb_changes_the_store_and_the_list_follows_and_undo_too(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("a")
            assert store.get(tea).review is Review.VALIDATED and "validated" in note(app)
            await app.press("d")
            assert store.get(tea).life is Life.FORGOTTEN and tea not in injected(app)
            assert "My sister drinks tea" not in shown_block(app)
            await app.press("u")
            assert store.get(tea).life is Life.LIVE and injected(app)[0] == tea

    async def test_put_better_it_is_found_by_its_new_words(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("e")
            await app.write("My sister drinks coffee")
            await app.press("enter")
            assert store.get(tea).text == "My sister drinks coffee"
            assert "drinks coffee" in shown_block(app)

    async def test_what_is_always_given_has_its_warmth(self, store: Store, tea: int) -> None:
        curation.set_given(store, [tea], Given.ALWAYS)
        async with opened(store, first="recall") as app:
            await app.write("Fix the build of the parser")
            await app.press("enter")
            assert "warmth 50%" in note(app)

    async def test_marks_feed_warmth(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("+")
            assert store.recalls.warmth([tea])[tea] == pytest.approx(0.6, abs=0.001)
            assert "warmth 60%" in note(app) and "useful" in app.status
            await app.press("-", "-")
            assert store.recalls.warmth([tea])[tea] == pytest.approx(0.4, abs=0.001)
        assert not store.recalls.uses([tea])

    async def test_undo_takes_back_a_mark_if_it_was_the_last_thing_done(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("a", "+", "-", "+")
            await app.press("u")
            assert "undone: marked “My" in app.status
            assert store.recalls.warmth([tea])[tea] == pytest.approx(0.5, abs=0.001)
            await app.press("u", "u")
            assert store.recalls.warmth([tea])[tea] == pytest.approx(0.5, abs=0.001) and "warmth 50%" in note(app)
            assert store.get(tea).review is Review.VALIDATED
            await app.press("u")
            assert store.get(tea).review is Review.OPEN and "undone: validate" in app.status
            await app.press("+", "a", "u", "u", "y")
            assert store.recalls.warmth([tea])[tea] == pytest.approx(0.6, abs=0.001) and "undone: add" in app.status

    async def test_undo_brings_warmth_back_to_where_it_was_at_the_edge(self, store: Store, tea: int) -> None:
        store.recalls.warm({tea: 0.46})
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.pilot.press("+", "u")
            await app.rest()
            assert store.recalls.warmth([tea])[tea] == pytest.approx(0.96, abs=0.001)

    async def test_undo_takes_back_what_was_said_of_a_check(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            for key in "><u":
                await app.press(key)
            assert store.checks.all()[0].must == (tea,) and "undone: added a check that “My sister" in app.status
            await app.press("u")
            assert not store.checks.all() and store.get(tea).life is Life.LIVE

    async def test_what_others_write_shows(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            curation.forget(store, [tea])
            while tea in injected(app):
                await app.pilot.pause(0.05)
            assert not store.list_ids(Filter(lives=(Life.LIVE,), reviews=(Review.VALIDATED,)))

    async def test_copying_the_block_counts_as_a_recall(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("Y")
            answer = view(app).answer
            assert answer is not None and app.app.clipboard == answer.block.text
            assert store.recalls.get(answer.block.id).memories == answer.block.memories
        assert store.recalls.uses([tea])[tea].times == 1


class TestMarking:
    async def test_verbs_go_by_the_marks_and_say_what_they_did_to_the_block(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            every = injected(app)
            await app.press("space", "space")
            assert "2 marked" in app.seen() and view(app).list.marks == set(every[:2])
            await app.press("d")
            assert [store.get(memory).life for memory in every[:2]] == [Life.FORGOTTEN] * 2
            assert not view(app).list.marks and "forgotten 2 memories · 2 memories dropped, " in app.status
            assert " tokens" in app.status and "→" in app.status
            await app.press("u")
            assert set(injected(app)) == set(every)

    async def test_what_no_search_sees_keeps_its_mark_when_it_is_asked_again(
        self, store: Store, tea: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CURATOR_RECALL__REQUIRE_VALIDATION", "true")
        (milk,) = put(store, "What does my sister drink: milk", review=Review.VALIDATED)
        async with opened(store, first="recall") as app:
            await ask(app)
            assert injected(app) == [milk] and left_out(app)[tea] == "not validated"
            view(app).list.mark([tea])
            gate, missed = Event(), view(app).recaller.with_omissions

            def waiting(answer: RecallAnswer) -> RecallAnswer:
                gate.wait()
                return missed(answer)

            monkeypatch.setattr(view(app).recaller, "with_omissions", waiting)
            put(store, "The sky is blue")
            former = view(app).answer
            view(app).follow()
            while view(app).answer is former:
                await app.pilot.pause(0.01)
            assert tea not in left_out(app) and view(app).list.marks == {tea}
            await app.pilot.press("x")
            assert "still searching for some" in app.status, "and the memory under the cursor is left alone"
            gate.set()
            await app.rest()
            assert tea in left_out(app) and view(app).list.marks == {tea}
            assert store.get(milk).review is Review.VALIDATED and store.get(tea).review is Review.OPEN
            await ask(app, "receipts")
            assert tea not in left_out(app) and not view(app).list.marks

    async def test_the_last_verb_is_done_again(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            first, second, *_ = injected(app)
            await app.press("a")
            view(app).list.move_to(list(view(app).list.ids).index(second))
            await app.press(".")
            assert [store.get(memory).review for memory in (first, second)] == [Review.VALIDATED] * 2

    async def test_all_and_a_range_leave_the_line_between_out(self, store: Store, tea: int) -> None:
        put(store, "My sister drinks whatever the instructions say", flag="injection")
        async with opened(store, first="recall") as app:
            await ask(app)
            everything = set(view(app).list.ids) - {RULE}
            assert RULE in view(app).list.ids
            await app.press("*")
            assert view(app).list.marks == everything
            await app.press("*")
            assert not view(app).list.marks
            await app.press("g", "v", "G")
            assert view(app).list.marks == everything
            await app.press("v", "escape")
            assert not view(app).list.marks and view(app).answer is not None

    async def test_of_use_and_checks_go_by_the_marks(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            two = injected(app)[:2]
            await app.press("space", "space", "+")
            assert all(warmth == pytest.approx(0.6, abs=0.001) for warmth in store.recalls.warmth(two).values())
            await app.press(">")
            (check,) = store.checks.all()
            assert set(check.must) == set(two)
            await app.press(">")
            assert not store.checks.all()

    async def test_two_become_one(self, store: Store) -> None:
        one, other = put(store, "My sister drinks tea", "My sister drinks tea from Assam")
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("space", "space", "m")
            await app.write("My sister drinks Assam tea")
            await app.press("enter")
            assert {store.get(one).life, store.get(other).life} == {Life.LIVE, Life.SUPERSEDED}
            assert "My sister drinks Assam tea" in shown_block(app)

    async def test_a_change_says_the_place_before_and_now(self, store: Store) -> None:
        put(store, "My sister drinks tea", "What my sister drinks is milk", "Sisters drink")
        async with opened(store, first="recall") as app:
            await ask(app)
            last = injected(app)[-1]
            await app.press("G", "a")
            place = injected(app).index(last) + 1
            came = f"still #{place}" if place == 3 else f"now #{place}, was #3"
            assert f" · {came}" in app.status


class TestNarrowing:
    async def test_only_what_holds_in_a_scope(self, store: Store) -> None:
        (shed,) = put(store, "My sister drinks tea in the shed", scope="project:shed")
        (hall,) = put(store, "My sister drinks milk in the hall", scope="project:hall")
        async with opened(store, first="recall") as app:
            await ask(app)
            assert set(injected(app)) == {shed, hall}
            await app.press("f")
            await app.write("scope:nowhere:")
            await app.write("kind:nothing")
            await app.press("enter")
            assert "kind is one of" in app.seen()
            await app.write("scope:global scope:project:shed")
            await app.press("enter")
            assert injected(app) == [shed] and left_out(app) == {hall: "scope"}
            assert "only scope:global" in app.seen()
            await app.press(">")
            assert not store.checks.all() and "clear the filter" in app.status
            await app.press("escape")
            assert set(injected(app)) == {shed, hall}

    async def test_the_filter_is_in_sight_while_a_prompt_is_typed(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await app.press("escape", "f")
            await app.write("kind:task")
            await app.press("enter")
            assert "only kind:task" in app.seen()
            await app.press("slash")
            await app.write(PROMPT)
            assert view(app).line.typing
            assert "Nothing relevant matches your filter." in app.seen() and "only kind:task" in app.seen()
            assert "A model would get nothing" not in app.seen()
            await app.press("escape", "f")
            await app.write("kind:relationship")
            await app.press("enter", "slash")
            assert view(app).line.typing and injected(app) == [tea] and "only kind:relationship" in app.seen()

    async def test_the_order_of_the_rows_is_said(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            assert "always given first, safety, asked about you, then by score" in app.seen()

    async def test_among_what_is_not_validated_nothing_is_given_where_that_must_be(
        self, store: Store, tea: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CURATOR_RECALL__REQUIRE_VALIDATION", "true")
        curation.validate(store, [tea])
        async with opened(store, first="recall") as app:
            await ask(app)
            assert injected(app) == [tea]
            for among, given in (("is:open", []), ("is:rejected", []), ("is:open is:validated", [tea])):
                await app.press("f")
                await app.write(among)
                await app.press("enter")
                assert injected(app) == given, among

    async def test_what_only_the_other_preset_gives_is_below_the_line(self, store: Store, tea: int) -> None:
        (far,) = put(store, "Sisal is rinsed")  # near in the lexical embedder because of its letters alone
        async with opened(store, first="recall") as app:
            await ask(app, "sister")
            await app.press("s", "l", "V", "h")
            assert left_out(app)[far].endswith(" by hybrid")
            view(app).list.move_to(list(view(app).list.ids).index(far))
            await app.rest()
            assert "no. 4 by hybrid" in note(app)

    async def test_the_form_of_the_block_can_be_chosen(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            view(app).action_choose("form")
            await app.pilot.pause()
            await app.press("r")
            assert "This is what I remember about you" in shown_block(app) and "unconfirmed" in shown_block(app)


class TestChecks:
    async def test_all_are_run_and_one_is_gone_to(self, store: Store, tea: int) -> None:
        (bicycle,) = store.list_ids(Filter(words=("bicycle",)))
        store.checks.expect("what do I own", bicycle, True)
        store.checks.expect(PROMPT, tea, True)
        curation.forget(store, [tea])
        async with opened(store, first="recall") as app:
            await app.press("escape", "c")
            assert "1 of 2 checks fail" in app.status
            seen = app.seen()
            assert seen.index(f"{tea} is missing (forgotten)") < seen.index("what do I own")
            await app.press("1")
            assert view(app).prompt == PROMPT and f"{tea} is missing (forgotten)" in app.seen()
        assert not store.recalls.uses([bicycle])

    async def test_a_prompt_is_asked_as_in_a_session_of_a_project(self, store: Store, tea: int) -> None:
        (always,) = put(store, "We never run npm here", project="desk", scope="project:desk")
        (other,) = put(store, "My sister drinks at the shop", project="shop", scope="project:shop")
        curation.set_given(store, [always], Given.ALWAYS)
        async with opened(store, first="recall") as app:
            await ask(app)
            assert always not in injected(app) and other in injected(app)
            await app.press("P")
            assert "all projects" in app.seen() and "1 memory" in app.seen()
            await app.press("1")
            assert view(app).question.project == "desk" and "in project desk" in app.seen()
            assert always in injected(app) and other not in injected(app) and tea in injected(app)
            await app.press(">")
            (check,) = store.checks.all()
            assert (check.query, check.project, check.must) == (PROMPT, "desk", (always,))
            await app.press("P", "a")
            assert view(app).question.project is None and "check 1" not in app.seen()
            await app.press("c", "1")
            assert view(app).question.project == "desk" and "check 1 passes" in app.seen()

    async def test_without_a_check_it_is_said_how_one_is_kept(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await app.press("escape", "c")
            assert "no checks yet" in app.status

    async def test_a_prompt_is_kept_with_what_must_be_given_and_must_not(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            other = injected(app)[1]
            await app.press(">", "j", "<")
            (check,) = store.checks.all()
            assert (check.query, check.must, check.must_not) == (PROMPT, (tea,), (other,))
            assert f"check {check.id} fails: memory {other} must not be included" in app.seen()
            await app.press("<")
            assert store.checks.all()[0].must_not == () and f"check {check.id} passes" in app.seen()
            await app.press("k", "d")
            assert f"check {check.id} fails: memory {tea} is missing (forgotten)" in app.seen()
            await app.press("u")
            assert f"check {check.id} passes" in app.seen()

    async def test_taken_back_it_is_gone_and_another_prompt_has_none(self, store: Store, tea: int) -> None:
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press(">")
            await ask(app, "my sister")
            assert "check " not in app.seen().splitlines()[1]
            await ask(app)
            await app.press(">")
            assert not store.checks.all() and "check " not in app.seen().splitlines()[1]


class TestLookingCloser:
    async def test_enter_opens_it_in_memories_and_o_its_source(self, store: Store) -> None:
        said = "My sister drinks tea every day."
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("talk", said, "Noted."))
        (talk,) = store.raw.get_conversations()
        first = store.raw.messages(talk.id)[0]
        (tea,) = put(store, "My sister drinks tea", evidence=(quote("drinks tea", said, first.id),))
        async with opened(store, first="recall") as app:
            await ask(app)
            await app.press("enter")
            assert app.view.NAME == "memories" and app.listing.current == tea
            await app.press("escape")
            assert app.view.NAME == "recall" and injected(app)[0] == tea and not view(app).line.typing
            await app.press("o")
            assert app.view.NAME == "sources"

    async def test_without_room_beside_the_list_tab_shows_the_block(self, store: Store, tea: int) -> None:
        async with opened(store, (60, 20), first="recall") as app:
            await ask(app)
            assert "<memories" not in app.seen()
            await app.press("tab")
            assert "<memories" in app.seen() and "left out" not in app.seen()
            await app.press("escape")
            assert "<memories" not in app.seen()


async def test_a_tokenizer_that_is_none_is_said_and_tokens_are_estimated(
    store: Store, tea: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_RECALL__TOKENIZER", "/no/such/tokenizer.json")
    async with opened(store, first="recall") as app:
        await ask(app)
        assert injected(app)[0] == tea and "tokens are estimated" in app.status


class TestBars:
    def hit(self, store: Store, product: bool = False, **parts: float) -> Hit:
        memory = store.get(store.list_ids(Filter())[0])
        return Hit(memory, sum(parts.values()), parts, (), product=product)

    def test_they_have_the_order_of_the_scores_and_the_longest_is_whole(self, store: Store, tea: int) -> None:
        hits = [self.hit(store, text=0.2, meaning=1.1, age=-0.2), self.hit(store, text=-0.5, meaning=0.9)]
        first, second = bars(hits)
        assert sum(first) == pytest.approx(1.0) and 0 < sum(second) < 1
        assert sum(second) == pytest.approx((0.9 + 0.2) / (0.7 + 1.1))
        assert len(first) == len(GROUPS)

    def test_factors_and_nothing_at_all_have_bars_too(self, store: Store, tea: int) -> None:
        ((words, meaning, _, standing),) = bars([self.hit(store, True, cosine=0.8, decay=0.5, warmth=1.5)])
        assert words == 0.0 and meaning == 0.0 and standing == 1.0
        assert bars([]) == []


def test_the_sections_of_a_block_and_its_frame_are_what_it_takes(store: Store, tea: int) -> None:
    hits = [Hit(memory, 1.0, {}, ()) for memory in store.get_many(store.list_ids(Filter()))]
    made = block(store, hits, 400)
    assert set(made.sections) == {"preference", "context"}
    assert 0 < sum(made.sections.values()) < made.tokens


async def test_a_memory_with_a_conflict_has_its_sign_beside_the_text(store: Store) -> None:
    pair = clash(store, "My sister drinks tea", "My sister drinks coffee")
    async with opened(store, (140, 40), first="recall") as app:
        await app.write(PROMPT)
        await app.press("enter")
        assert view(app).list.alerted == {pair.a.id, pair.b.id}
        assert "!  My sister drinks" in app.seen() and "has a conflict" in app.seen()
