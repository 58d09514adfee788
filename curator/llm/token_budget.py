"""Token budget of one call. Estimates err high, because a model silently truncates a prompt that is too long."""

MOST = 3_500
"""Maximum tokens of data per call for any context size: small models lose the middle of long prompts."""
ANSWER = 1_500
FRAME = 900
"""Tokens of the rest of a prompt: rules, example, fences, and the note of a second attempt."""


def tokens(text: str) -> int:
    """Estimate the tokens of a text at three bytes each, which errs high."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def answer(context: int) -> int:
    """Return the token limit of an answer when prompt and answer share `context` tokens."""
    return min(ANSWER, context // 4)


def room(context: int) -> int:
    """Return the tokens of data that fit into one call."""
    return max(200, min(MOST, context - answer(context) - FRAME))
