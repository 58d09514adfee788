"""Requests to remember the sentence before, and what for: "Use uv. Remember that for all my projects."."""

import re
from dataclasses import replace

from curator.distill.collector import MAX_TEXT, Collector
from curator.distill.requests.remember import ask_to_remember
from curator.secrets import MARK

_OPENER = r"(?:(?:please|pls|plz|and|so|also|ok|okay|just|(?:can|could|would|will) you)[, ]+)*"
_THAT = r"(?:that|this|it|these|those|them)(?: (?:one|rule|preference))?"
_IN_MIND = r"(?:keep|bear|have|hold) " + _THAT + r" in (?:mind|memory)"
_REMEMBER = rf"(?:remember|memori[sz]e|don't forget|do not forget|never forget|note|save|store|apply) {_THAT}"
_PLEASE = r"(?:,? (?:please|pls|plz|too|as well|always|also))*"
_SAYS = (
    r"\b(?:i|i'm|i've|we|we're|he|she|it|it's|they|there|there's|is|are|was|were|am|has|have|had|can|can't|cannot|could"
    r"|will|won't|would|should|must|may|might|do|does|don't|doesn't|did|use|uses|need|needs|want|wants|prefer|always"
    r"|never|not|please)\b"
)
_NAMES = rf"(?:(?!{_SAYS})[^,;:!?\n]){{2,60}}"
"""Words that say nothing themselves."""
_WHEN = (
    rf"(?:when(?:ever)?|every time|each time|any ?time|if|while|before|after) (?:you(?:'re)? {_NAMES}"
    rf"|\w+ing\b{_NAMES}?)"
)
_FOR_WHEN = (
    r"(?:for )?(?:when(?:ever)?|every time|each time|any ?time|if|while) (?:i|we|you)(?:'re|'m)? [^,;:!?\n]{3,60}"
)
_FOR = rf"(?:for|in|across|with|on) (?!(?:mind|memory|future|now|ever|good|me|us|file|record)\b){_NAMES}"
_POINTS_BACK = re.compile(
    rf"{_OPENER}(?:{_IN_MIND}{_PLEASE} (?P<mind>{_FOR_WHEN}|{_WHEN}|{_FOR})"
    rf"|{_REMEMBER}{_PLEASE} (?P<purpose>{_WHEN}|{_FOR})){_PLEASE}[.! ]*"
)
"""A request to remember the sentence before for a purpose, which is part of what is to be remembered."""
_ALL_PROJECTS = re.compile(
    r"\b(?:all|every|each|any)\b(?: [\w'+#.-]+){0,4}? (?:projects?|repos?|repositor(?:y|ies)|code ?bases?|sessions?"
    r"|work"
    r"|code|chats?|conversations?)\b|\beverywhere\b|\bacross (?:projects|repos)"
)
_THIS_PROJECT = re.compile(r"\b(?:this|the current) (?:[\w-]+ )?(?:project|repo|repository|code ?base|monorepo)\b")


def remember_before(collector: Collector, before: tuple[int, int] | None, request: tuple[int, int]) -> bool:
    """Keep the sentence `before` with a request to remember it and what for; return False if `request` is none.

    If the sentence gives several memories, they stay apart; if it gives none, the request is refused.
    """
    if _POINTS_BACK.fullmatch(collector.low, *request) is None:
        return False
    if before is None or not ask_to_remember(collector, before, request):
        collector.refuse(*request, "vague")
        return True
    here = [one for one in collector.candidates if before[0] <= one.start < before[1]]
    text, (start, end) = collector.message.text, request
    everywhere = _ALL_PROJECTS.search(collector.low, start, end) is not None
    only_here = _THIS_PROJECT.search(collector.low, start, end) is not None
    first, whole = here[0], text[here[0].start : end]
    said = f"{text[first.start : start].rstrip(' .!')}. {text[start].upper()}{text[start + 1 : end]}"
    if len(here) == 1 and len(said) <= MAX_TEXT and MARK not in whole and "\n\n" not in whole:
        joined = replace(collector.widened(first, first.start, end), **collector.words(said, whole))
        collector.candidates[collector.candidates.index(first)] = joined
        here = [joined]
    collector.candidates = [
        replace(one, everywhere=one.everywhere or everywhere, in_project=one.in_project or only_here)
        if one in here
        else one
        for one in collector.candidates
    ]
    return True
