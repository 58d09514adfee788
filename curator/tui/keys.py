"""Which keys do what in the running app: the preset with the person's own changes."""

from collections.abc import Mapping, Sequence

from textual.app import App

from curator.tui.actions import Action


def keys_of(app: "App[object]", action: Action) -> tuple[str, ...]:
    """The keys of an action in an app; those of the preset vim in one that has no `keys`, a map by id."""
    keys: Mapping[str, tuple[str, ...]] | None = getattr(app, "keys", None)
    return action.keys if keys is None else keys[action.id]


def key_names(keys: Sequence[str]) -> str:
    """Keys as a person calls them: `↓`, `esc`, `U`."""
    return " ".join(_NAMES.get(key, key) for key in keys)


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
