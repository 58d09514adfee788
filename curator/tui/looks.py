"""Fast loading of the look settings, before the first paint."""

import os
import tomllib
from contextlib import suppress
from typing import get_args, get_type_hints

from curator.paths import config_file
from curator.settings_file import present_variables
from curator.ui_defaults import Looks

_SECTIONS = {"look", "keys"}
_LATER = ("ollama", "embed", "sweep_")
"""Prefixes of sections without look settings; these are validated on use, after the first paint."""


def load() -> Looks:
    """Load the settings of look and keys. Raises ConfigError.

    All other settings are skipped if nothing is set, or if the file has only plain values of these two sections and
    sections for the local model. Otherwise `curator.config` loads and validates everything.
    """
    if not any(name.startswith(("curator_look", "curator_keys")) for name in present_variables(os.environ)):
        file = config_file()
        if not file.is_file():
            return Looks()
        with suppress(OSError, ValueError, RecursionError):
            if (found := _plain(tomllib.loads(file.read_text(encoding="utf-8")))) is not None:
                return found
    from curator.config import settings

    config = settings()
    return Looks(config.look.theme, config.look.keymap, config.look.layout, config.look.mouse, config.keys)


def _plain(content: dict[str, object]) -> Looks | None:
    """Return the looks if the file has nothing else to validate and every value has the right type, else None."""
    look, keys = content.get("look", {}), content.get("keys", {})
    if not isinstance(look, dict) or not isinstance(keys, dict):
        return None
    if any(name not in _SECTIONS and not name.startswith(_LATER) for name in content):
        return None
    types = get_type_hints(Looks) | {"keys": None}
    fit = (value in get_args(kind) or type(value) is kind for name, value in look.items() for kind in [types.get(name)])
    names = (key for given in keys.values() for key in (given if isinstance(given, list) else [given]))
    if not all(fit) or not all(isinstance(key, str) for key in names):
        return None
    return Looks(**look, keys=keys)
