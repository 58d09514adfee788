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
from store.store import Store, restore

__all__ = [
    "Busy",
    "Conflict",
    "Damaged",
    "Filter",
    "Forbidden",
    "Foreign",
    "Forgotten",
    "NotFound",
    "Sort",
    "Store",
    "StoreError",
    "TooNew",
    "Unusable",
    "Unwritable",
    "restore",
]
