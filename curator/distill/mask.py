"""Text that is in a message without being said by the person: code, quotations, logs, tables, pasted documents.

Such parts are overwritten with as many spaces, so that offsets into what is left are offsets into the message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from curator.distill.documents import documents
from curator.distill.language import Language

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
    """`text` in lower case with equal length, foreign parts blanked, and the list of those parts."""
    low = lower(text)
    blocks = list(_merged(iter(_with_documents(_line_blocks(text, low, language), text))))
    if blocks:
        pieces, at = [], 0
        for block in blocks:
            pieces += [low[at : block.start], _spaces(low[block.start : block.end])]
            at = block.end
        low = "".join([*pieces, low[at:]])
    if "`" in low or "@" in low or "://" in low or "www." in low:
        low = _INLINE.sub(lambda found: OPAQUE * len(found[0]), low)
    if '"' in low or "“" in low or "«" in low:
        low = _QUOTED.sub(lambda found: OPAQUE * len(found[0]), low)
    return low, blocks


def lower(text: str) -> str:
    """Lower case and straight apostrophes, one code point for one."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    if low.isascii():
        return low
    return low.replace("’", "'").replace("‘", "'").replace("\u00a0", " ")


def _spaces(part: str) -> str:
    return "\n".join(" " * len(line) for line in part.split("\n"))


def _merged(blocks: Iterator[Block]) -> Iterator[Block]:
    """Neighbours with one reason become one."""
    last: Block | None = None
    for block in blocks:
        if last and last.reason == block.reason and block.start == last.end:
            last = Block(last.start, block.end, last.reason)
            continue
        if last:
            yield last
        last = block
    if last:
        yield last


def _with_documents(blocks: Iterator[Block], text: str) -> list[Block]:
    """The blocks, and documents as pasted ones around those that stand in them."""
    pasted = [Block(start, end, "pasted") for start, end in documents(text)]
    apart = [one for one in blocks if not any(each.start < one.end and one.start < each.end for each in pasted)]
    return sorted([*apart, *pasted], key=lambda block: block.start)


def _line_blocks(text: str, low: str, language: Language) -> Iterator[Block]:
    fence = ""
    paste_from: int | None = None
    personal, lead = language.cues["personal"], language.cues["paste"]
    for line in _LINE.finditer(text):
        start, end = line.span()
        if start == end:
            continue
        content = line[0]
        opened = _FENCE.match(content) if "``" in content or "~~" in content else None
        if fence:
            yield Block(start, end, "code")
            if opened and opened[1].startswith(fence) and not content[opened.end() :].strip():
                fence = ""
            continue
        if opened:
            fence = opened[1]
            yield Block(start, end, "code")
            continue
        stripped = content.strip()
        if not stripped:
            continue
        if stripped[0] == ">":
            yield Block(start, end, "quoted")
            continue
        if paste_from is not None:
            yield Block(start, end, "pasted")
            continue
        if stripped[-1] == ":" and lead.match(low[start:end].lstrip()) and len(text) - end > PASTE_AFTER_LEAD:
            paste_from = end
            continue
        if _LOG.match(content) or _TABLE.match(content):
            yield Block(start, end, "pasted")
        elif _looks_like_code(content, stripped):
            yield Block(start, end, "code")
        elif len(stripped) > LONG_PARAGRAPH and len(personal.findall(low, start, end)) * 600 < len(stripped):
            yield Block(start, end, "pasted")


def _looks_like_code(content: str, stripped: str) -> bool:
    if _CODE.match(content) or _COMMENT.match(content):
        return True
    if len(stripped) < 4:
        return False
    signs = sum(stripped.count(sign) for sign in "{}[]()<>=;|\\$_#^~+*/")
    return signs * 5 > len(stripped) and signs > 3
