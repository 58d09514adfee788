"""Duplicates and contradictions: candidates for comparison, findings of the rules, automatic merges."""

from curator.conflicts.alert_policy import (
    RULES,
    Finding,
    Text,
    covered,
    find,
    pair_reader,
    raise_finding,
    rules,
    same,
    worth,
)
from curator.conflicts.scanner import Scanned, count_pending, pending, scan

__all__ = [
    "RULES",
    "Finding",
    "Scanned",
    "Text",
    "count_pending",
    "covered",
    "find",
    "pair_reader",
    "pending",
    "raise_finding",
    "rules",
    "same",
    "scan",
    "worth",
]
