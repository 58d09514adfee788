"""Settings that are changed in the app and kept in the settings file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from curator.looks import ConfigError, Keymap, Layout
from curator.tui.areas.area import Tone
from curator.tui.screens.asking import Menu, Option

if TYPE_CHECKING:
    from curator.tui.app import CuratorApp

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
    from curator.tui.theming import DEFAULT

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
        named = await app.push_screen_wait(Menu("Keys", _options(_KEYMAPS), looks.keymap))
        for keymap in _KEYMAPS:
            if keymap == named:
                app.use_keys(keymap)
                await _keep(app, "keymap", keymap)
    elif chosen == "layout":
        named = await app.push_screen_wait(Menu("Layout", _options(_LAYOUTS), looks.layout))
        for layout in _LAYOUTS:
            if layout == named:
                app.use_layout(layout)
                await _keep(app, "layout", layout)


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


def _options(values: Mapping[Keymap, str] | Mapping[Layout, str]) -> list[Option]:
    return [Option(name[0], name, meaning) for name, meaning in values.items()]


def _letter(place: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[place] if place < 26 else ""


def _nature(app: "CuratorApp", name: str) -> str:
    theme = app.available_themes[name]
    return "the colours of your terminal" if theme.ansi else "dark" if theme.dark else "light"
