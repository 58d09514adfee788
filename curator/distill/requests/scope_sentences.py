"""Sentences that only state the scope of the previous one: "any repo", "goes for everything you write for me".

Others limit it to the project of a coding session: "just in this repo".
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from curator.distill.collector import Collector
from curator.distill.filters import SCORED_ORDER
from curator.distill.requests.standing_orders import begins_as_order
from store.model import Tier

_PLACES = (
    r"(?:(?:all|any|every|each)(?: of)?(?: (?:my|our|the|other|single|new))* "
    r"(?:projects?|repos?|repositor(?:y|ies)|code ?bases?|sessions?|work|languages?|code|chats?|conversations?"
    r"|documents?|letters?|e-?mails?|texts?|messages?|answers?|repl(?:y|ies)|drafts?)"
    r"|(?:everything|anything|all|whatever) (?:that )?(?:i|you|we) (?:ever )?(?:write|do|work on|build|make|code|send)"
    r"(?: (?:in|for|with|on|to) \w+(?: \w+){0,2})?|everywhere(?: else)?|wherever i work|whatever the project)"
)
_ONLY = r"(?:not (?:just|only)(?: for| in)? (?:this|here|this one|(?:this|the) (?:repo|project|one|file)))"
_BESIDES = rf"(?:,? (?:too|as well|please|pls|btw|for me|of mine|from now on|always|{_ONLY}))*"
_REACH = re.compile(
    r"(?:(?:and|also|btw|oh|ok|please|yes|but|so|same|i mean|i meant|meaning|that|this|it|which|rule|the same)[, ]+)*"
    r"(?:(?:goes|applies|apply|holds|counts|is valid|is true|is meant|is)[, ]+)?(?:(?:also|too|the same)[, ]+)*"
    rf"(?:(?:for|to|in|across|on|with|of) )?(?:{_PLACES}|{_ONLY}){_BESIDES}"
    rf"(?:,? (?:and )?(?:the )?same (?:in|for|goes for) [\w -]{{2,30}}{_BESIDES})?[.! ]*"
)
_HERE = re.compile(
    r"(?:(?:and|but|oh|ok|please|i mean|i meant|that|this|it|which|the rule|the same)[, ]+)*"
    r"(?:(?:that's|it's|is|goes|applies|apply|holds|counts|is valid|is true|is meant)[, ]+)?(?:(?:only|just)[, ]+)?"
    r"(?:(?:for|to|in|on|within|inside) (?:(?:this|the current|the present) (?:[\w-]+ )?(?:project|repo|repository"
    r"|code ?base|monorepo|workspace)|this one)|(?<=only )here|(?<=just )here|here only)"
    r"(?:,? (?:only|alone|though|please|pls|btw|for now"
    r"|(?:and |but )?not (?:(?:for|in|to|on|the|my|any|all|all my) )*(?:elsewhere|everywhere|others?"
    r"|(?:other )?(?:ones?|projects|repos|repositories|code ?bases))))*[.! ]*"
)
_COMPLAINT = re.compile(
    r"you(?:'re)? (?:always |keep |still )*(?:do|did|doing|mak(?:e|ing)|made) (?:this|that|it|the same)(?: mistake)?"
    rf" (?:in |on |across |for )?{_PLACES}\b.*"
)
_PARTS = re.compile(
    r"(?:everything|all of (?:it|them)|the whole (?:thing|lot))(?:[,:]| -)(?: (?:and )?[\w./-]+,?){1,8}[.!]*"
)
"""A list of the parts of a task: "everything, CI, Docker"."""


def is_scope_sentence(low: str, start: int, end: int) -> bool:
    """Return True for a sentence that only states the scope of another."""
    return any(one.fullmatch(low, start, end) for one in (_REACH, _COMPLAINT))


def is_of_project(low: str, start: int, end: int) -> bool:
    """Return True for a sentence that only limits another to the project: "just in this repo"."""
    return _HERE.fullmatch(low, start, end) is not None


def insists(collector: Collector, before: tuple[int, int], start: int, end: int) -> bool:
    """Return True for a sentence in a coding session that makes the order `before` it one for good: "Every time."."""
    cues = collector.language.cues
    if not collector.language.strict or not cues["insisting"].match(collector.low, start, end):
        return False
    return begins_as_order(collector.low[slice(*before)]) and not cues["passing"].search(collector.low, *before)


def is_task_parts(low: str, start: int, end: int) -> bool:
    """Return True for a sentence that only lists the parts of a task."""
    return _PARTS.fullmatch(low, start, end) is not None


def set_scope(
    collector: Collector, sentence: tuple[int, int], spans: Sequence[tuple[int, int, bool]], before: Collector | None
) -> None:
    """Give the candidates of the last sentence before `sentence` the scope it states, and refuse `sentence` itself.

    `spans` are the sentences of the message. If the message begins with `sentence`, the last order of the previous
    message (`before`) gets its scope. In a coding session, one that limits them to the project does so instead.
    """
    here = is_of_project(collector.low, *sentence)
    last = before.candidates[-1] if before and before.candidates and sentence[0] == spans[0][0] else None
    if before and last and (last.standing or last.rule == SCORED_ORDER):
        wide = replace(last, tier=Tier.CORE, everywhere=True, standing=True, always=True)
        before.candidates[-1] = replace(last, in_project=True) if here else wide
    if collector.candidates:
        first, end, _ = spans[bisect_right(spans, collector.candidates[-1].start, key=lambda span: span[0]) - 1]
        for place in range(len(collector.candidates) - 1, -1, -1):
            if not first <= collector.candidates[place].start < end:
                break
            collector.candidates[place] = replace(collector.candidates[place], everywhere=not here, in_project=here)
    collector.refuse(*sentence, "vague")
