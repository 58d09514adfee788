"""Statements about the person within a question or a task: "can I sail, I'm epileptic?"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from curator.distill.language import english
from curator.distill.requests.standing_orders import says_for_good

_LINK = r"(?:(?:and|but|so|or|then|also|plus|ok|okay|well|btw|hey|hi|please|pls|now(?! that)|just|maybe),? )*"
_REASON = (
    r"(?:since|because|cos|cuz|as|now(?: that)?|given(?: that)?|considering(?: that)?|seeing (?:as|that)|seeing as how"
    r"|bearing in mind(?: that)?|especially (?:as|since|because|now)(?: that)?)"
)
_PERSON = (
    r"(?:(?:i|we|he|she|they)(?:'(?:m|ve|re|s|d|ll))? |(?:my|our|mine|ours) [\w'-]+ "
    r"|(?:neither|both|none|two|three) of us |there(?:'s| are| is) (?:\w+ ){1,3}of us\b)"
)
_AUXILIARY = (
    r"(?:can|could|would|will|should|shall|may|do|does|did|is|isn't|are|aren't|am|was|were|has|have|don't|won't)"
)
_SUBJECT = (
    r"(?:i|we|you|he|she|it|they|my|our|the|an?|there|this|that|these|those|any|anyone|someone|somebody|some|people"
    r"|one)"
)
_QUESTION = re.compile(
    r"(?:what|how|where|who|why|which|whose)(?:'s|'re|'d)? (?!(?:i|we|is why)\b)|(?:why|how|what now|what next)[?!. ]*$"
    rf"|how come |when {_AUXILIARY} |{_AUXILIARY} {_SUBJECT}\b|(?:is|are|do|does) \d"
    r"|(?:is|are|do|does|will|can) (?:\w+ ){1,4}?(?:ok|okay|good|bad|safe|fine|worth|normal|better|best|legal|enough"
    r"|allowed|possible|or|work|help|cope)\b"
    r"|any (?!of )|any(?:thing|where|one) (?:i|we|to|for|good|else|like|that|near|who|in)\b"
    r"|(?:(?:good|bad|some|gift|recipe) )?(?:idea|tip|suggestion|thought|recommendation|option)s?\b"
)
_INVERTED = re.compile(r"(?:is|are|do|does|did|can|could|would|should|will|ok|okay|worth|which|what|how) ")
"""Question openings that only count if a question mark follows."""
_TASK = re.compile(
    r"(?:help me (?:to )?|i (?:need|want) you to )?(?:write|draft|compose|create|make|give|find|suggest|recommend"
    r"|explain|compare|calculate|work out|convert|translate|summari[sz]e|reword|rewrite|rephrase|shorten|improve|plan"
    r"|design|list|show|tell me|help|pick|choose|propose|estimate|figure out|sort out|book|build|describe|review) "
    r"|(?:search|look)(?: (?:for|up|me))* (?!and\b|or\b|engines?\b|at\b|after\b|like\b|forward\b|the same\b)"
    r"|(?:cook|google) (?:me|us|something|some)\b"
    r"|(?:can|could|would|will) you "
)
_TAG = re.compile(
    r"(?:right|yes|no|ok|okay|correct|true|huh|eh|innit|lol|haha)\b|(?:is|are|do|does|did|has|have|was)n't \w+$"
)
_MADE_UP = re.compile(
    r"\b(?:imagine|suppose|supposing|pretend|what if|assum(?:e|ing)|hypothetical\w*|let's say|say (?:i|i'm|we|my)\b"
    r"|if (?:i|we|he|she|they|my \w+|our \w+) (?:had|were|was)\b|act as|be my|you're an?|you are an?"
    r"|(?:in|for) (?:my|a|the|this) (?:story|novel|game|book|play|script|poem)|characters?|user stor(?:y|ies)"
    r"|is (?:this|that|it|my) (?:sentence|phrase|line|grammar)|who (?:said|wrote) (?:it|this|that)|not me\b)|[\"“”]"
)
_BREAK = re.compile(rf"(?:[,;]| [-–—]{{1,2}}|\)|\.{{3}}|…|:)\s{{1,2}}|\s\(|\s(?=(?:so|and|but|{_REASON}) )")
_LINKED = re.compile(rf"{_LINK}(?:{_REASON} (?={_PERSON}))?")
_BARE_REASON = re.compile(rf"{_LINK}(?:{_REASON} {_PERSON}|as an? \w+)")
_BARE_QUESTION = re.compile(
    r" (?=(?:(?:can|could|should|would|will|do|does|did) (?:i|we|you|he|she|it|they)"
    r"|(?:is|are|am) (?:it|there|i|we|that|this)|(?:what|which|how|where|when|who|why)"
    r"(?:'s| is| are| do| does| can| should| would| \w+ (?:should|can|could|would|do|are|is|am)))\b)"
)
"""A question that follows a reason without a comma: "since I'm on warfarin can I ..."."""
_STATED = re.compile(_PERSON)
_AS_A = re.compile(
    r"as an? (?!beginner|newbie|novice|large|language|rule|result|whole|starting|first|next|last|side|bonus|follow|test"
    r"|joke|example)\w+"
)
_RELATIVE = re.compile(
    r"(?:who(?:'s)? (?!(?:do|should|can|could|would|wrote|said|am)\b)|where (?!can|do|should|is|are|could|would)"
    r"|which (?:is|are|was|were|has|have|had|means|makes|made|the|my|would|will|can|could|at|in|for|i|we|he|she|they"
    r"|\w{2,}ed|brought|took|gave|got|left|kept|came|went|said|says|cost|felt|feels|hurts?|led|meant|began|put|ran)\b)"
)
"""Beginnings of a relative clause after a comma: ", who is 5"."""
_SHARED = re.compile(r"(?:has|have|had|was|were|does|did) (?:the|an?|my|our|some|any)\b")
"""A second verb of the same subject: "mum's 63, has the kids after school"."""
_DISCLOSED = re.compile(
    r"\b(?:does it matter|is it (?:a problem|an issue|bad|ok|okay|odd|weird|normal|strange)|(?:need|have|ought) to"
    r" (?:tell|inform|declare|disclose|mention)|should i (?:tell|inform|warn))(?: [\w']+){0,3}?(?P<that> that )(?=i\b)"
)
_SHEET = re.compile(
    r"[^:]{0,80}\b(?:cv|resume|résumé|bio|profile|headline|cover letter|bmr|bmi|tdee|macros|calories)"
    r"(?: for me| for my \w+| please| pls)*: (?=\S)"
)
"""The lead of a list of facts about the person: "cv for me: ..."."""
_HEADING = re.compile(rf"(?!{_TASK.pattern})(?:[\w'-]+ ){{2,8}}[\w'-]+:")
"""Words before a colon that introduce other text: "for a quiz:"."""
_NOT_OWN = re.compile(
    r"(?:an?|some|one|another|every|each|guys?|people|wanted)\b"
    r"|(?:(?:the|this|that) )?(?:patient|client|customer|user)s?\b"
    r"|(?:always|never|don't|do not|stop|use|keep|only|answer|reply)\b"
)
"""Openings of general statements and standing orders, which are not statements about the person."""
_POINTS = ",;:-–—)(….?!"
_APPOSITION = re.compile(r", \w+ and \w+, ")
"""Names in apposition to a subject: "our kids, Mia and Leo, hate tofu"."""
LONGEST = 200
"""Maximum characters of a sentence that is split into pieces. In longer sentences, which are better composed, patterns
find the clauses, and scoring pieces loses some.
"""
FEWEST_WORDS = 3
"""Minimum words before an "and", "so" or reason that splits a sentence."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a sentence: it "states", "asks", gives a "task" or, if its sort is "", continues the one before."""

    start: int
    end: int
    sort: str


