"""Duplicates and contradictions: which memories to compare, what is found about them, what is done without a person."""

from curator.conflicts.alert_policy import RULES, Finding, Text, covered, find, raise_finding, rules, same, worth
from curator.conflicts.scan import Scanned, count_pending, pending, scan

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
