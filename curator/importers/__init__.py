"""Importers of chat logs: detection of the format, and its contents as conversations, memories and problems.

A folder, a zip and single files with the same content give the same conversations. Memory stays flat: one conversation
at a time is held. Every text that leaves this package is redacted and can be encoded as UTF-8.
"""

from curator.importers.reader import detect, find_logs, known_places, open_log, read, session_folders
from curator.importers.types import (
    Format,
    Item,
    Meter,
    Problem,
    ReadyMemory,
    Resume,
    Skipped,
    Unreadable,
    Unrecognised,
    Unsupported,
)

__all__ = [
    "Format",
    "Item",
    "Meter",
    "Problem",
    "ReadyMemory",
    "Resume",
    "Skipped",
    "Unreadable",
    "Unrecognised",
    "Unsupported",
    "detect",
    "find_logs",
    "known_places",
    "open_log",
    "read",
    "session_folders",
]
