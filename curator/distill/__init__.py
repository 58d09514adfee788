"""Rule-based distilling of messages into candidates for memories.

The name of the distiller is here, apart from the rules, which take a quarter of a second to import.
"""

DISTILLER = "rules/1"
"""Name and version of the rule distiller, recorded on the conversations it has read."""

BY_WORDS = f"{DISTILLER} by words"
"""The mark on conversations that were read without the classifier of sentences."""


def marks() -> tuple[str, ...]:
    """Return the marks of conversations that need not be read again.

    Those read by words alone are read once more when the classifier is there.
    """
    from curator import models

    return (DISTILLER,) if models.can_classify() else (DISTILLER, BY_WORDS)


def mark_of(agent: bool, by_words: bool) -> str:
    """Return the mark of a conversation that is read with or without the classifier, which reads no coding sessions."""
    return BY_WORDS if by_words and not agent else DISTILLER
