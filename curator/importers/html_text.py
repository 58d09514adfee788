"""Conversion of HTML to text, with headings, lists and code as Markdown."""

import re
from html import unescape

_DROPPED = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*+>?|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*+)[^>]*>")
_SPACE = re.compile(r"[ \t\r\n\f]{2,}|[\t\r\n\f]")
_BULLET = re.compile(r"^-\n+", re.MULTILINE)  # a list item that begins with a paragraph
_ROW_START = re.compile(r"^\| ", re.MULTILINE)
_CLOSED = dict.fromkeys(("p", "table", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"), "\n\n")
_CLOSED |= {"div": "\n", "section": "\n", "ul": "\n", "ol": "\n"}
_OPENED = {**_CLOSED, "br": "\n", "li": "\n- ", "tr": "\n", "td": " | ", "th": " | ", "hr": "\n\n---\n\n"}
_OPENED |= {f"h{level}": f"\n\n{'#' * level} " for level in range(1, 7)}
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`"}


def html_text(source: str) -> str:
    """Return the visible text of a page; as in a browser, broken tags are text, unclosed comments hide the rest."""
    pieces: list[str] = []  # alternately outside and inside preformatted text
    piece: list[str] = []
    source = _DROPPED.sub("", source)
    at = 0
    for tag in _TAG.finditer(source, 0, source.rfind(">") + 1):
        fenced = len(pieces) % 2 == 1
        text = source[at : tag.start()]
        piece.append(text if fenced else _SPACE.sub(" ", text))
        at = tag.end()
        closes, name = bool(tag[1]), tag[2].lower()
        if name == "pre":
            if closes == fenced:
                pieces.append("".join(piece))
                piece = []
        elif fenced:
            piece.append("\n" if name == "br" else "")
        else:
            piece.append(_MARKS.get(name) or (_CLOSED if closes else _OPENED).get(name, ""))
    pieces.append("".join((*piece, source[at:])))
    for number, text in enumerate(pieces):
        if number % 2:
            pieces[number] = "\n\n```\n" + text.strip("\n") + "\n```\n\n"
        else:
            lines = "\n".join(line.strip(" \t") for line in text.split("\n"))
            pieces[number] = _ROW_START.sub("", _BULLET.sub("- ", lines))
    return re.sub(r"\n{3,}", "\n\n", unescape("".join(pieces))).strip()
