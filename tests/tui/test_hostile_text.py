"""Hostile text from logs: no screen lets through characters that act on the terminal or hide text."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from textual.events import Paste

from curator import curation
from curator.text import content_key
from curator.tui.screens.dialogs import Ask, Confirm, Dialog, Menu, Option, Page
from curator.tui.screens.edit_dialog import Edit
from curator.tui.screens.purge_dialog import ConfirmPurge
from curator.tui.text_format import signed
from effort import exhaustive, share, some, thorough
from factories import conversation, memory, put
from store import Filter, Store
from store.model import Kind
from tui import random_stores
from tui.conflict_pairs import clash
from tui.driver import Driven, opened
from tui.random_walk import unfit, walking

pytestmark = thorough

ESC = "\x1b[31mred\x1b[0m \u202egnp.exe tail"
WAYS: Sequence[tuple[str, ...]] = (
    ("2", "j", "j", "end"),
    ("2", "enter", "J", "J", "J"),
    ("2", "e"),
    ("2", "#"),
    ("2", "t"),
    ("2", "space", "space", "m"),
    ("2", "f", "down", "down", "down"),
    ("2", "/", "r", "e", "d"),
    ("2", "s"),
    ("1", "j", "j"),
    ("3", "m"),
    ("3", "f"),
    ("3", "M"),
    ("3", "B", "d"),
    ("5", "j", "j"),
    ("5", "enter", "n", "n", "J"),
    ("5", "f"),
    ("5", "X", "j", "j"),
    ("5", "X", "f"),
    ("5", "X", "e"),
    ("6",),
    ("7", "j", "j"),
    ("7", "G", "enter"),
    (":",),
    ("?",),
)


SIZES = ((120, 36), (80, 24), (40, 12))


@exhaustive
@pytest.mark.parametrize("size", some(SIZES, 2), ids=str)
async def test_every_screen_shows_what_acts_as_a_sign(store: Store, size: tuple[int, int]) -> None:
    random_stores.fill(store, 5, memories=80, talks=10, hostile=True)
    random_stores.decide(store, 5)
    async with walking(store, 1, "memories", size=size) as walk:
        walk.app.use_keys("vim")
        await walk.rest()
        for keys in WAYS:
            for key in keys:
                walk.press(key)
                await walk.rest()
                await walk.see()
                walk.sound()
            for _ in range(4):
                walk.press("escape")
            await walk.rest()


async def test_what_got_through_would_be_seen(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, ESC)
    monkeypatch.setattr("curator.tui.text_format.visible", str)
    async with opened(store) as app:
        assert "\\x1b" in unfit(app.app)


async def test_every_memory_in_full_shows_what_acts_as_a_sign(store: Store) -> None:
    random_stores.fill(store, 6, memories=share(60, 12), talks=6, hostile=True)
    async with walking(store, 1, "memories", size=(120, 60)) as walk:
        await walk.rest()
        for _ in range(store.count(Filter())):
            walk.press("down")
            await walk.rest()
            await walk.see()


async def test_a_palette_finds_hostile_memories(store: Store) -> None:
    put(store, f"find me {ESC}", "find me [red]x[/red] [@click=app.quit]y[/] [/")
    async with opened(store) as app:
        await app.press(":")
        await app.pilot.press(*"find")
        await app.pilot.pause(0.6)
        assert "[@click=app.quit]" in app.seen() and not unfit(app.app)


async def test_a_field_shows_signs_and_keeps_the_characters(store: Store) -> None:
    (only,) = put(store, ESC)
    async with opened(store) as app:
        await app.press("e")
        assert "␛[31mred" in app.seen() and not unfit(app.app)
        await app.pilot.press("!")
        await app.press("enter")
        assert store.get(only).text == f"{ESC}!"


async def test_an_editor_field_left_as_it_was_changes_nothing(store: Store) -> None:
    (only,) = put(store, ESC)
    async with opened(store) as app:
        await app.press("e", "enter")
        assert store.get(only).text == ESC and store.versions(only) == []


async def test_what_is_pasted_is_shown_as_signs(store: Store) -> None:
    put(store, "one")
    async with opened(store) as app:
        for way in (("A",), ("/",), ("?", "/"), (":",), ("e",)):
            await app.press(*way)
            await _paste(app, ESC)
            assert "␛[31mred" in app.seen() and not unfit(app.app), way
            await app.press("escape", "escape", "escape", "escape")


async def _paste(app: Driven, text: str) -> None:
    app.app.post_message(Paste(text))
    await app.pilot.pause(0.2)


async def test_a_rule_that_is_named_after_a_hostile_source_is_asked_about_in_signs(store: Store) -> None:
    for n in range(51):
        clash(store, f"I keep {n} bees", f"I keep {n} hives", sources=(ESC, ESC + "2"))
    async with opened(store, first="conflicts") as app:
        await app.press("M", "1")
        assert isinstance(app.app.screen, Confirm) and "␛[31mred" in app.seen() and not unfit(app.app)


async def test_every_question_shows_signs_whatever_stands_in_it(store: Store) -> None:
    async def keep(_text: str) -> str | None:
        return ESC

    made: tuple[Callable[[], Dialog[Any]], ...] = (
        lambda: Confirm(ESC, ESC),
        lambda: ConfirmPurge(ESC, ESC),
        lambda: Menu(ESC, [Option("x", ESC, ESC), Option("y", "y", ESC, ESC)], ESC),
        lambda: Ask(ESC, ESC, ESC, keep),
        lambda: Edit(ESC, ESC, keep, above=[ESC], problem=ESC),
        lambda: Page(ESC, ESC),
    )
    async with opened(store) as app:
        for make in made:
            with app.app._context():
                question = make()
                app.app.push_screen(question)
            await app.rest()
            assert app.seen().count("␛[31mred") >= 2 and not unfit(app.app), question
            if isinstance(question, Ask):
                await app.press("enter")
                assert not unfit(app.app)
            await app.press("escape")
            assert app.app.screen is app.frame


async def test_where_a_conversation_is_from_is_shown_in_signs(store: Store) -> None:
    with store.command("import", summary=ESC) as writer:
        store.raw.put_conversation(writer, conversation(ESC, ESC, "ok", source=ESC, project=ESC))
    async with opened(store, first="sources") as app:
        for keys in ((), ("enter",), ("escape", "f"), ("escape", "7")):
            await app.press(*keys)
            assert "␛[31m" in app.seen() and not unfit(app.app), keys


async def test_what_is_copied_from_a_conversation_does_nothing_to_where_it_is_pasted(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", f"{ESC}\nrm", "ok"))
    async with opened(store, first="sources") as app:
        await app.press("enter", "y")
        assert app.app.clipboard == "␛[31mred␛[0m ‹202e›gnp.exe tail\nrm"


async def test_a_facet_with_an_escape_in_it_filters(store: Store) -> None:
    with store.command("import") as writer:
        store.admit(writer, memory("one", project=ESC, key=content_key("one")))
        store.admit(writer, memory("two", kind=Kind.TASK, project="kiln"))
    async with opened(store) as app:
        await app.press("f")
        assert "␛[31mred" in app.seen() and not unfit(app.app)
        await app.press("escape", "/")
        await app.write(f'project:"{ESC}"')
        assert len(app.ids) == 1 and not unfit(app.app)


async def test_a_row_leaves_a_list_that_means_it_no_longer(store: Store) -> None:
    first, second, _ = put(store, "one", "two", "three")
    curation.reject(store, [first, second])
    async with opened(store) as app:
        await app.press("/")
        await app.write("is:rejected")
        await app.press("enter", "R")
        assert len(app.ids) == 1 and store.count(Filter()) == 2
        await app.press("/")
        await app.write("tier:medium")
        await app.press("enter", "t", "c")
        assert len(app.ids) == 1


async def test_signs_stand_where_the_characters_are() -> None:
    text = "a\x1bb\u202ec\td\ne\U000e0041f\u200dg"
    assert signed(text) == "a␛b�c\td␊e�f\u200dg" and len(signed(text)) == len(text)
    assert signed("plain ünïcode 日本") == "plain ünïcode 日本"
