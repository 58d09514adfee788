"""Storage of memories: the record (SQLite) and its projections (LanceDB, DuckDB).

This package imports nothing from the program, and loads its own modules only when they are used. `Store` reads and
writes memories; its attributes are the repositories of other data (`Store.raw`, `Store.alerts`, ...). Types are in
`store.model`, errors in `store.errors`.

Invariants of the store and the program, each covered by tests:

I1  No acknowledged change is lost by `kill -9` at any moment, and the store always opens.
I2  Replaying the journal yields the rows of the record, and the index after it has caught up.
I3  Undo restores the state before a command and redo the state after it, across restarts; except for a purge.
I4  Raw messages never change, except for purged spans; importing a log again adds only new messages.
I5  A forgotten memory does not return by any write path unless the person restores it.
I6  No machine judgment removes or rewrites a memory that a person validated or pinned.
I7  No secret that the detector finds is in the record, a vector, the index, an export or an output.
I8  An empty result and a failure are always reported differently.
I9  A search never compares vectors with different fingerprints.
I10 Text from logs is data: it is never interpreted as markup, as a template or as an instruction.
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
    """Import an exported name on first access, so that a hook need not load the whole store."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found
