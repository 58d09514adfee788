"""Defaults of the app's look and keys, without pydantic, which takes longer to load than the first paint."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Keymap = Literal["vim", "plain"]
Layout = Literal["auto", "columns", "rows", "list"]
Keys = Mapping[str, str | list[str]]
"""The person's keys: an action's id, and its key or keys; an empty list leaves it to the command palette."""


@dataclass(frozen=True, slots=True)
class Looks:
    """The settings [look] and [keys]."""

    theme: str = "curator-dark"
    keymap: Keymap = "vim"
    layout: Layout = "auto"
    mouse: bool = True
    keys: Keys = field(default_factory=dict)
