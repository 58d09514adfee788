"""Failures of hooks, which print no errors, stored in a small file next to the store. Standard library only.

An entry has the time, the assistant, the event, and the error's type and code location, but no words of a prompt or a
memory.
"""

import contextlib
import json
import os
import time
import traceback
from collections.abc import Mapping
from typing import NamedTuple

from curator.paths import hook_failures_file
from curator.serve.client import Late, Unreachable
from curator.serve.hook_given import append

DAYS = 7
"""Days for which failures are shown."""


class Failed(Exception):
    """An error reported by the server, with its type and code location but no message, which may quote a memory."""

    def __init__(self, reply: Mapping[str, object]) -> None:
        known = "kind" in reply and "place" in reply
        super().__init__(f"{reply['kind']} at {reply['place']}" if known else "an error of the server")


class Repeated(NamedTuple):
    """Failures with the same host, event and error; `last` is the time of the latest, in seconds since 1970 UTC."""

    host: str
    event: str
    why: str
    times: int
    last: float


def note(host: str, event: str, error: BaseException) -> None:
    """Add a failure to the file. Raises OSError."""
    kind, location = type(error).__name__, traceback.extract_tb(error.__traceback__)[-1:]
    where = f" at {os.path.basename(location[0].filename)}:{location[0].lineno}" if location else ""  # noqa: PTH119
    why = str(error)[:200] if isinstance(error, Failed) else f"{kind}{where}"
    if isinstance(error, Unreachable):
        why = "no answer in time" if isinstance(error, Late) else "the server ended while it answered"
    row = (round(time.time(), 3), host[:20], event[:20], why)
    append(hook_failures_file(), row)


def repeated() -> list[Repeated]:
    """Return the grouped failures of the last `DAYS`, latest first; none if the file cannot be read."""
    found: dict[tuple[str, str, str], Repeated] = {}
    since = time.time() - DAYS * 86_400
    with contextlib.suppress(OSError):
        for line in hook_failures_file().read_text("utf-8", "replace").splitlines():
            with contextlib.suppress(ValueError, TypeError):
                at, host, event, why = json.loads(line)
                sort = (str(host), str(event), str(why))
                if float(at) >= since:
                    found[sort] = Repeated(*sort, found[sort].times + 1 if sort in found else 1, float(at))
    return sorted(found.values(), key=lambda one: -one.last)
