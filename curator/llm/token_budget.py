"""Token budget of one call. All estimates err high: a model silently cuts a prompt that is too long."""

MOST = 3_500
"""Tokens of data in one call at most, whatever the model's context: small models lose the middle of long prompts."""
ANSWER = 1_500
FRAME = 900
"""Tokens of the rest of a prompt: rules, example, marks, and the note of a second try."""


def tokens(text: str) -> int:
    """Estimate the tokens of a text, three bytes each, which errs high."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def answer(context: int) -> int:
    """Return the token limit of an answer where prompt and answer share `context` tokens."""
    return min(ANSWER, context // 4)


def room(context: int) -> int:
    """Return the tokens of data that fit into one call."""
    return max(200, min(MOST, context - answer(context) - FRAME))
