"""Detail pane: everything about a memory, with text from logs shown inert."""

import asyncio
from dataclasses import fields, replace
from typing import Any

import pytest
from textual.widgets import Static

from curator import curation
from curator.compare.related import SimilarMemory
from curator.tui.glyphs import ASCII, UNICODE
from curator.tui.memories.detail_queries import Details, Former, FoundConflict, load
from curator.tui.memories.detail_render import SURPRISES, content
from curator.tui.text_diff import diff
from curator.tui.themes import shipped
from effort import some, thorough
from factories import conversation, memory, put, quote
from store import Store, clock
from store.model import (
    SURPRISE_WEIGHTS,
    Actor,
    Alert,
    Command,
    Kind,
    Life,
    NewEvidence,
    NewVersion,
    Origin,
    Relation,
    Review,
    Surprise,
    Tier,
    Uses,
    Version,
)
from tui.detail_app import Pane, shown
from tui.sample_store import HOSTILE, fill

SAFE = "Says [red]hi[/red] ␛[31mred␛[0m ‹202e›evil‹202c› a‹200b›b [@click=app.quit]x[/]"
DAY = clock.from_iso("2026-03-03T12:00:00")
AHEAD = clock.from_iso("2126-03-03T12:00:00")


def loaded(store: Store, number: int) -> Details:
    found = load(store, number)
    assert found is not None
    return found


def one(store: Store, text: str = "I like tea", **fields: object) -> Details:
    """Add a memory and return its details."""
    return loaded(store, put(store, text, **fields)[0])


class TestWhatIsBehindAMemory:
    async def test_everything_is_there(self, store: Store) -> None:
        seen = await shown(loaded(store, fill(store)["tea"]))
        for part in (
            "preference · core · ◆ validated · ▴ pinned",
            "confidence 90%",
            "importance 8 of 10 · rank new",
            "never recalled",
            "found by rule · Claude",
            "#drink #home",
            "EVIDENCE 2",
            "Claude · Kitchen plan · 3 Mar 2026",
            "reply: Next to the window",
            "Birthday list",
            "“Tea. Always tea.”",
            "VERSIONS 1 1 Feb 2026",
        ):
            assert part in seen.flat

    async def test_the_quote_is_marked_in_its_turn_without_colour_too(self, store: Store) -> None:
        seen = await shown(loaded(store, fill(store)["tea"]), size=(100, 40))
        assert "▏ you: “I really prefer tea, and please nothing with caffeine after six.” The machine" in seen.flat

    async def test_the_persons_score_overrides_the_confidence_and_says_so(self, store: Store) -> None:
        found = one(store, confidence=0.9)
        assert "your score" not in (await shown(found)).flat
        curation.score(store, [found.memory.id], 7)
        seen = await shown(loaded(store, found.memory.id))
        assert "your score 7 of 10 · replaces confidence 90%" in seen.flat

    async def test_how_often_and_when_it_was_recalled(self, store: Store) -> None:
        found = one(store)
        assert "never recalled" in (await shown(found)).flat
        assert "recalled 1 time, last 3 Mar 2026" in (await shown(replace(found, uses=Uses(1, DAY)))).flat
        assert "recalled 1,204 times" in (await shown(replace(found, uses=Uses(1_204, DAY)))).flat

    async def test_the_surprise_stands_in_its_parts_with_their_weights(self, store: Store) -> None:
        seen = await shown(one(store, surprise=Surprise(0.9, 0.0, 0.8, 0.4, 1.0)))
        for line in (
            "WHY IT WAS FOUND score 61%",
            "90% × 40% = 36% new information",
            "0% × 25% = 0% contradicts other memories",
            "80% × 20% = 16% specific",
            "40% × 10% = 4% you stressed it",
            "100% × 5% = 5% marks a change",
        ):
            assert line in seen.flat
        narrow = (await shown(one(store, surprise=Surprise(1.0, 0.0, 0.8, 0.4, 1.0)), size=(34, 40))).text
        assert "90% × 40% = 36%" in narrow and "100% ×  5% =  5%" in narrow, "only labels are broken"

    def test_every_part_of_the_surprise_has_a_weight_and_a_label(self) -> None:
        parts = [field.name for field in fields(Surprise)]
        assert list(SURPRISE_WEIGHTS) == list(SURPRISES) == parts
        assert Surprise(0.1, 0.3, 0.5, 0.7, 0.9).total == pytest.approx(0.04 + 0.075 + 0.1 + 0.07 + 0.045)

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"scope": "project:kiln", "project": "kiln"}, "only in project kiln"),
            ({"scope": "session:s-1"}, "only in session s-1"),
            ({"project": "kiln"}, "project kiln"),
            ({"expires_at": DAY, "kind": Kind.IDENTITY}, "expired 3 Mar 2026: not recalled"),
            ({"expires_at": AHEAD}, "valid until 3 Mar 2126"),
            ({"origin": Origin.IMPORT, "source": "claude-code"}, "imported as a memory · Claude Code"),
            ({"tier": Tier.LOW, "review": Review.VALIDATED}, "fact · low · ◆ validated"),
            ({"flag": "injection"}, "? quarantined: injection"),
        ],
    )
    async def test_where_and_how_long_it_holds(self, store: Store, fields: dict[str, Any], said: str) -> None:
        assert said in (await shown(one(store, **fields))).flat

    async def test_one_that_was_validated_is_no_longer_in_quarantine(self, store: Store) -> None:
        seen = await shown(one(store, flag="shared by Anna", review=Review.VALIDATED))
        assert "◆ validated" in seen.flat
        assert "shared by Anna" not in seen.flat and "before validating" not in seen.flat

    async def test_a_global_one_says_nothing_of_its_scope(self, store: Store) -> None:
        assert "only in" not in (await shown(one(store))).flat

    async def test_one_put_off_says_until_when(self, store: Store) -> None:
        found = one(store)
        with store.command("later") as writer:
            writer.update("memories", [found.memory.id], {"later_until": DAY})
        assert "snoozed until 3 Mar 2026" in (await shown(loaded(store, found.memory.id))).flat

    @thorough
    async def test_an_alert_names_the_other_memory_and_its_reasons(self, store: Store) -> None:
        seen = await shown(loaded(store, fill(store)["porto"]))
        conflict = "! contradiction 83% Lives in Lisbon with two flatmates (2024) Two homes: Lisbon and Porto"
        assert f"CONFLICTS 1 {conflict}" in seen.flat

    async def test_many_pieces_of_evidence_are_cut_and_counted(self, store: Store) -> None:
        quotes = tuple(NewEvidence(f"tea {number}", 0, 5, reference=f"r-{number}") for number in range(9))
        seen = await shown(one(store, evidence=quotes))
        assert "EVIDENCE 9" in seen.flat and "and 3 older" in seen.flat

    async def test_one_without_evidence_says_where_it_is_from(self, store: Store) -> None:
        number = curation.add(store, "I like tea").id
        assert "EVIDENCE 0 none: typed by you" in (await shown(loaded(store, number))).flat


