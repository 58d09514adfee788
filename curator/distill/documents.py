"""Pasted documents in a message, without a fence: e-mails, articles, contracts, chats, tables.

Their words are not those of the person who pasted them.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

_LINE = re.compile(r"[^\n]*\n?")
_TURN = re.compile(
    r"\[?\d{1,2}[:.]\d\d(?:[:.]\d\d)?\]?(?: ?[ap]m)?,? (?:-? ?(?P<timed>[^:\n]{1,30}): )?|"
    r"\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d\d(?::\d\d)?\]?(?: -)? (?P<dated>[^:\n]{1,30}): |"
    r"<(?P<nick>[\w-]{1,20})> |"
    r"(?P<name>(?:Dr\. |Prof\. )?[A-Z][\w.'-]{0,20}(?: [A-Z0-9][\w.'-]{0,20})?): "
)
_REQUEST = re.compile(
    r"(?:please|(?:can|could|would|will|do) you|what|which|who|is (?:this|it|that)|should i|how|does (?:this|it)|any"
    r"|now|tell me|explain|draft|reply|write|translate|summari[sz]e|shorten|rewrite|proofread|help|check|thanks)\b",
    re.IGNORECASE,
)
_OWN_SENTENCE = re.compile(r"(?:i|i'm|i’m|i've|my|we|our)\b[^.!?\n]{1,140}[.!?]?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Kind:
    marks: tuple[re.Pattern[str], ...]
    least: int
    closed: bool


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str  # without blanks around it


@cache
def _kinds() -> tuple[dict[str, _Kind], re.Pattern[str]]:
    """Return the kinds of documents, and all marks as one pattern: most lines have none, and are tried once."""
    rows = tomllib.loads((files("curator.distill") / "documents.toml").read_text("utf-8"))
    kinds = {
        name: _Kind(
            tuple(re.compile(mark, re.IGNORECASE) for mark in cast("list[str]", row["marks"])),
            cast(int, row["least"]),
            bool(row.get("closed")),
        )
        for name, row in cast("dict[str, dict[str, object]]", rows).items()
    }
    marks = "|".join(f"(?:{mark.pattern})" for kind in kinds.values() for mark in kind.marks)
    return kinds, re.compile(marks, re.IGNORECASE)


def documents(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of documents in a message, in order and apart from each other.

    A document begins with the paragraph of its first mark and ends with its sign-off, or before the last paragraph
    where that asks for something or is one sentence of the person, or with the message.
    """
    if "\n" not in text.strip():
        return
    page = _Page(text)
    lines = page.lines
    at = 0
    for start, end in sorted([*page.marked(), *page.turns(), *page.rows()]):
        if end > at:
            yield lines[max(start, at)].start, lines[end - 1].end
            at = end


class _Page:
    """The lines of a message; spans are in lines."""

    def __init__(self, text: str) -> None:
        found = (line for line in _LINE.finditer(text) if line[0])
        self.lines = [_Line(line.start(), line.end(), line[0].strip()) for line in found]

    def marked(self) -> Iterator[tuple[int, int]]:
        """Yield the spans of documents with enough marks of a kind."""
        kinds, any_mark = _kinds()
        marked = [
            (number, line.text) for number, line in enumerate(self.lines) if line.text and any_mark.match(line.text)
        ]
        for kind in kinds.values() if marked else ():
            hits = [
                (number, mark)
                for number, line in marked
                for mark, pattern in enumerate(kind.marks)
                if pattern.match(line)
            ]
            if len({mark for _, mark in hits}) >= kind.least:
                start = first = hits[0][0]
                while start and self.lines[start - 1].text and not _is_request(self.lines[start - 1].text):
                    start -= 1
                yield start, self.end(first, hits[-1][0], kind.closed)

    def end(self, first: int, last: int, closed: bool) -> int:
        """Return the line behind a document whose marks are in the lines `first` to `last`."""
        size = len(self.lines)
        signature = _kinds()[0]["letter"].marks[1]
        for number in range(first, size) if closed else ():
            if self.lines[number].text == "--" or signature.match(self.lines[number].text):
                return max(next((at for at in range(number, size) if not self.lines[at].text), size), last + 1)
        end = size
        while end > last + 1 and not self.lines[end - 1].text:
            end -= 1
        start = end
        while start > last + 1 and self.lines[start - 1].text:
            start -= 1
        paragraph = " ".join(line.text for line in self.lines[start:end])
        return start if start > last + 1 and (_is_request(paragraph) or _OWN_SENTENCE.match(paragraph)) else size

    def turns(self) -> Iterator[tuple[int, int]]:
        """Yield runs of lines that begin with who says them, where somebody says something twice."""
        run: list[tuple[int, str]] = []
        for number, line in enumerate([*self.lines, _Line(0, 0, "")]):
            found = _TURN.match(line.text) if line.text else None
            if found:
                run.append((number, next((name for name in found.groups() if name), "")))
            elif not line.text or not run:
                if len(run) > 1 and max(Counter(name for _, name in run).values()) > 1:
                    yield run[0][0], number
                run = []

    def rows(self) -> Iterator[tuple[int, int]]:
        """Yield runs of four and more lines below a heading of short names with as many commas or semicolons."""
        number = 0
        while number < len(self.lines):
            head = self.lines[number].text
            sign = ";" if ";" in head else ","
            end = number + 1
            if head.count(sign) > 1 and all(re.fullmatch(r"[\w -]{1,30}", name.strip()) for name in head.split(sign)):
                while end < len(self.lines) and self.lines[end].text.count(sign) >= head.count(sign):
                    end += 1
                if end - number > 3:
                    yield number, end
            number = end


def _is_request(text: str) -> bool:
    return len(text) < 300 and (_REQUEST.match(text) is not None or text.endswith("?"))
