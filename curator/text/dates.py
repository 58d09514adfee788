"""Relative dates of English statements, resolved at the day they were said and written behind the words.

A resolved date stands in parentheses after what it resolves: `due in March (2026)`, `since Monday (2026-05-04)`. The
person's words stay as they are, and `without_dates` gives them back. What can mean two dates has both, or none.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from store.clock import day_of

MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_name) if name}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
WEEKDAYS = {name.casefold(): number for number, name in enumerate(calendar.day_name)}  # Monday is 0
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # first of its three months
_COUNTS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_COUNTS |= {"a": 1, "an": 1, "a couple of": 2, "eleven": 11, "twelve": 12, "twenty": 20}
_STEPS = {"last": -1, "this": 0, "next": 1}
_NEAR = {
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
_NUMBER = rf"\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))}"
ORDINAL = r"(?:st|nd|rd|th)?"
_EXPRESSION = re.compile(
    rf"\b(?:(?P<near>{'|'.join(sorted(_NEAR, key=len, reverse=True))})(?: (?:morning|afternoon|evening|night))?"
    rf"|(?:(?P<cue>by|until|till|since|before|after|on|from|for|due|starting|to) (?:the )?(?:{_DAY})?,? ?)?"
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
    rf"|(?P<ago>{_NUMBER}) (?P<ago_unit>day|week|month|year)s? ago"
    rf"|in (?P<ahead>{_NUMBER}) (?P<ahead_unit>day|week|month|year)s?(?:' time)?"
    rf"|(?P<now>{_NUMBER}) (?P<now_unit>day|week|month|year)s? from now"
    rf"|(?P<month_cue>(?:(?:from|starting)(?: in)?|in|by|until|till|since|before|after|due|last|next|this)"
    rf"(?: (?:early|mid|late|the end of))?|(?:at|towards?|around) the (?:end|start"
    rf"|beginning) of)[ -](?P<month>{_MONTH})"
    r")(?![\w'’-])(?!,? (?:of )?(?:(?:19|20)\d\d)\b)",
    re.IGNORECASE | re.ASCII,
)
_DATED = re.compile(rf",? ?[(–-]?\s?(?:the )?(?:\d|(?:{BRIEF}) \d|\()", re.IGNORECASE)
"""Text after words that already have their date, or stand for something else."""
_NOTE = re.compile(r" \((?:(?:about|week of) )?(?:[A-Z][a-z]+ |Q[1-4] )?\d{4}(?:-\d\d){0,2}(?:/\d\d)?(?: or [\d-]+)?\)")
_YEAR = re.compile(r"\d{4}")
_YEARLY = re.compile(
    r"\b(?:birthdays?|anniversar\w+|born|every|each|annual\w*|yearly|usually|always|often|sometimes|normally|tend)\b",
    re.IGNORECASE,
)
_RECURRING = re.compile(
    r"\b(?:rent|salary|wages?|pay(?:day|roll|check|cheque|s)?|paid|mortgage|bills?|invoices?|subscriptions?|loan"
    r"|pension"
    r"|allowance|instal?lments?|monthly|weekly|shop|timesheets?|reports?|have to|need to|must)\b",
    re.IGNORECASE,
)
"""Things that come back each month or week: their "5th" is any month's."""
_NO_DAY = re.compile(
    r"(?:^|\b(?:every|each|other|most|some|all|any|one|an?|the|that|and|or|to|of|on|like|love|black|good|ash|cyber|palm"
    r"|easter|shrove|bowl|favou?rite) |\b(?:day|best|worst|favou?rite)\b.* )$",
    re.IGNORECASE,
)
"""Text before a weekday without a preposition that is no certain day."""
_RANGE = re.compile(r"\s?(?:to|till?|until|through|thru|and|or|[-–—])(?=\W)", re.IGNORECASE)
_DATED_THING = (
    "exams?|finals|interview|wedding|flight|trip|surgery|operation|op|appointment|deadline|party|holiday|marathon|race"
    "|concert|birthday|funeral|graduation|due date|viva|defen[cs]e|scan|move"
)
_APPOINTED = re.compile(rf"\b(?:{_DATED_THING}) $", re.IGNORECASE)
_HABIT = re.compile(r" ?(?:nights|evenings|mornings|afternoons)\b", re.IGNORECASE)
_PAST = (
    r"was|were|had|did|didn't|went|got|bought|came|left|took|made|met|saw|sat|ran|won|lost|began|became|broke|built"
    r"|chose"
    r"|drove|fell|felt|flew|forgot|found|gave|heard|kept|led|paid|quit|rode|said|sold|sent|slept|spoke|spent|taught"
    r"|told"
    r"|thought|woke|wore|wrote|been|gone|done|(?!need|feed|speed|breed|seed|married|excited|tired"
    r"|interested|used to|based)[a-z]{2,}ed"
)
_FUTURE = (
    r"will|'ll|won't|going to|gonna|due|planning|plan to|have to|need to|must|want to|hope to|hoping to|about to"
    r"|deadline|(?:is|are|am|'m|'re|'s) [a-z]+ing|(?:is|are|'s|'re|am|'m) (?:booked|scheduled|planned|set|supposed"
    r"|expected|back|off|due|away|out|on|in|at|for)|is|are|starts?|begins?|leaves?|ends|expires?|arrives?|opens|closes"
    r"|fly|move|(?:have|(?:have|'ve|ive|weve) got) (?:an?|my|another|the|our) [a-z' -]{3,40}?|get married|marry|retire"
    rf"|got (?:an?|my|another|the|our) [a-z' -]{{0,30}}?(?:{_DATED_THING})"
    r"|graduate|finish|turn \d+|promised to|agreed to|decided to|signed up|booked|scheduled|registered|enrolled"
)
_OFTEN = r"(?: (?:not|also|only|already|finally|probably|hopefully|then|now|next|soon|just|both|all))*"
_MADE = (
    r"done|replaced|removed|pulled|extracted|fixed|repaired|serviced|installed|fitted|painted|cleaned|checked|scanned"
    r"|tested|examined|operated|treated|taken|cut|delivered|collected"
)
_TO_BE_DONE = (
    rf"(?:(?:is|are|am|'s|'re|'m){_OFTEN} )?(?:(?:(?:will|'ll|won't|shall|going to|gonna|due to|about to|(?:has|have"
    rf"|needs?|is|are|am|'s|'re|'m|ought) to){_OFTEN}"
    rf" (?:be|get)|(?:must|can|may|should|might|could){_OFTEN} (?:be|get)|(?:is|are|am|'s|'re"
    rf"|'m){_OFTEN} being){_OFTEN}"
    r" (?:done|gone|been|taken|given|cut|put|set|sent|paid|sold|built|made|held|[a-z]{2,}ed)"
    rf"|(?:have|has|gets?|having|getting) (?:(?:my|our|his|her|their|the|an?|[a-z]+'s)(?: (?!(?:i|we|you|s?he|they|it"
    rf"|that"
    rf"|which|who)\b)[\w'-]+){{1,3}}|it|them) (?:{_MADE}))"
)
"""A passive of what is ahead, whose participle is no past: "will be done", "has his knee done"."""
_TENSE = re.compile(
    rf"(?:(?<![\w'])|(?=')|(?<=[a-z])(?='))(?:(?P<ahead>{_TO_BE_DONE}|{_FUTURE})|(?P<past>{_PAST}))(?![\w'])",
    re.IGNORECASE,
)
_MOVED_TO = re.compile(
    r"\b(?:moved|pushed|put|postponed|rescheduled|shifted|delayed|brought|changed)(?: (?:back|forward|out|off|up))? "
    r"(?=(?:to|until|till|for) (?:the )?[^ ]*\d)",
    re.IGNORECASE,
)
"""A participle right before a date that says nothing of its tense: "the meeting moved to 21 Oct" is the nearest one."""
_CLAUSE = re.compile(r"[,;:.!?()]\s|\s(?:and|but|so|because|then|while)\s")
_REACH = 400
"""Maximum characters on either side of a date that tell how it is meant, so that long texts take linear time."""
_AROUND = re.compile(r"\b(?:about|around|almost|nearly|over|more than|roughly|some|or so)\s*$", re.IGNORECASE)
_DURING = re.compile(r"\b(?:the|my|our|his|her|its|their|over|past|every|each|of)\s*$", re.IGNORECASE)
_NOT_OTHER = re.compile(rf",? (?:and |now )?(?:not|instead of|rather than)(?: in)? (?:{_NUMBER})\b", re.IGNORECASE)
_EACH = re.compile(r"\b(?:all|every|each|any|always|usually|normally)\b[^.!?]*$", re.IGNORECASE)
"""Text before "in 7 days" that makes it a term of each: "all invoices are due in 7 days"."""

