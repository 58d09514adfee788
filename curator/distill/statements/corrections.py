"""Corrections of a value in what the person said just before: "I meant 75 euro an hour, not 70"."""

import re
from dataclasses import replace

from curator.distill.candidate import Candidate
from curator.distill.collector import MAX_TEXT, Collector
from curator.distill.language import english
from curator.distill.mask import lower
from curator.distill.statements.clauses import StatementSpan
from curator.distill.statements.retractions import RETRACTED
from store.model import Refusal

_CORRECTS = re.compile(
    r"(?:(?:sorry|oops|typo|correction|no|wait|actually|ah|oh|my bad),? ?:?)*(?P<said>i (?:meant|mean)(?: to (?:say"
    r"|write|type))?"
    r" (?P<new>[^,.!?\n]{1,60}),? not (?P<old>[^,.!?\n]{1,40}?))[.!]*"
)
_MAKE_IT = re.compile(
    r"(?:(?:(?P<taken_back>sorry|oops|typo|correction|no|wait|actually|ah|oh|my bad|hm+|uh+|um+|rather|better"
    r"|on second thought)|ok|okay|well|or|please|let's),? )*"
    r"(?:(?P<asked>make (?:that|it|this)|change (?:that|it|this) to)|should be|it's|it is|i meant)"
    r" (?P<number>[$€£]?\d+(?:[.,:]\d+)*)(?: ?(?P<unit>[a-z%€$£°]+))?"
    r"(?: (?:then|instead|please|now|actually|after all))*[.! ]*"
)
"""A new value for the one number of what was said before: "hm, make that 24 hours"."""
_LEAD = re.compile(r"(?:(?:ok|okay|oh|ah|sorry|oops|wait|no),? )*(?P<word>correct(?:ion|ed)?) ?[:–—-]\s+")
_NAMED = re.compile(
    r"(?:(?:sorry|oops|typo|correct(?:ion|ed)?|no|nope|wait|actually|ah|oh|my bad|ok|okay) ?[,:–—-]? )+"
    r"(?:(?:it|that|this)(?:'s| is| was)|its|thats|i meant|should be|make (?:it|that))"
    r" (?:actually |now |really )?(?P<link>(?:in|at|on|from|with|to|by|for|near|called|the|an?) )?"
    r"(?P<new>(?!not\b)[^\s,.:;!?]+(?: [^\s,.:;!?]+){0,3}?),? (?:and )?not (?:(?P=link))?"
    r"(?P<old>[^\s,.:;!?]+(?: [^\s,.:;!?]+){0,3}?)[.!]*"
)
"""Another name for what was said before: "correct: its in Goole not Hull"."""
_NUMBER = re.compile(r"\d[\d.,:]*")
_RECENT = 20
"""Number of statements of a message that are looked through: all of them would take quadratic time."""


def corrected_value(collector: Collector, previous: Collector | None, start: int, end: int) -> StatementSpan | None:
    """Return a sentence as a statement if it corrects a number in a statement of this or the previous message."""
    found = _CORRECTS.fullmatch(collector.low, start, end)
    old = {*_NUMBER.findall(found["old"])} if found else set()
    if found is None or not old or not _NUMBER.search(found["new"]):
        return None
    said = [*(previous.candidates[-_RECENT:] if previous else ()), *collector.candidates[-_RECENT:]]
    for one in reversed(said):
        if old <= {*_NUMBER.findall(lower(one.quote))} and not one.standing:
            family = replace(english().named("decision"), kind=one.kind, tier=one.tier, sure=True, strong=True)
            return StatementSpan(*found.span("said"), family)
    return None


def is_new_value(low: str, start: int, end: int) -> bool:
    """Return True for a sentence that only gives a new value: "hm, make that 24 hours"."""
    found = _MAKE_IT.fullmatch(low, start, end)
    return found is not None and bool(found["asked"] or found["taken_back"])


