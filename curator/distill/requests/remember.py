"""Requests to remember: detects them, and extracts what they ask to remember."""

import re
from dataclasses import replace

from curator.distill.candidate import REQUESTED
from curator.distill.collector import MAX_CONFIDENCE, MAX_TEXT, Collector, cut
from curator.distill.filters import SHORTEST
from curator.distill.language import english
from curator.distill.other_languages import language_of, languages_in
from curator.distill.requests.coding_sessions import points_back, requested_by_form
from curator.distill.requests.commands import PURPOSE, remember_command, to_remember
from curator.distill.requests.standing_orders import asks_to_remember, asks_unmarked, is_passing_task
from curator.distill.scores.chats import NO_REQUEST, NO_REQUEST_IN_SESSION, REQUEST, SAYING, Scores, scores
from curator.distill.statements.atoms import (
    StatementPart,
    facts_listed,
    is_whole,
    leans_on,
    parts_of,
    without_fillers,
    without_inner_fillers,
)
from curator.distill.statements.clauses import StatementSpan
from curator.distill.surprise import signals
from curator.secrets import MARK
from curator.text import lower
from store.model import Tier

LONGEST_REQUEST = 60
"""Maximum characters of a sentence that only asks to remember another one."""
ASKABLE = {"no_pattern", "transient", "vague", "generic", "low_confidence", "too_short"}
"""Reasons for refusal that a request to remember the sentence overrides."""

_UNNAMED = re.compile(
    r"(?:(?:that )?(?:he|she|they|it|this|that)(?=['\s])|(?<=that ))(?:'s|'re|'ll|'d|'ve| ?(?:is|are|was|were|has|had"
    r"|will|can|can't|cannot|could|would|should|must|does|doesn't|don't|did|didn't|isn't|aren't|won't|never|always|also))\b"
    r"|(?:that )?(?:(?:he|she|it) [a-z]+s|they [a-z]+)\b"
)
"""A subject that only other sentences name ("she", "it")."""
_UNASKED = re.compile(
    r"(?:(?:please|and|also|so|oh|ok|okay|hey)[, ]+)*(?:(?:do not|don't|dont|never) forget|remember|keep in mind|note)"
    r"(?: that| about)?[:,]? "
)
_ASKED_OF_YOU = re.compile(r"(?:\w+,? ){0,3}?(?:can|could|would|will) (?:you|u)\b")
_REMEMBER = re.compile(r"remember|rmbr|forget|in mind|memor")
_KEEP = re.compile(r"\b(?:notes?|save|store|keep|log|record|write|jot|put|add|file|pin)\b")
_FOR_GOOD = re.compile(
    r"remember|rmbr|memor|notes\b|later|next time|future|session|for good|from now|the record|claude\.md|agents\.md"
)
"""Words of a request that is for later work, whatever it is about."""
_TELLS = re.compile(r"\b(?:fyi|heads up|psa|so (?:that )?you know|ftr|reminder)\b")
"""Words that tell something of the moment as often as something to remember."""
_STATES = re.compile(
    r"\b(?:is|are|isn't|aren't|was|were|has|have|had|can|can't|cannot|must|should|needs?|only|never|always|don't|doesn't"
    r"|won't|[a-z]{3,}(?<!ss)(?<!us)s (?:in|on|at|every|each|to|from|with|by|after|before|our|the|all|no|not|an?))\b"
    r"|(?:i|we)(?:'\w+)? \w"
)
"""The verb of a statement, or its subject."""
_GOES_ON = re.compile(r"(?:oh,? )?(?:and|also|plus),? (?:also )?(?:that (?=(?:i|we|my|our)\b))?")
_OWN = re.compile(r"(?:the (?:code|key|pin|wifi|alarm|bins?)|(?:i|we|my|our)\b|[a-z]+'s )")
"""The start of a sentence that may add to a request: about the person, or something of theirs."""
_JUDGED = re.compile(
    r"(?:no,? |nope,? )?(?:that's|that is|this is|it's|you're|you are) "
    r"(?:wrong|false|incorrect|mistaken|not (?:right|true|correct))(?: again)?[,;:]\s*"
)
"""A correction before what is right: "that's wrong, we use tabs"."""
_OWED = re.compile(r"\b(?:i|we)(?:'ll)? owe (?:you|ya|u)\b")
"""Thanks to the assistant ("I owe you")."""


