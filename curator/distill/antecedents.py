"""Widening of statements that depend on the sentences before them, to begin with these: "She lives in Bath now."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from curator import safety
from curator.distill.atoms import without_fillers
from curator.distill.candidate import REQUESTED, Candidate
from curator.distill.chat_score import NO_REQUEST, scores_of_words
from curator.distill.clauses import is_task, sentences
from curator.distill.collector import Collector
from curator.distill.filters import SCORED_ORDER
from curator.distill.language import english, is_english
from curator.distill.mask import lower
from curator.distill.surprise import signals
from curator.safety.concerns import Whose, whose
from curator.secrets import MARK
from curator.text import worded
from curator.text.dates import without_dates

LONGEST = 180
"""Maximum characters of a widened statement."""
FURTHEST = 3
"""Maximum number of sentences before a statement that it is widened to."""
SHORT_FRAGMENT = 3
"""Maximum words of a fragment that depends on the sentence before it, whatever its first word."""
LEADING = 2
"""Maximum words before a statement in its sentence, such as "and so"."""
OWN = frozenset(("no_pattern", "vague", "transient", "generic", "too_short", "low_confidence", "routine", "question"))
"""Reasons for refusing a person's own words, to which a statement may refer."""
_QUESTION = re.compile(
    r"(?!(?:(?:and|so|ok|okay|also),? )*(?:please|(?:can|could|would|will) you|you)\b).*\?$", re.DOTALL
)
"""A question that is not a request."""
_ASKS = re.compile(
    r"(?:(?:and|so|ok|okay|also),? )*(?:please|keep|remember|note|save|store|make a note|don't forget)\b"
)
_CODE = re.compile(r"\w(?:Error|Exception)\b|[_=<>{}]|\w\(\)")
_OPENER = r"(?:(?:and|but|so|also|now|then|well|oh|ok|okay|cause|because|since|only|even|still|plus),? ){0,3}"
_REFERS = re.compile(  # to somebody or something named before
    rf"{_OPENER}(?:(?:he|she|they|them|those|these|it|its|his|their|her)(?:'\w+)?(?= )"
    r"|th(?:at|is)(?:'s|'ll| one| is| was)\b"
    r"|(?:both|neither|none|half|most|some|another|others|one|the others?|the rest|the same)"
    r"(?= of (?:them|em|those|these)\b| (?:is|are|was|were|has|have|had|goes|lives|works|wants?)\b|,)"
    r"|(?:no|nope|yes|yeah|yep), "
    r"|(?:goes|comes|runs|works|lives|costs|needs|takes|has|is|was|means|starts|ends|belongs|can't|doesn't|isn't|won't)\b)"
)
_EXPLETIVE = re.compile(
    rf"{_OPENER}it(?:'s| is| was| takes| took) (?:[\w']+ ){{1,5}}(?:to|that|when|if|since|who)\b"
    rf"|{_OPENER}(?:it|this|that)(?:'s| is| was) (?:raining|snowing|cold|hot|dark|late|my|our)\b"
)
_CLAUSE_END = re.compile(r"[,;:.!?()–—]|\s(?:-|and|but|because|so|which|who|that|when|if|while|where|cause|cuz)\s")
_ACTOR = re.compile(
    rf"{_OPENER}(?:(?:i|we)(?:'\w+)?|\w+ing|\w+ed|paid|lost|gave|got|put|made|bought|sold|took|told|had|sent|did) "
)
"""The start of a statement about the person, whose subject may be left out."""
_OBJECT = re.compile(
    r"(?:(?!\b(?:my|our|an?|some)\b).)*?"
    r"\b(?:it(?! (?:when|if|hard|easy|easier|here|out|there)\b)|them|em|him|those|these|that one|this one)\b"
    r"|(?:(?!\b(?:an?|some)\b).)*\b(?:with|of|over|for|about|from|on|in|at) (?:it|them|em|him|her)$"
    r"|(?:(?!\b(?:my|our|an?|the)\b).)*?\b(?:see|met|meet|call|visit|told|tell|help|love|miss|married) her\b"
)
_POINTS = re.compile(
    r"[^,;:.!?]*\b(?:in|on|of|with|for|at|about|from|to|by) (?:that|those) (?!\w+'|way\b|day\b|time\b|much\b)\w+"
)
_PRONOUN = re.compile(r"\b(?:it|them|em|him|her)\b")
_NUMBER_ALONE = re.compile(
    r".*\b(?:have|got|had|get|take|took|need|want|bought|drink|eat|do) (?:one|two|three|four|five|six|some|another"
    r"|none|both|\d+)(?= (?:every|each|per|at|already|now|left|in|a (?:day|week|month|year))\b|[,.]|$)"
)
_INSTEAD = re.compile(r"[^,;:.!?]*\binstead\b(?! of\b)")
_PERSON = re.compile(rf"{_OPENER}(?:he|she|his|her)\b")
_SOMEBODY = re.compile(
    r"\b(?:(?:an?|the|my|our|this|some|that) (?:[\w-]+ )?(?:\w+(?:er|or|ist|ian|man|woman)|boss|friend|girl|boy|guy|lad"
    r"|kid|baby|child|tenant|landlord|client|colleague|student|dog|cat)|man|woman|fella)\b"
)
_NAMED = re.compile(
    r"^(?!(?:He|She|It|They|That|This|There|What|Who|Everything|Nothing)\b)[A-Z][\w-]+(?:'s)? (?:has|is|was|got|went"
    r"|had|\w+n't|\w+ed|\w+s)\b"
    r"|(?<=[\w,] )(?<!\b(?:in|at|to|on|of|by) )(?<!\b(?:for|via) )(?<!\b(?:with|from|near) )(?<!\bcalled )"
    r"[A-Z][\w-]*[a-z]"
)
"""What is probably a person's name: the first word of a sentence before a verb, or a word not after a preposition."""
_ORDER_ON_THAT = re.compile(
    rf"{_OPENER}(?:(?:please|just|never|always|do not|don'?t|stop|quit|keep) ){{0,2}}"
    r"(?:(?:do|doing|use|using|say|saying|write|skip|drop|avoid) )?(?:that|this|it|them)\b"
    r"(?= (?:again|ever|for good|for ever|always|please|from|every)\b|[,.!;]|$)"
)
"""The start of an order about what the order before it names: "quit that for good"."""
_FRAGMENT = re.compile(
    rf"{_OPENER}(?:\d[\w:/.]*|every|each|not|due|mostly|usually|from|since|till|until|with|in|on|at|by|for|than"
    r"|called|named)\b"
)
"""The start of a phrase that continues a sentence, if it has no verb."""
_VERB = re.compile(
    r"\b(?:i|we|you|am|is|are|was|were|has|have|had|do|does|did|can|could|will|would|shall|should|must|might|cannot"
    r"|\w+n't|\w+'(?:s|re|ve|ll|d|m)|\w{2,}ed|get|gets|got|gone|go|goes|went|comes?|came|takes?|took|makes?|made|says?"
    r"|said|told|gives?|gave|puts?|works?|lives?|likes?|loves?|hates?|wants?|needs?|plays?|runs?|ran|eats?|ate|drinks?|drank"
    r"|keeps?|kept|left|lost|sold|bought|moves?|died|found|means?|costs?|starts?|ends?|knows?|thinks?|feels?|uses?"
    r"|prefers?|speaks?|studies|teaches|owns?|owe|wears?|drives?|became|began|broke|quit|let|met|paid|read|sent|slept|spent|taught"
    r"|thought|wrote|won|add|call|calling|write|use|give|show|make|thats|its|shes|hes)\b"
)


