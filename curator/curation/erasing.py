"""Purge: for good, by a person only."""

import shutil
from collections.abc import Sequence

from store import Purged, Store


def purge(store: Store, memories: Sequence[int]) -> tuple[Purged, bool]:
    """Erase memories, and all that say exactly the same, from every place in the store. There is no undo.

    The copies the program made by itself before migrations and restores go too. Returns what was erased, and whether
    the file could be compacted at once: False means another process is reading, and old pages go when it has closed.
    Raises NotFound, Forbidden, Conflict.
    """
    from store.index import Index

    purged = store.purge(memories)
    compacted = store.compact()
    Index.drop(store)
    shutil.rmtree(store.folder / "backups", ignore_errors=True)
    return purged, compacted
