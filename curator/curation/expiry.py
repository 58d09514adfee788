"""Expiry date of a memory: its own, else the default of its kind.

The default of a kind applies to nothing that recurs or lasts, and to no plan before its date.
"""

import re

from store.clock import DAY, day_of, end_of
from store.model import Aging, Kind, Memory, has_expired, is_protected

DEFAULT_LIFETIME: dict[Kind, int] = {Kind.COMMITMENT: 90, Kind.TASK: 30, Kind.EVENT: 90, Kind.CONTEXT: 30}
"""Days after which upkeep expires memories of a kind without an end date. Other kinds never expire.

Recall applies a memory's own end date at once, but that of its kind only after upkeep: of the messages that answer
questions about four long chats, half are known only through memories of these kinds.
"""
_RECURS = re.compile(
    r"\b(?:every|each|annual\w*|yearly|monthly|weekly|daily|weekdays|weekends|usually|always"
    r"|normally|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:once|twice|times) an? (?:day|week|month|year))\b",
    re.IGNORECASE,
)
_YEARLY = re.compile(r"\b(?:birthdays?|anniversar\w+)\b", re.IGNORECASE)
_OF_PERSON = re.compile(r"\b(?:i|we|my|our)\b", re.IGNORECASE)
_TIME = re.compile(r"\b(?:[01]?\d|2[0-3])[:.][0-5]\d\b|\b(?:1[0-2]|[1-9]) ?(?:am|pm|a\.m|p\.m)\b", re.IGNORECASE)
_ONCE = re.compile(
    r"\b(?:to(?:day|night|morrow)|yesterday|next|this|last|coming|(?:mon|tues|wednes|thurs|fri|satur|sun)day|in an?"
    r"|appointment|interview|booked|meeting with|flight|due)\b",
    re.IGNORECASE,
)

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_FROM = (
    r"(?:from|as of|since|starting)(?: on)?(?: the)? "
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH}|\d{{4}}|next)\b"
)
_LASTING = (
    r"(?:work(?! at \d| on (?:the|an?|my|our)\b| tomorrow)|school|university|uni|college|nursery|kindergarten"
    r"|studying(?! for\b)|working(?! on\b)"
    r"|(?:an?|my|his|her|our|the) (?:new )?(?:job|role|position|post|apprenticeship|traineeship|phd|doctorate|degree"
    r"|studies"
    r"|master'?s?|bachelor'?s?|first grade))"
)
_TASK = (
    r"(?! (?:call|meeting|dinner|lunch|picnic|party|outing|drinks|day|event|retreat|stand-?up|run|trip|offsite|quiz"
    r"|project|interview|fair|search|application|ceremony|tour|play)\b)"
)
_EVENT = re.compile(
    r"\b(?:meeting|concert|course|race|show|match|game|class|party|wedding|event|film|movie|exam|conference|workshop|service"
    r"|ceremony|tour|talk|call|session|deploy\w*) (?:start|begin)s?\b",
    re.IGNORECASE,
)
"""Events that take hours, although they start."""
_BEGINS = re.compile(
    rf"\b(?:start|starts|starting|begin|begins|beginning) (?:{_LASTING}\b{_TASK}|as an? |(?:at|with) (?-i:[A-Z])|for"
    rf" (?-i:[A-Z]))"
    r"|\b(?:join|joins|joining) (?:[\w'’-]+ ){1,7}as an? |\b(?:join|joins|joining) (?:the )?(?:\w+ )?(?:team|company"
    rf"|firm|staff)\b{_TASK}"
    rf"|\b(?:live|living|based|rent|renting|work|working|teach|teaching|study|studying|address)\b[^.;!?]{{0,120}}\b{_FROM}",
    re.IGNORECASE,
)
"""The start of something lasting: a job, a school, a course of study, a home."""
_ENDS = re.compile(
    r"\b(?:back on|to \d|until|till|through|for (?:an?|one|two|three|\d+) (?:days?|weeks?|months?))\b", re.IGNORECASE
)

_SINCE = re.compile(r"\b(?:from|since|starting|beginning|as of)(?: on| in| the)* $", re.IGNORECASE)
"""Text before a day from which something holds."""


def goes_on(text: str) -> bool:
    """Return True if a text states the start of something lasting, without its end: "I start at Acme on 1 May"."""
    return not (_BEGINS.search(text) is None or _ENDS.search(text) or _EVENT.search(text))


def expiry_of(kind: Kind, said_at: int | None, expires_at: int | None, text: str = "") -> int | None:
    """Return the expiry date of a memory: its own, else that of its kind; None for never, and if it has no date.

    The kind gives none to what recurs or lasts, and no date before the last day that the text names.
    """
    if expires_at is not None:
        return expires_at
    days = DEFAULT_LIFETIME.get(kind)
    if days is None or said_at is None or goes_on(text) or recurs(text, said_at):
        return None
    from curator.text.dates import without_dates
    from curator.text.named_dates import named_dates

    last = max((one.last for one in named_dates(without_dates(text), said_at)), default=day_of(said_at))
    return max(said_at + days * DAY, end_of(last))


def recurs(text: str, said_at: int) -> bool:
    """Return True if a text is about a recurrence: an anniversary, every Friday, a time of day without a date."""
    from curator.text.named_dates import named_dates
    from curator.text.tense import tense

    if _RECURS.search(text):
        return True
    time = _TIME.search(text)
    if _ONCE.search(text):
        return False
    if time is None or not _OF_PERSON.search(text) or tense(text, time.start()):
        return _YEARLY.search(text) is not None
    return not named_dates(text, said_at)


def expired_at(memory: Memory | Aging, now: int) -> int | None:
    """Return when a memory expired, also by its kind if no person decided on it; None if it has not."""
    if has_expired(memory, now):
        return memory.expires_at
    said, days = memory.created_at, DEFAULT_LIFETIME.get(memory.kind)
    if is_protected(memory) or said is None or days is None or said + days * DAY > now:
        return None  # most, and without reading the text
    expiry = expiry_of(memory.kind, said, memory.expires_at, memory.text)
    return expiry if expiry is not None and expiry <= now else None


def is_past_plan(memory: Memory, now: int) -> bool:
    """Return True for a task or commitment of certain days, which were ahead when it was said and have passed."""
    said = memory.created_at
    if memory.kind not in (Kind.TASK, Kind.COMMITMENT) or said is None or goes_on(memory.text):
        return False
    from curator.text.dates import without_dates
    from curator.text.named_dates import named_dates

    text = without_dates(memory.text)
    dates = [one for one in named_dates(text, said) if not _SINCE.search(text, 0, one.start)]
    ahead = bool(dates) and all(one.first > day_of(said) for one in dates)
    return ahead and end_of(max(one.last for one in dates)) <= now and not recurs(memory.text, said)
