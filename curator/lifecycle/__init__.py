"""Ageing of memories: rank by use, warmth, expiry, caps, and retention of forgotten memories.

Decisions are pure functions that take the time. A run is one command of the sweep, and one undo step; memories that the
person validated or pinned are only raised, and edited ones never removed.
"""

from curator.curation.expiry import expiry_of
from curator.lifecycle.retention import Outdated, cutoff, outdated, outdated_logs
from curator.lifecycle.rules import Limits, Step, capped, expiring, ranked, worth
from curator.lifecycle.run import (
    VERB,
    LifecyclePlan,
    Spared,
    UpkeepChange,
    allow,
    allowed,
    plan,
    run,
    summarize_changes,
)
from curator.lifecycle.warmth_feedback import apply_checks, mark_useful

__all__ = [
    "VERB",
    "LifecyclePlan",
    "Limits",
    "Outdated",
    "Spared",
    "Step",
    "UpkeepChange",
    "allow",
    "allowed",
    "apply_checks",
    "capped",
    "cutoff",
    "expiring",
    "expiry_of",
    "mark_useful",
    "outdated",
    "outdated_logs",
    "plan",
    "ranked",
    "run",
    "summarize_changes",
    "worth",
]
