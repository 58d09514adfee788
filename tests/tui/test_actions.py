"""The action registry: every action can be reached, is explained, and works."""

import asyncio

import pytest
from textual.command import CommandPalette, Hits

from curator.tui import actions
from curator.tui.actions import SCOPES, Group, view_actions
from curator.tui.app import CuratorApp
from curator.tui.conflicts.view import Conflicts
from curator.tui.history.view import History
from curator.tui.insights.view import Insights
from curator.tui.keymap import key_names
from curator.tui.memories.inbox import Inbox
from curator.tui.memories.view import Memories
from curator.tui.recall.view import Recall
from curator.tui.screens.dialogs import Ask, Confirm, Menu, Page
from curator.tui.screens.edit_dialog import Edit
from curator.tui.screens.help import Help
from curator.tui.screens.palette import Finder
from curator.tui.screens.purge_dialog import ConfirmPurge
from curator.tui.sources.view import Sources
from curator.tui.sweeps.view import Sweeps
from curator.tui.view import View
from effort import some, thorough
from factories import put
from store import Store
from tui.driver import opened

VIEWS: tuple[type[View], ...] = (Inbox, Memories, Conflicts, Recall, Sources, Insights, History, Sweeps)
HOMES = [
    *((SCOPES[view.NAME], view) for view in VIEWS),
    (actions.HELP, Help),
    (actions.CONFIRM, Confirm),
    (actions.CHOICE, Menu),
    (actions.EDITING, Edit),
    (actions.DIALOG, Ask),
    (actions.DIALOG, ConfirmPurge),
    (actions.PAGE, Page),
]
EACH = [(action, home) for group, home in HOMES for action in group]


def test_every_action_has_a_method_words_and_a_way_to_it() -> None:
    for action, home in EACH:
        owner = CuratorApp if action.method.startswith("app.") else home
        assert callable(getattr(owner, f"action_{action.method.removeprefix('app.')}"))
        assert action.label and action.help, action.id
        assert action.keys or action.palette, action.id
        assert action.plain or action.palette or not action.keys or action.id.startswith("half-"), action.id
        assert action.keys or not action.rank, action.id


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("preset", ["keys", "plain"])
def test_no_key_means_two_things(scope: str, preset: str) -> None:
    keys = [key for action in SCOPES[scope] for key in getattr(action, preset)]
    assert len(keys) == len(set(keys))


def test_a_key_means_the_same_in_every_area() -> None:
    meanings: dict[str, set[str]] = {}
    for action in view_actions():
        for key in action.keys:
            meanings.setdefault(key, set()).add(action.label)
    assert {key: labels for key, labels in meanings.items() if len(labels) > 1} == NAMED_ANEW


NAMED_ANEW = {
    "a": {"validate", "admit"},  # right: keep it
    "e": {"edit", "reword", "edit draft"},  # right, in better words
    "c": {"find conflict", "checks"},  # find what may be wrong
    "m": {"merge", "draft"},  # make one of several
    "x": {"reject", "reject both"},  # wrong or junk
    "enter": {
        "read",
        "open",
        "show",
        "show memories",
        "failures",
        "keep this",
    },  # a closer look at what is highlighted
    "s": {"sort", "preset"},  # another order
    "V": {"side by side", "compare preset"},  # one beside the other
    "+": {"raise score", "useful"},  # more of it
    "-": {"lower score", "not useful"},  # less of it
    "*": {"mark all", "keep in group"},  # all of them
    "R": {"restore", "retry"},  # once more
    "P": {"pause", "project"},  # by their first letter
    "tab": {"next pane", "next side"},
    "shift+tab": {"previous pane", "previous side"},
    "left": {"left", "fold", "previous side"},
    "right": {"right", "unfold", "next side"},
}
"""Keys with the same meaning under another name, which fits the listed items."""


def test_the_help_fits_its_page() -> None:
    assert [action.id for action in view_actions() if len(action.help) > 62] == []


def test_actions_with_one_id_have_the_same_keys() -> None:
    keys = {(action.id, action.keys, action.plain) for action in view_actions()}
    assert len(keys) == len({action.id for action in view_actions()})


