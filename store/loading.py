"""Loading large libraries beside an event loop."""

import atexit
import contextlib
import gc
from collections.abc import Iterator

atexit.register(gc.unfreeze)  # else libraries complain at the end that what they made was never let go of


@contextlib.contextmanager
def for_good() -> Iterator[None]:
    """For what is loaded within and stays: no collection looks through it, now or later.

    One that did would hold up every thread, an event loop's too, for 0.1 s and more. In several threads at once it may
    be that a collection begins before the last of them is done; nothing worse.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
        gc.freeze()