def pieces(low: str, start: int, end: int) -> list[Piece]:
    """Return the pieces of a question or task that contains a statement, in order; none of other sentences."""
    cues = english().cues
    if end - start > LONGEST or _APPOSITION.search(low, start, end):
        return []
    if is_made_up(low[start:end]) or any(cues[name].search(low, start, end) for name in ("performed", "mends")):
        return []
    marked = low[end - 1] == "?"
    last = end
    while last > start and low[last - 1] in "?! ":
        last -= 1
    if sheet := _SHEET.match(low, start, last):
        return [Piece(start, sheet.end() - 1, "asks"), Piece(sheet.end(), last, "states")]
    parts = list(parts_of_sentence(low, start, last))
    if not parts or cues["written"].match(low, start, end) or _HEADING.match(low, start, parts[0][1] + 1):
        return []
    found = joined(low, [Piece(*part, sort_of(low, *part, start, marked)) for part in parts], marked)
    tasks = [one for one in found if one.sort == "task"]
    if any(cues["lasting_task"].search(low, one.start, one.end) for one in tasks):
        return []  # a standing order with its reason
    if tasks and not _STATED.match(low, start, last) and says_for_good(low[found[0].start : found[0].end]):
        return []
    if any(one.sort == "states" for one in found):
        return found if len(found) > 1 else []
    who = cues["who_granted"].search(low, start, last)
    return [Piece(start, who.start(), "asks"), Piece(*who.span(), "states")] if who and found else []


