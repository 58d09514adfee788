"""Resolution of relative dates at the day they were said. What can mean two dates has both, or none."""

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

from curator.text.date_expressions import COUNTS, MONTHS, NEAR, NUMBER, SEASONS, WEEKDAYS, date_expressions
from curator.text.month_before import month_before
from curator.text.tense import DATED_THING, REACH, RESCHEDULED, clause_around, says_ahead, tense

STEPS = {"last": -1, "this": 0, "next": 1}
_YEARLY = re.compile(
    r"\b(?:birthdays?|anniversar\w+|born|every|each|annual\w*|yearly|usually|always|often|sometimes|normally|tend)\b",
    re.IGNORECASE,
)
_RECURRING = re.compile(
    r"\b(?:rent|salary|wages?|pay(?:day|roll|check|cheque|s)?|paid|mortgage|bills?|invoices?|subscriptions?|loan"
    r"|pension|allowance|instal?lments?|monthly|weekly|shop|timesheets?|reports?|have to|need to|must)\b",
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
_APPOINTED = re.compile(rf"\b(?:{DATED_THING}) $", re.IGNORECASE)
_ON_ITS_DAY = re.compile(
    rf"(?:(?:(?:and|so|also|my|our|his|her|the|new|next|knee|hip|eye|heart|back|final|driving|doctor's|dentist'?s?"
    rf"|[A-Z][\w'’]+)"
    rf" ){{0,3}}(?:{DATED_THING})(?: (?:at|in|for|with) (?:[\w'’-]+ ){{0,2}}[\w'’-]+)?,?:? )$",
    re.IGNORECASE,
)
"""A clause of a thing with a day and no verb: "surgery 28 april" is the nearest one."""
_NEAREST = 120
"""Maximum days to the day of such a thing."""
_BEGAN = 45
"""Maximum days since something in the present tense is so: "from 1 May my rate is 50 euros"."""
_SAME_MONTH, _NEAR_MONTH = 200, 75
"""Maximum days to a day without a month that is of the month named before it; ahead, of a month without any day."""
_MOVED_TO = re.compile(
    rf"{RESCHEDULED} (?=(?:to|until|till|for) (?:the )?[^ ]*\d)",
    re.IGNORECASE,
)
"""A participle right before a date that says nothing of its tense: "the meeting moved to 21 Oct" is the nearest one."""
_AROUND = re.compile(r"\b(?:about|around|almost|nearly|over|more than|roughly|some|or so)\s*$", re.IGNORECASE)
_DURING = re.compile(r"\b(?:the|my|our|his|her|its|their|over|past|every|each|of)\s*$", re.IGNORECASE)
_LAST_OF = re.compile(
    r"\b(?:the|that|this|one|a|each|every|very|my|our|your|his|her|its|their|\w+['’]s?) $", re.IGNORECASE
)
"""Text before "last night" that makes it the final one of several: "I leave it to the last night"."""
_NOT_OTHER = re.compile(rf",? (?:and |now )?(?:not|instead of|rather than)(?: in)? (?:{NUMBER})\b", re.IGNORECASE)
_EACH = re.compile(r"\b(?:all|every|each|any|always|usually|normally)\b[^.!?]*$", re.IGNORECASE)
"""Text before "in 7 days" that makes it a term of each: "all invoices are due in 7 days"."""
_BEGINS = re.compile(r"[^\w\s'’,\"“)&]\s*$|\n\s*$")
_NAMED_BEFORE = re.compile(
    r"(?:\b[A-Z]{2,}|(?<=[\w,] )(?!I['’])[A-Z][\w'’]+| (?:the|called|named|titled|magazine|film|song|album)) [\"“]?$"
)
"""Text before a word with a capital that is a part of a name: "Psychology Today", "the Today show"."""
_TO_PLACE = re.compile(
    r"\b(?:mov(?:e|ed|ing)|fl(?:y|ew|own|ying)|driv(?:e|ing)|drove|travel(?:l?ed|l?ing)?|c(?:a|o)m(?:e|ing)|go(?:ing|ne)?"
    r"|went|relocat(?:e|ed|ing)|got|back|arriv(?:e|ed|ing)|return(?:ed|ing)?)(?: (?:back|over|out|home))? "
    r"(?:to|into|in|from) (?:[A-Z][\w'’-]+ ){1,2}$"
)
"""Text before a day in which the word with a capital is a place somebody moves to: "I moved to Oslo Today"."""
_NAMED_AFTER = re.compile(
    r" (?:show|magazine|newspaper|paper|programme|program|street|road|avenue|podcast|app|song)\b", re.IGNORECASE
)
_LOW = re.compile(r"(?<![\w'’])[a-z]")
"""A word without a capital, which a title in capitals has not."""
_TERM = re.compile(r"\b(?:invoic\w+|payments?|terms|templates?|payable|net \d+)\b", re.IGNORECASE)
"""Words of a text by which "due in 14 days" is a term of payment, which begins with each invoice."""
_DUE = re.compile(r"\b(?:due|payable|paid) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResolvedDate:
    """Words of a text from `start` to `end` that mean the days `first` to `last`, with the words to add (`note`)."""

    start: int
    end: int
    note: str
    first: date
    last: date


def resolve(text: str, day: date, before: str = "") -> list[ResolvedDate]:
    """Return the relative dates of a text that was said on a day, in order; `before` is its sentence up to the text."""
    found = []
    for match in date_expressions(text):
        try:
            dated = DateExpression(match, text, day, before).resolved()
        except (ValueError, OverflowError):  # outside the calendar
            continue
        if dated is not None and 1900 <= dated.first.year < 2100:
            found.append(dated)
    return found


@dataclass(frozen=True, slots=True)
class DateExpression:
    """A relative date in a text that was said on a day. Each method returns None where it is not certain."""

    match: re.Match[str]
    text: str
    day: date
    before: str = ""

    def resolved(self) -> ResolvedDate | None:
        """Return the days it means. Raises ValueError or OverflowError outside the calendar."""
        match = self.match
        before = self.text[max(0, match.start() - REACH) : match.start()]
        if match["near"]:
            near = self.day + timedelta(days=NEAR[match["near"].casefold()])
            no_day = self.is_name(before) or (match["near"].casefold() == "last night" and _LAST_OF.search(before))
            return None if no_day else self.made("{}", near)
        for group, sign in (("ago", -1), ("now", 1), ("ahead", 1)):
            if match[group] and (group != "ahead" or self.is_ahead(before)):
                number = match[group].casefold()
                return self.moved(sign * (COUNTS.get(number) or int(number)), match[f"{group}_unit"].casefold())
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

    def made(self, note: str, first: date, last: date | None = None) -> ResolvedDate:
        """Return the result; {} in the note stands for `first`."""
        return ResolvedDate(self.match.start(), self.match.end(), note.format(first.isoformat()), first, last or first)

    def is_name(self, before: str) -> bool:
        """Return True for a word of a name after the first word of its sentence: "I read USA Today"."""
        said = self.match["near"]
        if not (said.istitle() and before.strip() and _LOW.search(self.text)) or _BEGINS.search(before):
            return False
        named = _NAMED_BEFORE.search(before) is not None and _TO_PLACE.search(before) is None
        return " " in said or named or _NAMED_AFTER.match(self.text, self.match.end()) is not None

    def way(self, cue: str) -> int:
        """Return -1 for a date in the past, 1 for one ahead, 0 if that is not certain."""
        if cue in ("since", "last", "past"):
            return -1
        if cue in ("by", "due", "next", "starting", "effective", "coming"):
            return 1
        direction = tense(self.text, self.match.start())
        return 1 if direction == 0 and cue in ("until", "till", "before", "this", "from") else direction

    def is_of_present(self, cue: str) -> bool:
        """Return True if it says from when on something is so: "from 1 May my rate is 50 euros"."""
        start = self.match.start()
        return cue.startswith(("from", "as of")) and tense(self.text, start) != -1 and not says_ahead(self.text, start)

    def is_ahead(self, before: str) -> bool:
        """Return True if "in two weeks" is a day, and not how long something takes."""
        if _NOT_OTHER.match(self.text, self.match.end()) or _EACH.search(before):
            return False
        if _DUE.search(before) and _TERM.search(f"{before}{self.text[self.match.end() :][:REACH]}"):
            return False
        direction = tense(self.text, self.match.start())
        return direction == 1 or (direction == 0 and bool(_APPOINTED.search(before)))

    def recurs(self, first: int, last: int) -> bool:
        """Return True if a clause is of something that comes back each month or week."""
        return bool(_RECURRING.search(self.text, first, last))

    def weekday(self) -> ResolvedDate | None:
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

    def nth(self) -> ResolvedDate | None:
        """Read "on the 5th": of the month named before it, else of this month, or of the one before or after.

        A day in the past is not of a month ahead, nor the other way round.
        """
        number, way = int(self.match["nth"]), self.way(self.match["nth_cue"].casefold())
        named = month_before(f"{self.before}{self.text[: self.match.start()]}"[-REACH:]) if way else None
        if named and named.tense != -way:
            years = (named.year,) if named.year else (self.day.year, self.day.year + way)
            near = (day_of_month(year, named.month, number) for year in years)
            most = _SAME_MONTH if named.exact or way < 0 else _NEAR_MONTH
            on = next((one for one in near if one and 0 <= (one - self.day).days * way <= most), None)
            return self.made("{}", on) if on else None
        days = (day_of_month(*_month_away(self.day, step), number) for step in (0, way))
        on = next((one for one in days if one and way and (one - self.day).days * way > 0), None)
        return self.made("{}", on) if on else None

    def day_of_month(self) -> ResolvedDate | None:
        """Read a day of a month without its year."""
        match = self.match
        number, month = int(match["before"] or match["after"]), (match["month_2"] or match["month_3"]).casefold()
        if any(one.end() == match.start() for one in _MOVED_TO.finditer(self.text, max(0, match.start() - 60))):
            near = [day_of_month(self.day.year + step, MONTHS[month], number) for step in (-1, 0, 1)]
            on = min(filter(None, near), key=lambda one: abs(one - self.day), default=None)
            return self.made(str(on.year), on) if on else None
        cue = (match["cue"] or "").casefold()
        way = self.way(cue)
        if self.is_of_present(cue):
            last = (day_of_month(year, MONTHS[month], number) for year in (self.day.year, self.day.year - 1))
            began = next((one for one in last if one and 0 <= (self.day - one).days <= _BEGAN), None)
            if began:
                return self.made(str(began.year), began)
            way = 1
        first, _ = clause_around(self.text, match.start())
        if way == 0 and _ON_ITS_DAY.match(self.text, first, match.start()):
            near = [day_of_month(self.day.year + step, MONTHS[month], number) for step in (-1, 0, 1)]
            on = next((one for one in near if one and abs(one - self.day).days <= _NEAREST), None)
            return self.made(str(on.year), on) if on else None
        days = (day_of_month(year, MONTHS[month], number) for year in (self.day.year, self.day.year + way))
        on = next((one for one in days if one and way and (one - self.day).days * way >= 0), None)
        return self.made(str(on.year), on) if on else None

    def month(self) -> ResolvedDate | None:
        """Read a month without its year; "last March" in May is of this year or the one before: both are given."""
        cue, number = self.match["month_cue"].casefold(), MONTHS[self.match["month"].casefold()]
        year = self.day.year
        if self.is_of_present(cue):
            nearest = _month_away(self.day, -((self.day.month - number) % 12))
            if (self.day.month - number) % 12 > 2:
                nearest = nearest[0] + 1, number
            return self.made(str(nearest[0]), *month_days(*nearest))
        cue = cue.split()[0]
        way = self.way(cue)
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

    def span(self, cue: str, unit: str) -> ResolvedDate | None:
        """Read the last, this or the next week, weekend, month, quarter, year or season."""
        step, day = STEPS[cue], self.day
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

    def moved(self, number: int, unit: str) -> ResolvedDate:
        """Read "three weeks ago" or "in two months": weeks are about a day, months and years exact unless about."""
        about = (
            "about "
            if _AROUND.search(self.text[max(0, self.match.start() - REACH) : self.match.start()]) or unit == "week"
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
    """Return a day, or None if the month is shorter."""
    try:
        return date(year, month, day)
    except ValueError:
        return None
