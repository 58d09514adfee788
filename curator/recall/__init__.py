"""Finding what is known: fused search, the block that a model is given, and search over the raw messages."""

from curator.models.tokens import count_tokens
from curator.recall.block import Block, Detail, Style, block
from curator.recall.grep import Passage, grep
from curator.recall.search import Hit, search, search_many

__all__ = [
    "Block",
    "Detail",
    "Hit",
    "Passage",
    "Style",
    "block",
    "count_tokens",
    "grep",
    "search",
    "search_many",
]