def joined(low: str, parts: list[Piece], marked: bool) -> list[Piece]:
    """Return the pieces of a sentence, joining those without a sort to the pieces they belong to."""
    cues, first, last = english().cues, parts[0], parts[-1]
    asked = [place for place, part in enumerate(parts) if part.sort in ("asks", "task")]
    parts = [
        replace(part, sort="")
        if asked and 0 < place < asked[-1] and low.startswith("which ", part.start) and part.sort == "asks"
        else part
        for place, part in enumerate(parts)
    ]
    later = {part.sort for part in parts[1:]}
    if first.sort == "" and _NOT_OWN.match(low, first.start, first.end):
        return []
    if first.sort == "":
        asserts = bool(later & {"asks", "task"}) or cues["asserted"].match(low, first.start, first.end) is not None
        composes = cues["composes"].match(low, first.start, last.end) is not None
        asks = composes or (marked and "states" in later and not asserts)
        if low.startswith(":", first.end):
            if not later & {"asks", "task"}:
                return []
            asks = True
        parts[0] = replace(first, sort="asks" if asks else "states")
    if marked and last.sort == "" and not later & {"asks", "task"} and parts[0].sort == "states":
        goes_on = _TAG.match(low, last.start, last.end) or low.startswith(("and ", "but ", "or "), last.start)
        parts[-1] = last if goes_on else replace(last, sort="asks")
    found: list[Piece] = []
    for part in parts:
        if found and part.sort in ("", found[-1].sort):
            found[-1] = replace(found[-1], end=part.end)
        elif part.sort == "states":
            linked = _LINKED.match(low, part.start, part.end)
            found.append(replace(part, start=linked.end() if linked else part.start))
        else:
            found.append(part)
    return found if {"asks", "task"} & {one.sort for one in found} else []


def is_made_up(low: str) -> bool:
    """Return True if a lower-case sentence has words of fiction, hypothesis or quotation."""
    return _MADE_UP.search(low) is not None


def parts_of_sentence(low: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans between places of a sentence at which a question or statement may begin."""
    breaks = [found.span() for found in _BREAK.finditer(low, start + 1, end)]
    if reason := _BARE_REASON.match(low, start, end):
        breaks += [found.span() for found in [_BARE_QUESTION.search(low, reason.end(), end)] if found]
    breaks += [found.span("that") for found in _DISCLOSED.finditer(low, start, end)]
    at = start
    for stop, begin in sorted(breaks):
        word = low[stop:begin].strip()
        if stop < at or (not word and len(low[at:stop].split()) < FEWEST_WORDS):
            continue
        if word == "," and low.count("(", start, stop) > low.count(")", start, stop):
            continue  # in brackets
        if low[at:stop].strip():
            yield at, stop
            at = begin
    if low[at:end].strip():
        yield at, end


def sort_of(low: str, begin: int, stop: int, start: int, marked: bool) -> str:
    """Return the sort of a piece of the sentence that begins at `start`; `marked` if it ends in a question mark."""
    linked = _LINKED.match(low, begin, stop)
    body = linked.end() if linked else begin
    shares = body > begin > start and low[begin - 2] not in _POINTS and low.startswith(("and ", "but "), begin)
    if not shares and any(one.match(low, body, stop) for one in (_TASK, english().cues["task"])):
        return "task"
    goes_on = begin > start and (_RELATIVE.match(low, body, stop) or (not marked and _SHARED.match(low, body, stop)))
    if _QUESTION.match(low, body, stop) and not goes_on:
        return "asks"
    if marked and _INVERTED.match(low, body, stop):
        return "asks"
    if begin == start and _AS_A.match(low, body, stop):
        return "states"
    return "states" if _STATED.match(low, body, stop) else ""


def presupposed_health(low: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield the spans of facts on health and diet that a question presupposes, with the family name of each."""
    if is_made_up(low[start:end]):
        return
    for cue, family in (("health_granted", "health of family"), ("own_health_granted", "health")):
        for found in english().cues[cue].finditer(low, start, end):
            yield *found.span(), family