def depends(low: str) -> bool:
    """Return True if a statement in lower case tells of whom or of what it is only with the sentence before it."""
    if _REFERS.match(low):
        return not _EXPLETIVE.match(low)
    if _INSTEAD.match(low):
        return True
    if _ACTOR.match(low):
        stop = _CLAUSE_END.search(low, 1)
        clause = low[: stop.start()] if stop else low
        return any(one.match(clause) for one in (_OBJECT, _NUMBER_ALONE)) or _POINTS.match(low) is not None
    phrase = re.split(r"[,;:.!?()–—]", low, maxsplit=1)[0]
    if _VERB.search(phrase):
        return False
    few = len(phrase.split()) <= SHORT_FRAGMENT
    return few or _FRAGMENT.match(phrase) is not None or _PRONOUN.search(phrase) is not None


def widen_dependent(kept: Collector, forgotten: Iterable[int]) -> None:
    """Widen the candidates of a message that depend on the sentences before them, to begin with these.

    A memory of such a sentence and the candidate become one, of the kind of the more important. A sentence that is no
    statement of the person, or is to be forgotten (from one of the offsets `forgotten`), is added to none. Orders,
    requests to remember and memories on health are added to none either.
    """
    if kept.language.strict or not kept.candidates:
        return
    spans = list(sentences(kept.low))
    starts = [start for start, _, _ in spans]
    reasons: defaultdict[int, set[str]] = defaultdict(set)
    for start, reason in [
        *((one.start, one.reason) for one in kept.refusals),
        *((at, "forgotten") for at in forgotten),
    ]:
        reasons[bisect_right(starts, start) - 1].add(reason)
    result: list[Candidate] = []
    for one in sorted(kept.candidates, key=lambda one: (one.start, one.end)):
        at = bisect_right(starts, one.start) - 1
        begin, end, is_item = spans[at]
        if result and _ORDER_ON_THAT.match(kept.low, one.start) and follows_order(kept.low, result[-1], one):
            result.append(join_orders(kept, result.pop(), one))
            continue
        inside = is_item or one.end > end or len(kept.low[begin : one.start].split()) > LEADING
        if inside or _is_order(one) or not depends(kept.low[one.start : one.end]):
            result.append(one)
            continue
        before = [(*spans[place], reasons[place]) for place in range(max(0, at - FURTHEST), at)]
        wide, joined = widened_to(kept, one, result, before)
        del result[len(result) - joined :]
        result.append(wide)
    kept.candidates = result


