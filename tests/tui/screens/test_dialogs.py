"""Dialogs: fast, repeated or late input is answered once, and no typed character is lost."""

from typing import Any

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.widgets import Input, Static, TextArea

from curator import curation
from curator.tui.app import CuratorApp
from curator.tui.memories.verb_view import VerbView
from curator.tui.screens.dialogs import Menu, Option, Page
from curator.tui.screens.edit_dialog import Edit
from curator.tui.screens.palette import Palette
from curator.tui.widgets.text_pane import TextPane
from effort import THOROUGH, some, thorough
from factories import put
from store import Filter, Store
from store.model import Kind, Tier
from tui.driver import QUICK, Driven, opened

pytestmark = thorough


async def burst(app: Driven, *keys: str) -> None:
    """Send keys faster than the app draws, as a terminal does with pasted or fast typing."""
    for key in keys:
        name = _character_to_key(key) if len(key) == 1 else key
        app.app.post_message(events.Key(name, key if len(key) == 1 else None))
    await app.rest()


async def test_what_is_typed_before_the_field_is_there_comes_into_it(store: Store) -> None:
    async with opened(store) as app:
        await burst(app, "A", *"I drink tea", "enter")
        assert [memory.text for memory in store.get_many(store.list_ids(Filter()))] == ["I drink tea"]


async def test_a_menu_is_answered_before_it_is_there(store: Store) -> None:
    (only,) = put(store, "one")
    async with opened(store) as app:
        await burst(app, "t", "c")
        assert store.get(only).tier is Tier.CORE
        await burst(app, "T", "down", "up", "enter")
        await burst(app, "t", "down", "enter")
        assert (store.get(only).kind, store.get(only).tier) == (Kind.FACT, Tier.LOW)


async def test_help_is_left_and_scrolled_before_it_is_there(store: Store) -> None:
    async with opened(store) as app:
        await burst(app, "?", "pagedown", "escape", "?", "escape", "escape")
        assert len(app.app.screen_stack) == 1


async def test_a_second_enter_does_not_add_twice_or_close_what_is_below(store: Store) -> None:
    async with opened(store) as app:
        await app.press("A")
        await app.write("I drink tea")
        await burst(app, "enter", "enter", "enter")
        assert store.count(Filter()) == 1 and len(app.app.screen_stack) == 1


async def test_an_action_of_the_palette_is_done_once(store: Store) -> None:
    put(store, "one", "two", "three")
    async with opened(store) as app:
        await app.press(":")
        await app.pilot.press(*"validate")
        await app.pilot.pause(0.4)
        await burst(app, "enter", "enter")
        await app.pilot.pause(0.2)
        assert [command.verb for command in store.journal.log()].count("validate") == 1


@pytest.mark.parametrize("key", some(["pagedown", "pageup", "down", "up"], 1))
async def test_keys_in_a_palette_that_lists_nothing(store: Store, key: str) -> None:
    async with opened(store) as app:
        await app.press(":")
        await app.pilot.press(*"qzx", key)
        await burst(app, *"x", key, key)
        assert isinstance(app.app.screen, Palette)


async def test_letters_on_their_way_when_the_palette_is_left(store: Store) -> None:
    async with opened(store) as app:
        for _ in range(5 if THOROUGH else 2):
            await burst(app, ":", "v", "escape")
            await burst(app, ":", "escape")
        assert len(app.app.screen_stack) == 1


async def test_a_question_below_another_page_leaves_when_that_has_gone(store: Store) -> None:
    (only,) = put(store, "one")
    async with opened(store) as app:
        await app.press("e")
        await app.write("one and a half")
        edit = app.app.screen
        assert isinstance(edit, Edit)
        app.app.push_screen(Page("all that came of an import", "Import"))
        edit.action_keep()
        await app.rest()
        assert store.get(only).text == "one and a half"
        assert [type(screen) for screen in app.app.screen_stack[1:]] == [Edit, Page]
        await app.press("escape")
        assert len(app.app.screen_stack) == 1


async def test_what_fails_while_words_are_kept_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "one")

    def fail(*_: Any) -> None:
        raise RuntimeError("broken")

    async with opened(store) as app:
        await app.press("e")
        monkeypatch.setattr(VerbView, "_perform", fail)
        monkeypatch.setattr(curation, "edit", fail)
        await app.write("two")
        await app.press("enter")
        assert "RuntimeError: broken" in app.app.failure
        app.app.failure = ""


@pytest.mark.parametrize("path", some(["\\x00", "x" * 5_000, "nowhere/at/all"], 1))
async def test_a_path_that_cannot_be_is_said_in_the_dialog(store: Store, path: str) -> None:
    async with opened(store) as app:
        await _ask_for_path(app)
        await app.write(path)
        await app.press("enter")
        assert len(app.app.screen_stack) == 2 and not app.app.failure