class TestVersions:
    async def test_words_that_went_and_came_are_marked_in_sign_and_colour(self, store: Store) -> None:
        (number,) = put(store, "Lives in Lisbon with two flatmates")
        curation.edit(store, number, "Lives in Porto with two flatmates")
        theme = next(theme for theme in shipped()[0] if theme.name == "curator-dark")
        seen = await shown(loaded(store, number), theme="curator-dark")
        assert "Lives in [-Lisbon-]{+Porto+} with two flatmates" in seen.flat
        old, new = seen.styles["Lisbon"], seen.styles["Porto"]
        assert "strike" in old and str(theme.variables["diff-old"]).lower() in old.lower()
        assert "strike" not in new and str(theme.variables["diff-new"]).lower() in new.lower()

    async def test_a_merged_text_says_of_which_memory(self, store: Store) -> None:
        seen = await shown(one(store, versions=(NewVersion("I drink tea", DAY, merged_from=31),)))
        assert "3 Mar 2026 · merged from memory 31 I [-drink-]{+like+} tea" in seen.flat

    async def test_long_stretches_that_stayed_are_cut(self, store: Store) -> None:
        whole = " ".join(f"word{number}" for number in range(300))
        seen = await shown(one(store, whole, versions=(NewVersion(whole.replace("word150", "other"), DAY),)))
        said = seen.flat.partition("VERSIONS")[2]
        assert "word149 [-other-]{+word150+} word151" in said and "…" in said
        assert "word100" not in said and "word200" not in said

    async def test_many_are_cut_and_counted(self, store: Store) -> None:
        versions = tuple(NewVersion(f"I like tea {number}", number * clock.DAY) for number in range(12))
        assert "and 4 older" in (await shown(one(store, versions=versions))).flat


