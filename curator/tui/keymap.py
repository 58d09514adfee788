"""Keymap: the keys of each action, from a preset and the table [keys] of the settings."""

import string
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from textual.app import App
from textual.keys import KEY_NAME_REPLACEMENTS

from curator.display import truncate
from curator.errors import ConfigError
from curator.tui.actions import Action, view_actions

Map = dict[str, tuple[str, ...]]
"""Keys by action ID; the app shows the first one."""


_FIELD = "a field"
"""The scope whose actions take precedence over the focused text field."""

_WRITING = {"space", "backspace", "delete"}
_LEFT = "it is the only way out"
_NEEDED = {
    "palette": "actions without a key are found there",
    "back": "it is the only way back",
    "quit": "it is the only way to quit",
    "cancel": _LEFT,
    "no": _LEFT,
    "close": _LEFT,
    "close-help": _LEFT,
    "take": "it is the only way to confirm",
    "yes": "it is the only way to answer",
    "keep": "it is the only way to save the text",
}
"""Actions that must have a key, and why."""
FORMER = {
    "asked-to-forget": "forget-requests",
    "beside-preset": "compare-preset",
    "conflict-before": "previous-conflict",
    "first": "top",
    "form": "format",
    "its-memories": "show-memories",
    "last": "bottom",
    "later": "snooze",
    "less-sure": "lower-score",
    "mark-before": "previous-passage",
    "must-not": "must-exclude",
    "next-alert": "find-conflict",
    "next-mark": "next-passage",
    "of-no-use": "not-useful",
    "pane": "next-pane",
    "pane-back": "previous-pane",
    "put-better": "reword",
    "settle-many": "resolve-many",
    "side-before": "previous-side",
    "surer": "raise-score",
    "take-back": "undo-this",
    "take-in": "admit",
    "take-wording": "accept-wording",
    "tell-apart": "clarify",
}
"""Former ids of actions, which [keys] may still use."""


class KeymapError(ConfigError):
    """Unusable keys; the text names file and line, or the variable, the actions and the remedy."""


def keymap(
    scopes: Mapping[str, Sequence[Action]],
    preset: str,
    overrides: Mapping[str, str | Sequence[str]],
    file: Path | None,
) -> Map:
    """Return the keys of every action: those of a preset (`vim`, `plain`), overridden by the person's own.

    `scopes` are the actions that are active together, by scope; `file` holds the overrides. An ID has the same keys in
    every scope: those of its first action. Lockouts are refused: actions to proceed or leave need a key, and actions of
    a text field may not use keys that type. Raises KeymapError.
    """
    actions: dict[str, Action] = {}
    for group in scopes.values():
        for action in group:
            actions.setdefault(action.id, action)
    keys = {name: action.plain if preset == "plain" else action.keys for name, action in actions.items()}
    written = {FORMER.get(name, name): name for name in sorted(overrides, key=lambda name: name not in FORMER)}
    overrides = {name: overrides[former] for name, former in written.items()}
    for name, given in overrides.items():
        if name not in actions:
            near = get_close_matches(name, actions, n=3)
            names = "the palette shows their names; write - for a space"
            hint = f"did you mean {' or '.join(near)}?" if near else names
            raise KeymapError(f"{_place(file, name)}: unknown action {truncate(repr(name))}; {hint}")
        try:
            given = [given] if isinstance(given, str) else given
            keys[name] = tuple(dict.fromkeys(canonical(key) for key in given if key))
        except ValueError as error:
            raise KeymapError(f"{_place(file, written[name])}: {written[name]}: {error}") from error
    check_lockouts(scopes, keys, overrides, file)
    for scope, group in scopes.items():
        check_shared_keys(scope, group, keys, overrides, file)
    return keys


