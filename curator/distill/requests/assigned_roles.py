"""Roles given to the assistant for a chat ("act as a senior engineer"), and the orders that belong to such a role."""

import re
from collections.abc import Sequence
from dataclasses import replace

from curator import safety
from curator.distill.candidate import REQUESTED
from curator.distill.collector import Collector
from curator.distill.filters import SCORED_ORDER
from store.model import Refusal, Tier

_OPENER = (
    r"(?:(?:please|pls|hi|hello|hey|ok|okay|so|now|today|from now on|from here on|for now|going forward|starting now"
    r"|in this (?:chat|conversation|session)|for (?:this|the rest of (?:this|the)) (?:chat|conversation|session)"
    r"|i want you to|i'd like you to|i need you to|you should|you must|you (?:will|shall)|you'll|(?:can|could|would"
    r"|will) you|let's say|imagine(?: that)?|pretend(?: that)?|always)[,:]? )*"
)
_ROLE = (
    r"(?:[\w/+#.'-]+ ){0,5}?(?:engineer|developer|programmer|architect|coder|hacker|expert|specialist|professional"
    r"|tutor|teacher|professor|coach|trainer|mentor|advisor|adviser|consultant|analyst|scientist|designer|lawyer"
    r"|solicitor|doctor|nurse|therapist|psychologist|nutritionist|chef|cook|editor|proofreader|writer|copywriter|author"
    r"|poet|novelist|journalist|translator|interpreter|interviewer|recruiter|reviewer|critic|agent|guide|travel guide"
    r"|accountant|marketer|manager|cto|ceo|historian|philosopher|economist|physicist|mathematician|statistician"
    r"|librarian|comedian|pirate|wizard|terminal|shell|compiler|linter|console|debater|opponent|examiner|maintainer"
    r"|administrator|sysadmin|devops)\b"
)
_ASSIGNS = re.compile(
    rf"{_OPENER}(?:(?:act|behave|respond|answer|reply|speak|talk|work|write)(?: (?:as|like)) (?:if you (?:are|were) )?"
    rf"(?:an?|my|the|our) (?!(?:beginner|child|few|lot|whole|rule|list|table|default|result|bit)\b)\w"
    rf"|(?:play|take|assume)(?: on)? the (?:role|part) of "
    rf"|(?:you are|you're|you be|be|pretend to be|imagine being) (?:an?|my|the|our) {_ROLE})"
)
_FOR_GOOD = re.compile(
    r"\b(?:(?:all|every|each|any)(?: of)?(?: my| our| new| other| future)* (?:chats?|conversations?|sessions?|projects?"
    r"|repos?|prompts?)|everywhere|permanently|for good|remember|memory|don't forget)\b"
)
_LASTING = re.compile(r"\b(?:from now on|from here on|in (?:the )?future|going forward|by default)\b")
_ADDS = re.compile(
    r"(?:,? and|,? but|[;,:]) (?:(?:always|never|only|please|do|don't|use|show|give|keep|write|add|ask)\b)"
)


def assigns_role(low: str, start: int, end: int) -> bool:
    """Return True if a sentence gives the assistant a role for the chat."""
    return _ASSIGNS.match(low, start, end) is not None and not _FOR_GOOD.search(low, start, end)


def limit_to_roles(collector: Collector, sentences: Sequence[tuple[int, int, bool]]) -> None:
    """Refuse the roles in a message, and give the orders after a role no longer with every prompt.

    Orders that say that they are for all chats, requests to remember and safety facts stay as they are.
    """
    roles = [(start, end) for start, end, _ in sentences if assigns_role(collector.low, start, end)]
    if not roles:
        return
    first = min(roles)[0]
    candidates, collector.candidates = collector.candidates, []
    for one in candidates:
        order = one.always or one.standing or one.rule == SCORED_ORDER
        sentence = next((span for span in roles if span[0] <= one.start < span[1]), None)
        own = safety.states(one.quote) or one.importance >= REQUESTED or one.rule == "call me"
        said = collector.low[one.start : one.end]
        lasts = _FOR_GOOD.search(said) or (sentence is None and _LASTING.search(said))
        if not order or own or lasts or one.start < first:
            collector.candidates.append(one)
        elif sentence and not _ADDS.search(collector.low, *sentence):
            refusal = Refusal(one.message, one.start, one.end, "transient", one.kind, one.confidence)
            collector.refusals.append(refusal)
        else:
            collector.candidates.append(replace(one, always=False, tier=Tier.MEDIUM))
