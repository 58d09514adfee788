"""WhatsApp chats exported by the phone: `_chat.txt` (iOS, in a zip) or `WhatsApp Chat with NAME.txt` (Android).

A message begins with date and time in the format of the phone's region, in brackets or before a dash, and extends to
the next one. The order of day and month is inferred from the dates of the whole file. Times have no time zone: they are
those of the phone. WhatsApp marks its own texts with U+200E, in every language.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise

from curator.importers.factory import safe
from curator.importers.group_chats import GroupChat
from curator.importers.inputs import (
    LONGEST_LINE,
    Item,
    LogFile,
    Problem,
    ReadProgress,
    Skipped,
    Unreadable,
    text_pieces,
)
from curator.importers.log_format import Format, LogFormat, Options, SurveyedChats
from store import clock

_MARK = "\u200e\u200f\u202a-\u202e\ufeff"  # marks of the direction of writing
_SPACE = " \u00a0\u202f"
_DATE = rf"[{_MARK}]*[-/.][{_MARK}{_SPACE}]*".join([r"\d{1,4}"] * 3)
_TIME = rf"[^\d\n\[\]]{{1,12}}?\d{{1,2}}[:.]\d{{2}}(?:[:.]\d{{2}})?(?:[{_SPACE}]?[^\W\d_]\.?){{0,3}}"
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b"  # the log of a program
_AUTHOR = rf"(?!{_LEVEL})([^:\n]{{1,80}}?) ?:(?: |$)"
_STYLES = [
    re.compile(rf"\n([{_MARK}]*{pattern})(?:{_AUTHOR})?", re.MULTILINE)
    for pattern in (rf"\[({_DATE})({_TIME})\] ", rf"({_DATE})({_TIME}) [-–] ", rf"({_DATE})({_TIME}): ")
]
"""Each matches the start of a message, up to its words: prefix, date, time and author. It begins with the end of the
previous line, since line ends are found five times as fast as line starts.
"""
_CLOCK = re.compile(r"(\D*)(\d+)[:.](\d+)(?:[:.](\d+))?(.*)", re.DOTALL)  # the parts of a time
_QUOTED = re.compile('["“”«»„]')  # in a line about a new subject, not in a name
_AFTERNOON = frozenset({"pm", "م", "下午", "晚上", "오후", "午後", "μμ", "nm", "em"})
_FORENOON = frozenset({"am", "ص", "上午", "凌晨", "早上", "오전", "午前", "πμ", "vm", "fm"})
_ISOLATES = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069\r"))
_ATTACHED = re.compile(
    r"\u200e?<[^<>\n:]{2,30}: ?([^<>\n]+?)>\s*"  # iOS: <attached: NAME>
    r"|(?:\u200e([^\n<>]{1,200}\.\w{2,5})|((?:IMG|VID|PTT|AUD|STK|DOC)-\d{8}-WA\d+\.\w+)) \([^()\n]{3,60}\)\s*"
)
_OMITTED = re.compile(r"<[^<>\n:]{3,40}>")
_EDITED = re.compile(r"[ \n]?\u200e?<[^<>\n:]{0,60}?\bedited\b[^<>\n:]{0,60}>$")
_NOTES = frozenset({"null", "This message was deleted", "You deleted this message", "Missed voice call"})
_TITLE = re.compile(
    r"^(?:WhatsApp[ -]Chat|Chat (?:de |do |di )?WhatsApp|Conversa do WhatsApp|Discussion WhatsApp)"
    r"(?: ?- ?| (?:with|mit|con|com|avec|met) )?|(?: ?\(\d{1,3}\))?(?:\.zip|\.txt)?$",
    re.IGNORECASE,
)
_ORDERS = ((2, 1, 0), (2, 0, 1), (0, 1, 2))  # positions of year, month and day


def _without_isolates(text: str) -> str:
    return text.replace("\r", "") if text.isascii() else text.translate(_ISOLATES)  # translating each takes a fourth


Line = tuple[str, str, str, str, str]
"""An unparsed message: the prefix before the author; its date and time, as written; its author, empty for lines of
WhatsApp itself; its text. A plain tuple for speed, since each message is read twice.
"""


def fits_text(text: str, name: str) -> bool:
    """Return True for the beginning of a chat: its first line has a date, and some date is followed by a name."""
    text = f"\n{text.lstrip()}"
    style = next((style for style in _STYLES if style.match(text)), None)
    return style is not None and any(found[4] for found in style.finditer(text))


def chats(files: Sequence[LogFile]) -> SurveyedChats:
    """Survey these chats."""
    found = [survey(log) for log in files]
    people: Counter[str] = Counter()
    for one in found:
        people.update(one.authors if isinstance(one, Survey) else ())
    return SurveyedChats(people, partial(read, list(zip(files, found, strict=True))))


def read(
    surveyed: Sequence[tuple[LogFile, "Survey | Problem"]], progress: ReadProgress, options: Options
) -> Iterator[Item]:
    """Yield the conversation of each of these files."""
    for log, known in surveyed:
        if isinstance(known, Problem):
            yield known
            continue
        if not known.dates:
            yield Problem(log.name, "no messages found: no line begins with a date and a time")
            continue
        me = options.own_names(known.authors)
        if known.authors and not me:  # you are in each of your chats, perhaps under another name
            there = safe(", ".join([*known.authors][:5]))
            yield Problem(
                log.name, f"say who you are: import it by itself with --me NAME, one of: {there}", "whose_chat"
            )
            continue
        *above, name = log.inner.parts
        if name.startswith("_chat"):
            name = above[-1] if above and (above[-1].endswith(".zip") or "WhatsApp" in above[-1]) else ""
        title = _TITLE.sub("", name).strip() or ", ".join([name for name in known.authors if name not in me][:3])
        days, unsaid = known.days(), 0
        begin = known.begin(days)
        chat = GroupChat(Format.WHATSAPP, title.casefold(), title, log.name, me, monthly=False, created_at=begin)
        try:
            for start, date, time, author, said in lines(text_pieces(log, progress)):
                if not author:
                    unsaid += 1
                    continue
                text, day, since = words(said), days.get(date), micros_of_day(time)
                at = None if day is None or since is None else day + since
                key = f"{_without_isolates(start)} {author} {text}"
                yield from chat.add(text, author, author in me, key=key, at=at)
        except Unreadable as error:
            yield Problem(log.name, f"cannot be read any further: {error}")
        yield from chat.end()
        if unsaid:
            yield Skipped("not_a_message", log.name, unsaid)


def lines(pieces: Iterable[str]) -> Iterator[Line]:
    """Yield the messages of a chat, given in pieces of whole lines. Raises Unreadable for an endless message."""
    style: re.Pattern[str] | None = None
    last: list[str] = []
    held = ""  # text of the last message of a piece, which may continue in the next
    for piece in pieces:
        text = "\n" + piece.removesuffix("\n")
        if style is None:
            begins = {one: found.start() for one in _STYLES if (found := one.search(text))}
            style = min(begins, key=begins.__getitem__, default=None)
        if style is None:
            continue
        more, *columns = style.split(text)
        held += more
        if columns:
            if last:
                last[-1] = held
                yield _line(*last)
            yield from map(_line, *[iter(columns[:-5])] * 5)
            last = columns[-5:]
            held = last[-1]
        if len(held) > LONGEST_LINE:
            raise Unreadable(f"a message longer than {LONGEST_LINE >> 20} MB")
    if last:
        last[-1] = held
        yield _line(*last)


def _line(start: str, date: str, time: str, author: str | None, said: str) -> Line:
    own = (said.startswith("\u200e") and not _ATTACHED.match(said)) or said.strip() in _NOTES
    return start, date, time, "" if own or author is None else plain_name(author), said


def words(said: str) -> str:
    """Return the text of a message, with the names of attached files."""
    if attached := _ATTACHED.match(said):
        name = attached[1] or attached[2] or attached[3]
        said = f"[attachment: {name.strip()}]\n{said[attached.end() :]}"
    said = _without_isolates(said).strip()
    if said.endswith(">"):
        said = _EDITED.sub("", said).strip()
        if _OMITTED.fullmatch(said):
            said = "[attachment]"
    return said


@lru_cache(1_000)
def plain_name(name: str) -> str:
    """Return a name without direction marks; empty if it is not a name."""
    return "" if _QUOTED.search(name) else name.strip(f"{_SPACE}\u200e\u200f\u202a\u202c~")


@dataclass(frozen=True, slots=True)
class Survey:
    """Properties of a whole chat.

    These are its authors with their numbers of messages, its dates in file order with the first time of day of a
    written message, and whether its first message has the American format.
    """

    authors: Counter[str]
    dates: Mapping[str, int | None]
    american: bool

    def days(self) -> dict[str, int | None]:
        """Return the start of each date, with the order of year, month and day in which all dates exist and ascend."""
        numbers = {date: re.findall(r"\d+", date) for date in self.dates}

        def ordered(order: tuple[int, int, int]) -> list[int | None]:
            return [_day(*(found[place] for place in order)) for found in numbers.values()]

        def cost(order: tuple[int, int, int]) -> tuple[int, int, bool]:
            days = ordered(order)
            known = [day for day in days if day is not None]
            back = sum(a > b for a, b in pairwise(known))
            return len(days) - len(known), back, self.american is not (order == _ORDERS[1])

        return dict(zip(numbers, ordered(min(_ORDERS, key=cost)), strict=True))

    def begin(self, days: Mapping[str, int | None]) -> int | None:
        """Return the time of the earliest message with text; None if none has a time."""
        times = ((days[date], since) for date, since in self.dates.items())
        return min((day + since for day, since in times if day is not None and since is not None), default=None)


def survey(log: LogFile) -> Survey | Problem:
    """Survey a chat, or return the reason why it cannot be read."""
    authors: Counter[str] = Counter()
    dates: dict[str, int | None] = {}
    american = False
    try:
        for start, date, time, author, said in lines(text_pieces(log, ReadProgress())):
            if not dates:
                american = "/" in start and _clock(time)[-1].strip(_SPACE) in ("AM", "PM")
            authors[author] += 1
            since, first = micros_of_day(time), dates.setdefault(date, None)
            if since is not None and (first is None or since < first) and author and words(said):
                dates[date] = since
    except Unreadable as error:
        return Problem(log.name, f"cannot be read: {error}")
    del authors[""]
    return Survey(authors, dates, american)


@cache
def _day(year: str, month: str, day: str) -> int | None:
    """Return the start of a day, None if it does not exist; Thai years are 543 higher."""
    number = int(year) + (2000 if len(year) == 2 else -543 if int(year) > 2400 else 0)
    try:
        return clock.from_iso(f"{number:04}-{int(month):02}-{int(day):02}") if len(year) in (2, 4) else None
    except ValueError:
        return None


def _clock(time: str) -> tuple[str, ...]:
    """Return hours, minutes and seconds of a time, between the words before and after them."""
    found = _CLOCK.fullmatch(time)
    assert found is not None
    return found.groups("")


@lru_cache(2_000)
def micros_of_day(time: str) -> int | None:
    """Return the time since midnight in microseconds, given numbers with words around them; None if invalid."""
    before, hour, minute, second, after = _clock(time)
    halves = {"".join(filter(str.isalpha, words)).casefold() for words in (before, after)}
    hours, minutes, seconds = int(hour), int(minute), int(second or 0)
    if halves & _AFTERNOON:
        hours = hours % 12 + 12
    elif halves & _FORENOON:
        hours %= 12
    if hours >= 24 or minutes >= 60 or seconds >= 60:
        return None
    return (hours * 3600 + minutes * 60 + seconds) * clock.SECOND


FORMAT = LogFormat(Format.WHATSAPP, "a WhatsApp chat", None, fits_text=fits_text, chats=chats, exported=True)