def check_lockouts(
    scopes: Mapping[str, Sequence[Action]], keys: Map, overrides: Mapping[str, object], file: Path | None
) -> None:
    """Raise KeymapError if a required action has no key, or an action of a text field has a key that types."""
    for name, why in _NEEDED.items():
        if name in keys and not keys[name]:
            raise KeymapError(f"{_place(file, name)}: {name} needs a key, because {why}; give it one")
    for action in scopes.get(_FIELD, ()):
        for key in keys[action.id] if action.id in overrides else ():
            if len(key) == 1 or key in _WRITING:
                raise KeymapError(
                    f"{_place(file, action.id)}: {action.id} works in {_FIELD}, where {key} types text;"
                    " choose another key, like escape or f4"
                )


def check_shared_keys(
    scope: str, actions: Sequence[Action], keys: Map, overrides: Mapping[str, object], file: Path | None
) -> None:
    """Raise KeymapError if two actions that are active together have the same key."""
    taken: dict[str, str] = {}
    for name, key in ((action.id, key) for action in actions for key in keys[action.id]):
        other = taken.setdefault(canonical(key), name)
        if other == name:
            continue
        own, former = (name, other) if name in overrides else (other, name)
        problem = f"{_place(file, own)}: {own} and {former} both have the key {key} in {scope}"
        if former in overrides:
            raise KeymapError(f"{problem} ({former}: {_place(file, former)}); give one of them another")
        raise KeymapError(f'{problem}; give {former} another in [keys] too, or "" for none')


def as_textual(keys: Mapping[str, tuple[str, ...]], actions: Iterable[Action] = ()) -> dict[str, str]:
    """Return a map for `App.set_keymap`, without IDs whose keys are the defaults of all `actions` with that ID.

    Defaults are left out because Textual walks the whole map at every key press: 3 ms if it is complete. Keys are
    joined by commas. An action without a key would keep its default, so it gets a key that no keyboard has: a different
    one for each action, since Textual assigns a shared key to the last action only.
    """
    given: dict[str, set[tuple[str, ...]]] = {}
    for action in actions:
        given.setdefault(action.id, set()).add(action.keys)
    return {
        name: ",".join("comma" if key == "," else key for key in pressed) or f"none:{name}"
        for name, pressed in keys.items()
        if "," in pressed or given.get(name) != {pressed}
    }


def _place(file: Path | None, name: str) -> str:
    """Return the location of a setting for messages: the environment variable, if set, or the line of the file."""
    from curator.config import overridden

    for written in (name, *(former for former, new in FORMER.items() if new == name)):
        if (variable := overridden(f"keys.{written}")) is not None:
            return f"the variable {variable}"
        with suppress(OSError, ValueError):
            if file and (line := line_of(file.read_text(encoding="utf-8"), "keys", written)) is not None:
                return f"{file}, line {line}"
    return "[keys]"


def line_of(text: str, table: str, key: str) -> int | None:
    """Return the line number, from 1, of a key in a table of a TOML text; None if it is not there.

    The lines are given to the TOML parser one by one, so that every notation is found.
    """
    lines = text.splitlines(keepends=True)
    start = 0  # the lines before it are valid TOML without the key
    for end in range(1, len(lines) + 1):
        try:
            content = tomllib.loads("".join(lines[:end])).get(table)
        except (ValueError, RecursionError):
            continue
        if isinstance(content, dict) and key in content:
            return start + 1
        start = end
    return None


# Names of keys


