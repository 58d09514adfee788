"""Duplicates and contradictions: candidates for comparison, findings of the rules, automatic merges."""

from curator.conflicts.scanner import (
    RULES,
    Finding,
    Scanned,
    Text,
    count_pending,
    covered,
    find,
    pending,
    raise_finding,
    rules,
    same,
    scan,
    worth,
)

__all__ = [
    "RULES",
    "Finding",
    "Scanned",
    "Text",
    "count_pending",
    "covered",
    "find",
    "pending",
    "raise_finding",
    "rules",
    "same",
    "scan",
    "worth",
]
