"""Answers to questions of the assistant about another person: "Does your guest have allergies?" - "a nut allergy"."""

import re
from collections.abc import Sequence
from itertools import pairwise

from curator import safety
from curator.distill.collector import Collector
from curator.distill.language import english
from curator.distill.mask import lower
from store.model import Kind, Message, Refusal, Role

MOST_READ = 2_000
"""Characters at the end of the assistant's message that are searched for a question."""
_QUESTION = re.compile(r"[^.!?\n]+\?")
_HEALTH = re.compile(
    r"\b(?:allerg\w+|diet\w*|intoleran\w+|restrictions?|medications?|medicines?|conditions?|illness\w*|health|eats?"
    r"|food|avoid|sensitiv\w+)\b"
)
_YOU = re.compile(
    r"\b(?:do|are|have|did|can|were|must|should) you (?!or your\b|(?:happen to )?(?:know|think|remember|expect|mean"
    r"|tell|say|ask|check|find out)\b|(?:cook|host|invit|serv|feed|expect|plann|car|bring|look)ing\b|have (?:any "
    r"|some "
    r"|a )?(?:guests?|friends?"
    r"|people|visitors?|kids|children|anyone|anybody|someone)\b)"
    r"|\byou (?:take|avoid|eat|are|can|need)\b"
    r"|\byour (?:own\b|(?:(?:current|known|main|dietary|food|other) )?(?:allerg|diet|intoleran|medic|restriction"
    r"|condition|health))"
)
_OTHER = re.compile(
    r"\b(?:your|the|any|some) (?:[\w'-]+ ){0,2}?(?:guests?|visitors?|company|friends?|group|party|team|crew|class"
    r"|students?|pupils?"
    r"|patients?|people|kids|children|date|host|hosts|colleagues?|neighbou?rs?|family|others?|participants?|attendees"
    r"|girl|boy|baby)\b|\b(?:s?he|they|anyone|anybody|somebody|someone|everyone|any of (?:them|the))\b"
)
_NAMED = re.compile(r"\b(?:[Dd]oes|[Ii]s|[Hh]as|[Cc]an|[Ff]or) (?!I\b)([A-Z][a-z]+)\b")
_ME = re.compile(r"\b(?:i|i'm|i've|me|myself|my)\b")
_SUBJECT = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|we|we're|we've|our|us|he|she|they|he's|she's|they're|his|her|their|them"
    r"|him)\b|^(?:yes|yeah|yep|yup|no|nope|well|ok|oh)?[, ]*(?!allergic|has|is|takes)[\w' -]+? (?:is|are|was|were|has"
    r"|have|can't|cannot|doesn't|does|takes|eats)\b"
)


def questions_before(messages: Sequence[Message]) -> dict[int, str]:
    """Return by message id the assistant's preceding message, if its question was about another person."""
    said = [one for one in messages if one.active and not one.hidden]
    return {
        one.id: before.text
        for before, one in pairwise(said)
        if before.role is Role.ASSISTANT and one.role is Role.USER and is_about_another(before.text)
    }


def drop_answers_on_others(collector: Collector) -> None:
    """Refuse candidates without a subject in an answer to a question about another person: "a nut allergy"."""
    if _ME.search(collector.low):
        return
    for one in collector.candidates:
        told = one.kind is Kind.IDENTITY or safety.states(one.quote)
        if told and not one.always and not _SUBJECT.search(lower(one.quote)):
            collector.refusals.append(Refusal(one.message, one.start, one.end, "vague", one.kind, one.confidence))
            collector.candidates = [other for other in collector.candidates if other is not one]


def is_about_another(text: str) -> bool:
    """Return True if the last question of a text, or the last on health, is about another person than the user."""
    questions = [found[0].strip() for found in _QUESTION.finditer(text[-MOST_READ:])]
    last = next((one for one in reversed(questions) if _HEALTH.search(lower(one))), questions[-1] if questions else "")
    low = lower(last)
    if _YOU.search(low):
        return False
    if _OTHER.search(low) or english().cues["relative"].search(re.sub(r"\byour\b", "my", low)):
        return True
    return any(found[1].lower() not in english().date_words for found in _NAMED.finditer(last))
