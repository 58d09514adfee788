"""How much fits into one call, in tokens. All estimates are on the safe side: a prompt too long is cut unseen."""

MOST = 3_500
"""Tokens of data in one call, however much the model could take: small models lose what stands in the middle."""
ANSWER = 1_500
FRAME = 900
"""Tokens of everything in a prompt that is not data: rules, example, marks, and the note of a second try."""


def tokens(text: str) -> int:
    """About how many tokens a text is, rather too many: three bytes each."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def answer(context: int) -> int:
    """The most tokens an answer may have where prompt and answer share `context` tokens."""
    return min(ANSWER, context // 4)


def room(context: int) -> int:
    """The tokens of data that one call may have."""
    return max(200, min(MOST, context - answer(context) - FRAME))
