"""Settings dialogs: theme, keymap, layout, saved in the settings file."""

from collections.abc import Mapping
from string import ascii_lowercase
from typing import TYPE_CHECKING, TypeVar

from curator.errors import ConfigError
from curator.tui.messages import Tone
from curator.tui.screens.dialogs import Menu, Option
from curator.ui_defaults import Keymap, Layout

if TYPE_CHECKING:
    from curator.tui.commands.base_app import BaseApp

Name = TypeVar("Name", bound=str)

_KEYMAPS: Mapping[Keymap, str] = {
    "vim": "letters, as in vim",
    "plain": "arrows and function keys, no letters",
}
_LAYOUTS: Mapping[Layout, str] = {
    "auto": "adapts to the width of the terminal",
    "columns": "detail beside the list",
    "rows": "detail below the list",
    "list": "list only; enter opens the detail",
}


async def choose_theme(app: "BaseApp") -> None:
    """Ask for a theme; the one under the cursor is previewed."""
    from curator.tui.themes import DEFAULT

    names = sorted(app.available_themes, key=lambda name: (name != DEFAULT, name))
    before = app.theme
    options = []
    for place, name in enumerate(names):
        theme = app.available_themes[name]
        ground = "dark" if theme.dark else "light"
        about = f"the colours of your terminal, for {ground} backgrounds" if theme.ansi else ground
        options.append(Option(ascii_lowercase[place] if place < len(ascii_lowercase) else "", name, about))

    def preview(name: str) -> None:
        app.theme = name

    chosen = await app.push_screen_wait(Menu("Theme", options, before, moved=preview))
    app.theme = chosen or before
    if chosen is not None and chosen != before:
        await _keep(app, "theme", chosen)


async def change_settings(app: "BaseApp") -> None:
    """Ask for a setting, then for its value."""
    from curator.paths import config_file

    looks = app.looks
    options = [
        Option("c", "theme", app.theme),
        Option("k", "keymap", looks.keymap),
        Option("l", "layout", looks.layout),
    ]
    chosen = await app.push_screen_wait(Menu(f"Settings, saved in {config_file()}", options))
    if chosen == "theme":
        await choose_theme(app)
    elif chosen == "keymap":
        keymap = await _one(app, "Keymap", _KEYMAPS, looks.keymap)
        if keymap is not None:
            app.use_keys(keymap)
            await _keep(app, "keymap", keymap)
    elif chosen == "layout":
        layout = await _one(app, "Layout", _LAYOUTS, looks.layout)
        if layout is not None:
            app.use_layout(layout)
            await _keep(app, "layout", layout)


async def _one(app: "BaseApp", title: str, values: Mapping[Name, str], now: Name) -> Name | None:
    """Ask for a value; return None if the person cancels."""
    options = [Option(name[0], name, meaning) for name, meaning in values.items()]
    chosen = await app.push_screen_wait(Menu(title, options, now))
    return next((name for name in values if name == chosen), None)


async def _keep(app: "BaseApp", name: str, value: str) -> None:
    """Save a setting; if that fails, say that it holds until the person quits."""
    from curator.config import overridden, save

    try:
        save(f"look.{name}", value)
    except ConfigError as error:
        app.say(f"{name} set to {value} until you quit: {error}", Tone.BAD)
        return
    variable = overridden(f"look.{name}")
    if variable is not None:
        app.say(f"{name} set to {value}, but {variable} overrides it at the next start", Tone.BAD)
    else:
        app.say(f"{name} set to {value}", Tone.GOOD)
