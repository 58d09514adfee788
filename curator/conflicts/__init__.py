"""Detection of duplicates and contradictions: candidates for comparison, findings, alerts, automatic merges."""

from curator.conflicts.alert_policy import (
    RULES,
    MemoryText,
    PairFinding,
    covered,
    find,
    pair_classifier,
    raise_finding,
    rules,
    same,
    worth,
)
from curator.conflicts.scanner import Scanned, count_near, count_pending, has_findings, pending, scan

__all__ = [
    "RULES",
    "MemoryText",
    "PairFinding",
    "Scanned",
    "count_near",
    "count_pending",
    "covered",
    "find",
    "has_findings",
    "pair_classifier",
    "pending",
    "raise_finding",
    "rules",
    "same",
    "scan",
    "worth",
]
