"""Scopes of memories: everywhere, one project, or one session. The source of a memory is another matter."""

from curator.curation.redaction import typed
from store.model import Conversation, Kind

GLOBAL = "global"
_PERSONAL = frozenset({Kind.IDENTITY, Kind.TRAIT, Kind.PREFERENCE, Kind.RELATIONSHIP, Kind.CONSTRAINT})


def scope_of(conversation: Conversation, kind: Kind) -> str:
    """The scope of what is found in a conversation: what a coding agent is told of its project holds there."""
    bound = conversation.agent and conversation.project and kind not in _PERSONAL
    return f"project:{conversation.project}" if bound else GLOBAL


def overlap(one: str, other: str) -> bool:
    """Return whether memories of two scopes may be about the same."""
    return one == other or GLOBAL in (one, other)


def checked_scope(text: str) -> str:
    """A scope as it is kept, a secret in it redacted. Raises ValueError, with the possibilities, for anything else."""
    sort, _, name = text.strip().partition(":")
    name = name.strip()
    if text.strip() == "global":
        return "global"
    if sort not in ("project", "session") or not name or not name.isprintable():
        raise ValueError(f"a scope is global, project:<name> or session:<id>, not {text!r}")
    return f"{sort}:{typed(name)}"
