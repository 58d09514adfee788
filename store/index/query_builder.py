"""Full-text queries for LanceDB: objects, never a query language, so that nothing typed is an operator."""

import re
from typing import TYPE_CHECKING

from store.sanitize import storable

if TYPE_CHECKING:
    from lancedb.query import FullTextQuery

_INFLECTED = re.compile(r"[\u0370-\u0dff\u10a0-\u10ff\u1200-\u137f\uac00-\ud7af]{2,}")
"""Words in scripts that join endings or particles to a word (Greek, Cyrillic, Hebrew, Arabic, Indic, Korean, …), for
which there is no stemmer here."""
STOP_WORDS = (
    "a about am an and are as at be been being but by can could d did do does doing done don for from had has have"
    " having he her him his how i if in into is it its just ll m may me might must my no not of on or our re s shall"
    " she should so such t than that the their them then there these they this to too us ve very was we were what when"
    " where which who whom whose why will with would you your"
).split()
"""English words that say nothing about what a text is about. ICU's own list joins those of all languages, and so drops
"dog" and "cat"."""
_CJK = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
_TOKEN = re.compile(rf"{_CJK}|[^\W_]+")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|ly|e)$")


def match(query: str, column: str) -> "FullTextQuery":
    """Match any of the words, by BM25; in inflected scripts also words with other last letters, at half weight."""
    from lancedb.query import BooleanQuery, FullTextOperator, MatchQuery, Occur

    def clause(words: str, boost: float, fuzziness: int, prefix: int) -> MatchQuery:
        return MatchQuery(
            words,
            column,
            boost=boost,
            fuzziness=fuzziness,
            max_expansions=50,
            operator=FullTextOperator.OR,
            prefix_length=prefix,
            document_granularity=None,
        )

    exact = clause(storable(query), 1.0, 0, 2)
    loose = [clause(word, 0.5, 2, max(2, len(word) - 1)) for word in dict.fromkeys(_INFLECTED.findall(query)[:16])]
    return BooleanQuery([(Occur.SHOULD, part) for part in (exact, *loose)]) if loose else exact


def stems(text: str) -> frozenset[str]:
    """Return roughly the words that the full-text index would see; only to weigh rows that it has not seen yet."""
    return frozenset(_ENDING.sub("", token) for token in _TOKEN.findall(text.casefold()))
