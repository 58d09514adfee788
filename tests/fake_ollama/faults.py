"""Faults of a call, and when each happens."""

from __future__ import annotations

import random
from collections.abc import Container, Sequence
from dataclasses import dataclass
from enum import StrEnum


class What(StrEnum):
    """Kind of fault. Faults of the reply keep the protocol intact and corrupt what the model says."""

    # faults of the server
    REFUSE = "refuse"  # resets the connection before the first byte; to refuse connections, stop the server
    STOP = "stop"  # like DROP, and stops the server: it refuses connections until it is started again
    BUSY = "busy"  # status 503
    CRASH = "crash"  # status 500
    HTML = "html"  # status 502 with an HTML page
    GARBAGE = "garbage"  # status 200 with a body that is not of the protocol
    SLOW = "slow"  # sends nothing for `seconds`, then answers normally
    STALL = "stall"  # pauses for `seconds` after `at` bytes of the body, then sends the rest
    DROP = "drop"  # closes the connection after `at` bytes of the body; negative: that many bytes before the body
    NO_END = "no end"  # leaves out the last line; without streaming, done is false
    ERROR_LINE = "error line"  # sends an error in place of the line that holds byte `at`, and ends
    # faults of an embedding
    NAN = "nan"  # status 500: the model computes NaN
    WRONG_COUNT = "wrong count"  # leaves out one vector
    # faults of the reply
    CUT_SHORT = "cut short"  # half of the reply, then blanks until the limit; done_reason is "length"
    THINKING_ONLY = "thinking only"
    NOTHING = "nothing"  # no content
    EMPTY_OBJECT = "{}"
    EMPTY_LIST = "[]"
    WRONG_ENUM = "wrong enum"  # values that the schema does not allow
    FENCED = "fenced"  # inside ```json
    PROSE = "prose"  # with sentences before and after
    SURROGATE = "surrogate"  # half a surrogate pair and NUL as JSON escapes, and no JSON inside
    ECHO = "echo"  # the schema instead of an instance
    FOREIGN_QUOTE = "foreign quote"  # replaces every "quote" by words that are in no source
    INVENTED = "invented"  # replaces every whole number by one that the prompt does not have
    DUPLICATES = "duplicates"  # repeats the items of every list
    MISSING = "missing"  # drops the last item of every list


OF_THE_SERVER = tuple(What)[: tuple(What).index(What.NAN)]
OF_THE_REPLY = tuple(What)[tuple(What).index(What.CUT_SHORT) :]

ALWAYS = range(1, 2**31)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that happens to calls of `path` whose number (from 1) is in `calls` and whose text contains `when`.

    If `chance` is less than 1, each call draws from the scenario's seed.
    """

    what: What
    calls: Container[int] = ALWAYS
    path: str = "/api/chat"
    at: int = 0  # byte offset in the body
    seconds: float = 3600.0  # for SLOW and STALL
    when: str = ""
    chance: float = 1.0


def fault_of(faults: Sequence[Fault], seed: int, path: str, call: int, text: str) -> Fault | None:
    """Return the fault of a call, if any."""
    for number, fault in enumerate(faults):
        if fault.path != path or call not in fault.calls or fault.when not in text:
            continue
        if fault.chance >= 1 or random.Random(f"{seed}/{path}/{call}/{number}").random() < fault.chance:
            return fault
    return None
