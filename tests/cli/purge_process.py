"""A process that purges a memory and kills itself at a step after the commit: `purge_process.py FOLDER MEMORY STEP`."""

import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from curator import curation
from store import Store
from store.analytics import Analytics
from store.index import Index


def die(*_: object) -> None:
    """Kill this process, as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def after(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return `work` followed by `die`."""

    def done(*given: Any) -> None:
        work(*given)
        die()

    return done


def main() -> None:
    folder, memory, step = sys.argv[1:]
    store = Store.open(Path(folder))
    purge: Any = importlib.import_module("curator.curation.purge")  # the package's attribute `purge` is the function
    if step == "commit":
        purge._finish = die
    elif step == "copy":
        Path.unlink = after(Path.unlink)  # type: ignore[method-assign]
    elif step == "copies":
        Store.compact = die  # type: ignore[assignment]  # called when the copies are deleted
    elif step == "compact":
        Store.compact = after(Store.compact)  # type: ignore[method-assign]
    elif step == "snapshot":
        Analytics.drop = after(Analytics.drop)  # type: ignore[method-assign]
    elif step == "index":
        Index.drop = after(Index.drop)  # type: ignore[method-assign]
    else:
        Store.end_purge = after(Store.end_purge)  # type: ignore[method-assign]
    curation.purge(store, [int(memory)])


if __name__ == "__main__":
    main()
