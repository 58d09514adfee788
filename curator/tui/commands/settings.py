"""Settings that are changed in the app and kept in the settings file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from curator.errors import ConfigError
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.view import Tone
from curator.ui_defaults import Keymap, Layout

if TYPE_CHECKING:
    from curator.tui.app import CuratorApp

Name = TypeVar("Name", bound=str)

_KEYMAPS: Mapping[Keymap, str] = {
    "vim": "letters, as in vim and mail clients",
    "plain": "arrows and function keys, no letters",
}
_LAYOUTS: Mapping[Layout, str] = {
    "auto": "by the width of the terminal",
    "columns": "the detail beside the list",
    "rows": "the detail below the list",
    "list": "the list alone; enter reads",
}


async def choose_theme(app: "CuratorApp") -> None:
    """Ask for the colours; the one under the cursor is tried on at once."""
    from curator.tui.themes import DEFAULT

    names = sorted(app.available_themes, key=lambda name: (name != DEFAULT, name))
    before = app.theme
    options = [Option(_letter(place), name, _nature(app, name)) for place, name in enumerate(names)]

    def try_on(name: str) -> None:
        app.theme = name

    chosen = await app.push_screen_wait(Menu("Colours", options, before, moved=try_on))
    app.theme = chosen or before
    if chosen is not None and chosen != before:
        await _keep(app, "theme", chosen)


async def settle(app: "CuratorApp") -> None:
    """Ask what to set, then to what."""
    from curator.paths import config_file

    looks = app.looks
    options = [
        Option("c", "theme", f"now {app.theme}"),
        Option("k", "keymap", f"now {looks.keymap}"),
        Option("l", "layout", f"now {looks.layout}"),
    ]
    chosen = await app.push_screen_wait(Menu(f"Settings, kept in {config_file()}", options))
    if chosen == "theme":
        await choose_theme(app)
    elif chosen == "keymap":
        keymap = await _one(app, "Keys", _KEYMAPS, looks.keymap)
        if keymap is not None:
            app.use_keys(keymap)
            await _keep(app, "keymap", keymap)
    elif chosen == "layout":
        layout = await _one(app, "Layout", _LAYOUTS, looks.layout)
        if layout is not None:
            app.use_layout(layout)
            await _keep(app, "layout", layout)


async def _one(app: "CuratorApp", title: str, values: Mapping[Name, str], now: Name) -> Name | None:
    """Ask which; None if the person left."""
    options = [Option(name[0], name, meaning) for name, meaning in values.items()]
    chosen = await app.push_screen_wait(Menu(title, options, now))
    return next((name for name in values if name == chosen), None)


async def _keep(app: "CuratorApp", name: str, value: str) -> None:
    """Write a setting down. Where that cannot be done, it holds until the person leaves, and it is said."""
    from curator.config import overridden, save

    try:
        save(f"look.{name}", value)
    except ConfigError as error:
        app.say(f"{name} is {value} until you leave: {error}", Tone.BAD)
        return
    variable = overridden(f"look.{name}")
    if variable is not None:
        app.say(f"{name} is {value}, and kept; but {variable} says otherwise at the next start", Tone.BAD)
    else:
        app.say(f"{name} is {value} from now on", Tone.GOOD)


def _letter(place: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[place] if place < 26 else ""


def _nature(app: "CuratorApp", name: str) -> str:
    theme = app.available_themes[name]
    ground = "dark" if theme.dark else "light"
    return f"the colours of your terminal, if it is {ground}" if theme.ansi else ground
