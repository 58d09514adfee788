"""The verbs: the one way a memory is written, by a person at the app or the command line.

Each is one command and one undo step, and returns how many memories it changed. All raise NotFound or Forbidden for
a memory that is not there or not yours, and change nothing then.
"""

from curator.curation.adding import MAX_LENGTH, Refused, add, edit
from curator.curation.erasing import finish_purge, purge
from curator.curation.merging import Draft, draft, merge
from curator.curation.refused import TakenIn, take_in, take_in_all, wording
from curator.curation.replacing import supersede
from curator.curation.verbs import (
    adjust_score,
    forget,
    later,
    pin,
    redo,
    reject,
    restore,
    score,
    set_kind,
    set_scope,
    set_tier,
    tag,
    undo,
    validate,
)

__all__ = [
    "MAX_LENGTH",
    "Draft",
    "Refused",
    "TakenIn",
    "add",
    "adjust_score",
    "draft",
    "edit",
    "finish_purge",
    "forget",
    "later",
    "merge",
    "pin",
    "purge",
    "redo",
    "reject",
    "restore",
    "score",
    "set_kind",
    "set_scope",
    "set_tier",
    "supersede",
    "tag",
    "take_in",
    "take_in_all",
    "undo",
    "validate",
    "wording",
]