def is_bare_request(collector: Collector, plain: str, start: int, end: int) -> bool:
    """Return True for a sentence that only asks to remember another: "Remember that, please."."""
    if (found := english().cues["remember"].match(collector.low, start, end)) and PURPOSE.fullmatch(
        collector.low, found.end(), end
    ):
        return True
    if collector.language.strict and points_back(collector.low, start, end - (collector.low[end - 1] in ".!?")):
        return True
    if end - start > LONGEST_REQUEST:
        return False
    said = ", " + plain[start:end]
    if english().cues["remember_bare"].match(collector.low, start, end):
        return collector.low[end - 1] != "?" or _ASKED_OF_YOU.match(collector.low, start, end) is not None
    if english().cues["remember_after"].match(said):
        return bool(_REMEMBER.search(said))
    codes = [] if collector.language.strict else languages_in(plain[start:end], plain)
    return any(language_of(code).cues["remember_after"].match(said) for code in codes)


def only_asks_to_keep(text: str) -> bool:
    """Return True if a text asks to write it down ("note", "save this") but not to remember it."""
    low = lower(text)
    return _KEEP.search(low) is not None and _REMEMBER.search(low) is None


def _is_unnamed(low: str, start: int, end: int) -> bool:
    """Return True for a statement whose subject only other sentences name: "she's turning 70"."""
    return _UNNAMED.match(low, start, end) is not None


def ask_to_remember(collector: Collector, sentence: tuple[int, int], request: tuple[int, int]) -> bool:
    """Treat a sentence as a request to remember; return False if it has nothing to keep."""
    start, end = sentence
    text = collector.message.text
    if judged := _JUDGED.match(collector.low, start, end):
        start = judged.end()
    if _is_unnamed(collector.low, start, end):
        return False
    here = [one for one in collector.candidates if start <= one.start < end]
    if not here:
        refused = {one.reason for one in collector.refusals if start <= one.start < end}
        wanted = scores(text[slice(*request)]).request
        if collector.low[end - 1] == "?" or not refused <= ASKABLE or _is_saying(collector, start, end, wanted):
            return False
        family = collector.language.family(collector.low, start, end, text)
        part = StatementPart(start, cut(collector.low, start, end), family)
        here = [collector.candidate(part, text[start:end])]
        collector.refusals = [one for one in collector.refusals if not start <= one.start < end]
        collector.candidates += here
    collector.candidates = [
        replace(one, confidence=MAX_CONFIDENCE, importance=REQUESTED, tier=Tier.CORE, always=True)
        if one in here
        else one
        for one in collector.candidates
    ]
    return True


def requested_span(
    collector: Collector, start: int, end: int, score: Scores, performed: bool
) -> tuple[int, int] | None:
    """Return the span that a sentence asks to remember, by pattern or score; None without a request, or with a secret.

    `performed` means that it has words to translate, rewrite or act, so its score is ignored.
    """
    low, strict, cues = collector.low, collector.language.strict, collector.language.cues
    asked = remember_command(low, start, end, collector.language)
    terse = strict and asked and is_terse_request(collector, start, end, asked)
    least = NO_REQUEST_IN_SESSION if terse else NO_REQUEST
    if asked and (score.request < least or _is_saying(collector, *asked, score.request)):
        asked = None
    if strict and asked and is_note_on_work(collector, start, end, asked):
        return None
    if strict and not asked and not performed:
        asked = requested_by_form(low, start, end)
    by_score = low[end - 1] != ":" and score.request >= max(REQUEST, score.order)
    if strict:
        by_score = collector.requests or (by_score and cues["reminding"].search(low, start, end) is not None)
    if by_score and not (asked or performed or english().cues["writes"].match(low, start, end)):
        certain = (collector.requests or score.request >= REQUEST + 1) and not is_passing_task(low[start:end])
        asked = to_remember(low, start, end, certain)
        asked = None if asked and _is_saying(collector, *asked, score.request) else asked
    if asked and asks_unmarked(low[slice(*asked)]):
        return None
    return asked if asked and MARK not in collector.message.text[slice(*asked)] else None


def is_terse_request(collector: Collector, start: int, end: int, asked: tuple[int, int]) -> bool:
    """Return True if a request in a coding session is one by its form: its words are set apart, and a statement."""
    before, after = collector.low[start : asked[0]].rstrip(), collector.low[asked[1] : end]
    apart = bool(after) or before.endswith((":", ",", "-", "–", "—", " that")) or _REMEMBER.search(before) is not None
    soft = _TELLS.search(before) is not None and _FOR_GOOD.search(before) is None
    return apart and not soft and _STATES.search(collector.low, *asked) is not None


