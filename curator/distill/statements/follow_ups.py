"""Joining of a statement to a neighbouring sentence that names its subject, or takes it back."""

import re
from dataclasses import replace

from curator import safety
from curator.distill.candidate import Candidate
from curator.distill.collector import MAX_TEXT, MOST, Collector
from curator.distill.filters import SCORED_ORDER
from curator.distill.language import english
from curator.distill.statements.atoms import StatementPart
from curator.distill.surprise import signals
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
    r"|it's|here|there|maybe|what|why|how|who|when|where|please|pls|lol|haha|also|etc|never|always|if|is|are|is|we|i"
    r"|i'm|he"
    r"|she|they|the|finally|please|yet|yeah|ok|okay|whatever|something|anything|stuff|relax|breathe|action|go|wait"
    r"|stop)\b)"
    r"(?!\w+(?:ly|ing|ed)\b)[^\W\d][\w'-]+(?: (?:and|or|nor) [^\W\d][\w'-]+)?[.!]*"
)
"""A sentence of one or two things, with the verb of the one before: "I don't eat pork. Or beef."."""
_OF_THINGS = ("diet", "preference", "short preference", "favourite", "health", "language spoken")
"""Families of statements that go on with such a sentence."""
_INSTEAD = re.compile(
    r"(?:(?:so|and|now|it's|its|well),? )*(?:only|just|mostly|mainly) (?!(?:i|i'm|we|you|he|she|they|it|the|a|my|one"
    r"|once"
    r"|now|for|in|on|at|to)\b|\w+(?:ing|ed|ly)\b)[a-z][\w'-]+(?: [a-z][\w'-]+){0,2} (?:now|instead|these days|since"
    r"|from now on)[.!]*"
)
"""What somebody has or does in place of what the sentence before ends: "I quit coffee. Only tea now."."""
_DO_INSTEAD = re.compile(
    r"(?:(?:so|and|but|just|please|pls),? )*(?!(?:i|i'm|we|he|she|they|it|you|my|our|the|this|that)\b)[a-z][\w'-]+ "
    r"[^.;?!\n]{2,60} instead[.!]*"
)
_BANS = re.compile(
    r"(?:(?:please|pls|can you|could you|and|but|so|also),? )*(?:don't|do not|never|stop|no|not|quit|avoid)\b"
)
"""An order, and what to do in its place: "Don't write my essays. Ask me questions instead."."""
_MOVE = (
    r"(?:we're |we |i'm |i )?(?:moving|move|moved|getting the keys|keys)(?: in| there| out)?(?: (?:on|in|at|by|from))?"
)
_NAMES = r"[A-ZÀ-Þ][\w'’-]+(?:(?:,| in| on)? [A-ZÀ-Þ][\w'’-]+){0,3}"
_PLACED = re.compile(
    rf"(?:{_NAMES}, {_MOVE} [\w .]{{2,30}}"
    rf"|(?:[Ii]t's |[Ii]ts )?(?:[Ii]n|[Oo]n|[Aa]t|[Nn]ear|[Bb]y) {_NAMES}(?:,? {_MOVE} [\w .]{{2,30}})?)[.!]*"
)
"""Where a home is, and when somebody moves there: "Askøy, Kleppestø, moving in 5 december"."""
_NOT_THERE = re.compile(
    r"(?:(?:so|and|but) )?(?:not|no longer|no more) [^,;?!]{3,30} (?:any ?more|then)(?: then)?[.!]*"
)
_ADDRESS = re.compile(
    r"(?:(?:the|our|my|new|and|full|exact) )*address(?: there)?(?: is|'s|:) (?=[^,;?]*\d)[^;?\n]{5,80}"
)
_FOR_A_TIME = re.compile(
    r"(?:(?:so|and|then|also|which means|that means),? )*(?:no (?!(?:idea|news|way|thanks|problem|need|one)\b)|not "
    r"|without |(?:plaster|a cast|cast|crutches|bandages?|sick leave|rehab|physio"
    r"|off (?:work|sick|school)|in bed|home) )"
    r"(?:[\w'-]+ ){0,4}?(?:(?:for|until|till) )?(?:about |around |at least |another |the (?:next |first )?)*"
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a (?:couple of|few)) (?:days?|weeks?|months?)"
    r"(?: after(?:wards)?)?[.!]*"
)
"""A temporary consequence of the event before it: "no work for 6 weeks"."""
_HOMES = ("dwelling",)
_ENDED = ("no longer", "diet", "preference", "short preference")
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


_DOSE = re.compile(
    r"(?:(?:and|but|so|well|because|cos),? )*(?:i|i'm|i am|i've been)(?: (?:only|also|now|just|currently|still))*"
    r" (?:take|taking|on|use|using|inject|have)"
    r" (?:\d[\d.,]*|one|two|three|half a)(?: ?x)? ?(?:mcg|µg|micrograms|mg|ml|g|iu|units?|puffs?|tablets?|pills?|drops)"
    r"(?=[.!]*$| (?:every|each|a day|a week|per|daily|twice|once|in the|at|before|after|with|now|for|since|on)\b)"
)
"""A dose without its medicine: "I take 75 mcg every morning"."""
_MEDICINES = ("treatment", "bleeding", "illness")


