"""Settings dialogs: theme, keymap, layout, saved in the settings file."""

from collections.abc import Callable, Mapping
from string import ascii_lowercase
from typing import TypeVar

from curator.errors import ConfigError
from curator.tui.messages import Tone
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.view import BaseApp
from curator.ui_defaults import Keymap, Layout

Name = TypeVar("Name", bound=str)

_KEYMAPS: Mapping[Keymap, str] = {
    "vim": "letters, as in vim",
    "plain": "arrows and function keys, no letters",
}
_LAYOUTS: Mapping[Layout, str] = {
    "auto": "by the width of the terminal",
    "columns": "details beside the list",
    "rows": "details below the list",
    "list": "list only; enter opens the details",
}


async def choose_theme(app: BaseApp) -> None:
    """Ask for a theme; the one under the cursor is previewed."""
    from curator.tui.themes import DEFAULT

    names = sorted(app.available_themes, key=lambda name: (name != DEFAULT, name))
    before = app.theme
    options = []
    for index, name in enumerate(names):
        theme = app.available_themes[name]
        ground = "dark" if theme.dark else "light"
        about = f"the colours of your terminal, for {ground} backgrounds" if theme.ansi else ground
        options.append(Option(ascii_lowercase[index] if index < len(ascii_lowercase) else "", name, about))

    def preview(name: str) -> None:
        app.theme = name

    chosen = await app.push_screen_wait(Menu("Theme", options, before, moved=preview))
    app.theme = chosen or before
    if chosen is not None and chosen != before:
        await _keep(app, "theme", chosen)


async def change_settings(app: BaseApp) -> None:
    """Ask for a setting, then for its value."""
    from curator.paths import config_file

    looks = app.looks
    options = [Option(name[0], name, value) for name, value in (("keymap", looks.keymap), ("layout", looks.layout))]
    options.insert(0, Option("c", "theme", app.theme))
    chosen = await app.push_screen_wait(Menu(f"Settings, saved in {config_file()}", options))
    if chosen == "theme":
        await choose_theme(app)
    elif chosen == "keymap":
        await _choose(app, chosen, _KEYMAPS, looks.keymap, app.use_keys)
    elif chosen == "layout":
        await _choose(app, chosen, _LAYOUTS, looks.layout, app.use_layout)


async def _choose(
    app: BaseApp, name: str, values: Mapping[Name, str], current: Name, use: Callable[[Name], None]
) -> None:
    """Ask for a value, apply it and save it."""
    options = [Option(value[0], value, meaning) for value, meaning in values.items()]
    chosen = await app.push_screen_wait(Menu(name.capitalize(), options, current))
    for value in values:
        if value == chosen:
            use(value)
            await _keep(app, name, value)


async def _keep(app: BaseApp, name: str, value: str) -> None:
    """Save a setting; if that fails, report that it applies until the person quits."""
    from curator.config import overridden, save

    try:
        save(f"look.{name}", value)
    except ConfigError as error:
        app.say(f"{name} set to {value} until you quit: {error}", Tone.BAD)
        return
    if (variable := overridden(f"look.{name}")) is not None:
        app.say(f"{name} set to {value}, but {variable} overrides it at the next start", Tone.BAD)
    else:
        app.say(f"{name} set to {value}", Tone.GOOD)