def follows_order(low: str, before: Candidate, one: Candidate) -> bool:
    """Return True if two orders directly follow one another and are short enough to be one."""
    adjacent = not any(map(str.isalnum, low[before.end : one.start])) and one.end - before.start <= LONGEST
    return adjacent and before.flag is None and one.flag is None and _is_order(before) and _is_order(one)


def join_orders(kept: Collector, before: Candidate, one: Candidate) -> Candidate:
    """Return two orders as one, which is always given if either is."""
    main = one if one.always else before
    return kept.widened(replace(main, importance=max(before.importance, one.importance)), before.start, one.end)


def _is_order(one: Candidate) -> bool:
    asked = one.always or one.importance == REQUESTED
    return asked or one.standing or one.rule == SCORED_ORDER or one.flag is not None


def widened_to(
    kept: Collector, one: Candidate, earlier: Sequence[Candidate], before: Sequence[tuple[int, int, bool, set[str]]]
) -> tuple[Candidate, int]:
    """Return a candidate widened to the sentences `before` it, and how many of the last `earlier` ones it includes.

    Each sentence is a span, whether it is a list item, and the reasons for refusing its parts.
    """
    text, low, first, joined = kept.message.text, kept.low, one.start, 0
    named = False
    for start, end, is_item, reasons in reversed(before):
        if start >= first:
            continue
        last = earlier[-1 - joined] if joined < len(earlier) else None
        known = last is not None and last.end > start
        begin = last.start if last and known else start
        gap = low[end:first]
        if is_item or end > first or one.end - begin > LONGEST or "\n\n" in gap:
            break
        if "\n" in gap and low[end - 1] not in ".!?…":
            break
        if not (is_as_said(last) if last and known else is_own(kept, start, end, reasons)):
            break
        begin = begin if known else without_fillers(low, start, end, order=True)[0]
        first, joined, found = begin, joined + known, signals(text[begin:end])
        if named := bool(found.names or (found.telling and not depends(low[begin:end]))):
            break
    parts, head, said = [*earlier[len(earlier) - joined :], one], text[first : one.start], text[first : one.end]
    if not (named or joined) or lower(said) != low[first : one.end] or not is_english(lower(said)) or MARK in said:
        return one, 0
    if _PERSON.match(low, one.start) and lower(text) != text and not names_person(head):
        return one, 0
    main = max(parts, key=lambda part: (safety.states(part.text), part.importance))
    wide = kept.widened(main, first, one.end)
    health_stays = _on_health(main) == _on_health(wide) and not any(safety.states(part.text) for part in parts[:-1])
    return (wide, joined) if health_stays and not any(map(_is_order, [*parts, wide])) else (one, 0)


def is_own(kept: Collector, start: int, end: int, reasons: set[str]) -> bool:
    """Return True if a sentence without a memory is a statement or question of the person, and no request."""
    if not reasons or reasons - OWN or ("question" in reasons and not _QUESTION.match(kept.low, start, end)):
        return False
    if is_task(kept.low, start, end) or _ASKS.match(kept.low, start, end):
        return False
    said = kept.message.text[start:end]
    return not _CODE.search(said) and scores_of_words(said).request < NO_REQUEST


def is_as_said(one: Candidate) -> bool:
    """Return True if the text of a candidate is its quote, without a subject from elsewhere."""
    return worded(one.quote) == without_dates(one.text)


def names_person(head: str) -> bool:
    """Return True if a text probably names a person."""
    low = lower(head)
    cues = _SOMEBODY, english().cues["relative"]
    return _NAMED.search(head) is not None or any(cue.search(low) for cue in cues)


def _on_health(one: Candidate) -> tuple[bool, bool, Whose]:
    return safety.states(one.text), safety.is_grave(one.text), whose(one.text)
