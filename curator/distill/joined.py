"""Joining of a statement to a neighbouring sentence that names its subject, or takes it back."""

import re
from dataclasses import replace

from curator import safety
from curator.distill.atoms import StatementPart
from curator.distill.candidate import Candidate
from curator.distill.collector import MAX_TEXT, MOST, Collector
from curator.distill.language import english
from curator.safety.allergens import is_allergen
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

_FURTHER = re.compile(
    r"(?:(?:oh|and|but|or|plus|yes|also)[, ]+)*?(?:also(?: to)?|to) (?P<things>(?:[\w'-]+ )??[\w'-]+"
    r"(?:(?:, and |, or |, | and | or | & )(?:[\w'-]+ )??[\w'-]+){0,5}?)(?: too| as well)?[.!]*"
)
"""A sentence of things that the allergy of the one before is to as well: "Also to nuts."."""
_BETWEEN = re.compile(r", and |, or |, | and | or | & ")
_THING = re.compile(r"(?:[a-z][\w-]+ )?[a-z][\w-]+[^\Ws]s")
"""Things that no list of allergens has: "mushrooms", unlike "to discuss"."""
_TO_WHAT = re.compile(r"[^.!?;,\n]*\b(?:allergic|allergy) to\b")


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


def keep_further_allergy(kept: Collector, before: tuple[int, int] | None, start: int, end: int) -> bool:
    """Add "I'm allergic to nuts" for "Also to nuts." after "I'm allergic to shellfish."; return False if it is not so.

    The statement before stays as it is: who forgets it forgets this one or not.
    """
    further = _FURTHER.fullmatch(kept.low, start, end)
    last = kept.candidates[-1] if kept.candidates else None
    if not further or kept.language.strict or before is None or last is None or last.end < before[0]:
        return False
    subject = _TO_WHAT.match(kept.low, last.start, last.end)
    things = _BETWEEN.split(kept.message.text[slice(*further.span("things"))])
    lead = kept.low[start : further.start("things")].split()
    known = all(is_allergen(one.lower()) or ("to" in lead and _THING.fullmatch(one)) for one in things)
    if not subject or not known or safety.may_deny(subject[0]) or kept.low[last.end : start].strip(" .!"):
        return False
    part = StatementPart(*further.span("things"), english().named(last.rule), subject.span())
    said = part.words(kept.message.text)
    if MARK in said or len(said) > MAX_TEXT:
        return False
    one = kept.candidate(part, said)
    kept.candidates.append(replace(one, confidence=last.confidence, importance=last.importance))
    return True


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