class TestWhatIsNotLive:
    @pytest.mark.parametrize(
        ("verb", "said"),
        [
            (curation.reject, "rejected by you on {day} restore puts it back in the inbox"),
            (curation.forget, "forgotten by you on {day} restore brings it back"),
        ],
    )
    async def test_who_let_it_go_and_what_brings_it_back(self, store: Store, verb: object, said: str) -> None:
        found = one(store)
        assert callable(verb)
        verb(store, [found.memory.id])
        after = loaded(store, found.memory.id)
        assert after.fate is not None
        seen = await shown(replace(after, fate=replace(after.fate, at=DAY)))
        assert said.format(day="3 Mar 2026") in seen.flat

    async def test_what_superseded_it_is_there_in_words(self, store: Store) -> None:
        old, new, last = put(store, "Lives in Faro", "Lives in Lisbon", "Lives in Porto", created_at=DAY)
        with store.command("merge") as writer:
            writer.update("memories", [old], {"life": "superseded", "superseded_by": new})
        seen = await shown(loaded(store, old))
        assert "superseded by you on" in seen.flat and "(merge)" in seen.flat
        assert "by Lives in Lisbon (2026)" in seen.flat and "the other stays" in seen.flat
        with store.command("supersede") as writer:
            writer.update("memories", [new], {"life": "superseded", "superseded_by": last})
        assert "and finally by Lives in Porto (2026)" in (await shown(loaded(store, old))).flat

    async def test_a_sweep_is_named_with_its_reason(self, store: Store) -> None:
        found = one(store, expires_at=DAY)
        with store.command("expire", Actor.SWEEP, "its time was over") as writer:
            writer.update("memories", [found.memory.id], {"life": "expired"})
        seen = await shown(loaded(store, found.memory.id))
        assert "expired by a sweep on" in seen.flat and "because its time was over" in seen.flat
        assert "valid until 3 Mar 2026" in seen.flat

    async def test_one_that_came_so_says_so(self, store: Store) -> None:
        with store.command("import", Actor.SWEEP) as writer:
            number = store.admit(writer, memory("I like tea", life=Life.FORGOTTEN)).added
        found = loaded(store, number or 0)
        assert found.fate is not None
        gone = replace(found, fate=replace(found.fate, at=DAY))
        assert "forgotten: imported that way on 3 Mar 2026" in (await shown(gone)).flat
        assert "forgotten restore brings it back" in (await shown(replace(gone, fate=None))).flat

    async def test_nothing_brings_a_purged_one_back(self, store: Store) -> None:
        found = one(store)
        curation.purge(store, [found.memory.id])
        seen = await shown(loaded(store, found.memory.id))
        assert "purged by you on" in seen.flat and "cannot be restored" in seen.flat

    async def test_a_live_one_says_nothing_of_it(self, store: Store) -> None:
        assert "restore" not in (await shown(one(store))).flat


class TestRelated:
    @thorough
    async def test_nothing_is_said_before_it_was_looked_for(self, store: Store) -> None:
        found = one(store)
        assert "SIMILAR" not in (await shown(found)).flat
        assert "SIMILAR none found yet" in (await shown(replace(found, related=()))).flat

    async def test_each_with_its_likeness_its_year_and_what_the_rules_say(self, store: Store) -> None:
        other = one(store, "I like green tea", created_at=DAY).memory
        third = one(store, "I do not like tea", created_at=DAY).memory
        dated = one(store, "I drank tea yesterday (2026-03-02)", created_at=DAY).memory
        near = (SimilarMemory(other, 0.874, Relation.UNSURE), SimilarMemory(third, 1.0, Relation.CONTRADICTION))
        seen = await shown(replace(one(store), related=(*near, SimilarMemory(dated, 0.5, Relation.UNSURE))))
        assert "SIMILAR 3 87% I like green tea (2026) 100% I do not like tea (2026) · possible conflict" in seen.flat
        assert "50% I drank tea yesterday (2026-03-02)" in seen.flat and "(2026-03-02) (2026)" not in seen.flat

    async def test_what_comes_later_leaves_the_pane_where_it_is_scrolled_to(self, store: Store) -> None:
        found = loaded(store, fill(store)["tea"])
        app = Pane()
        async with app.run_test(size=(60, 12)) as pilot:
            app.detail.show_details(found)
            await pilot.pause()
            app.detail.scroll_to(y=9, animate=False)
            await pilot.pause()
            app.detail.show_details(replace(found, related=()))
            await pilot.pause()
            assert app.detail.scroll_y == 9
            app.detail.show_details(one(store))
            await pilot.pause()
            assert app.detail.scroll_y == 0


