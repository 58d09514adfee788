"""Index scripts without word spaces as character bigrams.

Chinese, Japanese, Thai, Lao, Khmer and Burmese have no spaces; Korean has spaces but joins words and particles.
Measured with 64 queries with one answer each (`tests/bench/unspaced.py`): with words from ICU's dictionaries, which
divide a text and a question differently, 88 % of the answers in Chinese and Japanese are among the first ten, and 31 %
in Korean; with bigrams, all are. Trigrams (FTS5's `trigram`) find 19 to 62 %, because most words have two characters.
"""

import re
from itertools import pairwise

UNSPACED = (
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)
"""Regular expression of a character of such a script."""
_RUN = re.compile(f"{UNSPACED}+")


def with_bigrams(text: str) -> str:
    """Return a text for the index, with each run of such characters replaced by its characters and bigrams."""
    return text if text.isascii() else _RUN.sub(lambda run: f" {' '.join(run[0])} {_bigrams(run[0])} ", text)


def query_bigrams(query: str) -> str:
    """Return a query with each run of such characters replaced by its bigrams; a single character stays."""
    return query if query.isascii() else _RUN.sub(lambda run: f" {_bigrams(run[0]) or run[0]} ", query)


def _bigrams(run: str) -> str:
    return " ".join(first + second for first, second in pairwise(run))
