"""Recognition of relative dates in English: "since Monday", "in March", "three weeks ago"."""

import calendar
import re
from collections.abc import Iterator

MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_name) if name}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
WEEKDAYS = {name.casefold(): number for number, name in enumerate(calendar.day_name)}  # Monday is 0
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # first of its three months
NUMBER_WORDS = {
    word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
COUNTS = NUMBER_WORDS | {"a": 1, "an": 1, "a couple of": 2, "eleven": 11, "twelve": 12, "twenty": 20}
NEAR = {
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
    "the day before yesterday": -2,
    "the day after tomorrow": 2,
}
_MONTH = "|".join(name.casefold() for name in calendar.month_name if name)
BRIEF = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = "|".join(WEEKDAYS)
_SEASON = "|".join(SEASONS)
NUMBER = rf"\d{{1,3}}|{'|'.join(sorted(COUNTS, key=len, reverse=True))}"
ORDINAL = r"(?:st|nd|rd|th)?"
EXPRESSION = re.compile(
    rf"\b(?:(?P<near>{'|'.join(sorted(NEAR, key=len, reverse=True))})(?: (?:morning|afternoon|evening|night))?"
    rf"|(?:(?P<cue>by|until|till|since|before|after|on|from|as of|for|due|starting|to) (?:the )?(?:{_DAY})?,? ?)?"
    r"(?:(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun),? (?:the )?)?"
    rf"(?:(?P<before>\d{{1,2}}){ORDINAL} (?:of )?(?P<month_2>{BRIEF})"
    rf"|(?P<month_3>{BRIEF}) (?:the )?(?P<after>\d{{1,2}}){ORDINAL}(?!\d|:|%| (?:{BRIEF})))"
    rf"|(?:(?P<day_cue>(?:this )?(?:last|next|this|past|coming|since|by|until|till|before|on|from|starting|as of"
    rf"|effective)) (?P<weekday>{_DAY})(?: (?:morning|afternoon|evening|night))?)"
    rf"|(?P<bare>{_DAY})(?: (?:morning|afternoon|evening|night))?(?=\s?(?:[.,;!?)]|$)|\s(?:and|but) (?:i|we|it)\b)"
    r"|(?P<nth_cue>on|by|until|till|before|since|from) the (?P<nth>\d{1,2})(?:st|nd|rd|th)(?=\s?(?:[.,;!?)]|$))"
    rf"|(?P<end>(?:(?P<end_cue>by|until|till|before|at|around) )?(?:the )?end of (?:(?P<end_of>the|this|next) )?)"
    rf"(?P<end_unit>week|month|year)"
    rf"|(?P<span_cue>last|this|next) (?P<span>week|weekend|month|year|quarter|{_SEASON})"
    rf"|(?P<ago>{NUMBER}) (?P<ago_unit>day|week|month|year)s? ago"
    rf"|in (?P<ahead>{NUMBER}) (?P<ahead_unit>day|week|month|year)s?(?:' time)?"
    rf"|(?P<now>{NUMBER}) (?P<now_unit>day|week|month|year)s? from now"
    rf"|(?P<month_cue>(?:(?:from|as of|starting)(?: in)?|in|by|until|till|since|before|after|due|last|next|this)"
    rf"(?: (?:early|mid|late|(?:the )?end of))?|(?:at|towards?|around) the (?:end|start"
    rf"|beginning) of)[ -](?P<month>{_MONTH})"
    r")(?![\w'’-])(?!,? (?:of )?(?:(?:19|20)\d\d)\b)",
    re.IGNORECASE | re.ASCII,
)
_DATED = re.compile(rf",? ?[(–-]?\s?(?:the )?(?:\d|(?:{BRIEF}) \d|\()", re.IGNORECASE)
"""Text after words that already have their date, or stand for something else."""
_HABIT = re.compile(r" ?(?:nights|evenings|mornings|afternoons)\b", re.IGNORECASE)


def date_expressions(text: str) -> Iterator[re.Match[str]]:
    """Yield the relative dates of a text, without those in parentheses, those that have a date and habits."""
    at, opened, closed = 0, -1, -1
    for match in EXPRESSION.finditer(text):
        opened = max(opened, text.rfind("(", at, match.start()))
        closed = max(closed, text.rfind(")", at, match.start()))
        at = match.start()
        if opened <= closed and not _DATED.match(text, match.end()) and not _HABIT.match(text, match.end()):
            yield match
