"""Subjects of several people, the last of which is the speaker: "my son Finn and I have asthma"."""

import re
from bisect import bisect_right
from collections.abc import Iterable

_ROLE = (
    r"(?:wife|husband|spouse|partner|fianc[eé]e?|boyfriend|girlfriend|ex|sons?|daughters?|kids?|child|children|baby|boys?"
    r"|girls?|twins?|mother|mum|mom|father|dad|parents?|brothers?|sisters?|siblings?|(?:step|grand)\w+|aunt\w*|uncle"
    r"|cousins?|niece|nephew|\w+-in-law|in-laws|family|friends?|mate|buddy|bff|colleagues?|co-?workers?|boss|manager"
    r"|neighbou?rs?|(?:flat|room|house|team|class)mates?|tutor|teacher|coach|doctor|therapist|team|dogs?|cats?|horse|pony)"
)
_NAMES = r"(?:,? [A-Z][\w'’-]+){0,3}"
_NAMED_LOW = r"(?: (?!\w+ed\b|(?:is|has|was|left|lives|works|and)\b)[a-z][\w'’-]+)?"
_ADJECTIVE = rf"(?:(?!{_ROLE}(?![\w'’]))(?!\w+(?:s|ed)(?![\w'’]))[\w'’-]+ )"
_DETAILS = r"(?: \([^()]{1,40}\)|, \d{1,2}(?=,|\s(?:and|plus)\b))?"
_RELATED = (
    rf"(?:(?i:(?:my|our|the) {_ADJECTIVE}{{0,2}}{_ROLE})(?![\w'’]){_NAMES}{_NAMED_LOW}"
    r"|(?i:my|our) (?!name\b)[a-z][\w'’-]+(?: [A-Z][\w'’-]+){1,3})" + _DETAILS
)
_OTHER = rf"(?:{_RELATED}|[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?{_DETAILS})"
_JOINT = re.compile(rf"{_RELATED}(?:(?:, | and | & |, and ){_OTHER}){{0,4}},? (?:and|plus)(?: also)? (?i:i)(?=['’\s])")


def within_joint_subject(text: str, start: int, end: int, separators: Iterable[re.Match[str]]) -> set[int]:
    """Return the ends of the separators in `text[start:end]` that part only the members of such a subject."""
    ends = [one.end() for one in separators]
    within, last = set[int](), start
    for begin in (start, *ends):
        if begin >= last and (subject := _JOINT.match(text, begin, end)):
            last = subject.end()
            within.update(ends[bisect_right(ends, begin) : bisect_right(ends, last)])
    return within
