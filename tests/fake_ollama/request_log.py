"""A logged request and its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fake_ollama.faults import Fault
from fake_ollama.scenario import prompt


@dataclass(slots=True, eq=False)
class Request:
    """A logged request. Times are from `time.monotonic()`; `ended` is None while the request is being handled."""

    path: str
    call: int  # number among requests of the same path, from 1, since the scenario was set
    headers: dict[str, str]  # keyed by lower-case names
    body: Any  # JSON, or text if it is not JSON
    begun: float
    fault: Fault | None = None  # the fault applied to it
    ended: float | None = None
    status: int | None = None  # None if no answer was begun
    sent: int = 0  # bytes of the answer's body
    dropped: bool = False  # the client disconnected before the end

    @property
    def text(self) -> str:
        """Text of the request's messages or inputs."""
        return prompt(self.body)
