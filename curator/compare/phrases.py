"""Phrases in their original spelling: values, clauses, numbers, dates, and the words shared by two texts."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from curator.text import plain_words, stem, wordlists
from curator.text.date_expressions import BRIEF
from curator.text.dates import without_dates

LONGEST = 60
"""Maximum characters of a quoted phrase."""
_FEW = 4
"""Maximum differing words of each of two texts with the same frame."""
_BESIDE = 60
"""Maximum characters next to a number that may name the thing counted."""
_TAIL = re.compile(
    r"[ ,]+(?:(?:and|but|so) (?:also |then |now )?"
    r"(?:i|we|am|do|go|hate|have|like|live|love|make|play|run|take|use|work)\b"
    r"|(?:i|we|got|since|because|when|while|from now on|on my own)\b|(?:works|who|which|focusing|using)\b"
    r"|(?:\d+|a|two|three|four) (?:day|week|month|year)s? ago\b).*",
    re.IGNORECASE | re.DOTALL,
)
"""The rest of a clause that a rule included in a value."""
_OPENS = re.compile(r"(?:^|[.!?]\s+)[\"'“(]*$")
_STOP = re.compile(r"[,;:!?()\n]|\.(?:\s|$)| [-–—] ")
_PIECE = re.compile(
    r"(?<=[.!?;:])\s+|,\s+|\s+[-–—]\s+|\n+|\s(?=(?:but|because|while|although)\s)|\s(?=and (?:i|we|my|now)\b)",
    re.IGNORECASE,
)
_JOINED = re.compile(r"^(?:and|but|so|because|while|although)\s+", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_WORDS = re.compile(r"(?:[ -]+[^\W\d_]+){1,3}")
_WORDS_BEFORE = re.compile(r"(?:[^\W\d_]+[ :]+(?:is |are |in |of )?){1,3}$")
_DAY = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{BRIEF})|(?:{BRIEF}) \d{{1,2}}(?:st|nd|rd|th)?(?!\d))"
    rf"(?:,? \d{{4}}| \(\d{{4}}\))?|(?:{BRIEF}) (?:\d{{4}}|\(\d{{4}}\)))",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?P<sign>[$€£¥])?(?<![\w.])"
    r"(?P<number>(?:[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\w)(?! \d)|\d+)(?:[.,:]\d+)*)"
    r"(?P<tail>[ \u00a0\u202f-]?%|[ \u00a0\u202f-]?[^\W\d_]+)?"
)
_NO_THINGS = frozenset(
    "per via for from with without within into onto over under above below between behind beside near around about"
    " across along among against after before during until till since upon off out than like through towards toward"
    " beyond despite except inside outside plus minus instead because while whereas although though unless whether"
    " which where when whose what he she they him her them his their".split()
)
"""Prepositions, conjunctions and pronouns: they name no thing."""


def as_written(said: str, text: str, name: bool = True) -> str:
    """Return a value as the text spells it, or as much of its start as the text has, without the rest of the clause.

    At the start of a sentence, only a `name` keeps its capital.
    """
    words = said.split()
    for size in range(len(words), 0, -1):
        some = r"\W+".join(map(re.escape, words[:size]))
        if found := re.search(rf"(?<!\w){some}(?!\w)", text, re.IGNORECASE):
            cut = _TAIL.sub("", _STOP.split(found[0])[0]).strip() or found[0]
            opens = not name and _OPENS.search(text, 0, found.start())
            return cut[0].lower() + cut[1:] if opens else cut
    return _TAIL.sub("", said)


def pieces(text: str) -> Iterator[str]:
    """Yield the clauses of a text as written."""
    for piece in _PIECE.split(text):
        if plain := _JOINED.sub("", piece.strip(' .,;:!?("“”')):
            yield plain if "(" in plain else plain.rstrip(" .,;:!?)")


def piece(text: str, wanted: Callable[[str], object], other: str) -> str:
    """Return the clause accepted by `wanted` that shares the most words with another text; empty without one."""
    shared = set(map(stem, plain_words(other))) - wordlists().empty
    found = [one for one in pieces(text) if wanted(" ".join(plain_words(one)))]
    return max(found, key=lambda one: len(shared & set(map(stem, plain_words(one)))), default="")


def quoted(phrase: str) -> str:
    """Return a phrase in quotes; a long one is cut at a word."""
    if len(phrase) <= LONGEST:
        return f"“{phrase}”"
    return f"“{phrase[:LONGEST].rsplit(' ', 1)[0].rstrip(' ,;:')}…”"


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as written, with its sign or unit, and the words before and after it."""

    written: str
    before: str
    after: str


