"""Masking of the parts of a message that are not the person's words: code, quotations, logs, tables, documents.

Masked parts become spaces of the same length, so that offsets stay valid.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from curator.distill.forget.off_the_record import WITHHELD, withheld_spans
from curator.distill.language import english
from curator.distill.statements.retractions import RETRACTED, retracted_spans
from curator.text import lower as lower_case
from curator.text import read_toml

RECALLED = re.compile(r"<memories(?: [^>\n]*)?>\n.*?(?:\n</memories>|\Z)", re.DOTALL)
"""A block of memories in a prompt, added by Curator or pasted."""
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
    text: str  # stripped


@cache
def _kinds() -> tuple[dict[str, _Kind], re.Pattern[str]]:
    """Return the document kinds, and one pattern with the marks of all, with which most lines are excluded at once."""
    rows = read_toml("curator.distill", "documents.toml")
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
    """Yield the spans of documents in a message, in order and disjoint.

    A document begins at the paragraph of its first mark. It ends at its sign-off, at the end of the message, or before
    a last paragraph that is a request or a single sentence of the person.
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
        """Yield the spans of documents with enough marks of their kind."""
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
        """Return the line after a document whose marks are in the lines `first` to `last`."""
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
        """Yield runs of lines that begin with a speaker's name, if a speaker occurs twice."""
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
        """Yield runs of at least four lines that are a table: a heading, and rows with as many commas or semicolons."""
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


OPAQUE = "x"
"""Replaces each letter of text that counts as one word: inline code, an address, a short quotation."""
LONG_PARAGRAPH = 1_200
"""Minimum characters of a paragraph that counts as pasted if it hardly has words like "I" and "my"."""
PASTE_AFTER_LEAD = 200
"""Minimum characters after a line like "here is the text:" that count as the pasted text."""

_FENCE = re.compile(r"[ \t]{0,8}(`{3,}|~{3,})")
_INLINE = re.compile(
    r"`[^`\n]{1,200}`"
    r"|(?:https?://|www\.)[^\s<>()]{1,2000}"
    r"|\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,64}"
)
_QUOTED = re.compile(
    r'"[^"\n]{1,600}"|„[^“”\n]{1,600}[“”]|“[^”\n]{1,600}”|«[^»\n]{1,600}»|「[^」\n]{1,600}」|『[^』\n]{1,600}』'
)
_QUOTES = frozenset('"“„«「『')
_LOG = re.compile(
    r"\s{0,12}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b[\]:]"
    r"|Traceback \(most recent|File \"[^\"\n]{1,300}\", line \d|at [\w$.<>]{1,200}\(|Caused by:|\tat "
    r"|[\w.]{1,100}(?:Error|Exception)\b ?:|npm ERR!|\$ \w|>>> |\+{3} |-{3} |@@ |diff --git)"
)
_ERROR = re.compile(
    r"\s{0,12}(?:E {2,8}\S|E\d{4}: |ERR_[A-Z_]{3,60}\b|E[A-Z]{4,20}: |thread '[^'\n]{1,100}' |goroutine \d"
    r"|(?:[\w./@-]{1,80}: )?(?:error|fatal|panic|warning|hint)(?:\[\w{1,10}\])?: (?!(?:always|never|use|don't)\b)"
    r"(?![^\n]*\b(?:i|i'm|we|we're|my|our)\b)|note: (?:run with|required by)"
    r"|error (?:TS|CS|MSB|LNK)\d|npm (?:warn|error|notice|WARN)\b"
    r"|(?:FAIL|PASS|FAILED|PASSED|WARN|WARNING|ERROR|FATAL) {1,6}"
    r"(?:\S{0,80}[/.:]\S|deprecated|Failed|Cannot|Could not| )"
    r"|[✗✘×✕✖❯✓✔⨯] \S{0,80}[./:]\S|(?:zsh|-?bash|sh|fish): |[\w.-]{1,40}: command not found"
    r"|[\w./@-]{1,200}\.\w{1,5}(?:\(\d+,\d+\)|:\d+(?::\d+)?):? |remote: (?:error|warning|hint|!)|! \[|CONFLICT \("
    r"|WARNING: DATA RACE|Exception in thread|Error response from|failed to \w+: |Uncaught |Unhandled "
    r"|Segmentation fault|Process finished with|exit (?:status|code) \d+\s*$|make(?:\[\d\])?: "
    r"|[A-Z]\w{2,60}(?:Warning: |(?:Error|Exception) \[)|assertion .{1,80} failed"
    r"| (?:left|right): |\{\"(?:level|ts|time|msg)\"|level=\w)"
)
"""The start of output of a compiler, test run or tool; "warning: I'm allergic" is the person's."""
_TABLE = re.compile(r"\s{0,8}\|.*\|\s*$|[^\t\n]{1,200}\t[^\t\n]{1,200}\t|\s{0,8}[+|][-=+|: ]{4,}$")
_CODE = re.compile(
    r"\s{0,40}(?:def \w+\(|class \w+[:({]|import [\w.{*]+(?:$| as | from )|from [\w.]+ import |#include"
    r"|function \w*\(|(?:const|let|var) \w+ ?=|(?:public|private|protected|static) \w|return\b[^.]*;?$"
    r"|(?:if|for|while) ?\(|else ?\{|\}|</?[a-zA-Z][^>\n]{0,300}>|SELECT .{1,300} FROM|INSERT INTO|CREATE TABLE"
    r"|[\w.\[\]\"']{1,80} ?(?:=|\+=|:=) ?\S.*[;)\]}\"']$|[\w.]{1,80}\(.*\);?$|[{}\[\]();,]+\s*$"
    r"|\"[^\"\n]{1,80}\" ?: |//|/\*|\* @|--[a-z]|sudo |pip install|npm (?:i|install|run)"
    r"|git (?:add|am|apply|bisect|blame|branch|checkout|cherry-pick|clone|commit|config|diff|fetch|init|log|merge|mv"
    r"|pull|push|rebase|remote|reset|restore|revert|rm|show|stash|status|submodule|switch|tag|worktree) "
    r"|(?:docker|curl) (?!(?:is|was|isn't|can|has|does|doesn't|works|and|or|on)\b))"
)
_SIGNS = "{}[]()<>=;|\\$_#^~+*/"  # more than a fifth of a line of code are such characters
_COMMENT = re.compile(r"(?:\t| {4,40})[ \t]{0,40}# \S")


