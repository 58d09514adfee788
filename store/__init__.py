"""Storage of memories: the record (SQLite), and its projections (LanceDB, DuckDB).

Imports nothing from the program, and its own modules only when they are used. `Store` reads and writes memories; its
attributes are the repositories of other data (`Store.raw`, `Store.alerts`, ...). Types are in `store.model`, errors in
`store.errors`.

Invariants, of the store and the program, each attacked by tests:

I1  No acknowledged change is lost by `kill -9` at any moment, and the store always opens.
I2  The folded journal = the rows of the record = the index after catching up.
I3  Undo restores the state before a command, redo the one after; across restarts, purge excepted.
I4  Raw messages never change, purged spans excepted; importing again adds exactly what is new.
I5  A forgotten memory does not come back by any write path, unless the person restores it.
I6  No machine judgment removes or rewrites what a person validated or pinned.
I7  No secret the detector finds is in the record, a vector, the index, an export or an output.
I8  "Nothing found" and "did not work" are different, and both visible.
I9  Vectors of different fingerprints never meet in one search.
I10 Text from logs is data: never markup, never a template, never obeyed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.errors import (
        Busy,
        Conflict,
        Damaged,
        Forbidden,
        Foreign,
        Forgotten,
        NotFound,
        ReliedOn,
        StoreError,
        StoreReplaced,
        TooNew,
        Unreachable,
        Unusable,
        Unwritable,
    )
    from store.filter import Filter, Sort
    from store.record.changes import Value
    from store.record.command_log import LogFilter
    from store.record.journal import Writer
    from store.record.memories import Admitted
    from store.record.meta import UnfinishedPurge
    from store.record.pool import OWN_FOLDERS, RECORD, check_no_record, is_record, is_record_header
    from store.record.purge import Cleaned, Erased
    from store.record.purged_texts import PurgedTexts
    from store.record.redact import Redactors
    from store.record.restore import Restored, restore
    from store.record.sweep_state import Lease
    from store.record.tombstones import Tokenizer
    from store.record.word_variants import WordVariant
    from store.store import Store, copies

__all__ = [
    "OWN_FOLDERS",
    "RECORD",
    "Admitted",
    "Busy",
    "Cleaned",
    "Conflict",
    "Damaged",
    "Erased",
    "Filter",
    "Forbidden",
    "Foreign",
    "Forgotten",
    "Lease",
    "LogFilter",
    "NotFound",
    "PurgedTexts",
    "Redactors",
    "ReliedOn",
    "Restored",
    "Sort",
    "Store",
    "StoreError",
    "StoreReplaced",
    "Tokenizer",
    "TooNew",
    "UnfinishedPurge",
    "Unreachable",
    "Unusable",
    "Unwritable",
    "Value",
    "WordVariant",
    "Writer",
    "check_no_record",
    "copies",
    "is_record",
    "is_record_header",
    "restore",
]

_HOMES = {
    "store.errors": (
        "Busy",
        "Conflict",
        "Damaged",
        "Forbidden",
        "Foreign",
        "Forgotten",
        "NotFound",
        "ReliedOn",
        "StoreError",
        "StoreReplaced",
        "TooNew",
        "Unreachable",
        "Unusable",
        "Unwritable",
    ),
    "store.filter": (
        "Filter",
        "Sort",
    ),
    "store.record.changes": ("Value",),
    "store.record.command_log": ("LogFilter",),
    "store.record.journal": ("Writer",),
    "store.record.memories": ("Admitted",),
    "store.record.meta": ("UnfinishedPurge",),
    "store.record.pool": (
        "OWN_FOLDERS",
        "RECORD",
        "check_no_record",
        "is_record",
        "is_record_header",
    ),
    "store.record.purge": (
        "Cleaned",
        "Erased",
    ),
    "store.record.word_variants": ("WordVariant",),
    "store.record.purged_texts": ("PurgedTexts",),
    "store.record.redact": ("Redactors",),
    "store.record.restore": (
        "Restored",
        "restore",
    ),
    "store.record.sweep_state": ("Lease",),
    "store.record.tombstones": ("Tokenizer",),
    "store.store": (
        "Store",
        "copies",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import what is asked for: a hook that reads one table must not wait for the whole store."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found
