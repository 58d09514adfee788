"""Masking of what is in a message without being said by the person: code, quotations, logs, tables, documents.

Such parts are overwritten with as many spaces, so that offsets into what is left are offsets into the message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from curator.distill.documents import documents
from curator.distill.language import Language
from curator.text import lower as lower_case

OPAQUE = "x"
"""Stands in, letter by letter, for what counts as one word: inline code, an address, a short quotation."""
LONG_PARAGRAPH = 1_200
PASTE_AFTER_LEAD = 200

_LINE = re.compile(r"[^\n]*\n?")
_FENCE = re.compile(r"[ \t]{0,8}(`{3,}|~{3,})")
_INLINE = re.compile(
    r"`[^`\n]{1,200}`"
    r"|(?:https?://|www\.)[^\s<>()]{1,2000}"
    r"|\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,64}"
)
_QUOTED = re.compile(r'"[^"\n]{1,600}"|“[^”\n]{1,600}”|«[^»\n]{1,600}»')
_LOG = re.compile(
    r"\s{0,12}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b[\]:]"
    r"|Traceback \(most recent|File \"[^\"\n]{1,300}\", line \d|at [\w$.<>]{1,200}\(|Caused by:|\tat "
    r"|[\w.]{1,100}(?:Error|Exception)\b ?:|npm ERR!|\$ \w|>>> |\+{3} |-{3} |@@ |diff --git)"
)
_TABLE = re.compile(r"\s{0,8}\|.*\|\s*$|[^\t\n]{1,200}\t[^\t\n]{1,200}\t|\s{0,8}[+|][-=+|: ]{4,}$")
_CODE = re.compile(
    r"\s{0,40}(?:def \w+\(|class \w+[:({]|import [\w.{*]+(?:$| as | from )|from [\w.]+ import |#include"
    r"|function \w*\(|(?:const|let|var) \w+ ?=|(?:public|private|protected|static) \w|return\b[^.]*;?$"
    r"|(?:if|for|while) ?\(|else ?\{|\}|</?[a-zA-Z][^>\n]{0,300}>|SELECT .{1,300} FROM|INSERT INTO|CREATE TABLE"
    r"|[\w.\[\]\"']{1,80} ?(?:=|\+=|:=) ?\S.*[;)\]}\"']$|[\w.]{1,80}\(.*\);?$|[{}\[\]();,]+\s*$"
    r"|\"[^\"\n]{1,80}\" ?: |//|/\*|\* @|--[a-z]|sudo |pip install|npm (?:i|install|run)|git \w+ |docker |curl )"
)
_COMMENT = re.compile(r"(?:\t| {4,40})[ \t]{0,40}# \S")


@dataclass(frozen=True, slots=True)
class Block:
    """A part that was taken out, with why: code, quoted or pasted."""

    start: int
    end: int
    reason: str


def blank(text: str, language: Language) -> tuple[str, list[Block]]:
    """Return `text` in lower case with equal length, foreign parts blanked, and the list of those parts."""
    low = lower(text)
    pasted = [Block(start, end, "pasted") for start, end in documents(text)]
    apart = [
        one
        for one in _line_blocks(text, low, language)
        if not any(each.start < one.end and one.start < each.end for each in pasted)
    ]
    blocks: list[Block] = []
    for block in sorted([*apart, *pasted], key=lambda block: block.start):
        if blocks and blocks[-1].reason == block.reason and block.start == blocks[-1].end:
            blocks[-1] = Block(blocks[-1].start, block.end, block.reason)
        else:
            blocks.append(block)
    if blocks:
        pieces, at = [], 0
        for block in blocks:
            spaces = "\n".join(" " * len(line) for line in low[block.start : block.end].split("\n"))
            pieces += [low[at : block.start], spaces]
            at = block.end
        low = "".join([*pieces, low[at:]])
    if "`" in low or "@" in low or "://" in low or "www." in low:
        low = _INLINE.sub(lambda found: OPAQUE * len(found[0]), low)
    if '"' in low or "“" in low or "«" in low:
        low = _QUOTED.sub(lambda found: OPAQUE * len(found[0]), low)
    return low, blocks


def lower(text: str) -> str:
    """Return lower case and straight apostrophes, one code point for one."""
    low = lower_case(text)
    return low if low.isascii() else low.replace("’", "'").replace("‘", "'").replace("\u00a0", " ")


def _line_blocks(text: str, low: str, language: Language) -> Iterator[Block]:
    fence = ""
    pasting = False
    for line in _LINE.finditer(text):
        start, end = line.span()
        content, stripped = line[0], line[0].strip()
        opened = _FENCE.match(content) if "``" in content or "~~" in content else None
        if fence or opened:
            if start < end:
                yield Block(start, end, "code")
            if opened and not fence:
                fence = opened[1]
            elif opened and opened[1].startswith(fence) and not content[opened.end() :].strip():
                fence = ""
        elif not stripped:
            continue
        elif stripped[0] == ">":
            yield Block(start, end, "quoted")
        elif pasting:
            yield Block(start, end, "pasted")
        elif (
            stripped[-1] == ":"
            and language.cues["paste"].match(low[start:end].lstrip())
            and len(text) - end > PASTE_AFTER_LEAD
        ):
            pasting = True
        elif reason := _foreign(content, stripped, low[start:end], language):
            yield Block(start, end, reason)


def _foreign(content: str, stripped: str, low: str, language: Language) -> str:
    """Return the reason for which a line counts as not said by the person, or an empty text."""
    if _LOG.match(content) or _TABLE.match(content):
        return "pasted"
    if _CODE.match(content) or _COMMENT.match(content):
        return "code"
    signs = sum(map(stripped.count, "{}[]()<>=;|\\$_#^~+*/")) if len(stripped) >= 4 else 0
    if signs * 5 > len(stripped) and signs > 3:
        return "code"
    personal = language.cues["personal"]
    return "pasted" if len(stripped) > LONG_PARAGRAPH and len(personal.findall(low)) * 600 < len(stripped) else ""
