"""The registry: every action can be reached, is explained, and works."""

import pytest
from textual.command import CommandPalette

from curator.tui import actions
from curator.tui.actions import EVERYWHERE, MEMORIES, Action
from curator.tui.app import CuratorApp
from curator.tui.screens.asking import ChooseTier, Confirm
from curator.tui.screens.help import Help
from curator.tui.screens.memories import MemoriesScreen
from making import put
from store import Store
from tui.driving import opened

HOMES = [
    (MEMORIES, MemoriesScreen),
    (EVERYWHERE, CuratorApp),
    (actions.HELP, Help),
    (actions.CONFIRM, Confirm),
    (actions.TIERS, ChooseTier),
]
EACH = [(action, home) for group, home in HOMES for action in group]


@pytest.mark.parametrize(("action", "home"), EACH, ids=lambda value: getattr(value, "name", None))
def test_every_action_has_a_method_words_and_a_way_to_it(action: Action, home: type) -> None:
    assert callable(getattr(home, f"action_{action.method.removeprefix('app.')}"))
    assert action.label and action.help
    assert action.keys or action.palette
    assert action.keys or not action.rank


@pytest.mark.parametrize("group", [MEMORIES + EVERYWHERE, actions.HELP, actions.CONFIRM, actions.TIERS])
def test_no_key_means_two_things(group: tuple[Action, ...]) -> None:
    keys = [key for action in group for key in action.keys]
    assert len(keys) == len(set(keys))


async def test_help_lists_every_key_and_can_be_narrowed(store: Store) -> None:
    put(store, "one")
    async with opened(store, (120, 70)) as app:
        await app.press("?")
        seen = app.seen()
        for action in (*MEMORIES, *EVERYWHERE):
            assert action.help in seen and action.shown_keys() in seen
        await app.press("slash")
        await app.write("forget")
        assert "Forget: it may be true" in app.seen() and "Half a screen" not in app.seen()
        await app.press("escape")
        assert "Half a screen" in app.seen()
        await app.press("escape")
        assert not isinstance(app.app.screen, Help)


async def test_help_scrolls_by_the_keys_of_the_list(store: Store) -> None:
    put(store, "one")
    async with opened(store, (80, 24)) as app:
        await app.press("?")
        assert "quarantine" not in app.seen()
        await app.press("pagedown", "pagedown", "j", "pagedown")
        assert "quarantine" in app.seen()
        await app.press("q")
        assert not isinstance(app.app.screen, Help) and app.app.is_running


async def test_the_palette_runs_an_action_by_its_name(store: Store) -> None:
    (only,) = put(store, "one")
    async with opened(store) as app:
        await app.press(":")
        assert isinstance(app.app.screen, CommandPalette)
        await app.pilot.press(*"validate")
        await app.pilot.pause(0.3)
        await app.press("enter")
        assert store.get(only).review == "validated"


async def test_the_key_line_names_what_works_now(store: Store) -> None:
    put(store, "one")
    async with opened(store, (140, 30)) as app:
        assert "a validate" in app.seen() and "esc back" not in app.seen()
        await app.press("space")
        assert "esc back" in app.seen()
        await app.press("escape", "slash")
        line = app.seen().splitlines()[-1]
        assert "a validate" not in line and "ctrl+p palette" in line


async def test_q_leaves(store: Store) -> None:
    put(store, "one")
    async with opened(store) as app:
        await app.pilot.press("q")
        await app.pilot.pause()
        assert not app.app.is_running
