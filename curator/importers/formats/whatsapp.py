"""WhatsApp: a chat as the phone exports it, `_chat.txt` (iOS, in a zip) or `WhatsApp Chat with NAME.txt` (Android).

A message begins with a date and a time in the format of the phone's region, in brackets or before a dash, and goes on
until the next of them. The order of day and month follows from the dates of the whole file. There is no time zone: the
times are those of the phone. WhatsApp marks its own texts with U+200E, in every language.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from curator.importers.factory import safe
from curator.importers.inputs import Item, Meter, Part, Problem, Skipped, whole_text
from curator.importers.json_stream import LIMIT
from curator.importers.log_format import Format, LogFormat, Options, People
from curator.importers.people import Chat
from store import clock

_MARK = "\u200e\u200f\u202a-\u202e\ufeff"  # marks of the direction of writing
_SPACE = " \u00a0\u202f"
_DATE = rf"[{_MARK}]*[-/.][{_MARK}{_SPACE}]*".join([r"(\d{1,4})"] * 3)
_TIME = rf"([^\d\n\[\]]{{1,12}}?)(\d{{1,2}})[:.](\d{{2}})(?:[:.](\d{{2}}))?((?:[{_SPACE}]?[^\W\d_]\.?){{0,3}})"
_STYLES = [
    re.compile(rf"^[{_MARK}]*{pattern}", re.MULTILINE)
    for pattern in (rf"\[{_DATE}{_TIME}\] ", rf"{_DATE}{_TIME} [-–] ", rf"{_DATE}{_TIME}: ")
]
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b"  # the log of a program
_AUTHOR = re.compile(rf"(?!{_LEVEL})([^:\n]{{1,80}}?) ?:(?: |$)", re.MULTILINE)
_QUOTED = re.compile('["“”«»„]')  # no name, but a line about a new subject
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
_ORDERS = ((2, 1, 0), (2, 0, 1), (0, 1, 2))  # places of year, month and day


def _without_isolates(text: str) -> str:
    return text.replace("\r", "") if text.isascii() else text.translate(_ISOLATES)  # translating each takes a fourth


@dataclass(slots=True)
class _Line:
    """A message as it stands: the numbers of its date, its time with what stands beside it, and its text."""

    date: tuple[str, ...]
    time: tuple[str, ...]
    stamp: str
    author: str  # empty for a line of WhatsApp's own
    text: str

    @classmethod
    def of(cls, mark: re.Match[str], said: str) -> "_Line":
        """Return the message of a date and the words after it."""
        groups = mark.groups("")
        named = _AUTHOR.match(said)
        author = ""
        if named is not None and not _QUOTED.search(named[1]):
            author = named[1].strip(f"{_SPACE}\u200e\u200f\u202a\u202c~")
        text = said[named.end() :] if named else said
        attached = _ATTACHED.match(text)
        if attached is not None:
            name = attached[1] or attached[2] or attached[3]
            text = f"[attachment: {name.strip()}]\n{text[attached.end() :]}"
        elif text.startswith("\u200e") or text.strip() in _NOTES:
            author = ""
        text = _without_isolates(text).strip()
        if text.endswith(">"):
            text = _EDITED.sub("", text).strip()
            if _OMITTED.fullmatch(text):
                text = "[attachment]"
        return cls(groups[:3], groups[3:], _without_isolates(mark[0]), author, text)


def fits_text(text: str, name: str) -> bool:
    """Return True for the beginning of a chat: its first line has a date, and a name follows one."""
    text = text.lstrip()
    style = next((style for style in _STYLES if style.match(text)), None)
    return style is not None and any(_AUTHOR.match(text, found.end()) for found in style.finditer(text))


def people(parts: Sequence[Part]) -> People:
    """Return the names in these chats, with the number of messages of each."""
    counts: Counter[str] = Counter()
    for part in parts:
        found = _lines(part, Meter())
        counts.update(line.author for line in (() if isinstance(found, Problem) else found) if line.author)
    return counts


def read(parts: Sequence[Part], meter: Meter, options: Options) -> Iterator[Item]:
    """Yield the conversation of each of these files."""
    for part in parts:
        lines = _lines(part, meter)
        if isinstance(lines, Problem):
            yield lines
            continue
        if not lines:
            yield Problem(part.name, "no messages found: no line begins with a date and a time")
            continue
        dates = _Dates(lines)
        authors = dict.fromkeys(line.author for line in lines if line.author)
        me = options.named(authors)
        if authors and not me:  # you are in each of your chats, perhaps under another name
            there = safe(", ".join([*authors][:5]))
            yield Problem(part.name, f"who are you in it? import it by itself with --me, one of: {there}")
            continue
        *above, name = part.inner.parts
        if name.startswith("_chat"):
            name = above[-1] if above and (above[-1].endswith(".zip") or "WhatsApp" in above[-1]) else ""
        title = _TITLE.sub("", name).strip() or ", ".join([name for name in authors if name not in me][:3])
        chat = Chat(Format.WHATSAPP, title.casefold(), title, part.name, me, monthly=False)
        for line in lines:
            if line.author:
                key = f"{line.stamp} {line.author} {line.text}"
                yield from chat.add(line.text, line.author, line.author in me, key=key, at=dates.time(line))
        yield from chat.end()
        if unsaid := sum(not line.author for line in lines):
            yield Skipped("not_a_message", part.name, unsaid)


def _lines(part: Part, meter: Meter) -> list[_Line] | Problem:
    """Return the messages of a file, or the reason why it cannot be read."""
    text = whole_text(part, meter, LIMIT)
    if isinstance(text, Problem):
        return text
    style = min(_STYLES, key=lambda style: found.start() if (found := style.search(text)) else len(text))
    marks = list(style.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [_Line.of(mark, text[mark.end() : end]) for mark, end in zip(marks, ends, strict=False)]


@cache
def _day(year: str, month: str, day: str) -> int | None:
    """Return the first moment of a day, if there is such a one; a Thai year is counted from 543 years earlier."""
    number = int(year) + (2000 if len(year) == 2 else -543 if int(year) > 2400 else 0)
    try:
        return clock.from_iso(f"{number:04}-{int(month):02}-{int(day):02}") if len(year) in (2, 4) else None
    except ValueError:
        return None


@lru_cache(100_000)
def seconds_of_day(before: str, hour: str, minute: str, second: str, after: str) -> int | None:
    """Return the seconds since midnight of a time with the words before and after it; None if there is no such time."""
    halves = {"".join(filter(str.isalpha, words)).casefold() for words in (before, after)}
    hours, minutes, seconds = int(hour), int(minute), int(second or 0)
    if halves & _AFTERNOON:
        hours = hours % 12 + 12
    elif halves & _FORENOON:
        hours %= 12
    return hours * 3600 + minutes * 60 + seconds if hours < 24 and minutes < 60 and seconds < 60 else None


class _Dates:
    """The order of year, month and day in a file: the one in which the dates exist, and go forward."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        dates = list(dict.fromkeys(line.date for line in lines))
        american = "/" in lines[0].stamp and lines[0].time[-1].strip(_SPACE) in ("AM", "PM")

        def cost(order: tuple[int, int, int]) -> tuple[int, int, bool]:
            days = [_day(*(date[place] for place in order)) for date in dates]
            known = [day for day in days if day is not None]
            return len(days) - len(known), sum(a > b for a, b in pairwise(known)), american is not (order == _ORDERS[1])

        self.order = min(_ORDERS, key=cost)

    def time(self, line: _Line) -> int | None:
        """Return the time of a line in microseconds, as the phone showed it."""
        date = _day(*(line.date[place] for place in self.order))
        since = seconds_of_day(*line.time)
        return None if date is None or since is None else date + since * clock.SECOND


FORMAT = LogFormat(Format.WHATSAPP, "a WhatsApp chat", read, fits_text=fits_text, people=people)
