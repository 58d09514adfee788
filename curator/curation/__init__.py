"""The verbs: the one way a memory is written, by a person at the app or the command line.

Each is one command and one undo step, and returns how many memories it changed. All raise NotFound or Forbidden for
a memory that is not there or not yours, and change nothing then.
"""

from curator.curation.accept_refused import Accepted, accept_passage, accept_passages, wording
from curator.curation.bulk import BulkResult, Plan, Rule, bulk, plan_bulk
from curator.curation.claims import apply_claims, provable
from curator.curation.commands import (
    adjust_score,
    forget,
    later,
    pin,
    redo,
    reject,
    restore,
    score,
    set_importance,
    set_kind,
    set_rank,
    set_scope,
    set_tier,
    set_until,
    tag,
    undo,
    validate,
)
from curator.curation.create import MAX_LENGTH, add, drop_wording, edit, take_wording
from curator.curation.forgotten_match import Return, find_forgotten, match_texts, quarantine
from curator.curation.merge import Draft, draft, gather, merge
from curator.curation.pairs import Pair, Side, Which, pair, pairs, waiting
from curator.curation.preview import UNDOABLE, bulk_outcome, outcome
from curator.curation.purge import ELSEWHERE, ENDS_UNDO, continue_purge, counted_places, finish_purge, purge, purge_logs
from curator.curation.resolve import Choice, dated, keep, keep_both, merge_pair, put_off, reject_both
from curator.curation.supersede import supersede
from curator.errors import Refused

__all__ = [
    "ELSEWHERE",
    "ENDS_UNDO",
    "MAX_LENGTH",
    "UNDOABLE",
    "Accepted",
    "BulkResult",
    "Choice",
    "Draft",
    "Pair",
    "Plan",
    "Refused",
    "Return",
    "Rule",
    "Side",
    "Which",
    "accept_passage",
    "accept_passages",
    "add",
    "adjust_score",
    "apply_claims",
    "bulk",
    "bulk_outcome",
    "continue_purge",
    "counted_places",
    "dated",
    "draft",
    "drop_wording",
    "edit",
    "find_forgotten",
    "finish_purge",
    "forget",
    "gather",
    "keep",
    "keep_both",
    "later",
    "match_texts",
    "merge",
    "merge_pair",
    "outcome",
    "pair",
    "pairs",
    "pin",
    "plan_bulk",
    "provable",
    "purge",
    "purge_logs",
    "put_off",
    "quarantine",
    "redo",
    "reject",
    "reject_both",
    "restore",
    "score",
    "set_importance",
    "set_kind",
    "set_rank",
    "set_scope",
    "set_tier",
    "set_until",
    "supersede",
    "tag",
    "take_wording",
    "undo",
    "validate",
    "waiting",
    "wording",
]