async def test_a_file_that_is_no_log_is_said_without_a_traceback(store: Store, tmp_path: Any) -> None:
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)))
    async with opened(store) as app:
        await _ask_for_path(app)
        await app.write(str(tmp_path / "noise.bin"))
        await app.press("enter")
        assert "no known log format" in " ".join(app.seen().split()) and not app.app.failure
        assert len(app.app.screen_stack) == 2


async def _ask_for_path(app: Driven) -> None:
    await app.press("I")
    if "its key" in app.seen():  # logs were found on this machine
        await app.press("p")


async def test_an_app_that_is_not_up_yet_takes_keys(store: Store) -> None:
    put(store, "one", "two")
    app = CuratorApp(store, first="memories", timings=QUICK)
    async with app.run_test() as pilot:
        app.post_message(events.Key("j", "j"))
        app.post_message(events.Key("question_mark", "?"))
        await pilot.pause(0.2)
        assert not app.failure
    app.finish()


ASKING = ["add", "tags", "scope", "edit", "palette", "outdated", "purge"]


@pytest.mark.parametrize(("ask", "size"), some([(ask, size) for size in ((120, 36), (80, 24)) for ask in ASKING], 3))
async def test_every_question_with_a_field_shows_what_is_typed(store: Store, size: tuple[int, int], ask: str) -> None:
    put(store, "one")
    async with opened(store, size) as app:
        action = f"decide('{ask}')" if ask in ("tags", "scope", "edit", "purge") else ask
        await app.app.run_action(action, app.view if action != ask else None)
        await app.rest()
        await app.press(*"zqx")
        field = app.app.focused
        assert isinstance(field, Input | TextArea) and field.region.height and "zqx" in app.seen()
        assert len(app.app.screen_stack) == 2


async def test_enter_right_after_a_text_typed_into_a_menu_takes_the_text(store: Store) -> None:
    answers: list[str | None] = []
    async with opened(store) as app:
        app.app.push_screen(Menu("Import a chat log", [Option("1", "found.zip")], begins="~"), answers.append)
        await app.rest()
        await burst(app, "~", "x", "enter")
        assert answers == ["~x"]


async def test_a_long_line_of_a_menu_is_indented_below_itself(store: Store) -> None:
    about = "2 memories may match, 1 in doubt · ChatGPT · A long title of a chat · 30 Mar 2026"
    async with opened(store, size=(80, 24)) as app:
        for title, indent in ("short", " 1  short  "), ("a title of some fifty characters, as requests have", "    "):
            app.app.push_screen(Menu("Which?", [Option("1", "1", about, title), Option("2", "2", "none", "x")]))
            await app.rest()
            lines = [line for line in app.seen().splitlines() if any(word in line for word in about.split())]
            first = next(number for number, line in enumerate(lines) if " 1  " in line)
            start = lines[first].index(" 1  ")
            assert lines[first + 1][start:].startswith(" " * len(indent)), "\n".join(lines)
            assert lines[first + 1][start + len(indent)] != " "
            await app.press("escape")


async def test_words_typed_before_the_search_field_is_there_are_no_verbs(store: Store) -> None:
    put(store, "tea one", "tea two")
    (dervla,) = put(store, "My physio is dervla", created_at=0)
    before = store.state_hash()
    async with opened(store) as app:
        await burst(app, "slash", *"dervla", "enter")
        assert app.ids == [dervla] and app.app.focused is app.listing
        await app.press("e")
        assert isinstance(app.app.screen, Edit) and "My physio is dervla" in app.seen()
        await app.press("escape", "escape")
        await burst(app, "slash", *"dervla", "enter", "e")
        assert not isinstance(app.app.screen, Edit) or "My physio is dervla" in app.seen()
        assert store.state_hash() == before


async def test_the_palette_offers_no_action_that_only_has_the_letters(store: Store) -> None:
    async with opened(store) as app:
        await app.press("?", "escape")
        assert not app.status, "nothing was cancelled"
        await app.press(":")
        await app.pilot.press(*"theme")
        await app.pilot.pause(0.4)
        await app.rest()
        assert "Choose a colour theme" in app.seen() and "The conversations your memories come from" not in app.seen()


async def test_the_help_is_never_drawn_narrower_than_its_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    update = Static.update

    def note(self: Static, content: Any = "", *, layout: bool = True) -> None:
        drawn.extend(str(content).splitlines() if isinstance(self.parent, TextPane) else ())
        update(self, content, layout=layout)

    monkeypatch.setattr(Static, "update", note)
    async with opened(store, size=(80, 24)) as app:
        drawn.clear()
        await app.press("?")
        await app.rest()
    first = {line for line in drawn if "Validate" in line}
    assert first == {"a               Validate: correct, keep it"}
