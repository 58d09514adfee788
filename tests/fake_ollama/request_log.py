"""A request that came, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fake_ollama.faults import Fault
from fake_ollama.scenario import prompt


@dataclass(slots=True, eq=False)
class Request:
    """A request as it came. Times are of `time.monotonic()`; `ended` is None as long as it is worked on."""

    path: str
    call: int  # the how manieth of its path, from 1, since the scenario was given
    headers: dict[str, str]  # names in lower case
    body: Any  # JSON, or the text if it is none
    begun: float
    fault: Fault | None = None  # what happens to it
    ended: float | None = None
    status: int | None = None  # None: no answer was begun
    sent: int = 0  # bytes of the answer's body
    dropped: bool = False  # the client left before the end

    @property
    def text(self) -> str:
        """All the text of the request's messages or inputs."""
        return prompt(self.body)