@cache
def canonical(key: str) -> str:
    """Return a key in the app's notation: its character, else Textual's name (`shift+u` is `U`, `slash` is `/`).

    Raises ValueError for unknown keys and for keys that many terminals do not send.
    """
    modifiers, _, name = ("", "", key) if len(key) == 1 else key.rpartition("+")
    if key.endswith("++") and len(key) > 2:
        modifiers, name = key[:-2], "+"
    held = {_MODIFIERS.get(modifier.lower().strip(), "") for modifier in modifiers.split("+") if modifiers}
    name = name if len(name) == 1 else name.lower().strip()
    name = _ALIASES.get(name, name)
    name = _CHARACTERS.get(name, name)
    character = len(name) == 1 and name.isprintable() and not name.isspace() and unicodedata.category(name)[0] != "M"
    if "" in held or not (name in _NAMED or character):
        near = get_close_matches(key.lower()[:40], [*_NAMED, *_CHARACTERS], n=1)
        hint = f", did you mean {near[0]}?" if near else ""
        raise ValueError(f"unknown key {truncate(repr(key))}{hint}; write a character, or a name like {_EXAMPLES}")
    if not held or name in _WITH_ANY or (name == "tab" and held == {"shift"}):
        return "+".join((*sorted(held), name))
    if character and held == {"shift"}:
        if len(name.upper()) != 1 or not name.isalpha():
            raise ValueError(f"{key} depends on the keyboard; write the character it types")
        return name.upper()
    letter = name.lower()
    pressed = "+".join((*sorted(held), letter))
    if pressed in _SAME:
        raise ValueError(f"terminals cannot tell {pressed} from {_SAME[pressed]}; choose another key")
    if pressed == "ctrl+z":
        raise ValueError("ctrl+z sends a program to the background; choose another key")
    if held == {"ctrl"} and letter in _CONTROLS:
        return f"ctrl+{_CONTROLS[letter]}"
    if (
        character
        and letter.isascii()
        and letter.isalpha()
        and (held == {"ctrl"} or (held == {"alt"} and name == letter))
    ):
        return pressed
    raise ValueError(f"most terminals do not send {key}; choose another key")


def _name(sign: str) -> str:
    """Return Textual's name of a character."""
    name = unicodedata.name(sign).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


_MODIFIERS = {"ctrl": "ctrl", "control": "ctrl", "alt": "alt", "shift": "shift"}
_WITH_ANY = {"up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"}
_WITH_ANY |= {f"f{number}" for number in range(1, 13)}
_NAMED = {*_WITH_ANY, *(f"f{number}" for number in range(13, 25)), "tab", "enter", "escape", "space", "backspace"}
_ALIASES = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
    "⏎": "enter",
    "↑": "up",
    "↓": "down",
    "←": "left",
    "→": "right",
    " ": "space",
}
_CHARACTERS = {_name(sign): sign for sign in string.punctuation}
_CONTROLS = {sign: _name(sign) for sign in "\\]^_"}
_SAME = {
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+h": "backspace",
    "ctrl+[": "escape",
    "alt+b": "ctrl+left",
    "alt+f": "ctrl+right",
}
_EXAMPLES = "space, enter, pagedown, f5, shift+up, ctrl+r"


# The running app

_BY_ID = {action.id: action for action in view_actions()}
_SHOWN = {
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "escape": "esc",
    "delete": "del",
    "insert": "ins",
    "shift+down": "shift+↓",
    "shift+up": "shift+↑",
    "ctrl+down": "ctrl+↓",
    "ctrl+up": "ctrl+↑",
}


def keys_of(app: App[Any], action: Action) -> tuple[str, ...]:
    """Return the keys of an action from the app's map `keys`, or those of the preset `vim` if it has none."""
    keys: Map | None = getattr(app, "keys", None)
    return action.keys if keys is None else keys[action.id]


def key_names(keys: Sequence[str]) -> str:
    """Return keys as displayed: `↓`, `esc`, `U`."""
    return " ".join(_SHOWN.get(key, key) for key in keys)


def first_key(app: App[Any], name: str) -> str:
    """Return the first key of the action with this ID, as displayed; empty if it has none."""
    return key_names(keys_of(app, _BY_ID[name])[:1])


def key_hint(app: App[Any], name: str) -> str:
    """Return the first key of the action with this ID, and its label: `u undo`; without a key, the label."""
    return f"{first_key(app, name)} {_BY_ID[name].label}".strip()


def key_tip(app: App[Any], name: str, does: str) -> str:
    """Return the first key of the action with this ID, and what it does in words: `I: import a chat log`."""
    return f"{first_key(app, name) or f'`{name}` in the palette'}: {does}"


def is_typed(key: str) -> bool:
    """Return True if a key is a character, which text fields handle themselves."""
    return len(key) == 1 or key == "space"
