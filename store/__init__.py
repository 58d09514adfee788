"""Where memories are kept: the record (SQLite), and what is rebuilt from it (LanceDB, DuckDB).

Imports nothing from the program. `Store` is the door; types are in `store.model`, errors in `store.errors`.
"""

from store.errors import (
    Busy,
    Conflict,
    Damaged,
    Forbidden,
    Foreign,
    Forgotten,
    NotFound,
    StoreError,
    TooNew,
    Unusable,
    Unwritable,
)
from store.filter import Filter, Sort
from store.record.changes import Value
from store.record.journal import Writer
from store.record.memories import Admitted
from store.record.purge import Purged
from store.store import Store, restore

__all__ = [
    "Admitted",
    "Busy",
    "Conflict",
    "Damaged",
    "Filter",
    "Forbidden",
    "Foreign",
    "Forgotten",
    "NotFound",
    "Purged",
    "Sort",
    "Store",
    "StoreError",
    "TooNew",
    "Unusable",
    "Unwritable",
    "Value",
    "Writer",
    "restore",
]
