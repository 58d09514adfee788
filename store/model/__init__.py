"""The words of the program as types: what is stored and what goes in and out of the store.

Times are whole microseconds since 1970 UTC (`store.clock`). Offsets count Unicode code points of the stored text.
Types that begin with `New` go in, the others come out.
"""

from store.model.incoming import FileMark, ImportCounts, NewConversation, NewEvidence, NewMemory, NewMessage, NewVersion
from store.model.kept import (
    Aging,
    Alert,
    Asked,
    Check,
    Command,
    Conversation,
    Evidence,
    Failure,
    Fingerprint,
    Judgment,
    Memory,
    Message,
    Recalled,
    Refusal,
    Surprise,
    Uses,
    Version,
    Wording,
)
from store.model.words import DISTILLED_CHANNELS, Actor, Channel, Kind, Life, Origin, Rank, Relation, Review, Role, Tier

__all__ = [
    "DISTILLED_CHANNELS",
    "Actor",
    "Aging",
    "Alert",
    "Asked",
    "Channel",
    "Check",
    "Command",
    "Conversation",
    "Evidence",
    "Failure",
    "FileMark",
    "Fingerprint",
    "ImportCounts",
    "Judgment",
    "Kind",
    "Life",
    "Memory",
    "Message",
    "NewConversation",
    "NewEvidence",
    "NewMemory",
    "NewMessage",
    "NewVersion",
    "Origin",
    "Rank",
    "Recalled",
    "Refusal",
    "Relation",
    "Review",
    "Role",
    "Surprise",
    "Tier",
    "Uses",
    "Version",
    "Wording",
]