def is_note_on_work(collector: Collector, start: int, end: int, asked: tuple[int, int]) -> bool:
    """Return True if a request in a coding session only points at the work at hand: "note that this test fails"."""
    low, cues = collector.low, collector.language.cues
    if cues["left_to_do"].match(low, *asked) or cues["written_note"].match(low, start, end):
        return True
    around = f"{low[start : asked[0]]} {low[asked[1] : end]}"
    return _FOR_GOOD.search(around) is None and cues["noted_work"].match(low, *asked) is not None


def keep_asked(collector: Collector, sentence: tuple[int, int], asked: tuple[int, int], more: bool) -> None:
    """Add the span `asked`, which a sentence asks to remember, as candidates, with the words that name their subject.

    `more` means that the sentence adds to the request right before it.
    """
    (start, end), low, text = sentence, collector.low, collector.message.text
    before, after = low[start : asked[0]], low[asked[1] : end]
    always = more and bool(collector.candidates) and collector.candidates[-1].always
    always = always or asks_to_remember(before, after, low[slice(*asked)], low[end - 1] == "?")
    if _is_unnamed(low, *asked):
        named = _UNASKED.match(low, start, asked[0])
        first = named.end() if named else asked[0]
        if signals(text[first : asked[0]]).telling < 2:
            join_named(collector, start, asked, always)
            return
        asked = first, asked[1]
    for start, end in facts_listed(low, *asked):
        family = collector.language.family(low, start, end, text)
        whole = text[start : cut(low, start, end)]
        clean = without_fillers(low, start, end, bool(family and family.standing))
        if clean != (start, end) and clean[1] - clean[0] >= SHORTEST:
            (start, end), family = clean, collector.language.family(low, *clean, text)
        parts: list[StatementPart] = []
        for part in parts_of(low, text, start, cut(low, start, end), family, collector.language):
            if parts and leans_on(low, (parts[-1].start, parts[-1].end), (part.start, part.end)):
                parts[-1] = replace(parts[-1], end=part.end)
            else:
                parts.append(part)
        for part in parts:
            candidate = collector.candidate(without_inner_fillers(low, part), whole)
            collector.candidates.append(
                replace(candidate, confidence=MAX_CONFIDENCE, importance=REQUESTED, tier=Tier.CORE, always=always)
            )


def keep_stated(collector: Collector, sentence: tuple[int, int], asked: tuple[int, int]) -> None:
    """Add the span `asked`, which a sentence asks people to remember, if it is a statement; else refuse it."""
    family = collector.language.family(collector.low, *asked, collector.message.text)
    if family and not _is_unnamed(collector.low, *asked):
        collector.admit(StatementSpan(*asked, family))
    else:
        collector.refuse(*sentence, "no_pattern")


def addition_start(collector: Collector, end_of_request: int, start: int, end: int) -> int | None:
    """Return the start of an addition to the request right before it ("oh and my locker is 14"), or None."""
    low = collector.low
    found = _GOES_ON.match(low, start, end)
    if not found or low[end - 1] == "?" or low[end_of_request:start].strip(" .!"):
        return None
    first = found.end()
    own = _OWN.match(low, first, end) is not None and MARK not in collector.message.text[first:end]
    return first if own and is_whole(low, first, end) and not asks_unmarked(low[first:end]) else None


def join_named(collector: Collector, start: int, asked: tuple[int, int], always: bool) -> None:
    """Join a request about "him" or "it" to the memory of the previous sentence if that names it; else refuse it."""
    text = collector.message.text
    last = collector.candidates[-1] if collector.candidates else None
    end = cut(collector.low, *asked)
    rest = text[asked[0] : end]
    said = f"{last.quote.rstrip(' .!')}. {rest[0].upper()}{rest[1:]}" if last else ""
    if last is None or len(said) > MAX_TEXT or text[last.end : start].strip(" .!\n"):
        collector.refuse(start, asked[1], "vague")
        return
    whole = text[last.start : end]
    joined = replace(last, end=end, quote=whole, confidence=MAX_CONFIDENCE, **collector.words(said, whole))
    collector.candidates[-1] = replace(joined, importance=REQUESTED, tier=Tier.CORE, always=always)


def _is_saying(collector: Collector, start: int, end: int, request: float) -> bool:
    """Return True for a mere saying in a general chat ("remember, believe in yourself"); `request` is its score."""
    if _OWED.search(collector.low, start, end):
        return True
    if collector.language.strict or english().cues["personal"].search(collector.low, start, end):
        return False
    return scores(collector.message.text[start:end]).lasting + request < SAYING