@thorough
async def test_help_lists_every_key_and_can_be_narrowed(store: Store) -> None:
    put(store, "one")
    async with opened(store, (120, 120)) as app:
        await app.press("?")
        seen = app.seen()
        for action in SCOPES["memories"]:
            assert action.help in seen and key_names(action.keys) in seen
        await app.press("slash")
        await app.write("forget")
        assert "Forget: keep it out" in app.seen() and "Half a screen" not in app.seen()
        await app.press("escape")
        assert "Half a screen" in app.seen()
        await app.press("escape")
        assert not isinstance(app.app.screen, Help)


@thorough
@pytest.mark.parametrize("width", some([50, 60, 80, 120], 1))
async def test_help_is_cut_into_lines_that_stand_under_their_text(store: Store, width: int) -> None:
    put(store, "one")
    async with opened(store, (width, 300)) as app:
        await app.press("?")
        lines = app.seen().splitlines()
        left = next(line.index("REVIEW") for line in lines if "REVIEW" in line)
        heads = {group.upper() for group in Group}
        body = [line[left:].rstrip() for line in lines[next(n for n, line in enumerate(lines) if "REVIEW" in line) :]]
        keys = {row[:16].strip() for row in body[: body.index("SYMBOLS")]} - heads - {""}
        assert keys == {key_names(action.keys) or f": {action.label}" for action in SCOPES["memories"]}


@thorough
async def test_help_is_cut_anew_for_another_width(store: Store) -> None:
    put(store, "one")
    async with opened(store, (120, 300)) as app:
        await app.press("?")
        long = max((action.help for action in SCOPES["memories"]), key=len)
        assert long in app.seen()
        await app.pilot.resize_terminal(60, 300)
        await app.rest()
        assert long not in app.seen() and long.split()[-1] in app.seen()


@thorough
async def test_help_scrolls_by_the_keys_of_the_list(store: Store) -> None:
    put(store, "one")
    async with opened(store, (80, 24)) as app:
        await app.press("?")
        assert "quarantine" not in app.seen()
        await app.press(*["pagedown", "j"] * 8)
        assert "quarantine" in app.seen()
        await app.press("q")
        assert not isinstance(app.app.screen, Help) and app.app.is_running


@thorough
async def test_the_palette_runs_an_action_by_its_name(store: Store) -> None:
    (only,) = put(store, "one")
    async with opened(store) as app:
        await app.press(":")
        assert isinstance(app.app.screen, CommandPalette)
        await app.pilot.press(*"validate")
        await app.pilot.pause(0.3)
        await app.press("enter")
        assert store.get(only).review == "validated"


@thorough
async def test_the_key_line_names_what_works_now(store: Store) -> None:
    put(store, "one")
    async with opened(store, (140, 30)) as app:
        assert "a validate" in app.seen() and "esc back" not in app.seen()
        await app.press("space")
        assert "esc back" in app.seen()
        await app.press("escape", "slash")
        line = app.seen().splitlines()[-1]
        assert "a validate" not in line and "ctrl+p palette" in line


@thorough
async def test_q_leaves(store: Store) -> None:
    put(store, "one")
    async with opened(store) as app:
        await app.pilot.press("q")
        await app.pilot.pause()
        assert not app.app.is_running


@thorough
async def test_the_palette_runs_nothing_that_was_listed_before_the_search(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory,) = put(store, "Nora lives in Porto")
    searched, search = asyncio.Event(), Finder.search

    async def held(finder: Finder, query: str) -> Hits:
        await searched.wait()
        async for hit in search(finder, query):
            yield hit

    monkeypatch.setattr(Finder, "search", held)
    async with opened(store) as app:
        await app.press(":")
        await app.pilot.press(*"reject", "enter")
        await app.pilot.pause(0.1)
        assert isinstance(app.app.screen, CommandPalette) and store.get(memory).review == "open"
        searched.set()
        await app.pilot.pause(0.3)
        await app.rest()
        assert store.get(memory).review == "rejected"


@thorough
async def test_the_palette_runs_the_best_match_even_if_others_were_listed_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """List each match as it arrives, as on a slow machine: "settings" comes before "theme" because of its help text."""
    monkeypatch.setattr(CommandPalette, "_RESULT_BATCH_TIME", -1)
    put(store, "Nora lives in Porto", "Nora lives in Faro")
    async with opened(store) as app:
        await app.press("space", "down", "space", ":")
        await app.pilot.press(*"theme", "enter")
        await app.pilot.pause(0.3)
        await app.rest()
        assert "colour-blind" in app.seen()
