"""The verbs: the one way a memory is written, by a person at the app or the command line.

Each is one command and one undo step, and returns how many memories it changed. All raise NotFound or Forbidden for
a memory that is not there or not yours, and change nothing then.
"""

from curator.curation.adding import MAX_LENGTH, Refused, add, edit
from curator.curation.erasing import finish_purge, purge
from curator.curation.verbs import (
    forget,
    pin,
    redo,
    reject,
    restore,
    score,
    set_kind,
    set_tier,
    tag,
    undo,
    validate,
)

__all__ = [
    "MAX_LENGTH",
    "Refused",
    "add",
    "edit",
    "finish_purge",
    "forget",
    "pin",
    "purge",
    "redo",
    "reject",
    "restore",
    "score",
    "set_kind",
    "set_tier",
    "tag",
    "undo",
    "validate",
]