_BEGINS = re.compile(r"[^\w\s'’,\"“)&]\s*$|\n\s*$")
_NAMED_BEFORE = re.compile(
    r"(?:\b[A-Z]{2,}|(?<=[\w,] )(?!I['’])[A-Z][\w'’]+| (?:the|called|named|titled|magazine|film|song|album)) [\"“]?$"
)
"""Text before a word with a capital that is a part of a name: "Psychology Today", "the Today show"."""
_NAMED_AFTER = re.compile(
    r" (?:show|magazine|newspaper|paper|programme|program|street|road|avenue|podcast|app|song)\b", re.IGNORECASE
)
_LOW = re.compile(r"(?<![\w'’])[a-z]")
"""A word without a capital, which a title in capitals has not."""
_COUNTED = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|this|last|past|next|ago|from now|in (?:{_NUMBER}) \w+)\b", re.IGNORECASE
)
_TERM = re.compile(r"\b(?:invoic\w+|payments?|terms|templates?|payable|net \d+)\b", re.IGNORECASE)
"""Words of a text by which "due in 14 days" is a term of payment, which begins with each invoice."""
_DUE = re.compile(r"\b(?:due|payable|paid) $", re.IGNORECASE)
_PLANNED = re.compile(
    r"\W*(?:(?:and|also|so|then|but|now|finally|probably|hopefully|news|update)[,:]? )*"
    r"(?:starting|beginning|moving|leaving|quitting|launching|opening|joining|retiring|travelling|traveling|flying|going"
    r"|getting|graduating|switching|taking|running|finishing|returning|visiting|arriving|defending|selling|buying)\b",
    re.IGNORECASE,
)
"""The start of a clause about a plan, without its subject: "starting as a consultant on 1 July"."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """Words of a text from `start` to `end` that mean the days `first` to `last`, with the words to add (`note`)."""

    start: int
    end: int
    note: str
    first: date
    last: date


def with_dates(text: str, said_at: int | None, *, counted: bool = False) -> str:
    """Return a text with its relative dates resolved; unchanged if it is not known when it was said.

    With `counted`, only those that count from the day are: "last month", not "in March", which may be any year's.
    """
    if said_at is None:
        return text
    pieces, at = [], 0
    for found in resolve(text, day_of(said_at)):
        if counted and not _COUNTED.search(text, found.start, found.end):
            continue
        pieces.append(f"{text[at : found.end]} ({found.note})")
        at = found.end
    return "".join([*pieces, text[at:]])


@lru_cache(maxsize=8192)
def without_dates(text: str) -> str:
    """Return a text without the dates that `with_dates` added."""
    if "(" not in text:
        return text
    pieces, at = [], 0
    for note in _NOTE.finditer(text):
        words = list(_EXPRESSION.finditer(text, max(0, note.start() - 60), note.start() + 1))
        if words and words[-1].end() == note.start():
            pieces.append(text[at : note.start()])
            at = note.end()
    return "".join([*pieces, text[at:]])


def comparable(a: str, b: str) -> tuple[str, str]:
    """Return two texts to compare: if only one has resolved dates, and the other not their years, without those."""
    for dated, plain in ((a, b), (b, a)):
        bare = without_dates(dated)
        if bare != dated and without_dates(plain) == plain:
            years = set(_YEAR.findall(dated)) - set(_YEAR.findall(bare))
            if not any(year in plain for year in years):
                return (bare, plain) if dated is a else (plain, bare)
    return a, b


def resolve(text: str, day: date) -> list[Resolved]:
    """Return the relative dates of a text that was said on a day, in order."""
    found = []
    at, opened, closed = 0, -1, -1
    for match in _EXPRESSION.finditer(text):
        opened = max(opened, text.rfind("(", at, match.start()))
        closed = max(closed, text.rfind(")", at, match.start()))
        at = match.start()
        if opened > closed or _DATED.match(text, match.end()) or _HABIT.match(text, match.end()):
            continue
        try:
            dated = Expression(match, text, day).resolved()
        except (ValueError, OverflowError):  # outside the calendar
            continue
        if dated is not None and 1900 <= dated.first.year < 2100:
            found.append(dated)
    return found


def clause_around(text: str, offset: int) -> tuple[int, int]:
    """Return the start and end of the clause around an offset, at most 400 characters away."""
    start, end = max(0, offset - _REACH), min(len(text), offset + _REACH)
    first = max((one.end() for one in _CLAUSE.finditer(text, start, offset)), default=start)
    after = _CLAUSE.search(text, offset, end)
    return first, after.start() if after else end


def tense(text: str, offset: int) -> int:
    """Return the tense around an offset: -1 past, 1 future, 0 if neither is certain."""
    first, last = clause_around(text, offset)
    cues = [*_TENSE.finditer(text, first, offset)]
    cue = cues[-1] if cues else _TENSE.search(text, offset, last)
    if cue is None and _PLANNED.match(text, first, offset):
        return 1
    return 0 if cue is None else 1 if cue["ahead"] else -1


@dataclass(frozen=True, slots=True)
class Expression:
    """A relative date in a text that was said on a day. Each method returns None where it is not certain."""

    match: re.Match[str]
    text: str
    day: date

    def resolved(self) -> Resolved | None:
        """Return the days it means. Raises ValueError or OverflowError outside the calendar."""
        match = self.match
        before = self.text[max(0, match.start() - _REACH) : match.start()]
        if match["near"]:
            near = self.day + timedelta(days=_NEAR[match["near"].casefold()])
            return None if self.is_name(before) else self.made("{}", near)
        for group, sign in (("ago", -1), ("now", 1), ("ahead", 1)):
            if match[group] and (group != "ahead" or self.is_ahead(before)):
                number = match[group].casefold()
                return self.moved(sign * (_COUNTS.get(number) or int(number)), match[f"{group}_unit"].casefold())
        if match["span"]:
            return None if _DURING.search(before) else self.span(match["span_cue"].casefold(), match["span"].casefold())
        first, last = clause_around(self.text, match.start())
        yearly = _YEARLY.search(self.text, first, last)
        if match["end"]:
            sure = (match["end_cue"] or "").casefold() in ("by", "until", "till", "before")
            if not sure and (yearly or self.recurs(first, last) or not before or tense(self.text, match.start()) != 1):
                return None
            cue = (match["end_of"] or "").casefold()
            return self.span("next" if cue == "next" else "this", match["end_unit"].casefold())
        if match["nth"]:
            return None if yearly or self.recurs(first, last) else self.nth()
        if match["bare"]:
            return None if yearly or _NO_DAY.search(self.text[first : match.start()]) else self.weekday()
        cue = (match["day_cue"] or match["cue"] or match["month_cue"] or "").casefold()
        if cue.startswith(("from", "starting")) and _RANGE.match(self.text, match.end()):
            return None
        if match["weekday"]:
            return None if yearly and match["day_cue"].casefold() == "on" else self.weekday()
        if yearly or match["ahead"]:
            return None
        return self.month() if match["month"] else self.day_of_month()

    def made(self, note: str, first: date, last: date | None = None) -> Resolved:
        """Return the result, with `first` in the place of {} of its note."""
        return Resolved(self.match.start(), self.match.end(), note.format(first.isoformat()), first, last or first)

    def is_name(self, before: str) -> bool:
        """Return True for a word of a name after the first word of its sentence: "I read USA Today"."""
        said = self.match["near"]
        if not (said.istitle() and before.strip() and _LOW.search(self.text)) or _BEGINS.search(before):
            return False
        return " " in said or bool(_NAMED_BEFORE.search(before) or _NAMED_AFTER.match(self.text, self.match.end()))

    def way(self, cue: str) -> int:
        """Return -1 for a date in the past, 1 for one ahead, 0 if that is not certain."""
        if cue in ("since", "last", "past"):
            return -1
        if cue in ("by", "due", "next", "starting", "effective", "coming"):
            return 1
        direction = tense(self.text, self.match.start())
        return 1 if direction == 0 and cue in ("until", "till", "before", "this", "from") else direction

    def is_ahead(self, before: str) -> bool:
        """Return True if "in two weeks" is a day, and not how long something takes."""
        if _NOT_OTHER.match(self.text, self.match.end()) or _EACH.search(before):
            return False
        if _DUE.search(before) and _TERM.search(f"{before}{self.text[self.match.end() :][:_REACH]}"):
            return False
        direction = tense(self.text, self.match.start())
        return direction == 1 or (direction == 0 and bool(_APPOINTED.search(before)))

    def recurs(self, first: int, last: int) -> bool:
        """Return True if a clause is of something that comes back each month or week."""
        return bool(_RECURRING.search(self.text, first, last))

    def weekday(self) -> Resolved | None:
        """Read "since Monday" and the like; a weekday on its own day is not certain."""
        cue = (self.match["day_cue"] or "-").casefold().split()[-1]
        wanted = WEEKDAYS[(self.match["weekday"] or self.match["bare"]).casefold()]
        ahead, way = (wanted - self.day.weekday()) % 7 or 7, self.way(cue)
        if way == 0 or (ahead == 7 and cue not in ("last", "next")):
            return None
        if way < 0:
            return self.made("{}", self.day - timedelta(days=7 - ahead or 7))
        near, far = self.day + timedelta(days=ahead), self.day + timedelta(days=ahead + 7)
        if cue != "next" or wanted <= self.day.weekday():
            return self.made("{}", near)
        return self.made("{}", far) if ahead < 3 else self.made(f"{{}} or {far.isoformat()}", near, far)

    def nth(self) -> Resolved | None:
        """Read "on the 5th": of this month, or of the one before or after."""
        number, way = int(self.match["nth"]), self.way(self.match["nth_cue"].casefold())
        days = (day_of_month(*_month_away(self.day, step), number) for step in (0, way))
        on = next((one for one in days if one and way and (one - self.day).days * way > 0), None)
        return self.made("{}", on) if on else None

    def day_of_month(self) -> Resolved | None:
        """Read a day of a month without its year."""
        match = self.match
        number, month = int(match["before"] or match["after"]), (match["month_2"] or match["month_3"]).casefold()
        if any(one.end() == match.start() for one in _MOVED_TO.finditer(self.text, max(0, match.start() - 60))):
            near = [day_of_month(self.day.year + step, MONTHS[month], number) for step in (-1, 0, 1)]
            on = min(filter(None, near), key=lambda one: abs(one - self.day), default=None)
            return self.made(str(on.year), on) if on else None
        way = self.way((match["cue"] or "").casefold())
        days = (day_of_month(year, MONTHS[month], number) for year in (self.day.year, self.day.year + way))
        on = next((one for one in days if one and way and (one - self.day).days * way >= 0), None)
        return self.made(str(on.year), on) if on else None

    def month(self) -> Resolved | None:
        """Read a month without its year; "last March" in May is of this year or the one before: both are given."""
        cue, number = self.match["month_cue"].casefold().split()[0], MONTHS[self.match["month"].casefold()]
        way, year = self.way(cue), self.day.year
        if way == 0 or (self.match["month"] == "may" and cue == "this"):
            return None
        away = (number - self.day.month) * way
        if cue in ("last", "next") and away > 0:
            years = sorted((year, year + way))
            return self.made(
                "{} or {}".format(*years), month_days(years[0], number)[0], month_days(years[1], number)[1]
            )
        if cue in ("last", "next"):
            return self.made(str(year + way), *month_days(year + way, number))
        year += way if away < 0 and cue != "this" else 0
        return self.made(str(year), *month_days(year, number))

    def span(self, cue: str, unit: str) -> Resolved | None:
        """Read the last, this or the next week, weekend, month, quarter, year or season."""
        step, day = _STEPS[cue], self.day
        if unit == "week":
            monday = day + timedelta(days=7 * step - day.weekday())
            return self.made("week of {}", monday, monday + timedelta(days=6))
        if unit == "weekend":
            saturday = day + timedelta(
                days=5 - day.weekday() + 7 * step
            )  # "next" on Monday: this week's or the one after
            certain = step < 1 or day.weekday() >= 5
            return self.made("{}", saturday, saturday + timedelta(days=1)) if certain else None
        if unit == "month":
            first, last = month_days(*_month_away(day, step))
            return self.made(f"{calendar.month_name[first.month]} {first.year}", first, last)
        if unit == "year":
            return self.made(str(day.year + step), date(day.year + step, 1, 1), date(day.year + step, 12, 31))
        if unit == "quarter":
            year, month = _month_away(day, 3 * step)
            month = (month - 1) // 3 * 3 + 1
            return self.made(f"Q{month // 3 + 1} {year}", date(year, month, 1), month_days(year, month + 2)[1])
        begins, winter = SEASONS[unit], unit == "winter"
        year = day.year - (winter and day.month < 3)  # of the season that is, or of this year's
        ahead = day.month < begins and not (winter and day.month < 3)
        over = not winter and day.month > begins + 2
        if step == 1 and ahead:  # this year's or the next one's
            both = date(year, begins, 1), month_days(year + 1, min(begins + 2, 12))[1]
            return None if winter else self.made(f"{year} or {year + 1}", *both)
        year += step if step > 0 or not over else 0
        ends = (year + 1, 2) if winter else (year, begins + 2)
        return self.made(
            f"{year}/{ends[0] % 100:02}" if winter else str(year), date(year, begins, 1), month_days(*ends)[1]
        )

    def moved(self, number: int, unit: str) -> Resolved:
        """Read "three weeks ago" or "in two months": weeks are about a day, months and years exact unless about."""
        about = (
            "about "
            if _AROUND.search(self.text[max(0, self.match.start() - _REACH) : self.match.start()]) or unit == "week"
            else ""
        )
        if unit in ("day", "week"):
            return self.made(f"{about}{{}}", self.day + timedelta(days=number * (7 if unit == "week" else 1)))
        if unit == "month":
            first, last = month_days(*_month_away(self.day, number))
            return self.made(f"{about}{calendar.month_name[first.month]} {first.year}", first, last)
        year = self.day.year + number
        return self.made(f"{about}{year:04}", date(year, 1, 1), date(year, 12, 31))


def _month_away(day: date, step: int) -> tuple[int, int]:
    months = day.year * 12 + day.month - 1 + step
    return months // 12, months % 12 + 1


def month_days(year: int, month: int) -> tuple[date, date]:
    """Return the first and the last day of a month."""
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def day_of_month(year: int, month: int, day: int) -> date | None:
    """Return a day; None if the calendar has none such."""
    try:
        return date(year, month, day)
    except ValueError:
        return None
