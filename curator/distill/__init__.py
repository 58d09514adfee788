"""Rule-based distilling of messages into candidates for memories.

The rules take a quarter of a second to import, so the name of the distiller is kept apart from them.
"""

DISTILLER = "rules/1"
"""Name and version of the rule distiller, stored with each conversation it has read."""

BY_WORDS = f"{DISTILLER} by words"
"""Mark of conversations read without the sentence classifier."""


def marks() -> tuple[str, ...]:
    """Return the marks of conversations that need not be read again.

    Once the classifier is installed, conversations marked `BY_WORDS` are read again.
    """
    from curator import models

    return (DISTILLER,) if models.can_classify() else (DISTILLER, BY_WORDS)


def mark_of(agent: bool, by_words: bool) -> str:
    """Return the mark of a conversation; coding sessions (`agent`) never use the classifier."""
    return BY_WORDS if by_words and not agent else DISTILLER
