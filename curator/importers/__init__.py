"""Importers of chat logs: detect the format, and yield conversations, memories and problems.

A folder, a zip and single files with the same content yield the same conversations. Memory use is flat: one
conversation is held at a time. Every yielded text is redacted and valid UTF-8.
"""

from curator.importers.discover import find_logs, known_places
from curator.importers.inputs import (
    Item,
    NothingReadable,
    Problem,
    ReadProgress,
    ReadyMemory,
    Skipped,
    Unreadable,
    Unrecognised,
    Unsupported,
)
from curator.importers.log_format import AskMe, Format, Options, People
from curator.importers.reader import detect, open_log, read

__all__ = [
    "AskMe",
    "Format",
    "Item",
    "NothingReadable",
    "Options",
    "People",
    "Problem",
    "ReadProgress",
    "ReadyMemory",
    "Skipped",
    "Unreadable",
    "Unrecognised",
    "Unsupported",
    "detect",
    "find_logs",
    "known_places",
    "open_log",
    "read",
]
