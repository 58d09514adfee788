"""Sync once in a process that kills itself on the way: `python sync_killed.py CALLS AHEAD`.

CURATOR_HOME names the device, AHEAD the microseconds by which its clock is ahead. At the given call of a function of
the record or of the sync, it prints the current phase and ends as by `kill -9`; else it prints `done` and the number of
calls.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from curator.paths import store_folder  # noqa: E402
from curator.sync.key import saved  # noqa: E402
from curator.sync.run import sync  # noqa: E402
from store import Store, clock  # noqa: E402

PHASES = {"push": "write", "fold": "fold", "draw": "draw", "pull": "read"}
"""Phases by the innermost of these functions on the stack."""
_OURS = (str(ROOT / "curator" / "sync"), str(ROOT / "store" / "record"))


def phase(frame: FrameType | None) -> str:
    """Return the phase that a frame belongs to."""
    while frame is not None:
        if frame.f_code.co_name in PHASES and frame.f_code.co_filename.startswith(_OURS):
            return PHASES[frame.f_code.co_name]
        frame = frame.f_back
    return "begin"


def main(calls: int, ahead: int) -> None:
    """Sync, and kill the process at a call."""
    store, space, now, count = Store.open(store_folder()), saved(), clock.now, 0
    assert space is not None
    clock.now = lambda: now() + ahead

    def counting(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        if event == "call" and frame.f_code.co_filename.startswith(_OURS):
            count += 1
            if count == calls:
                print(phase(frame), flush=True)
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(counting)
    sync(store, space)
    sys.setprofile(None)
    print("done", count, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
