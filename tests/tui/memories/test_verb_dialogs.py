"""Verbs that change memories or open a dialog, on the cursor and on marks: their effect on the store."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Input

from effort import THOROUGH, some, thorough
from factories import put
from store import Filter, Store
from store.model import Kind, Life, Relation, Review, Tier
from tui.driver import opened


@pytest.fixture
def ids(store: Store) -> list[int]:
    """Store four memories; return their ids as listed, from the top."""
    return put(store, "one", "two", "three", "four")[::-1]


EACH = [
    (("l",), "later_until", None),
    (("t", "c"), "tier", Tier.CORE),
    (("t", "down", "enter"), "tier", Tier.LOW),
    (("T", "p"), "kind", Kind.PREFERENCE),
    (("+",), "user_score", 6),
    (("-",), "user_score", 4),
]


@thorough
@pytest.mark.parametrize(
    ("keys", "field", "value", "marked"),
    some([(*one, marked) for one in EACH for marked in (False, True)], 4),
    ids=lambda value: "+".join(value) if isinstance(value, tuple) else None,
)
async def test_a_verb_on_cursor_and_marks(
    store: Store, ids: list[int], keys: tuple[str, ...], field: str, value: object, marked: bool
) -> None:
    former = {memory: getattr(store.get(memory), field) for memory in ids}
    before = store.state_hash()
    async with opened(store) as app:
        await app.press(*(("space", "j", "space") if marked else ()), *keys)
        now = {memory: getattr(store.get(memory), field) for memory in ids}
        changed = [memory for memory in ids if now[memory] != former[memory]]
        assert changed == ([ids[0], ids[2]] if marked else [ids[0]])
        assert value is None or now[ids[0]] == value
        assert store.journal.log(limit=1)[0].count == len(changed) and "u undo" in app.status
        await app.press("u")
        assert store.state_hash() == before


@thorough
async def test_tags_of_one_memory_are_what_stands_in_the_field(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("#")
        await app.write("Work #home")
        await app.press("enter")
        assert store.get(ids[0]).tags == ("home", "work")
        await app.press("#")
        assert "home work" in app.seen()
        await app.write("work")
        await app.press("enter")
        assert store.get(ids[0]).tags == ("work",)
        await app.press("#")
        await app.write("")
        await app.press("enter")
        assert store.get(ids[0]).tags == ()


@thorough
async def test_tags_of_several_are_added_and_removed(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("#")
        await app.write("old")
        await app.press("enter")
        await app.press("space", "space", "#")
        await app.write("new -old")
        await app.press("enter")
        assert [store.get(memory).tags for memory in ids] == [("new",), ("new",), (), ()]
        await app.press("#")
        await app.write("two words")
        await app.press("escape")
        assert store.get(ids[2]).tags == ()


@thorough
async def test_scope_is_asked_and_checked(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press(":")
        await app.pilot.press(*"scope")
        await app.pilot.pause(0.4)
        await app.press("enter")
        await app.write("project:kiln")
        await app.press("enter")
        assert store.get(ids[0]).scope == "project:kiln"


@thorough
@pytest.mark.parametrize("scope", some(["project:", "nowhere", "place:home"], 1))
async def test_what_is_no_scope_stays_to_be_corrected(store: Store, ids: list[int], scope: str) -> None:
    before = store.state_hash()
    async with opened(store) as app:
        app.view.action_decide("scope")  # type: ignore[attr-defined]
        await app.rest()
        await app.write(scope)
        await app.press("enter", "end", "d", "x")
        assert "a scope is global" in app.seen() and isinstance(app.app.focused, Input)
        assert app.app.focused.value == f"{scope}dx" and store.state_hash() == before


@thorough
async def test_edit_keeps_the_former_words(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("e")
        assert "four" in app.seen()
        await app.write("four and a half")
        await app.press("enter")
        assert store.get(ids[0]).text == "four and a half"
        assert [version.text for version in store.versions(ids[0])] == ["four"]
        assert "four and a half" in app.seen()


@thorough
async def test_words_that_cannot_be_kept_stay_in_the_field(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("e")
        await app.write("three")
        await app.press("enter")
        assert f"memory {ids[1]} says the same" in app.seen() and store.get(ids[0]).text == "four"
        await app.write("three, said better")
        await app.press("enter")
        assert store.get(ids[0]).text == "three, said better" and len(app.app.screen_stack) == 1


@thorough
async def test_edit_is_for_one(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("space", "space", "e")
        assert "this works on one" in app.status and len(app.app.screen_stack) == 1


@thorough
@pytest.mark.skipif(os.name != "posix", reason="the editor of this test is a shell script")
async def test_the_persons_editor(
    store: Store, ids: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor.sh"
    script.write_text('#!/bin/sh\necho "four, from outside" > "$1"\n', encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("VISUAL", str(script))
    async with opened(store) as app:
        back = []

        @contextlib.contextmanager
        def away() -> Iterator[None]:
            yield
            back.append("as Textual has it: not after an exception")

        monkeypatch.setattr(app.app, "suspend", away)
        await app.press("E")
        assert store.get(ids[0]).text == "four, from outside"
        script.write_text('#!/bin/sh\necho "three" > "$1"\n', encoding="utf-8")
        await app.press("E")
        assert "says the same" in app.seen(), "what was written outside is offered again"
        await app.press("escape")
        script.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        await app.press("E")
        assert "ended with 3" in app.status
        monkeypatch.setenv("VISUAL", str(tmp_path / "no such editor"))
        await app.press("E")
        assert "cannot run the editor" in app.status and len(back) == 4


@thorough
async def test_merge_shows_the_draft_and_its_sources(store: Store) -> None:
    short, long, other = put(store, "likes tea", "likes green tea without sugar", "owns a bicycle")
    before = store.state_hash()
    async with opened(store) as app:
        await app.press("j", "space", "space", "m")
        seen = app.seen()
        assert "Merge 2 memories" in seen and "· likes tea" in seen and "· likes green tea without sugar" in seen
        assert store.state_hash() == before
        await app.write("likes green tea, no sugar")
        await app.press("enter")
        (stays,) = [memory for memory in (short, long) if store.get(memory).life is Life.LIVE]
        gone = short if stays == long else long
        assert store.get(stays).text == "likes green tea, no sugar" and store.get(stays).review is Review.VALIDATED
        assert store.get(gone).superseded_by == stays
        assert {"likes tea", "likes green tea without sugar"} == {version.text for version in store.versions(stays)}
        assert sorted(app.ids) == sorted([stays, other])
        await app.press("u")
        assert store.state_hash() == before and len(app.ids) == 3


@thorough
async def test_merge_of_two_scopes_names_the_way_in_the_app(store: Store) -> None:
    put(store, "likes tea")
    put(store, "likes green tea", scope="project:shop")
    async with opened(store) as app:
        await app.press("space", "space", "m")
        assert "different scopes: mark them and run `scope` first" in app.status


@thorough
async def test_merge_of_one_takes_what_it_has_an_alert_with(store: Store) -> None:
    lisbon, porto, _ = put(store, "lives in Lisbon", "lives in Porto", "owns a bicycle")
    with store.command("alert") as writer:
        store.alerts.put(writer, lisbon, porto, Relation.CONTRADICTION, 0.8, ["same slot"])
    async with opened(store) as app:
        await app.press("m")
        assert "no duplicate found" in app.status
        await app.press("j", "m")
        assert "they contradict each other" in app.seen()
        await app.press("enter")
        assert {store.get(lisbon).life, store.get(porto).life} == {Life.LIVE, Life.SUPERSEDED}


@thorough
async def test_supersede_by_the_one_under_the_cursor(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("space", "space")  # the first two are marked, the cursor is on the third
        app.view.action_decide("supersede")  # type: ignore[attr-defined]
        await app.rest()
        assert "supersedes 2 memories" in app.seen()
        await app.press("y")
        assert [store.get(memory).superseded_by for memory in ids] == [ids[2], ids[2], None, None]
        assert app.ids == ids[2:]
        await app.press("u")
        assert app.ids == ids


@thorough
async def test_restore_from_what_was_forgotten(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("d", "slash")
        await app.write("is:forgotten")
        await app.press("enter")
        assert app.ids == [ids[0]] and "forgotten" in app.seen()
        assert "R restore" in app.seen().splitlines()[-1] and "a validate" not in app.seen().splitlines()[-1]
        await app.press("R")
        assert store.get(ids[0]).life is Life.LIVE and app.ids == []


@thorough
@pytest.mark.parametrize("size", some([(80, 24), (120, 36)], 1))
async def test_purge_needs_the_word_in_a_field_that_is_seen(
    store: Store, ids: list[int], size: tuple[int, int]
) -> None:
    async with opened(store, size) as app:
        app.view.action_decide("purge")  # type: ignore[attr-defined]
        await app.rest()
        said = " ".join(app.seen().replace("│", " ").split())
        assert "no longer be undone as a whole" in said and "Type purge and press enter" in said
        for answer in ("", "yes", "Purge"):
            await app.press(*answer)
            field = app.app.focused
            assert isinstance(field, Input) and field.value == answer and f"│ {answer}" in app.seen()
            await app.press("enter")
            said = f"“{answer}” is not purge: nothing was erased" if answer else "Nothing typed yet"
            assert said in app.seen() and len(app.app.screen_stack) == 2
            assert store.get(ids[0]).life is Life.LIVE
            field.value = ""
        await app.press("tab", "enter")
        assert len(app.app.screen_stack) == 1 and store.get(ids[0]).life is Life.LIVE
        app.view.action_decide("purge")  # type: ignore[attr-defined]
        await app.rest()
        await app.press(*"purge", "enter")
        assert store.get(ids[0]).life is Life.PURGED and store.get(ids[0]).text == ""
        assert app.status == "purged 1 memory"


@thorough
async def test_repeat_does_the_last_verb_here(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press(".")
        assert store.journal.log(limit=1)[0].verb == "add"
        await app.press("t", "l", "j", ".", "j", "space", "space", ".")
        assert [store.get(memory).tier for memory in ids] == [Tier.LOW] * 4


@thorough
async def test_a_range_follows_the_cursor(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("v", "j", "j")
        assert app.listing.marks == set(ids[:3])
        await app.press("k")
        assert app.listing.marks == set(ids[:2])
        await app.press("v", "j", "j")
        assert app.listing.marks == set(ids[:2])
        await app.press("escape", "k", "shift+up")
        assert app.listing.marks == set(ids[1:3])


@thorough
async def test_copy_goes_to_the_terminal(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        copied: list[str] = []
        app.app.copy_to_clipboard = copied.append  # type: ignore[method-assign,assignment]
        await app.press("y", "space", "space", "y")
        assert copied == ["four", "four\nthree"]


@thorough
@pytest.mark.parametrize(
    ("decision", "keys", "marks"),
    [
        ("validate", ("a",), 0),
        ("reject", ("x",), 0),
        ("forget", ("d",), 0),
        ("tier", ("t", "c"), 0),
        ("merge", ("m", "enter"), 2),
    ],
)
async def test_keys_for_each_decision(
    store: Store, ids: list[int], decision: str, keys: tuple[str, ...], marks: int
) -> None:
    """Press one key for validate, reject, forget and undo, two for a tier, four for a merge with its marks."""
    pressed = (*["space"] * marks, *keys)
    assert len(pressed) == {"tier": 2, "merge": 4}.get(decision, 1)
    before = store.state_hash()
    async with opened(store) as app:
        await app.press(*pressed)
        assert store.journal.log(limit=1)[0].verb == decision
        await app.press("u")
        assert store.state_hash() == before


@thorough
async def test_a_bulk_of_many_is_asked_about_with_its_number_and_is_one_undo(store: Store) -> None:
    count = 3_000 if THOROUGH else 1_100
    put(store, *(f"memory number {n}" for n in range(count)))
    before = store.state_hash()
    async with opened(store) as app:
        await app.press("*", "a")
        assert f"Validate {count:,} memories?" in app.seen() and store.state_hash() == before
        await app.press("y")
        assert store.count(Filter(reviews=(Review.VALIDATED,))) == count
        await app.press("u")
        assert store.state_hash() == before
