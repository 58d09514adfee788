"""Recall: ranked search, the block for a model's prompt, and search over raw messages."""

from curator.models.tokens import count_tokens, token_counter
from curator.recall.block import Block, Detail, Style, block
from curator.recall.candidates import sheets_of
from curator.recall.message_search import Passage, grep
from curator.recall.omissions import omissions_of
from curator.recall.project_block import project_context
from curator.recall.search import (
    BLOCK_GAP,
    BLOCK_HITS,
    candidate_options,
    find,
    find_by_each,
    find_many,
    scopes_for,
    select_hits,
)
from curator.recall.types import Hit, Omission, OmissionKind, OmissionReason, Preset, SearchOptions, SearchResult

__all__ = [
    "BLOCK_GAP",
    "BLOCK_HITS",
    "Block",
    "Detail",
    "Hit",
    "Omission",
    "OmissionKind",
    "OmissionReason",
    "Passage",
    "Preset",
    "SearchOptions",
    "SearchResult",
    "Style",
    "block",
    "candidate_options",
    "count_tokens",
    "find",
    "find_by_each",
    "find_many",
    "grep",
    "omissions_of",
    "project_context",
    "scopes_for",
    "select_hits",
    "sheets_of",
    "token_counter",
]