class TestInbox:
    @thorough
    async def test_text_then_quote_then_what_it_resembles_then_scores_and_why(self, store: Store) -> None:
        ids = fill(store)
        near = (SimilarMemory(store.get(ids["lisbon"]), 0.7, Relation.UNSURE),)
        found = replace(loaded(store, ids["tea"]), related=near)
        seen = await shown(found, leading=True)
        parts = (
            "Prefers tea to coffee, never after six",
            "preference · core",
            "EVIDENCE 1 of 2",
            "“I really prefer tea",
            "SIMILAR 1 70% Lives in Lisbon with two flatmates (2024)",
            "MORE EVIDENCE 1",
            "“Tea. Always tea.”",
            "VERSIONS 1",
            "SCORES confidence 90%",
            "WHY IT WAS FOUND score 56%",
            "90% × 40% = 36% new information",
        )
        assert [part for part in parts if part not in seen.flat] == []
        places = [seen.flat.index(part) for part in parts]
        assert places == sorted(places)

    async def test_the_text_has_air_around_it(self, store: Store) -> None:
        seen = await shown(one(store, "I like tea"), leading=True)
        assert [line.strip() for line in seen.lines[:4]] == ["", "I like tea", "", "fact · medium · not reviewed"]

    async def test_one_that_no_gate_weighed_says_so(self, store: Store) -> None:
        seen = await shown(one(store, origin=Origin.IMPORT), leading=True)
        assert "WHY IT WAS FOUND imported as a memory: not scored" in seen.flat

    async def test_the_warning_of_quarantine_stands_before_the_evidence(self, store: Store) -> None:
        seen = await shown(loaded(store, fill(store)["flagged"]), leading=True)
        assert seen.flat.index("quarantined") < seen.flat.index("EVIDENCE")

    async def test_everything_of_the_other_form_is_there_too(self, store: Store) -> None:
        found = replace(loaded(store, fill(store)["tea"]), related=())
        plain, leading = await shown(found), await shown(found, leading=True)
        assert set(plain.flat.split()) - set(leading.flat.split()) == set()


def everywhere(store: Store) -> Details:
    """Return details in which every field that comes from a log is hostile."""
    with store.command("import") as writer:
        hostile = conversation("c", HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE)
        store.raw.put_conversation(writer, replace(hostile, title=HOSTILE))
    said = store.raw.messages(store.raw.get_conversations()[0].id)[2]
    evidence = (
        quote("evil", said.text, said.id),
        NewEvidence(HOSTILE, 0, len(HOSTILE), reference=HOSTILE, source=HOSTILE, title=HOSTILE, said_at=DAY),
        NewEvidence(HOSTILE, 0, len(HOSTILE), reference=HOSTILE, source=HOSTILE),
    )
    found = one(
        store,
        HOSTILE,
        evidence=evidence,
        tags=(HOSTILE,),
        project=HOSTILE,
        source=HOSTILE,
        scope=f"session:{HOSTILE}",
        flag=HOSTILE,
    )
    other = one(store, f"{HOSTILE} too").memory
    version = Version(HOSTILE, DAY, 3)
    return replace(
        found,
        memory=replace(found.memory, life=Life.SUPERSEDED),
        versions=(Former(version, tuple(diff(HOSTILE, HOSTILE.replace("evil", "good")))),),
        alerts=(FoundConflict(Alert(1, 1, 2, Relation.UPDATE, 0.5, (HOSTILE, HOSTILE), None), other, why=HOSTILE),),
        fate=Command(1, DAY, Actor.SWEEP, HOSTILE, 1, HOSTILE, None, True, None, ""),
        successors=(other,),
        related=(SimilarMemory(other, 0.5, Relation.UPDATE),),
    )


