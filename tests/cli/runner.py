"""What a command of the command line printed, and how it ended."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The JSON objects it printed."""
        return [json.loads(line) for line in self.out.splitlines()]


Curator = Callable[..., Ran]
"""`curator("list", "--json")` runs a command."""
