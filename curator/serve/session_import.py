"""Import a session's log in a separate process, started by hooks: `-m curator.serve.session_import HOST FILE`.

An import in a thread of the server would delay its answers to prompts. One such process works at a time.
"""

import contextlib
import os
import sys
from pathlib import Path

from filelock import FileLock

from curator.config import settings
from curator.errors import ModelError
from curator.paths import store_folder
from curator.serve.hook_failures import note
from curator.services.import_logs import index_memories
from curator.services.import_session import import_session, is_session
from curator.services.import_summary import Summary
from curator.services.search_session import embedder_for_search
from store import Store

_WAIT = 3_600.0
"""Maximum seconds to wait for other imports."""


def run(host: str, path: str) -> None:
    """Import new messages of a session's log, unless the setting is off; log errors with those of hooks."""
    if not store_folder().is_dir():
        return
    try:
        if not settings().serve.import_sessions or not is_session(Path(path)):
            return
        with (
            FileLock(store_folder() / "sessions.lock", timeout=_WAIT),
            contextlib.closing(Store.open(store_folder())) as store,
        ):
            embedder = None
            if settings().distil.enabled:
                with contextlib.suppress(ModelError):  # an import distils it when the model is available again
                    embedder, _ = embedder_for_search(store)
            if import_session(store, Path(path), embedder, lambda progress: None) and embedder is not None:
                index_memories(store, embedder, Summary())  # now, so that the next prompt need not wait for it
    except Exception as error:  # nobody reads the output of this process
        with contextlib.suppress(OSError):
            note(host, "import", error)


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)
    run(*sys.argv[1:])