class TestTextFromLogs:
    @pytest.mark.parametrize("leading", [False, True], ids=["plain", "leading"])
    async def test_it_is_shown_in_every_field_and_does_nothing(self, store: Store, leading: bool) -> None:
        found = everywhere(store)
        seen = await shown(found, leading, size=(2_000, 90))
        assert not {"\x1b", "\u202e", "\u202c", "\u200b"} & set(seen.text)
        for where in (
            f"  {SAFE}\n",  # the memory
            f"#{SAFE}",
            f"project {SAFE}",
            f"only in session {SAFE}",
            f"found by rule · {SAFE}",
            f"quarantined: {SAFE}",
            f"({SAFE})",  # the verb
            f"because  {SAFE}",
            f"by  {SAFE} too",
            f"! update 50%  {SAFE} too",
            f"    {SAFE}\n",
            f"ChatGPT · {SAFE} · ",  # the title
            f"{SAFE} · {SAFE} · 3 Mar 2026",  # source and title where the log is elsewhere
            f"{SAFE} · {SAFE}\n",  # source and reference
            f"“{SAFE}”",
            f"you: {SAFE}",
            f"reply: {SAFE}",
            f"50%  {SAFE} too",
            "‹202e›[-evil-]{+good+}‹202c›",
            "‹202e›“evil”‹202c›",
        ):
            assert where in seen.text, where

    @pytest.mark.parametrize("width", [0, 1, 12, 23, 400])
    @pytest.mark.parametrize("leading", [False, True])
    def test_it_fits_any_width(self, store: Store, width: int, leading: bool) -> None:
        found = everywhere(store)
        assert "Says [red]hi[/red]" in " ".join(content(found, ASCII, width, leading).plain.split())

    @pytest.mark.parametrize(
        "text",
        ["x" * 10_000, "茶" * 10_000, "tea and " * 1_250, "e\u0301" * 5_000],
        ids=["line", "wide", "words", "marks"],
    )
    async def test_a_long_text_is_shown_whole(self, store: Store, text: str) -> None:
        app = Pane()
        async with app.run_test(size=(60, 30)) as pilot:
            app.detail.show_details(one(store, text))
            await pilot.pause()
            assert "more characters" not in str(app.detail.query_one(Static).content)
            assert app.detail.max_scroll_y > 60
            app.detail.scroll_end(animate=False)
            async with asyncio.timeout(10):  # it scrolls after the next refresh, late on a busy machine
                while app.detail.scroll_y < app.detail.max_scroll_y:
                    await pilot.pause(0.01)
            await pilot.pause()
            assert any("EVIDENCE" in line for line in app.lines())

    async def test_beyond_reason_it_is_cut_and_says_so(self, store: Store) -> None:
        plain = content(one(store, "x" * 30_000), UNICODE, 60).plain
        assert "… 18,000 more characters" in plain
        hidden = content(one(store, "\u200b" * 30_000 + "x"), UNICODE, 60).plain
        assert "more characters" in hidden and len(hidden) < 20_000

    async def test_lines_of_a_memory_stay_lines(self, store: Store) -> None:
        seen = await shown(one(store, "first line\nsecond line"))
        assert [line.strip() for line in seen.lines[:2]] == ["first line", "second line"]


class TestThePane:
    async def test_it_is_one_text(self, store: Store) -> None:
        app = Pane()
        async with app.run_test() as pilot:
            app.detail.show_details(loaded(store, fill(store)["tea"]))
            await pilot.pause()
            assert [type(child) for child in app.detail.walk_children()] == [Static]

    async def test_nothing_is_shown_for_no_memory(self, store: Store) -> None:
        app = Pane()
        async with app.run_test() as pilot:
            app.detail.show_details(one(store))
            app.detail.show_details(None)
            await pilot.pause()
            assert "".join(app.lines()).strip() == ""

    async def test_it_wraps_anew_when_its_size_changes(self, store: Store) -> None:
        app = Pane()
        async with app.run_test(size=(100, 40)) as pilot:
            app.detail.show_details(loaded(store, fill(store)["tea"]))
            await pilot.pause()
            assert max(map(len, app.lines())) > 60
            await pilot.resize_terminal(40, 40)
            await pilot.pause()
            assert all(len(line) <= 40 for line in app.lines())
            assert len([line for line in app.lines() if "▏" in line]) > 12

    @pytest.mark.parametrize("theme", some([theme.name for theme in shipped()[0]], 2))
    async def test_every_theme_can_draw_it(self, store: Store, theme: str) -> None:
        seen = await shown(everywhere(store), theme=theme)
        assert "WHY IT" not in seen.flat and "EVIDENCE 3" in seen.flat
