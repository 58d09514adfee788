"""Text in scripts without spaces between words, as pairs of characters: no dictionary tells its words.

Chinese, Japanese, Thai, Lao, Khmer and Burmese have no spaces; Korean has, but joins words and particles. Measured with
64 queries of own memories, of which each has one answer (`tests/bench/unspaced.py`): with the words of ICU's
dictionaries, which cut a text in one way and a question in another, 88 % of the answers in Chinese and Japanese are
among the first ten, and 31 % in Korean; with pairs all are. Triples (FTS5's `trigram`) find 19 to 62 % of the three, as
most of their words have two characters.
"""

import re
from itertools import pairwise

UNSPACED = (
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)
"""A character of such a script, as a pattern."""
_RUN = re.compile(f"{UNSPACED}+")


def spread(text: str) -> str:
    """Return a text as it is indexed: each run of such characters as the characters and the pairs of them."""
    return text if text.isascii() else _RUN.sub(lambda run: f" {' '.join(run[0])} {_pairs(run[0])} ", text)


def paired(query: str) -> str:
    """Return a query as it is searched: each run as its pairs, a single character as it is."""
    return query if query.isascii() else _RUN.sub(lambda run: f" {_pairs(run[0]) or run[0]} ", query)


def _pairs(run: str) -> str:
    return " ".join(first + second for first, second in pairwise(run))