def join_reversal(collector: Collector, before: tuple[int, int] | None, start: int, end: int) -> bool:
    """Join "I was wrong, I love it now" to the statement of the previous sentence; return False if it has none."""
    if collector.language.strict or before is None or not _REVERSAL.match(collector.low, start, end):
        return False
    last = collector.candidates[-1] if collector.candidates else None
    if last is None or last.start < before[0] or not _SAID.search(collector.low, *before):
        return False
    return _joined(collector, last, last.start, end)


def join_more(collector: Collector, before: tuple[int, int] | None, start: int, end: int) -> bool:
    """Join a fragment to the statement of the previous sentence: "Or beef.", "Only tea now.", "address is Elm Road 8".

    Returns False if the sentence does not continue it like that.
    """
    last = collector.candidates[-1] if collector.candidates else None
    if collector.language.strict or before is None or last is None or collector.low[last.end : start].strip(" .!"):
        return False
    low, text = collector.low, collector.message.text
    continues = (
        (last.rule in _OF_THINGS and _MORE.fullmatch(low, start, end))
        or (last.rule in _ENDED and _INSTEAD.fullmatch(low, start, end))
        or (last.rule in _HOMES and (_PLACED.fullmatch(text, start, end) or _NOT_THERE.fullmatch(low, start, end)))
        or _ADDRESS.fullmatch(low, start, end)
        or (not last.standing and _FOR_A_TIME.fullmatch(low, start, end) and signals(last.quote).dates)
    )
    return bool(continues) and _joined(collector, last, last.start, end)


def join_instead(collector: Collector, sentence: tuple[int, int], known: int) -> None:
    """Join the one order of a sentence, the candidate after the first `known`, to the ban before it that it replaces.

    "Ask me questions instead." says in place of what only with "Don't write my essays.".
    """
    if len(collector.candidates) != known + 1 or not known or not _DO_INSTEAD.fullmatch(collector.low, *sentence):
        return
    ban, order = collector.candidates[-2:]
    is_order = order.standing or order.rule == SCORED_ORDER
    if is_order and ban.standing and _BANS.match(collector.low, ban.start, ban.end):
        between = collector.low[ban.end : order.start]
        if not between.strip(" .!") and _joined(collector, ban, ban.start, order.end):
            collector.candidates.remove(order)


def keep_further_allergy(collector: Collector, before: tuple[int, int] | None, start: int, end: int) -> bool:
    """Add "I'm allergic to nuts" for "Also to nuts." after "I'm allergic to shellfish."; return False if it is not so.

    The statement before stays as it is: who forgets it forgets this one or not.
    """
    further = _FURTHER.fullmatch(collector.low, start, end)
    last = collector.candidates[-1] if collector.candidates else None
    if not further or collector.language.strict or before is None or last is None or last.end < before[0]:
        return False
    subject = _TO_WHAT.match(collector.low, last.start, last.end)
    things = _BETWEEN.split(collector.message.text[slice(*further.span("things"))])
    lead = collector.low[start : further.start("things")].split()
    known = all(is_allergen(one.lower()) or ("to" in lead and _THING.fullmatch(one)) for one in things)
    if not subject or not known or safety.may_deny(subject[0]) or collector.low[last.end : start].strip(" .!"):
        return False
    part = StatementPart(*further.span("things"), english().named(last.rule), subject.span())
    said = part.words(collector.message.text)
    if MARK in said or len(said) > MAX_TEXT:
        return False
    one = collector.candidate(part, said)
    collector.candidates.append(replace(one, confidence=last.confidence, importance=last.importance))
    return True


def name_substance(collector: Collector, before: tuple[int, int] | None, known: int) -> None:
    """Join the previous sentence to allergies without a substance among the candidates after the first `known`.

    Likewise to a dose without its medicine, if that sentence names one: "Is it ok with insulin? I take 5 units a day".
    """
    if before is None or collector.language.strict:
        return
    for one in collector.candidates[known:]:
        if _DOSE.match(collector.low, one.start, one.end) and safety.states(collector.low[slice(*before)], _MEDICINES):
            _joined(collector, one, before[0], one.end)
    said = [(one, collector.low[one.start : one.end]) for one in collector.candidates[known:]]
    unnamed = [
        one
        for one, low in said
        if _ALLERGIC.search(low) and not _NAMED.search(low) and safety.states(low, ("allergy",))
    ]
    if unnamed and not any(_NAMED.search(one.quote.lower()) for one in collector.candidates[-MOST:]):
        for one in unnamed:
            _joined(collector, one, before[0], one.end)


def _joined(collector: Collector, one: Candidate, start: int, end: int) -> bool:
    """Extend a candidate to the span from `start` to `end`; return False if that is too long or contains a secret."""
    said = collector.message.text[start:end]
    if len(said) > MAX_TEXT or "\n\n" in said or MARK in said:
        return False
    collector.candidates[collector.candidates.index(one)] = collector.widened(one, start, end)
    return True
