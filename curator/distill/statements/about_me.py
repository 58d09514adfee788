"""Lists of facts about the person whose items omit the subject ("about me: vegan, two kids")."""

import re

from curator import safety
from curator.distill.collector import Collector, cut
from curator.distill.language import english
from curator.distill.requests.standing_orders import is_passing_task
from curator.distill.statements.atoms import StatementPart
from curator.secrets import MARK

FEW_WORDS = 12
"""Maximum words of an item without a subject: "vegan"."""
_HEADING = re.compile(
    r"[*_# ]*(?:(?:here(?:'s| is| are)|so|some|few|bit|little|more|basic|quick|random|the|an?|my|things?|stuff|facts?"
    r"|basics|info|information|background|details|context|notes?|you should know|what you (?:need to|should) know"
    r"|(?:good )?to know)[,:]? ){0,8}(?:about (?:me|myself|us|my (?:health|diet))|(?:my|our) (?:profile|health|diet"
    r"|dietary needs|allergies|medical (?:history|facts|info)|bio|details|background|basics)|me|who i am)[*_:. –—-]*"
)


def read_list_item(
    collector: Collector, about_me: bool, before: tuple[int, int] | None, sentence: tuple[int, int]
) -> bool:
    """Record a list item; return True if it belongs to a list about the person, or is the heading of one.

    `about_me` is the result for the previous sentence, whose span is `before`. A paragraph that is not a list item
    ends the list.
    """
    start, end = sentence
    if collector.is_item or about_me:
        collector.items.append(sentence)
    if not collector.is_item and before and "\n\n" in collector.low[before[1] : start]:
        about_me = False
    return about_me or _HEADING.fullmatch(collector.low, start, end) is not None


def keep_safety(collector: Collector, start: int, end: int) -> bool:
    """Add an item without a subject as a candidate if it states a safety fact; return True if it does."""
    text, said = collector.message.text, collector.low[start:end]
    if collector.language.strict or said[-1] in "?:" or len(said.split()) > FEW_WORDS or not safety.states(said):
        return False
    if MARK in text[start:end] or is_passing_task(said) or collector.language.family(collector.low, start, end, text):
        return False
    part = StatementPart(start, cut(collector.low, start, end), english().named("health"))
    collector.candidates.append(collector.candidate(part, part.words(text)))
    return True
