"""Which keys do what in the running app: the preset with the person's own changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from textual.app import App

from curator.tui.actions import EVERYWHERE, Action

_BY_NAME = {action.name: action for action in EVERYWHERE}


def keys_of(app: "App[Any]", action: Action) -> tuple[str, ...]:
    """The keys of an action in an app; those of the preset vim in one that has no `keys`, a map by id."""
    keys: Mapping[str, tuple[str, ...]] | None = getattr(app, "keys", None)
    return action.keys if keys is None else keys[action.id]


def key_names(keys: Sequence[str]) -> str:
    """Keys as a person calls them: `↓`, `esc`, `U`."""
    return " ".join(_NAMES.get(key, key) for key in keys)


def key_hint(app: "App[Any]", name: str) -> str:
    """The first key of what works everywhere, and what it is called: `u undo`. Without a key, what it is called."""
    action = _BY_NAME[name]
    return f"{key_names(keys_of(app, action)[:1])} {action.label}".strip()


def is_typed(key: str) -> bool:
    """Whether a key is a character, which a text field takes for itself."""
    return len(key) == 1 or key == "space"


_NAMES = {"down": "↓", "up": "↑", "pagedown": "pgdn", "pageup": "pgup", "escape": "esc", "delete": "del"} | {
    "shift+down": "shift+↓",
    "shift+up": "shift+↑",
    "ctrl+down": "ctrl+↓",
    "ctrl+up": "ctrl+↑",
    "insert": "ins",
    "left": "←",
    "right": "→",
}
