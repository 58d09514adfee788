"""Faults of a call, and the conditions of each."""

from __future__ import annotations

import random
from collections.abc import Container, Sequence
from dataclasses import dataclass
from enum import StrEnum


class What(StrEnum):
    """A fault. Those of the reply leave the protocol as it should be, and spoil what the model says."""

    # of the server
    REFUSE = "refuse"  # the connection is reset without a byte; to refuse connections, stop the server
    STOP = "stop"  # as DROP, and the whole server with it: connections are refused until it is started again
    BUSY = "busy"  # 503
    CRASH = "crash"  # 500
    HTML = "html"  # 502 with a page
    GARBAGE = "garbage"  # 200 with something else
    SLOW = "slow"  # nothing for `seconds`, then all is well
    STALL = "stall"  # after `at` bytes of the body nothing for `seconds`, then the rest
    DROP = "drop"  # the connection ends after `at` bytes of the body; below 0: so many before the body's beginning
    NO_END = "no end"  # the last line is missing; not streamed: done is false
    ERROR_LINE = "error line"  # an error instead of the line that holds byte `at`, and the end
    # of an embedding
    NAN = "nan"  # 500: the model computes NaN
    WRONG_COUNT = "wrong count"  # one vector is missing
    # of the reply
    CUT_SHORT = "cut short"  # half of it, then blanks until the limit; done_reason is "length"
    THINKING_ONLY = "thinking only"
    NOTHING = "nothing"  # no content
    EMPTY_OBJECT = "{}"
    EMPTY_LIST = "[]"
    WRONG_ENUM = "wrong enum"  # values that the schema does not have
    FENCED = "fenced"  # in ```json
    PROSE = "prose"  # with sentences before and after
    SURROGATE = "surrogate"  # half a character and NUL, as JSON escapes, and no JSON in it
    ECHO = "echo"  # the schema instead of an instance
    FOREIGN_QUOTE = "foreign quote"  # every "quote" is in no source
    INVENTED = "invented"  # every whole number is one that was not given
    DUPLICATES = "duplicates"  # every list twice
    MISSING = "missing"  # every list without its last item


OF_THE_SERVER = tuple(What)[: tuple(What).index(What.NAN)]
OF_THE_REPLY = tuple(What)[tuple(What).index(What.CUT_SHORT) :]

ALWAYS = range(1, 2**31)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. It happens to calls of `path` whose number (from 1) is in `calls` and whose text holds `when`.

    `chance` of less than 1 is drawn from the scenario's seed, for each call anew.
    """

    what: What
    calls: Container[int] = ALWAYS
    path: str = "/api/chat"
    at: int = 0  # bytes of the body
    seconds: float = 3600.0  # of SLOW and STALL
    when: str = ""
    chance: float = 1.0


def fault_of(faults: Sequence[Fault], seed: int, path: str, call: int, text: str) -> Fault | None:
    """Return the fault of a call, if it has one."""
    for number, fault in enumerate(faults):
        if fault.path != path or call not in fault.calls or fault.when not in text:
            continue
        if fault.chance >= 1 or random.Random(f"{seed}/{path}/{call}/{number}").random() < fault.chance:
            return fault
    return None
