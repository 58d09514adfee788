"""Recognition of orders and statements by score, in sentences where no pattern matched."""

import re
from collections.abc import Sequence

from curator import safety
from curator.distill.collector import Collector
from curator.distill.language import (
    CLEARLY,
    english,
    english_share,
    is_english,
    orders,
    score_only_chat_types,
    score_only_session_types,
)
from curator.distill.requests.standing_orders import (
    asks_unmarked,
    is_fragment,
    is_own_act,
    is_passing_task,
    is_question,
)
from curator.distill.scores.chats import ORDER, SAFETY, STATED, UNLIKELY_ORDER, Scores, scores
from curator.distill.scores.coding_sessions import scale
from curator.distill.statements.clauses import EXTEND_TO, ClauseSpan, StatementSpan, after_opener, is_limit

TYPED = 400
"""Maximum characters of a message that was probably typed: its sentences may omit their subject."""


def order_by_score(collector: Collector, start: int, end: int, score: Scores, stated: bool) -> list[StatementSpan]:
    """Return a sentence as an order if its score says so; `stated` means patterns found another statement in it."""
    low, said = collector.low[start:end], collector.message.text[start:end]
    if score.order < ORDER + (STATED if stated else 0) or not is_plain(low):
        return []
    if score.order < score.lasting and score.lasting >= collector.least_lasting:
        return []
    if (
        collector.asks
        or (low[-1] == "?" and is_question(low))
        or is_passing_task(said)
        or is_own_act(said)
        or said.endswith(":")
    ):
        return []
    if not collector.language.strict and is_fragment(low):
        return []
    if collector.classified is not None:
        by_words = scores(said)
        if max(by_words.order, by_words.lasting) < UNLIKELY_ORDER:
            return []
    return [StatementSpan(after_opener(collector.low, start, end, collector.language), end, orders().families[0])]


_DISH = re.compile(
    r"(?:(?!(?:i|i'm|my|we|our|he|she|is|are|has|have|had|was|no|not|and|but|since|for|here|needs?"
    r"|want|made|making)\b)[a-z][\w'-]*[ ,]+){1,5}?"
    r"(?:starters?|mains?|main course|desserts?|puddings?|cakes?|pancakes|biscuits|cookies|menus?|dinners?|lunch(?:es)?"
    r"|breakfasts?|brunch|snacks?|meals?|meal plan|recipes?|soups?|stews?|curry|salads?|lasagne|pie|pasta|buffet|picnic"
    r"|dish(?:es)?|sandwiches|canapes)(?: recipes?| ideas?| menu)? for (?:\d+|two|three|four|five|six|eight|ten|a|an"
    r"|the|my|our|us|me)\b(?! years?\b)"
)
"""A dish that is asked for without a verb: "vegan starter for 8"."""
_LEFT_OUT = re.compile(
    r"\b(?P<what>(?:no|without) [a-z][\w '-]{2,40}), (?:(?:because|cos|since|to me|for me) )?"
    r"(?:i|it|they|to me|me)\b"
)
"""An ingredient that such a dish must not have, and why: "no coriander, it tastes of soap to me"."""


def chat_statement_by_score(collector: Collector, start: int, end: int) -> list[StatementSpan]:
    """Return a sentence of a general chat as a statement if its score is high enough and its type is known."""
    low, text = collector.low, collector.message.text
    if collector.language.strict or collector.sorts & {"asks", "hypothetical"} or low[end - 1] == ":":
        return []
    if is_passing_task(text[start:end]) or is_limit(low, start, end):
        return []
    personal = len(low) <= TYPED or english().cues["personal"].search(low, start, end)
    if not (personal and is_english(low[start:end]) and is_plain(low[start:end])):
        return []
    least = SAFETY if safety.states(low[start:end]) else collector.least_lasting
    if collector.score(start, end).lasting < least:
        return []
    if wanted := _DISH.match(low, start, end):
        left_out = _LEFT_OUT.search(low, wanted.end(), end)
        if left_out is None:
            return []
        start = left_out.start("what")
    family = score_only_chat_types().family(low, after_opener(low, start, end, collector.language), end, text)
    return [StatementSpan(start, end, family)] if family else []


def session_statement_by_score(collector: Collector, start: int, end: int, score: Scores) -> list[StatementSpan]:
    """Return a short sentence of a coding session as a statement if its score says it outlasts the session."""
    low, text = collector.low, collector.message.text
    if not collector.language.strict or end - start > EXTEND_TO or low[end - 1] == "?" or asks_unmarked(low[start:end]):
        return []
    if not (collector.outlasts or scale().score(text[start:end]) >= scale().least):
        return []
    first = start if low.startswith("no ", start) else after_opener(low, start, end, collector.language)
    family = score_only_session_types().family(low, first, end, text)
    if family and (collector.outlasts or not family.standing or score.order >= collector.least_order):
        return [StatementSpan(first, end, family)]
    return []


def is_plain(low: str) -> bool:
    """Return False for a sentence with accents and few English words: short Spanish can pass for English."""
    return low.isascii() or english_share(low) >= 1.5 * CLEARLY


_KEEPS_FILE = re.compile(
    r"(?:(?:please|pls|just|also|and|but|so|ok|btw),? )*(?:don't|dont|do not|never|must not|mustn't) (?:ever )?"
    r"(?:touch|edit|modify|change|delete|remove|rename|move|refactor|reformat|format|rewrite|overwrite)"
    r" (?:anything (?:in|under) )?(?:(?:the|our|my) )?(?:(?:file|files|folder|directory|dir|module|script|package"
    r"|branch|table) )?[`'\"]?(?=[\w-]*[./_]|x{3,})[\w./-]+[`'\"]?(?: (?:file|folder|directory|module|script))?"
    r"(?:[.!]*$|(?:,| -| –|:| because| since| as| cos) (?!but\b|only\b|just\b|use\b|i'm \w+ing|i am \w+ing)"
    r"(?!.*\b(?:still|yet|for now|right now|now|today|this time|until|once|in this|wip|working on)\b).+$)"
)
"""An order of a session to leave a named file alone, whatever its reason: "don't touch legacy.py, Malik uses it"."""


def is_ban(collector: Collector, one: StatementSpan, parts: Sequence[ClauseSpan]) -> bool:
    """Return True if the first clause of a session's order is one by itself: "no react please, we've been there"."""
    if collector.language.strict and _KEEPS_FILE.match(collector.low, one.start, parts[-1].end):
        return True
    first = next(part for part in parts if part.start >= one.start)
    if not collector.language.strict or first.end >= one.end or not collector.low.startswith("no ", first.start):
        return False
    text = collector.message.text[first.start : first.end]
    return scores(text, one.family.name, session=True).order >= collector.least_order