def replace_value(collector: Collector, previous: Collector | None, start: int, end: int) -> bool:
    """Keep the last statement of this or the previous message with the value that a sentence gives it instead.

    "make that 24 hours" after "the cache lives 12 hours" does; return False if no one value is meant. In a message of
    its own, "make it 3" is more often about the answer before it.
    """
    found = _MAKE_IT.fullmatch(collector.low, start, end)
    owner = collector if collector.candidates else previous
    if found is None or not is_new_value(collector.low, start, end) or owner is None or not owner.candidates:
        return False
    if owner is not collector and not (found["unit"] or found["taken_back"]):
        return False
    old, message = owner.candidates[-1], collector.message
    between = owner.low[old.end :] if owner is not collector else collector.low[old.end : start]
    meant = values_of(old.text, found["unit"])
    if between.strip(" .!\n") or len(meant) != 1:
        return False
    first, last = meant[0]
    former, number = old.text[first:last], message.text[slice(*found.span("number"))]
    currency = former[0] if former[0] in "$€£" and number[0].isdigit() else ""
    text = f"{old.text[:first]}{currency}{number}{old.text[last:]}"
    if len(text) > MAX_TEXT or (":" in number and ":" not in former):
        return False
    owner.candidates.remove(old)
    owner.refusals.append(Refusal(old.message, old.start, old.end, RETRACTED, old.kind, old.confidence))
    collector.candidates.append(with_value(old, collector, start, end, text))
    return True


def replace_named(collector: Collector, previous: Collector | None, start: int, end: int) -> bool:
    """Keep a statement of this or the previous message with the name that a sentence gives it instead of another.

    "correct: its in Goole not Hull" corrects "the job is in Hull"; return False if no one place of "Hull" is meant.
    """
    found = _NAMED.fullmatch(collector.low, start, end)
    if found is None or _NUMBER.search(found["old"]):
        return False
    said = re.compile(rf"(?<!\w){re.escape(found['old'])}(?!\w)")
    for owner in (collector, previous):
        meant = [
            (one, place.span())
            for one in (owner.candidates[-_RECENT:] if owner else ())
            if not one.standing
            for place in said.finditer(lower(one.text))
        ]
        if owner is None or len(meant) != 1:
            continue
        (old, (first, last)), new = meant[0], collector.message.text[slice(*found.span("new"))]
        text = f"{old.text[:first]}{new}{old.text[last:]}"
        if len(text) > MAX_TEXT:
            return False
        owner.candidates.remove(old)
        owner.refusals.append(Refusal(old.message, old.start, old.end, RETRACTED, old.kind, old.confidence))
        collector.candidates.append(with_value(old, collector, start, end, text))
        return True
    return False


def start_of_correction(collector: Collector, previous: Collector | None, start: int, end: int) -> int:
    """Return where a sentence begins after "correction:", or `start`.

    "correct: ..." corrects what the person said only if it denies a word of the previous message; else it is a text.
    """
    lead = _LEAD.match(collector.low, start, end)
    if lead is None:
        return start
    if lead["word"] == "correct":
        denied = re.search(
            r"\bnot (?:(?:in|at|on|from|with|to|the|an?) )?(\w{2,})[.!]*$", collector.low[lead.end() : end]
        )
        before = previous.low if previous else ""
        if denied is None or not re.search(rf"\b{re.escape(denied[1])}\b", f"{before}\n{collector.low[:start]}"):
            return start
    return lead.end()


def values_of(text: str, unit: str | None) -> list[tuple[int, int]]:
    """Return the spans of the numbers of a text, only those with `unit` if there is one."""
    plural = f"{re.escape(unit.rstrip('s'))}s?" if unit else ""
    after = rf"(?= ?-?{plural}\b)" if unit and unit[-1].isalpha() else rf"(?= ?{plural})" if unit else r"(?![\w])"
    return [found.span() for found in re.finditer(rf"(?<![\w./:-])[$€£]?\d+(?:[.,:]\d+)*{after}", text.lower())]


def with_value(old: Candidate, collector: Collector, start: int, end: int, text: str) -> Candidate:
    """Return a candidate with a new text, said in the span from `start` to `end` of a later message."""
    return replace(
        old,
        message=collector.message.id,
        start=start,
        end=end,
        quote=collector.message.text[start:end],
        text=text,
        whole="",
        said_at=collector.message.created_at,
        object=None,
        relation=None,
        subject=None,
    )
