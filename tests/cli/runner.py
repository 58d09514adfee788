"""Result of a command."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ran:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return the JSON objects that it printed."""
        return [json.loads(line) for line in self.out.splitlines()]


Curator = Callable[..., Ran]
"""Runs a command: `curator("list", "--json")`."""