def amounts(text: str) -> dict[str, list[Amount]]:
    """Return the numbers of a text, except those of dates, by sign, unit or noun; "" for a bare number."""
    lists, found = wordlists(), dict[str, list[Amount]]()
    plain = _DAY.sub(";", without_dates(text))
    for match in _NUMBER.finditer(plain):
        tail = (match["tail"] or "").strip("- \u00a0\u202f")
        unit = tail == "%" or tail.casefold() in lists.units
        noun = tail.isalpha() and tail.casefold() not in lists.empty
        what = match["sign"] or (stem(tail.casefold()) if unit or noun else "clock" if ":" in match["number"] else "")
        end = match.end("tail") if unit else match.end("number")
        found.setdefault(what, []).append(
            Amount(
                plain[match.start() : end],
                plain[max(0, match.start() - _BESIDE) : match.start()],
                plain[end : end + _BESIDE],
            )
        )
    return found


def counted(one: Amount, other: Amount) -> str:
    """Return the shared words next to two numbers that name the thing counted."""
    after = _common(_WORDS.match(one.after), _WORDS.match(other.after))
    after = "" if after.partition(" ")[0].casefold() in _NO_THINGS else after
    before = _common(_WORDS_BEFORE.search(one.before), _WORDS_BEFORE.search(other.before), last=True).split()
    while before and before[-1].casefold() in _NO_THINGS:
        before.pop()
    return after or " ".join(before)


def _common(one: re.Match[str] | None, other: re.Match[str] | None, last: bool = False) -> str:
    ours, theirs = ((match[0].split() if match else []) for match in (one, other))
    if last:
        ours, theirs = ours[::-1], theirs[::-1]
    pairs = zip(ours, theirs, strict=False)
    same = [word for word, _ in takewhile(lambda pair: pair[0].casefold() == pair[1].casefold(), pairs)]
    while same and not _tells(same[-1]):
        same.pop()
    return " ".join(same[::-1] if last else same) if any(map(_tells, same)) else ""


def days(text: str) -> list[str]:
    """Return the days and months of a text as written, with their years if it has them."""
    return list(dict.fromkeys(re.sub(r"[()]", "", match[0]) for match in _DAY.finditer(text)))


def apart(a: str, b: str) -> tuple[str, str] | None:
    """Return the differing words of two texts with the same start and end; None if there are none or too many."""
    ours, theirs = a.strip(" .!").split(), b.strip(" .!").split()
    begin = len(list(takewhile(_equal, zip(ours, theirs, strict=False))))
    end = (
        len(list(takewhile(_equal, zip(ours[: begin - 1 : -1], theirs[: begin - 1 : -1], strict=False))))
        if begin
        else 0
    )
    rest = ours[begin : len(ours) - end], theirs[begin : len(theirs) - end]
    if begin + end < 2 or not all(1 <= len(words) <= _FEW for words in rest):
        return None
    return " ".join(rest[0]), " ".join(rest[1])


def _equal(words: tuple[str, str]) -> bool:
    return words[0].casefold() == words[1].casefold()


def topic(a: str, b: str) -> str:
    """Return the longest run of content words that both texts share, as written in `b`; empty without one."""
    written = {word.casefold(): word for word in sorted(_WORD.findall(f"{a} {b}"))}  # lower case wins
    ours = [word.casefold() for word in _WORD.findall(a)]
    runs = {tuple(ours[at : at + size]) for size in (1, 2, 3) for at in range(len(ours) - size + 1)}
    theirs = _WORD.findall(b)
    for size in (3, 2, 1):
        for at in range(len(theirs) - size + 1):
            run = theirs[at : at + size]
            if all(map(_tells, run)) and tuple(map(str.casefold, run)) in runs:
                return " ".join(written[word.casefold()] for word in run)
    return ""


def _tells(word: str) -> bool:
    """Return True if a word can be the topic of a text: a noun or name, according to the word lists."""
    lists, plain = wordlists(), word.casefold()
    if len(plain) < 3 or not plain.isalpha() or plain in lists.empty or plain in lists.negations:
        return False
    if plain in _NO_THINGS or plain in lists.units:
        return False
    return plain not in verb_forms() and stem(plain) not in lists.light and not plain.endswith("ly")


@cache
def verb_forms() -> frozenset[str]:
    """Return all forms of the known verbs."""
    return frozenset(form for forms in wordlists().verbs.values() for form in forms)
