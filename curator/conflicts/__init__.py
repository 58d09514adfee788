"""Detection of duplicates and contradictions: candidate pairs, findings, alerts and automatic merges."""

from curator.conflicts.alert_policy import (
    RULES,
    MemoryText,
    PairFinding,
    adds_nothing,
    alert_for,
    find_relation,
    may_merge_texts,
    pair_classifier,
    raise_finding,
    rules_label,
)
from curator.conflicts.scanner import BatchCounts, count_near, count_pending, has_findings, pending, scan

__all__ = [
    "RULES",
    "BatchCounts",
    "MemoryText",
    "PairFinding",
    "adds_nothing",
    "alert_for",
    "count_near",
    "count_pending",
    "find_relation",
    "has_findings",
    "may_merge_texts",
    "pair_classifier",
    "pending",
    "raise_finding",
    "rules_label",
    "scan",
]
