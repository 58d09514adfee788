"""Joining of a statement to a neighbouring sentence that names its subject, or takes it back."""

import re

from curator import safety
from curator.distill.candidate import Candidate
from curator.distill.collector import MAX_TEXT, MOST, Collector
from curator.secrets import MARK

_REVERSAL = re.compile(
    r"(?:(?:but|and|well|ok|okay|turns out|actually|so|oh),? )*(?:i (?:was|am)|i'm) (?:so |totally |completely |dead )?"
    r"wrong(?= about\b|\s?[,.!;:–—-]|$)|(?:(?:but|and|well|so),? )*i take (?:it|that|it all) back\b"
    r"|(?:(?:but|and|well|so),? )*i(?:'ve| have) changed my mind\b"
)
_MORE = re.compile(
    r"(?:or|nor|and|plus)(?: also)? (?!(?:thanks?|thx|you|your|me|not|so|yes|no|done|again|then|now|more|that|this"
    r"|these|it|its"
    r"|it's|here|there|maybe|what|why|how|who|when|where|please|pls|lol|haha|also|etc|never|always|if|is|are|is|we|i|i'm|he"
    r"|she|they|the|finally|please|yet|yeah|ok|okay|whatever|something|anything|stuff|relax|breathe|action|go|wait|stop)\b)"
    r"(?!\w+(?:ly|ing|ed)\b)[^\W\d][\w'-]+(?: (?:and|or|nor) [^\W\d][\w'-]+)?[.!]*"
)
"""A sentence of one or two things, with the verb of the one before: "I don't eat pork. Or beef."."""
_OF_THINGS = ("diet", "preference", "short preference", "favourite", "health", "language spoken")
"""Families of statements that go on with such a sentence."""
_SAID = re.compile(
    r"\b(?:said|say|told|thought|think|swore|hate|hated|stand|never|always|believed|love|loved|like|liked)\b"
)
"""Words of an opinion, the kind of statement that people take back."""
_ALLERGIC = re.compile(r"\ballergic\b(?! to\b)")
_NAMED = re.compile(r"\ballerg(?:ic|y|ies) to\b|\b(?!my|an|the|a|this|that|bad|severe|serious)\w+ allerg(?:y|ies)\b")


def join_reversal(kept: Collector, before: tuple[int, int] | None, start: int, end: int) -> bool:
    """Join "I was wrong, I love it now" to the statement of the previous sentence; return False if it has none."""
    if kept.language.strict or before is None or not _REVERSAL.match(kept.low, start, end):
        return False
    last = kept.candidates[-1] if kept.candidates else None
    if last is None or last.start < before[0] or not _SAID.search(kept.low, *before):
        return False
    return _joined(kept, last, last.start, end)


def join_more(kept: Collector, before: tuple[int, int] | None, start: int, end: int) -> bool:
    """Join "Or beef." to the statement of the previous sentence; return False if it does not continue like that."""
    if kept.language.strict or before is None or not _MORE.fullmatch(kept.low, start, end):
        return False
    last = kept.candidates[-1] if kept.candidates else None
    if last is None or last.rule not in _OF_THINGS or kept.low[last.end : start].strip(" .!"):
        return False
    return _joined(kept, last, last.start, end)


def name_substance(kept: Collector, before: tuple[int, int] | None, known: int) -> None:
    """Join the previous sentence to allergies without a substance among the candidates after the first `known`."""
    if before is None or kept.language.strict:
        return
    said = [(one, kept.low[one.start : one.end]) for one in kept.candidates[known:]]
    unnamed = [
        one
        for one, low in said
        if _ALLERGIC.search(low) and not _NAMED.search(low) and safety.states(low, ("allergy",))
    ]
    if unnamed and not any(_NAMED.search(one.quote.lower()) for one in kept.candidates[-MOST:]):
        for one in unnamed:
            _joined(kept, one, before[0], one.end)


def _joined(kept: Collector, one: Candidate, start: int, end: int) -> bool:
    """Extend a candidate to the span from `start` to `end`; return False if that is too long or contains a secret."""
    said = kept.message.text[start:end]
    if len(said) > MAX_TEXT or "\n\n" in said or MARK in said:
        return False
    kept.candidates[kept.candidates.index(one)] = kept.widened(one, start, end)
    return True