@dataclass(frozen=True, slots=True)
class MaskedSpan:
    """A masked span of a message and its reason: code, quoted, pasted, withheld or retracted."""

    start: int
    end: int
    reason: str


def mask_foreign_text(text: str) -> tuple[str, list[MaskedSpan]]:
    """Return `text` in lower case at the same length, with foreign parts as spaces, and the spans of those parts.

    Parts that the person asked not to keep, or took back at once, are masked too, so that no distiller reads them.
    """
    low = lower(text)
    pasted = [MaskedSpan(*found.span(), "pasted") for found in RECALLED.finditer(text)] if "<memories" in text else []
    pasted += [
        MaskedSpan(start, end, "pasted")
        for start, end in documents(text)
        if not any(each.start < end and start < each.end for each in pasted)
    ]
    apart = [
        one
        for one in _line_blocks(text, low)
        if not any(each.start < one.end and one.start < each.end for each in pasted)
    ]
    blocks: list[MaskedSpan] = []
    for block in sorted([*apart, *pasted], key=lambda block: block.start):
        if blocks and blocks[-1].reason == block.reason and block.start == blocks[-1].end:
            blocks[-1] = MaskedSpan(blocks[-1].start, block.end, block.reason)
        else:
            blocks.append(block)
    low = _blanked(low, blocks)
    if "`" in low or "@" in low or "://" in low or "www." in low:
        low = _INLINE.sub(lambda found: OPAQUE * len(found[0]), low)
    if not _QUOTES.isdisjoint(low):
        low = _QUOTED.sub(lambda found: OPAQUE * len(found[0]), low)
    for find, reason in ((withheld_spans, WITHHELD), (retracted_spans, RETRACTED)):
        if spans := find(low):
            found = [MaskedSpan(start, end, reason) for start, end in spans]
            low = cut_out(low, spans)
            blocks = sorted([*blocks, *found], key=lambda block: block.start)
    return low, blocks


def cut_out(low: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text with `spans` masked; the texts before and after each do not form one sentence."""
    low = _blanked(low, [MaskedSpan(start, end, "") for start, end in spans])
    for start, _ in spans:
        low = f"{low[:start]}\n{low[start + 1 :]}"
    return low


def _blanked(low: str, blocks: list[MaskedSpan]) -> str:
    pieces, at = [], 0
    for block in blocks:
        spaces = "\n".join(" " * len(line) for line in low[block.start : block.end].split("\n"))
        pieces += [low[at : block.start], spaces]
        at = block.end
    return "".join([*pieces, low[at:]])


def lower(text: str) -> str:
    """Return the text in lower case with straight apostrophes, at the same length."""
    low = lower_case(text)
    return low if low.isascii() else low.replace("’", "'").replace("‘", "'").replace("\u00a0", " ")


def _line_blocks(text: str, low: str) -> Iterator[MaskedSpan]:
    fence = ""
    pasting = False
    for line in _LINE.finditer(text):
        start, end = line.span()
        content, stripped = line[0], line[0].strip()
        opened = _FENCE.match(content) if "``" in content or "~~" in content else None
        if fence or opened:
            if start < end:
                yield MaskedSpan(start, end, "code")
            if opened and not fence:
                fence = opened[1]
            elif opened and opened[1].startswith(fence) and not content[opened.end() :].strip():
                fence = ""
        elif not stripped:
            continue
        elif stripped[0] == ">":
            yield MaskedSpan(start, end, "quoted")
        elif pasting:
            yield MaskedSpan(start, end, "pasted")
        elif (
            stripped[-1] == ":"
            and english().cues["paste"].match(low[start:end].lstrip())
            and len(text) - end > PASTE_AFTER_LEAD
        ):
            pasting = True
        elif _LOG.match(content) or _ERROR.match(content) or _TABLE.match(content):
            yield MaskedSpan(start, end, "pasted")
        elif (
            _CODE.match(content)
            or _COMMENT.match(content)
            or 5 * sum(map(stripped.count, _SIGNS)) > max(15, len(stripped))
        ):
            yield MaskedSpan(start, end, "code")
        elif len(stripped) > LONG_PARAGRAPH and (
            len(english().cues["personal"].findall(low[start:end])) * 600 < len(stripped)
        ):
            yield MaskedSpan(start, end, "pasted")
